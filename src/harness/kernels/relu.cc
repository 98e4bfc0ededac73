#include "src/harness/kernels/relu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unary.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

class Relu : public UnaryKernel {
 public:
  explicit Relu(Range<float> range) : range_(range) {}

 protected:
  absl::Status CheckType(const OperatorContext& context) const override {
    return CheckInputType(context, 0,
                          {ElementType::kFloat32, ElementType::kInt8,
                           ElementType::kUint8, ElementType::kInt16});
  }

  absl::Status PrepareQuantized(OperatorContext& context) override {
    const Quantization& in = context.input(0).quantization;
    const Quantization& out = context.output(0).quantization;
    const absl::StatusOr<QuantizedOutput> output =
        QuantizedOutputOf(context.output(0));
    if (!output.ok()) return output.status();
    input_zero_ = in.zero_point();
    output_ = *output;
    factor_ = QuantizeMultiplier(in.scale() / out.scale());
    const Range<double> all = {static_cast<double>(output->range.min),
                               static_cast<double>(output->range.max)};
    const auto nearest = [&](float real) {
      const float steps = std::round(real / out.scale());
      return static_cast<int32_t>(all.Clamp(double{steps} + out.zero_point()));
    };
    output_.range = {nearest(range_.min), nearest(range_.max)};
    return absl::OkStatus();
  }

  int32_t Quantized(int32_t value) const override {
    return output_.At(Multiply(value - input_zero_, factor_));
  }

  void Real(const float* in, float* out, int64_t count) const override {
    const Range<float> range = range_;
    ForEachElement(in, out, count, [=](float x) { return range.Clamp(x); });
  }

 private:
  Range<float> range_;
  int32_t input_zero_ = 0;
  Multiplier factor_;
  QuantizedOutput output_;
};

}  // namespace

std::unique_ptr<Kernel> MakeRelu(Range<float> range) {
  return std::make_unique<Relu>(range);
}

}  // namespace stowage::harness
