// SPDX-License-Identifier: Apache-2.0
// Registers ARG_MAX and ARG_MIN, which return the index of the largest or
// smallest element along an axis. If several elements are equal, they return
// the first index.
#include <functional>

#include "absl/algorithm/container.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::arg_extremum {
namespace {

using Numbers = TypeList<float, int8_t, uint8_t, int16_t, int32_t, int64_t>;

// IsBefore(a, b) must return whether `a` is more extreme than `b`; it is
// std::greater for ARG_MAX.
template <typename IsBefore>
class ArgExtremum : public DataShapedKernel {
 public:
  ArgExtremum() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Numbers()));
    return CheckOutputType(context, 0, IndexTypes());
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const int64_t wanted, IntegerOf(context, 1));
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const int axis, ResolveAxis(wanted, input.rank()));
    size_ = input.dim(axis);
    Shape shape = input.shape;
    shape.erase(shape.begin() + axis);
    if (size_ == 0 && !absl::c_linear_search(shape, 0)) {
      return RefuseModel(InputPlace(context, 0), ": its shape is ",
                         ShapeText(input.shape),
                         "; expected elements along axis ", axis);
    }
    inner_ = absl::c_linear_search(shape, 0)
                 ? 0
                 : FlatSize(shape, axis, static_cast<int>(shape.size()));
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    return DispatchType(Numbers(), context.input(0).type, [&](auto zero) {
      return DispatchType(IndexTypes(), context.output(0).type,
                          [&](auto first) {
                            Compute<decltype(zero), decltype(first)>(context);
                          });
    });
  }

  template <typename T, typename Place>
  void Compute(OperatorContext& context) const {
    Tensor& output = context.output(0);
    const auto count = static_cast<int64_t>(output.bytes / sizeof(Place));
    const T* slices = context.input(0).as<T>();
    auto* const places = output.as<Place>();
    for (int64_t i = 0; i < count; ++i) {
      const T* slice = slices + i / inner_ * size_ * inner_ + i % inner_;
      places[i] = static_cast<Place>(FindFirst(slice));
    }
  }

  template <typename T>
  int64_t FindFirst(const T* slice) const {
    int64_t first = 0;
    T extreme = slice[0];
    for (int64_t i = 1; i < size_; ++i) {
      const T element = slice[i * inner_];
      if (!IsBefore()(element, extreme)) continue;
      extreme = element;
      first = i;
    }
    return first;
  }

  int64_t size_ = 0;   // the number of elements along the axis
  int64_t inner_ = 0;  // distance between neighbours along the axis
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<ArgExtremum<std::greater<>>>(
              "ARG_MAX", "the index of the largest element along an axis")
              .OfVersions(1, 3),
          Operator<ArgExtremum<std::less<>>>(
              "ARG_MIN", "the index of the smallest element along an axis")
              .OfVersions(1, 3)};
}

}  // namespace stowage::harness::arg_extremum
