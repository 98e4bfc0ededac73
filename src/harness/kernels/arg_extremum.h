// ARG_MAX and ARG_MIN: where along an axis the extreme element is, the first
// of equal ones.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_ARG_EXTREMUM_H_
#define STOWAGE_SRC_HARNESS_KERNELS_ARG_EXTREMUM_H_

#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// IsBefore(a, b): whether a is more extreme than b, as std::greater for
// ARG_MAX.
template <typename IsBefore>
class ArgExtremum : public DataShapedKernel {
 public:
  ArgExtremum() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8,
         ElementType::kInt16, ElementType::kInt32, ElementType::kInt64}));
    return CheckOutputType(context, 0,
                           {ElementType::kInt32, ElementType::kInt64});
  }

  absl::Status Resize(OperatorContext& context) override {
    const absl::StatusOr<int64_t> wanted = IntegerOf(context, 1);
    if (!wanted.ok()) return wanted.status();
    const Tensor& input = context.input(0);
    const absl::StatusOr<int> axis = ResolveAxis(*wanted, input.rank());
    if (!axis.ok()) return axis.status();
    size_ = input.dim(*axis);
    Shape shape = input.shape;
    shape.erase(shape.begin() + *axis);
    if (size_ == 0 && !absl::c_linear_search(shape, 0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          InputPlace(context, 0), ": its shape is ", ShapeText(input.shape),
          ": expected elements along axis ", *axis));
    }
    inner_ = absl::c_linear_search(shape, 0)
                 ? 0
                 : FlatSize(shape, *axis, static_cast<int>(shape.size()));
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Dispatch<float>(context);
      case ElementType::kInt8:
        return Dispatch<int8_t>(context);
      case ElementType::kUint8:
        return Dispatch<uint8_t>(context);
      case ElementType::kInt16:
        return Dispatch<int16_t>(context);
      case ElementType::kInt32:
        return Dispatch<int32_t>(context);
      default:
        return Dispatch<int64_t>(context);
    }
  }

  template <typename T>
  absl::Status Dispatch(OperatorContext& context) const {
    if (context.output(0).type == ElementType::kInt32) {
      Compute<T, int32_t>(context);
    } else {
      Compute<T, int64_t>(context);
    }
    return absl::OkStatus();
  }

  template <typename T, typename Place>
  void Compute(OperatorContext& context) const {
    Tensor& output = context.output(0);
    const auto count = static_cast<int64_t>(output.bytes / sizeof(Place));
    const T* slices = context.input(0).as<T>();
    auto* const places = output.as<Place>();
    for (int64_t i = 0; i < count; ++i) {
      const T* slice = slices + i / inner_ * size_ * inner_ + i % inner_;
      places[i] = static_cast<Place>(First(slice));
    }
  }

  template <typename T>
  int64_t First(const T* slice) const {
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

  int64_t size_ = 0;   // elements along the axis
  int64_t inner_ = 0;  // distance between them
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_ARG_EXTREMUM_H_
