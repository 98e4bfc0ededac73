// LEAKY_RELU: x above 0, alpha x below.
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unary.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::leaky_relu {
namespace {

class LeakyRelu : public UnaryKernel {
 protected:
  absl::Status CheckType(const OperatorContext& context) const override {
    return CheckInputType(context, 0,
                          {ElementType::kFloat32, ElementType::kInt8,
                           ElementType::kUint8, ElementType::kInt16});
  }

  absl::Status PrepareOptions(const OperatorContext& context) override {
    const absl::StatusOr<const tflite::LeakyReluOptions*> options =
        OptionsOf<tflite::LeakyReluOptions>(context.spec());
    if (!options.ok()) return options.status();
    alpha_ = (*options)->alpha();
    return absl::OkStatus();
  }

  absl::Status PrepareQuantized(OperatorContext& context) override {
    const Quantization& in = context.input(0).quantization;
    const Quantization& out = context.output(0).quantization;
    const absl::StatusOr<QuantizedOutput> output =
        QuantizedOutputOf(context.output(0));
    if (!output.ok()) return output.status();
    output_ = *output;
    input_zero_ = in.zero_point();
    above_ = QuantizeMultiplier(in.scale() / out.scale());
    below_ = QuantizeMultiplier(in.scale() * alpha_ / out.scale());
    return absl::OkStatus();
  }

  int32_t Quantized(int32_t value) const override {
    const int32_t x = value - input_zero_;
    return output_.At(Multiply(x, x >= 0 ? above_ : below_));
  }

  void Real(const float* in, float* out, int64_t count) const override {
    const float alpha = alpha_;
    ForEachElement(in, out, count,
                   [=](float x) { return x > 0 ? x : x * alpha; });
  }

 private:
  float alpha_ = 0;
  int32_t input_zero_ = 0;
  Multiplier above_;
  Multiplier below_;
  QuantizedOutput output_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LEAKY_RELU")
              .Computes("x above 0, alpha x below")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<LeakyRelu>()};
}

}  // namespace stowage::harness::leaky_relu
