// Convolution2DTransposeBias, a custom operator of MediaPipe's models: a
// convolution backwards with a bias, FLOAT32. Inputs: the input, weights, bias.
// Its options are three 32-bit numbers: padding (1 is SAME, 2 is VALID), stride
// in width, stride in height. The output is as large as the input times the
// strides, or for VALID as large as what the filters reach.
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/transposed_convolution.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::convolution_2d_transpose_bias {
namespace {

struct Options {
  int32_t padding = 0;
  int32_t stride_w = 0;
  int32_t stride_h = 0;
};

absl::StatusOr<Options> ReadOptions(const OperatorSpec& spec) {
  Options options;
  if (spec.custom_options.size() < sizeof(options)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", spec.custom_options.size(),
        " bytes of options: expected 12, padding and the two strides"));
  }
  std::memcpy(&options, spec.custom_options.data(), sizeof(options));
  if (options.padding != 1 && options.padding != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its padding is number ", options.padding,
                     ": expected 1 for SAME or 2 for VALID"));
  }
  if (options.stride_w < 1 || options.stride_h < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("its strides are ", options.stride_w, " and ",
                     options.stride_h, ": expected 1 or more"));
  }
  return options;
}

// The length of the output in one dimension.
absl::StatusOr<int32_t> OutputSize(tflite::Padding padding, int32_t in,
                                   int32_t taps, int32_t stride) {
  const int64_t out = padding == tflite::Padding::SAME
                          ? int64_t{in} * stride
                          : (int64_t{in} - 1) * stride + taps;
  if (in < 1 || taps < 1 || out > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its input is ", in, " long, its filter ", taps, ", its stride ",
        stride, ": expected 1 or more, and fewer than 2^31 of outputs"));
  }
  return static_cast<int32_t>(out);
}

class Convolution2DTransposeBias : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    const absl::StatusOr<Options> options = ReadOptions(context.spec());
    if (!options.ok()) return options.status();
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0, {ElementType::kFloat32}));
    const tflite::Padding padding =
        options->padding == 1 ? tflite::Padding::SAME : tflite::Padding::VALID;
    TransposedRoles roles;
    roles.padding = padding;
    roles.stride_h = options->stride_h;
    roles.stride_w = options->stride_w;
    STOWAGE_RETURN_IF_ERROR(convolution_.Prepare(context, roles));
    const Tensor& input = context.input(0);
    const Tensor& weights = context.input(1);
    const absl::StatusOr<int32_t> height =
        OutputSize(padding, input.dim(1), weights.dim(1), options->stride_h);
    if (!height.ok()) return height.status();
    const absl::StatusOr<int32_t> width =
        OutputSize(padding, input.dim(2), weights.dim(2), options->stride_w);
    if (!width.ok()) return width.status();
    return convolution_.ResizeInPrepare(context, *height, *width);
  }

  absl::Status Invoke(OperatorContext& context) override {
    convolution_.Invoke(context);
    return absl::OkStatus();
  }

 private:
  TransposedConvolution convolution_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("Convolution2DTransposeBias")
              .Computes("a convolution backwards with a bias, FLOAT32")
              .IsCustom()
              .Creates<Convolution2DTransposeBias>()};
}

}  // namespace stowage::harness::convolution_2d_transpose_bias
