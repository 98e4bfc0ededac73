#include "src/harness/kernels/sigmoid.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/fixed_point_functions.h"
#include "src/harness/kernels/quantized_function.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/sigmoid16.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unary.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

class SigmoidKernel : public UnaryKernel {
 public:
  explicit SigmoidKernel(const SigmoidFunction& function)
      : function_(function) {}

 protected:
  absl::Status CheckType(const OperatorContext& context) const override {
    return CheckInputType(context, 0,
                          {ElementType::kFloat32, ElementType::kInt8,
                           ElementType::kUint8, ElementType::kInt16});
  }

  absl::Status PrepareQuantized(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& output = context.output(0);
    const Quantization& in = input.quantization;
    type_ = input.type;
    input_zero_ = in.zero_point();
    if (type_ == ElementType::kUint8) {
      const absl::StatusOr<QuantizedOutput> result = QuantizedOutputOf(output);
      if (!result.ok()) return result.status();
      of_uint8_ = QuantizedFunction(in, output.quantization, result->range,
                                    function_.real);
      return absl::OkStatus();
    }
    if (type_ == ElementType::kInt16) {
      of_int16_ = Sigmoid16(in.scale());
      if (input_zero_ != 0) {
        return absl::InvalidArgumentError(
            absl::StrCat(InputPlace(context, 0), ": its zero point is ",
                         input_zero_, ": expected 0"));
      }
      return CheckOutputScale(context, 1.0F / 32768, 0);
    }
    const double factor = std::ldexp(in.scale(), 31 - kIntegerBits);
    factor_ = QuantizeMultiplier(factor);
    int exponent = 0;
    std::frexp(factor, &exponent);
    radius_ = InputRadius(kIntegerBits, exponent);
    return CheckOutputScale(context, std::ldexp(1.0F, -function_.output_bits),
                            function_.output_zero_point);
  }

  int32_t Quantized(int32_t value) const override {
    if (type_ == ElementType::kUint8) return of_uint8_(value);
    if (type_ == ElementType::kInt16) {
      return (of_int16_.*function_.fixed16)(static_cast<int16_t>(value));
    }
    const int32_t x = value - input_zero_;
    if (x <= -radius_) return -128;
    if (x >= radius_) return 127;
    const int32_t result = function_.fixed(Multiply(x, factor_), kIntegerBits);
    return std::clamp(RoundingShift(result, 31 - function_.output_bits) +
                          function_.output_zero_point,
                      -128, 127);
  }

  void Real(const float* in, float* out, int64_t count) const override {
    ForEachElement(in, out, count, function_.real);
  }

 private:
  static constexpr int kIntegerBits = 4;

  SigmoidFunction function_;
  ElementType type_ = ElementType::kFloat32;
  int32_t input_zero_ = 0;
  Multiplier factor_;
  int32_t radius_ = 0;
  QuantizedFunction of_uint8_;
  Sigmoid16 of_int16_{1};
};

}  // namespace

std::unique_ptr<Kernel> MakeSigmoid(const SigmoidFunction& function) {
  return std::make_unique<SigmoidKernel>(function);
}

}  // namespace stowage::harness
