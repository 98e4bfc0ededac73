// BATCH_MATMUL: matrices [.., rows, depth] times matrices [.., depth, columns],
// for each index of the dimensions before, which broadcast. Either operand may
// be given with its last two dimensions exchanged.
//
// A right matrix is turned, if it is not given so, to lie like weights
// (tile.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "src/harness/kernels/tile_memory.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::batch_matmul {
namespace {

constexpr int kMaxRank = 8;

struct Geometry {
  // Dimensions before the last two: of the output, and how many matrices apart
  // their indices are in each operand, 0 where it broadcasts.
  int batch_rank = 0;
  std::array<int64_t, kMaxRank> batch = {};
  std::array<int64_t, kMaxRank> left_step = {};
  std::array<int64_t, kMaxRank> right_step = {};
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t depth = 0;
  int64_t columns = 0;
  bool left_is_turned = false;
  bool right_is_turned = false;
};

// The number of the matrix that output matrix `batch` is made of.
int64_t MatrixOf(const Geometry& g, const std::array<int64_t, kMaxRank>& steps,
                 int64_t batch) {
  int64_t matrix = 0;
  for (int d = g.batch_rank - 1; d >= 0; --d) {
    const auto at = static_cast<size_t>(d);
    matrix += batch % g.batch[at] * steps[at];
    batch /= g.batch[at];
  }
  return matrix;
}

template <typename T>
void Turn(const T* from, int64_t rows, int64_t columns, T* to) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      to[c * rows + r] = from[r * columns + c];
    }
  }
}

// `left` is [rows, depth] or turned, `right` is [columns, depth].
template <typename T, typename Cell, typename Finish>
void MultiplyMatrix(const Geometry& g, const T* left, const T* right,
                    int32_t left_zero, int32_t right_zero, Cell* tile,
                    const Finish& finish) {
  using Layout = TileLayout<T>;
  for (int64_t begin = 0; begin < g.rows; begin += Layout::kRows) {
    const int64_t count = std::min(Layout::kRows, g.rows - begin);
    for (int64_t i = 0; i < count; ++i) {
      Cell* const row = tile + i * Layout::RowStep(g.depth);
      if (!g.left_is_turned) {
        CopyToTile(left + (begin + i) * g.depth, g.depth, left_zero, row);
        continue;
      }
      for (int64_t k = 0; k < g.depth; ++k) {
        CopyToTile(left + k * g.rows + begin + i, 1, left_zero,
                   row + k * Layout::kCellStep);
      }
    }
    MultiplyTile<T>(tile, count, g.depth, right, right_zero, g.columns,
                    [&](int64_t i, int64_t column, auto sum) {
                      finish((begin + i) * g.columns + column, sum);
                    });
  }
}

// Shape `shape`, seen from its end: 1 where it has no such dimension.
int32_t FromEnd(const Shape& shape, int i) {
  const int at = static_cast<int>(shape.size()) - 1 - i;
  return at < 0 ? 1 : shape[static_cast<size_t>(at)];
}

// Wraps: beyond 63 bits only if there are no elements to step over.
int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

absl::Status Broadcast(const OperatorContext& context, Geometry& g) {
  const Shape& left = context.input(0).shape;
  const Shape& right = context.input(1).shape;
  g.batch_rank = static_cast<int>(std::max(left.size(), right.size())) - 2;
  int64_t left_step = 1;
  int64_t right_step = 1;
  for (int d = 0; d < g.batch_rank; ++d) {
    const int32_t a = FromEnd(left, d + 2);
    const int32_t b = FromEnd(right, d + 2);
    if (a != b && a != 1 && b != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its operands are ", ShapeText(left), " and ", ShapeText(right),
          ": expected the dimensions before the last two to be equal or 1"));
    }
    const auto at = static_cast<size_t>(g.batch_rank - 1 - d);
    g.batch[at] = a == 1 ? b : a;
    g.left_step[at] = a == 1 ? 0 : left_step;
    g.right_step[at] = b == 1 ? 0 : right_step;
    left_step = Product(left_step, a);
    right_step = Product(right_step, b);
  }
  return absl::OkStatus();
}

absl::StatusOr<Geometry> MakeGeometry(const OperatorContext& context,
                                      const tflite::BatchMatMulOptions& o) {
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
    return absl::InvalidArgumentError(absl::StrCat(
        "its matrices are ", g.rows, " by ", g.depth, " and ", right_depth,
        " by ", g.columns,
        ": expected as many columns as the other has rows, and any"));
  }
  STOWAGE_RETURN_IF_ERROR(Broadcast(context, g));
  return g;
}

class BatchMatMul : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    const absl::StatusOr<const tflite::BatchMatMulOptions*> options =
        OptionsOf<tflite::BatchMatMulOptions>(context.spec());
    if (!options.ok()) return options.status();
    STOWAGE_RETURN_IF_ERROR(CheckTypes(context));
    const absl::StatusOr<Geometry> geometry = MakeGeometry(context, **options);
    if (!geometry.ok()) return geometry.status();
    geometry_ = *geometry;
    const bool is_float = context.input(0).type == ElementType::kFloat32;
    STOWAGE_RETURN_IF_ERROR(tile_.Prepare(context, geometry_.depth, is_float));
    if (!geometry_.right_is_turned) {
      const absl::StatusOr<size_t> turned = context.AddTemporary(
          context.input(1).type, {static_cast<int32_t>(geometry_.columns),
                                  static_cast<int32_t>(geometry_.depth)});
      if (!turned.ok()) return turned.status();
      turned_ = *turned;
    }
    Shape shape;
    for (int d = 0; d < geometry_.batch_rank; ++d) {
      shape.push_back(
          static_cast<int32_t>(geometry_.batch[static_cast<size_t>(d)]));
    }
    shape.push_back(static_cast<int32_t>(geometry_.rows));
    shape.push_back(static_cast<int32_t>(geometry_.columns));
    return context.ResizeOutput(0, shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    geometry_.batches =
        FlatSize(context.output(0).shape, 0, geometry_.batch_rank);
    if (context.input(0).type == ElementType::kFloat32) {
      auto* const to = context.output(0).as<float>();
      MultiplyAll<float>(context, 0, 0,
                         [to](int64_t i, float sum) { to[i] = sum; });
      return absl::OkStatus();
    }
    NarrowStage<int8_t> stage;
    stage.factors = &factor_;
    stage.zero_of_output = context.output(0).quantization.zero_point();
    stage.range = {-128, 127};
    auto* const to = context.output(0).as<int8_t>();
    MultiplyAll<int8_t>(
        context, context.input(0).quantization.zero_point(),
        context.input(1).quantization.zero_point(),
        [to, &stage](int64_t i, int64_t sum) { to[i] = stage(0, 0, sum); });
    return absl::OkStatus();
  }

 private:
  absl::Status CheckTypes(OperatorContext& context) {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0, {ElementType::kFloat32, ElementType::kInt8}));
    const ElementType type = context.input(0).type;
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {type}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    if (type == ElementType::kFloat32) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 1));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    // The product has 32 bits, as in the reference kernels.
    const auto product =
        static_cast<double>(context.input(0).quantization.scale() *
                            context.input(1).quantization.scale());
    const double factor =
        product / double{context.output(0).quantization.scale()};
    if (!std::isfinite(factor)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its scales give a factor of ", factor, ": expected a finite one"));
    }
    factor_ = QuantizeMultiplier(factor);
    return absl::OkStatus();
  }

  template <typename T, typename Finish>
  void MultiplyAll(OperatorContext& context, int32_t left_zero,
                   int32_t right_zero, const Finish& finish) {
    const Geometry& g = geometry_;
    const T* const all_left = context.input(0).as<T>();
    const T* const all_right = context.input(1).as<T>();
    int64_t turned_matrix = -1;
    for (int64_t batch = 0; batch < g.batches; ++batch) {
      const int64_t matrix = MatrixOf(g, g.right_step, batch);
      const T* right = all_right + matrix * g.depth * g.columns;
      if (!g.right_is_turned) {
        T* const turned = context.temporary(turned_).as<T>();
        if (matrix != turned_matrix) Turn(right, g.depth, g.columns, turned);
        turned_matrix = matrix;
        right = turned;
      }
      const T* const left =
          all_left + MatrixOf(g, g.left_step, batch) * g.rows * g.depth;
      const int64_t first = batch * g.rows * g.columns;
      MultiplyMatrix(g, left, right, left_zero, right_zero, tile_.For<T>(),
                     [&](int64_t i, auto sum) { finish(first + i, sum); });
    }
  }

  Geometry geometry_;
  Multiplier factor_;
  TileMemory tile_;
  size_t turned_ = 0;  // temporary: a right matrix as [columns, depth]
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("BATCH_MATMUL")
          .Computes(
              "matrices [.., rows, depth] times matrices [.., depth, columns], "
              "for each index of the dimensions before, which broadcast")
          .OfVersions(1, 4)
          .Creates<BatchMatMul>()};
}

}  // namespace stowage::harness::batch_matmul
