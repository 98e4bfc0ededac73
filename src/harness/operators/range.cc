// RANGE: start, start + delta, ... as far as limit, without it. Each is the sum
// of the one before and delta.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/wrapping.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::range {
namespace {

// The number of elements, or above 2^31 - 1 if there are more.
double CountOf(float start, float limit, float delta) {
  return std::ceil(static_cast<double>(std::fabs((limit - start) / delta)));
}
template <typename T>
double CountOf(T start, T limit, T delta) {
  // Differences of 64-bit numbers fit 64 bits without a sign.
  const auto from = static_cast<uint64_t>(start);
  const auto to = static_cast<uint64_t>(limit);
  const auto step = static_cast<uint64_t>(delta);
  const uint64_t distance = start < limit ? to - from : from - to;
  const uint64_t size = delta < 0 ? 0 - step : step;
  const uint64_t count = distance / size + (distance % size > 0 ? 1 : 0);
  return static_cast<double>(count);
}

class RangeKernel : public DataShapedKernel {
 public:
  RangeKernel() : DataShapedKernel({0, 1, 2}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64}));
    const ElementType type = context.input(0).type;
    for (size_t i = 0; i < 3; ++i) {
      STOWAGE_RETURN_IF_ERROR(CheckInputType(context, i, {type}));
      if (context.input(i).bytes == ElementBytes(type)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          InputPlace(context, i), ": its shape is ",
          ShapeText(context.input(i).shape), ": expected one element"));
    }
    return CheckOutputType(context, 0, {type});
  }

  absl::Status Resize(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return ResizeFor<float>(context);
      case ElementType::kInt32:
        return ResizeFor<int32_t>(context);
      default:
        return ResizeFor<int64_t>(context);
    }
  }

  template <typename T>
  static absl::Status ResizeFor(OperatorContext& context) {
    const T start = *context.input(0).as<T>();
    const T limit = *context.input(1).as<T>();
    const T delta = *context.input(2).as<T>();
    const bool leads_there =
        (start <= limit && delta > 0) || (start >= limit && delta < 0);
    const double count = leads_there ? CountOf(start, limit, delta) : 0;
    if (!leads_there || !(count <= INT32_MAX)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "from ", start, " to ", limit, " in steps of ", delta,
          ": expected steps that lead there, and fewer than 2^31"));
    }
    return context.ResizeOutput(0, {static_cast<int32_t>(count)});
  }

  absl::Status Run(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Compute<float>(context);
      case ElementType::kInt32:
        return Compute<int32_t>(context);
      default:
        return Compute<int64_t>(context);
    }
  }

  template <typename T>
  static absl::Status Compute(OperatorContext& context) {
    Tensor& output = context.output(0);
    T* const values = output.as<T>();
    T value = *context.input(0).as<T>();
    const T delta = *context.input(2).as<T>();
    for (size_t i = 0; i < output.bytes / sizeof(T); ++i) {
      values[i] = value;
      value = Wrapping(value, delta, [](auto x, auto y) { return x + y; });
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RANGE")
              .Computes("start, start + delta, ... as far as limit, without it")
              .OfVersions(1, 2)
              .Creates<RangeKernel>()};
}

}  // namespace stowage::harness::range
