// SOFTMAX: exp(beta x), divided by its sum along the last dimension.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/softmax16.h"
#include "src/harness/kernels/softmax8.h"
#include "src/harness/kernels/support.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::softmax {
namespace {

// The largest element is subtracted first: it changes nothing but that no
// exponential is infinite.
void FloatRow(const float* in, int64_t depth, float beta, float* out) {
  float max = std::numeric_limits<float>::lowest();
  for (int64_t c = 0; c < depth; ++c) max = std::max(max, in[c]);
  float sum = 0;
  for (int64_t c = 0; c < depth; ++c) {
    out[c] = std::exp((in[c] - max) * beta);
    sum += out[c];
  }
  for (int64_t c = 0; c < depth; ++c) out[c] /= sum;
}

class Softmax : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputRank(context, 0, 1, std::numeric_limits<int>::max()));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0,
                       {ElementType::kFloat32, ElementType::kInt8,
                        ElementType::kUint8, ElementType::kInt16}));
    const absl::StatusOr<const tflite::SoftmaxOptions*> options =
        OptionsOf<tflite::SoftmaxOptions>(context.spec());
    if (!options.ok()) return options.status();
    beta_ = (*options)->beta();
    STOWAGE_RETURN_IF_ERROR(PrepareType(context));
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    switch (input.type) {
      case ElementType::kFloat32:
        ForEachRow<float, float>(
            input, output, [this](const float* in, int64_t depth, float* out) {
              FloatRow(in, depth, beta_, out);
            });
        break;
      case ElementType::kUint8:
        EightBits<uint8_t, uint8_t>(input, output);
        break;
      case ElementType::kInt8:
        if (output.type == ElementType::kInt8) {
          EightBits<int8_t, int8_t>(input, output);
        } else {
          EightBits<int8_t, int16_t>(input, output);
        }
        break;
      default:
        ForEachRow<int16_t, int16_t>(
            input, output,
            [this](const int16_t* in, int64_t depth, int16_t* out) {
              softmax16_->Row(in, depth, out);
            });
    }
    return absl::OkStatus();
  }

 private:
  absl::Status PrepareType(OperatorContext& context) {
    const Tensor& input = context.input(0);
    if (input.type == ElementType::kFloat32) {
      return CheckOutputType(context, 0, {ElementType::kFloat32});
    }
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    if (input.type == ElementType::kInt16) {
      STOWAGE_RETURN_IF_ERROR(
          CheckOutputType(context, 0, {ElementType::kInt16}));
      softmax16_ =
          std::make_unique<Softmax16>(input.quantization.scale(), beta_);
      return CheckOutputScale(context, 1.0F / 32768, 0);
    }
    const absl::StatusOr<Softmax8> softmax =
        Softmax8::Make(input.quantization.scale(), beta_);
    if (!softmax.ok()) return softmax.status();
    softmax8_ = std::make_unique<Softmax8>(*softmax);
    if (input.type == ElementType::kUint8) {
      STOWAGE_RETURN_IF_ERROR(
          CheckOutputType(context, 0, {ElementType::kUint8}));
      return CheckOutputScale(context, 1.0F / 256, 0);
    }
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {ElementType::kInt8, ElementType::kInt16}));
    return context.output(0).type == ElementType::kInt8
               ? CheckOutputScale(context, 1.0F / 256, -128)
               : CheckOutputScale(context, 1.0F / 65536, -32768);
  }

  template <typename In, typename Out>
  void EightBits(const Tensor& input, Tensor& output) const {
    ForEachRow<In, Out>(input, output,
                        [this](const In* in, int64_t depth, Out* out) {
                          softmax8_->Row(in, depth, out);
                        });
  }

  template <typename In, typename Out, typename Row>
  static void ForEachRow(const Tensor& input, Tensor& output, Row row) {
    const int64_t count = input.elements();
    const int64_t depth = input.dim(-1);
    for (int64_t at = 0; at < count; at += depth) {
      row(input.as<In>() + at, depth, output.as<Out>() + at);
    }
  }

  float beta_ = 0;
  std::unique_ptr<Softmax8> softmax8_;
  std::unique_ptr<Softmax16> softmax16_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("SOFTMAX")
          .Computes("exp(beta x), divided by its sum along the last dimension")
          .OfVersions(1, 3)
          .SharesMemoryOf(InPlace::kInput0)
          .Creates<Softmax>()};
}

}  // namespace stowage::harness::softmax
