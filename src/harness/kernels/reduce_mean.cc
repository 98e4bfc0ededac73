#include "src/harness/kernels/reduce_mean.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/reduce.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

int32_t Saturate32(int64_t x) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
}

// The factor divided by a number, its mantissa rounded down. The shift keeps
// its precision as far as 32 bits hold the exponent.
Multiplier DividedBy(const Multiplier& factor, int64_t divisor) {
  int shift = 0;
  while (divisor >> shift > 1) ++shift;
  shift = std::min({shift, 32, 31 + factor.exponent});
  return {Saturate32((int64_t{factor.mantissa} << shift) / divisor),
          factor.exponent - shift};
}

class SumOrMean : public ReduceKernel {
 public:
  explicit SumOrMean(bool is_mean) : is_mean_(is_mean) {}

 protected:
  absl::Status PrepareType(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
         ElementType::kInt8, ElementType::kUint8, ElementType::kInt16}));
    const Tensor& input = context.input(0);
    if (!IsQuantized(input.type)) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    const Quantization& in = input.quantization;
    const Quantization& out = context.output(0).quantization;
    has_one_scale_ =
        in.scale() == out.scale() && in.zero_point() == out.zero_point();
    factor_ = QuantizeMultiplier(double{in.scale()} / double{out.scale()});
    return absl::OkStatus();
  }

  absl::Status Reduce(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    switch (input.type) {
      case ElementType::kFloat32:
        Real(input, output);
        break;
      case ElementType::kInt32:
        Whole<int32_t>(input, output);
        break;
      case ElementType::kInt64:
        Whole<int64_t>(input, output);
        break;
      case ElementType::kInt8:
        return Quantized<int8_t>(input, output);
      case ElementType::kUint8:
        return Quantized<uint8_t>(input, output);
      default:
        return Quantized<int16_t>(input, output);
    }
    return absl::OkStatus();
  }

 private:
  static bool IsQuantized(ElementType type) {
    return type == ElementType::kInt8 || type == ElementType::kUint8 ||
           type == ElementType::kInt16;
  }

  void Real(const Tensor& input, Tensor& output) const {
    const float divisor = is_mean_ && reduced_elements() > 0
                              ? static_cast<float>(reduced_elements())
                              : 1.0F;
    ForEachOutput(
        input.as<float>(), output.as<float>(), 0.0F,
        [](float sum, float x) { return sum + x; },
        [=](float sum) { return sum / divisor; });
  }

  // out = end(sum) with sums that wrap as unsigned arithmetic does.
  template <typename T, typename End>
  void Sums(const Tensor& input, Tensor& output, End end) const {
    ForEachOutput(
        input.as<T>(), output.as<T>(), uint64_t{0},
        [](uint64_t sum, T x) {
          return sum + static_cast<uint64_t>(int64_t{x});
        },
        [=](uint64_t sum) {
          return static_cast<T>(end(static_cast<int64_t>(sum)));
        });
  }

  template <typename T>
  void Whole(const Tensor& input, Tensor& output) const {
    const int64_t divisor =
        is_mean_ ? std::max<int64_t>(reduced_elements(), 1) : 1;
    Sums<T>(input, output, [=](int64_t sum) { return sum / divisor; });
  }

  // Means of one scale are rounded to zero, as elements; others are rescaled.
  template <typename T>
  absl::Status Quantized(const Tensor& input, Tensor& output) const {
    const absl::StatusOr<QuantizedOutput> found = QuantizedOutputOf(output);
    if (!found.ok()) return found.status();
    const QuantizedOutput result = *found;
    const int64_t count = reduced_elements();
    if (is_mean_ && has_one_scale_ && count > 0) {
      Sums<T>(input, output, [=](int64_t sum) { return sum / count; });
      return absl::OkStatus();
    }
    const Multiplier factor =
        is_mean_ && count > 0 ? DividedBy(factor_, count) : factor_;
    const int64_t zeros = count * input.quantization.zero_point();
    Sums<T>(input, output, [=](int64_t sum) {
      return result.At(Multiply(Saturate32(sum - zeros), factor));
    });
    return absl::OkStatus();
  }

  bool is_mean_;
  bool has_one_scale_ = false;
  Multiplier factor_;
};

}  // namespace

std::unique_ptr<Kernel> MakeMean() { return std::make_unique<SumOrMean>(true); }
std::unique_ptr<Kernel> MakeSum() { return std::make_unique<SumOrMean>(false); }

}  // namespace stowage::harness
