// SPDX-License-Identifier: Apache-2.0
// Registers BATCH_MATMUL. It multiplies matrices [.., rows, depth] by matrices
// [.., depth, columns], one pair for each index of the leading dimensions,
// which are broadcast. The last two dimensions of either operand may be
// exchanged, which means that the operand is given transposed.
//
// The right matrix is transposed to the layout of weights (tile.h), unless it
// is already given in that layout.
#include <algorithm>

#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::batch_matmul {
namespace {

struct Geometry {
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
  bool left_is_turned = false;
  bool right_is_turned = false;
};

template <typename T>
void Turn(const T* from, int64_t rows, int64_t columns, T* to) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      to[c * rows + r] = from[r * columns + c];
    }
  }
}

// Requires that `left` is [rows, depth] or its transpose, and that `right` is
// [columns, depth].
template <typename T, typename Finish>
void MultiplyMatrix(const Geometry& g, const T* left, int32_t left_zero,
                    const TileWeights<T>& right, void* tile,
                    const Finish& finish) {
  MultiplyRows<T>(
      g.rows, right, tile,
      [&](int64_t row, auto* cells) {
        if (!g.left_is_turned) {
          CopyToTile(left + row * g.depth, g.depth, left_zero, cells);
          return;
        }
        for (int64_t k = 0; k < g.depth; ++k) {
          CopyToTile(left + k * g.rows + row, 1, left_zero,
                     cells + k * TileLayout<T>::kCellStep);
        }
      },
      [&](int64_t row, int64_t column, auto sum) {
        finish(row * g.columns + column, sum);
      });
}

// Returns all dimensions before the last two.
Shape BatchOf(const Tensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end() - 2};
}

absl::StatusOr<Geometry> MakeGeometry(const OperatorContext& context,
                                      const tflite::BatchMatMulOptions& o) {
  constexpr int kMaxRank = 8;
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 2, kMaxRank));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 2, kMaxRank));
  const Tensor& left = context.input(0);
  const Tensor& right = context.input(1);
  Geometry g;
  g.left_is_turned = o.adj_x();
  g.right_is_turned = o.adj_y();
  g.rows = left.dim(o.adj_x() ? -1 : -2);
  g.depth = left.dim(o.adj_x() ? -2 : -1);
  g.columns = right.dim(o.adj_y() ? -2 : -1);
  const int64_t right_depth = right.dim(o.adj_y() ? -1 : -2);
  if (g.depth != right_depth || g.depth < 1) {
    return RefuseModel(
        "its matrices are ", g.rows, " by ", g.depth, " and ", right_depth,
        " by ", g.columns,
        "; expected as many columns as the other has rows, and any");
  }
  return g;
}

class BatchMatMul : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                             OptionsOf<tflite::BatchMatMulOptions>(context));
    STOWAGE_RETURN_IF_ERROR(
        CheckOneType(context, 2, TypeList<float, int8_t>()));
    STOWAGE_ASSIGN_OR_RETURN(geometry_, MakeGeometry(context, *options));
    const bool is_float = context.input(0).type == ElementType::kFloat32;
    if (!is_float) {
      STOWAGE_RETURN_IF_ERROR(PrepareFactor(context));
    }
    STOWAGE_ASSIGN_OR_RETURN(tile_,
                             NewTile(context, geometry_.depth, is_float));
    if (!geometry_.right_is_turned) {
      STOWAGE_ASSIGN_OR_RETURN(
          turned_,
          context.AddTemporary(context.input(1).type,
                               {static_cast<int32_t>(geometry_.columns),
                                static_cast<int32_t>(geometry_.depth)}));
    }
    const Tensor& left = context.input(0);
    const Tensor& right = context.input(1);
    absl::StatusOr<Shape> batch = BroadcastShape(BatchOf(left), BatchOf(right));
    if (!batch.ok()) {
      return RefuseModel(
          "its operands are ", ShapeText(left.shape), " and ",
          ShapeText(right.shape),
          "; expected the dimensions before the last two to be equal or 1");
    }
    Shape shape = *std::move(batch);
    shape.push_back(static_cast<int32_t>(geometry_.rows));
    shape.push_back(static_cast<int32_t>(geometry_.columns));
    return context.ResizeOutput(0, shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    if (context.input(0).type == ElementType::kFloat32) {
      auto* const to = context.output(0).as<float>();
      MultiplyAll<float>(context, 0, 0,
                         [to](int64_t i, float sum) { to[i] = sum; });
      return absl::OkStatus();
    }
    IntegerStage<int8_t, int32_t> stage;
    stage.factors = &factor_;
    stage.output = QuantizedOutputOf(context.output(0));
    auto* const to = context.output(0).as<int8_t>();
    MultiplyAll<int8_t>(
        context, context.input(0).quantization.zero_point(),
        context.input(1).quantization.zero_point(),
        [to, &stage](int64_t i, int64_t sum) { to[i] = stage(0, 0, sum); });
    return absl::OkStatus();
  }

 private:
  absl::Status PrepareFactor(OperatorContext& context) {
    STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
    // The product of the scales is rounded to a 32-bit float, as in the
    // reference kernels.
    const auto product =
        static_cast<double>(context.input(0).quantization.scale() *
                            context.input(1).quantization.scale());
    STOWAGE_ASSIGN_OR_RETURN(
        factor_, MultiplierOfScales(
                     product / double{context.output(0).quantization.scale()}));
    return absl::OkStatus();
  }

  template <typename T, typename Finish>
  void MultiplyAll(OperatorContext& context, int32_t left_zero,
                   int32_t right_zero, const Finish& finish) {
    const Geometry& g = geometry_;
    const T* const all_left = context.input(0).as<T>();
    const T* const all_right = context.input(1).as<T>();
    int64_t turned_matrix = -1;
    const auto multiply = [&](int64_t to, int64_t left_matrix,
                              int64_t right_matrix) {
      const T* right = all_right + right_matrix * g.depth * g.columns;
      if (!g.right_is_turned) {
        T* const turned = context.temporary(turned_).as<T>();
        if (right_matrix != turned_matrix) {
          Turn(right, g.depth, g.columns, turned);
        }
        turned_matrix = right_matrix;
        right = turned;
      }
      MultiplyMatrix(g, all_left + left_matrix * g.rows * g.depth, left_zero,
                     TileWeights<T>{right, g.columns, g.depth, right_zero},
                     tile_, [&](int64_t i, auto sum) {
                       finish(to * g.rows * g.columns + i, sum);
                     });
    };
    const Shape left_batch = BatchOf(context.input(0));
    const Shape right_batch = BatchOf(context.input(1));
    const StridedLoop<3> matrices = BroadcastLoop<2>(
        BatchOf(context.output(0)), {&left_batch, &right_batch});
    const auto& inner = matrices.inner();
    matrices.ForEachRow({}, [&](const StridedLoop<3>::Offsets& at) {
      for (int64_t i = 0; i < inner.extent; ++i) {
        multiply(at[0] + i * inner.strides[0], at[1] + i * inner.strides[1],
                 at[2] + i * inner.strides[2]);
      }
    });
  }

  Geometry geometry_;
  Multiplier factor_;
  void* tile_ = nullptr;
  size_t turned_ = 0;  // a temporary with the right matrix as [columns, depth]
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<BatchMatMul>(
              "BATCH_MATMUL",
              "matrices [.., rows, depth] times matrices [.., depth, "
              "columns], for each index of the dimensions before, "
              "which broadcast")
              .OfVersions(1, 4)};
}

}  // namespace stowage::harness::batch_matmul
