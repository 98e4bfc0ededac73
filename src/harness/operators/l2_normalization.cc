// L2_NORMALIZATION: x, divided along the last dimension by the root of the sum
// of squares.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/fixed_point_functions.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::l2_normalization {
namespace {

void RealRow(const float* in, int64_t depth, float* out) {
  // A row of zeros stays one.
  constexpr float kLeast = 1e-6F;
  float squares = 0;
  for (int64_t c = 0; c < depth; ++c) squares += in[c] * in[c];
  const float norm = std::max(std::sqrt(squares), kLeast);
  for (int64_t c = 0; c < depth; ++c) out[c] = in[c] / norm;
}

// The result has 7 bits after the point.
template <typename T>
void QuantizedRow(const T* in, int64_t depth, int32_t zero,
                  const QuantizedOutput& result, T* out) {
  int64_t squares = 0;
  for (int64_t c = 0; c < depth; ++c) {
    const int32_t x = in[c] - zero;
    squares += int64_t{x} * x;
  }
  const Multiplier inverse = InverseSquareRoot(static_cast<int32_t>(
      std::min<int64_t>(squares, std::numeric_limits<int32_t>::max())));
  for (int64_t c = 0; c < depth; ++c) {
    const int32_t x = in[c] - zero;
    if constexpr (std::is_signed_v<T>) {
      const Multiplier factor = {inverse.mantissa, inverse.exponent + 7};
      out[c] = static_cast<T>(result.At(Multiply(x, factor)));
    } else {
      out[c] = static_cast<T>(result.At(Multiply(128 * x, inverse)));
    }
  }
}

class L2Normalization : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputRank(context, 0, 1, std::numeric_limits<int>::max()));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8}));
    const Tensor& input = context.input(0);
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
    const absl::StatusOr<const tflite::L2NormOptions*> options =
        OptionsOf<tflite::L2NormOptions>(context.spec());
    if (!options.ok()) return options.status();
    if ((*options)->fused_activation_function() !=
        tflite::ActivationFunctionType::NONE) {
      return absl::InvalidArgumentError(
          "it has a fused activation: expected none");
    }
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      STOWAGE_RETURN_IF_ERROR(CheckOutputScale(
          context, 1.0F / 128, input.type == ElementType::kInt8 ? 0 : 128));
      const absl::StatusOr<QuantizedOutput> result =
          QuantizedOutputOf(context.output(0));
      if (!result.ok()) return result.status();
      result_ = *result;
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const int64_t count = input.elements();
    const int64_t depth = input.dim(-1);
    const int32_t zero = input.quantization.zero_point();
    for (int64_t at = 0; at < count; at += depth) {
      switch (input.type) {
        case ElementType::kFloat32:
          RealRow(input.as<float>() + at, depth, output.as<float>() + at);
          break;
        case ElementType::kInt8:
          QuantizedRow(input.as<int8_t>() + at, depth, zero, result_,
                       output.as<int8_t>() + at);
          break;
        default:
          QuantizedRow(input.as<uint8_t>() + at, depth, zero, result_,
                       output.as<uint8_t>() + at);
      }
    }
    return absl::OkStatus();
  }

 private:
  QuantizedOutput result_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("L2_NORMALIZATION")
              .Computes("x, divided along the last dimension by the root of "
                        "the sum of squares")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<L2Normalization>()};
}

}  // namespace stowage::harness::l2_normalization
