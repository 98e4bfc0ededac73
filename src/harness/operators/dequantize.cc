// SPDX-License-Identifier: Apache-2.0
// DEQUANTIZE: quantised numbers, or those of 16 bits, to real ones. Of
// constants it is computed once.

#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::dequantize {
namespace {

// The float of the same value. Every one has one.
float FloatOfHalf(uint16_t half) {
  const uint32_t sign = (half & 0x8000U) << 16;
  const uint32_t magnitude = half & 0x7FFFU;
  // The exponent of a float counts from 127, that of a half from 15.
  uint32_t bits = (magnitude << 13) + ((127U - 15U) << 23);
  if (magnitude >= 0x7C00U) bits += (255U - 143U) << 23;  // infinite, or none
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  // Below 2^-14 there is no leading 1, and steps are of 2^-24.
  if (magnitude < 0x0400U) value = static_cast<float>(magnitude) * 0x1p-24F;
  std::memcpy(&bits, &value, sizeof(bits));
  bits |= sign;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

using Types = TypeList<Half, int8_t, uint8_t, int16_t>;

class Dequantize : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {ElementType::kFloat32}));
    const Tensor& input = context.input(0);
    if (input.quantization.scales.size() > 1) {
      STOWAGE_RETURN_IF_ERROR(CheckPerChannel(context));
    } else if (input.type != ElementType::kFloat16) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    auto* const output = context.output(0).as<float>();
    return DispatchType(Types(), input.type, [&](auto zero) {
      FromElements(input, input.as<decltype(zero)>(), output);
    });
  }

 private:
  static absl::Status CheckPerChannel(const OperatorContext& context) {
    const Tensor& input = context.input(0);
    const Quantization& q = input.quantization;
    if (q.dimension < 0 || q.dimension >= input.rank() ||
        q.scales.size() != static_cast<size_t>(input.dim(q.dimension)) ||
        q.zero_points.size() != q.scales.size()) {
      return RefuseModel(InputPlace(context, 0), ": it has ", q.scales.size(),
                         " scales along dimension ", q.dimension,
                         " and the shape ", ShapeText(input.shape),
                         ": expected one for each element there");
    }
    return absl::OkStatus();
  }

  static void FromElements(const Tensor& tensor, const Half* input,
                           float* output) {
    ForEachElement(input, output, tensor.elements(),
                   [](Half x) { return FloatOfHalf(x.bits); });
  }

  template <typename T>
  static void FromElements(const Tensor& tensor, const T* input,
                           float* output) {
    const Quantization& q = tensor.quantization;
    const int rank = tensor.rank();
    // The same loop for a tensor with one scale: it is one slice.
    const bool is_per_channel = q.scales.size() > 1;
    const int64_t slice =
        FlatSize(tensor.shape, is_per_channel ? q.dimension + 1 : 0, rank);
    const int64_t count = tensor.elements();
    size_t channel = 0;
    for (int64_t at = 0; at < count; at += slice) {
      const float scale = q.scales[channel];
      const int64_t zero = q.zero_points[channel];
      ForEachElement(input + at, output + at, slice,
                     [=](T x) { return static_cast<float>(x - zero) * scale; });
      if (++channel == q.scales.size()) channel = 0;
    }
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<Dequantize>(
          "DEQUANTIZE", "quantised numbers, or those of 16 bits, to real ones")
          .OfVersions(1, 6)
          .FoldsConstants()};
}

}  // namespace stowage::harness::dequantize
