// TRANSPOSE: the dimensions in the order that input 1 gives.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/box_kernel.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::transpose {
namespace {

// The order with negative dimensions, which count from the last, made positive.
absl::StatusOr<std::vector<size_t>> Resolve(const std::vector<int64_t>& order,
                                            int rank) {
  std::vector<bool> is_taken(static_cast<size_t>(rank), false);
  std::vector<size_t> result;
  for (const int64_t dimension : order) {
    const absl::StatusOr<int> resolved = ResolveAxis(dimension, rank);
    if (!resolved.ok() || is_taken[static_cast<size_t>(*resolved)]) break;
    result.push_back(static_cast<size_t>(*resolved));
    is_taken[result.back()] = true;
  }
  if (result.size() != order.size() || result.size() != is_taken.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the order is [", absl::StrJoin(order, ", "),
                     "]: expected each of ", rank, " dimensions once"));
  }
  return result;
}

class Transpose : public BoxKernel {
 public:
  Transpose() : BoxKernel(2) {}

 private:
  absl::Status Resize(OperatorContext& context) override {
    const absl::StatusOr<std::vector<int64_t>> values = IntegersOf(context, 1);
    if (!values.ok()) return values.status();
    const Tensor& input = context.input(0);
    const auto order = Resolve(*values, input.rank());
    if (!order.ok()) return order.status();
    Shape shape;
    for (const size_t d : *order) shape.push_back(input.shape[d]);
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    const std::vector<int64_t> from = Strides(input.shape);
    const std::vector<int64_t> to = Strides(shape);
    std::vector<BoxCopy::Axis> axes;
    for (size_t d = 0; d < shape.size(); ++d) {
      axes.push_back({shape[d], from[(*order)[d]], to[d]});
    }
    copy_ = BoxCopy(axes);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("TRANSPOSE")
              .Computes("the dimensions in the order that input 1 gives")
              .OfVersions(1, 7)
              .Creates<Transpose>()};
}

}  // namespace stowage::harness::transpose
