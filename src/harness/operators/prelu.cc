// SPDX-License-Identifier: Apache-2.0
// PRELU: x above 0, alpha x below, with an alpha that is broadcast to x.
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::prelu {
namespace {

using Types = TypeList<float, int8_t, uint8_t>;

class Prelu : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    const Tensor& input = context.input(0);
    const Tensor& alpha = context.input(1);
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {input.type}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape,
                             BroadcastShape(input.shape, alpha.shape));
    if (shape != input.shape) {
      return RefuseModel(
          InputPlace(context, 1), ": its shape is ", ShapeText(alpha.shape),
          ": expected one that broadcasts to ", ShapeText(input.shape));
    }
    loop_ = BroadcastLoop<2>(input.shape, {&input.shape, &alpha.shape});
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(PrepareQuantized(context));
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& alpha = context.input(1);
    Tensor& output = context.output(0);
    return DispatchType(Types(), input.type, [&](auto zero) {
      using T = decltype(zero);
      ForEachPair(loop_, input.as<T>(), alpha.as<T>(), output.as<T>(),
                  [&](T x, T slope) { return Compute(x, slope); });
    });
  }

 private:
  absl::Status PrepareQuantized(OperatorContext& context) {
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 1));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    const Quantization& in = context.input(0).quantization;
    const Quantization& alpha = context.input(1).quantization;
    const Quantization& out = context.output(0).quantization;
    STOWAGE_ASSIGN_OR_RETURN(output_, QuantizedOutputOf(context.output(0)));
    input_zero_ = in.zero_point();
    alpha_zero_ = alpha.zero_point();
    above_ = QuantizeMultiplier(in.scale() / out.scale());
    below_ = QuantizeMultiplier(in.scale() * alpha.scale() / out.scale());
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

  StridedLoop<3> loop_;
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
