// SPDX-License-Identifier: Apache-2.0
// PRELU: x above 0, alpha x below, with an alpha that is broadcast to x.
#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::prelu {
namespace {

class Prelu : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(0).type, [&](auto zero) {
      using T = decltype(zero);
      BinaryKernel::Compute<T, T>(
          context, [this](T x, T slope) { return Compute(x, slope); });
    });
  }

 private:
  using Types = TypeList<float, int8_t, uint8_t>;

  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 2, Types()));
    const Tensor& input = context.input(0);
    const Tensor& alpha = context.input(1);
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape,
                             BroadcastShape(input.shape, alpha.shape));
    if (shape != input.shape) {
      return RefuseModel(
          InputPlace(context, 1), ": its shape is ", ShapeText(alpha.shape),
          ": expected one that broadcasts to ", ShapeText(input.shape));
    }
    if (input.type == ElementType::kFloat32) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
    output_ = QuantizedOutputOf(context.output(0));
    const float in = input.quantization.scale();
    const float out = context.output(0).quantization.scale();
    input_zero_ = input.quantization.zero_point();
    alpha_zero_ = alpha.quantization.zero_point();
    above_ = QuantizeMultiplier(in / out);
    below_ = QuantizeMultiplier(in * alpha.quantization.scale() / out);
    return absl::OkStatus();
  }

  static float Compute(float x, float slope) { return x >= 0 ? x : x * slope; }
  template <typename T>
  T Compute(T value, T slope) const {
    const int32_t x = value - input_zero_;
    return static_cast<T>(
        output_.At(x >= 0 ? Multiply(x, above_)
                          : Multiply(x * (slope - alpha_zero_), below_)));
  }

  int32_t input_zero_ = 0;
  int32_t alpha_zero_ = 0;
  Multiplier above_;
  Multiplier below_;
  QuantizedOutput output_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Prelu>("PRELU",
                          "x above 0, alpha x below, with an alpha that is "
                          "broadcast to x")
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::prelu
