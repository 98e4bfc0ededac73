// SPDX-License-Identifier: Apache-2.0
// Registers FULLY_CONNECTED. It divides the input into rows as long as the rows
// of the weights [units, depth], and multiplies these rows by the transposed
// weights. The output is [rows, units], or has the shape of the input with the
// last dimension replaced by `units`.
#include <type_traits>

#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"

namespace stowage::harness::fully_connected {
namespace {

struct Geometry {
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t units = 0;
};

absl::StatusOr<Geometry> MakeGeometry(const OperatorContext& context,
                                      const FullyConnectedOptions& options) {
  if (options.weights_format != 0) {
    return RefuseModel("its weights are in format ", options.weights_format,
                       "; expected the default, [units, depth]");
  }
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 2, 2));
  const Tensor& input = context.input(0);
  const Tensor& weights = context.input(1);
  Geometry g{0, weights.dim(1), weights.dim(0)};
  const int64_t elements = input.elements();
  const bool fits = options.keeps_dimensions
                        ? input.rank() > 0 && input.dim(-1) == g.depth
                        : g.depth > 0 && elements % g.depth == 0;
  if (!fits || g.depth == 0) {
    return RefuseModel(InputPlace(context, 0), ": its shape is ",
                       ShapeText(input.shape), "; expected rows of ", g.depth,
                       ", as the weights are ", ShapeText(weights.shape));
  }
  g.rows = elements / g.depth;
  if (g.rows > INT32_MAX) {
    return RefuseModel(InputPlace(context, 0), ": it has ", g.rows,
                       " rows; expected fewer than 2^31");
  }
  return g;
}

class FullyConnected : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 3, 1));
    STOWAGE_ASSIGN_OR_RETURN(const FullyConnectedOptions options,
                             FullyConnectedOptionsOf(context.spec()));
    STOWAGE_ASSIGN_OR_RETURN(geometry_, MakeGeometry(context, options));
    LinearRoles roles;
    roles.channels = geometry_.units;
    roles.batches = geometry_.rows;
    roles.tile_depth = geometry_.depth;
    roles.has_float_products = true;
    roles.is_wide_without_bias = true;
    roles.has_asymmetric_inputs = options.has_asymmetric_inputs;
    STOWAGE_RETURN_IF_ERROR(
        linear_.Prepare(context, roles, options.activation));
    Shape shape = {static_cast<int32_t>(geometry_.rows),
                   static_cast<int32_t>(geometry_.units)};
    if (options.keeps_dimensions) {
      shape = context.input(0).shape;
      shape.back() = static_cast<int32_t>(geometry_.units);
    }
    return context.ResizeOutput(0, shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    linear_.Invoke(context, [&g = geometry_](const auto& run) {
      MultiplyRows<typename std::decay_t<decltype(run)>::Input>(
          g.rows, run.WeightsAt(0, g.units, g.depth), run.tile,
          [&](int64_t row, auto* cells) {
            CopyToTile(run.input + row * g.depth, g.depth,
                       run.stage.input_zero(row), cells);
          },
          [&](int64_t row, int64_t unit, auto sum) {
            run.output[row * g.units + unit] = run.stage(row, unit, sum);
          });
    });
    return absl::OkStatus();
  }

 private:
  Geometry geometry_;
  Linear linear_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<FullyConnected>(
              "FULLY_CONNECTED",
              "the input, as rows as long as those of the weights, "
              "times the weights [units, depth] transposed")
              .OfVersions(1, 13)};
}

}  // namespace stowage::harness::fully_connected
