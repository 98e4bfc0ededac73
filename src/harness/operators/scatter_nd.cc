// SPDX-License-Identifier: Apache-2.0
// Registers SCATTER_ND, the inverse of GATHER_ND. Each row of the indices
// (input 0) is the position of a slice of the output, whose shape is input 2.
// The corresponding slice of the updates (input 1) is added to that slice of
// the output. Slices of the output that no row of the indices names are 0.
#include <cstring>
#include <type_traits>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::scatter_nd {
namespace {

using Numbers =
    TypeList<float, int8_t, uint8_t, int16_t, int32_t, int64_t, Bool>;

class ScatterNd : public DataShapedKernel {
 public:
  ScatterNd() : DataShapedKernel({2}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, IndexTypes()));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, Numbers()));
    SetOutputType(context, 0, context.input(1).type);
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {context.input(1).type}));
    return CheckInputRank(context, 2, 1, 1);
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(context, 2));
    const Tensor& indices = context.input(0);
    const Tensor& updates = context.input(1);
    width_ = indices.shape.empty() ? -1 : indices.shape.back();
    if (width_ < 0 || static_cast<size_t>(width_) > shape.size()) {
      return RefuseModel("its indices are ", ShapeText(indices.shape),
                         ", its output ", ShapeText(shape),
                         "; expected a last dimension of 0 to ", shape.size());
    }
    Shape expected(indices.shape.begin(), indices.shape.end() - 1);
    expected.insert(expected.end(), shape.begin() + width_, shape.end());
    if (updates.shape != expected) {
      return RefuseModel(
          InputPlace(context, 1), ": its shape is ", ShapeText(updates.shape),
          "; expected ", ShapeText(expected), ", for indices of ",
          ShapeText(indices.shape), " and an output of ", ShapeText(shape));
    }
    // If the shape has no elements, the product of its nonzero dimensions may
    // overflow.
    const int64_t elements = updates.elements();
    rows_ = width_ > 0     ? indices.elements() / width_
            : elements > 0 ? FlatSize(indices.shape, 0, indices.rank() - 1)
                           : 0;
    slice_ = rows_ > 0 ? elements / rows_ : 0;
    strides_ = Strides(shape);
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    Tensor& output = context.output(0);
    if (output.bytes > 0) std::memset(output.data, 0, output.bytes);
    return DispatchType(IndexTypes(), context.input(0).type, [&](auto index) {
      return DispatchType(Numbers(), output.type, [&](auto zero) {
        return Compute<decltype(index), decltype(zero)>(context);
      });
    });
  }

  template <typename Index, typename T>
  absl::Status Compute(OperatorContext& context) const {
    const auto* row = context.input(0).as<Index>();
    const T* from = context.input(1).as<T>();
    Tensor& output = context.output(0);
    for (int64_t r = 0; r < rows_; ++r, row += width_, from += slice_) {
      int64_t place = 0;
      for (int d = 0; d < width_; ++d) {
        if (row[d] < 0 || row[d] >= output.dim(d)) {
          return RefuseModel("index ", row[d], " of dimension ", d,
                             " is out of range; expected ",
                             IndexRange(output.dim(d)));
        }
        place += row[d] * strides_[static_cast<size_t>(d)];
      }
      if (slice_ == 0) continue;
      T* const to = output.as<T>() + place;
      for (int64_t i = 0; i < slice_; ++i) to[i] = Sum(to[i], from[i]);
    }
    return absl::OkStatus();
  }

  // Returns the sum of two elements. Integers wrap around. The sum of two BOOL
  // values is true if either value is true.
  template <typename T>
  static T Sum(T a, T b) {
    if constexpr (std::is_same_v<T, Bool>) {
      return Bool(a || b);
    } else {
      return Wrapping(a, b, [](auto x, auto y) { return x + y; });
    }
  }

  int32_t width_ = 0;  // the number of dimensions that a row of indices names
  int64_t rows_ = 0;
  int64_t slice_ = 0;             // elements of a slice
  std::vector<int64_t> strides_;  // the strides of the output, in elements
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<ScatterNd>(
      "SCATTER_ND",
      "zeros of the shape in input 2, to which slices of input 1 are added at "
      "the positions in the rows of input 0")};
}

}  // namespace stowage::harness::scatter_nd
