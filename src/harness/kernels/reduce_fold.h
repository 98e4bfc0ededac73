// Reductions whose sums are elements: REDUCE_MAX and its kin.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_REDUCE_FOLD_H_
#define STOWAGE_SRC_HARNESS_KERNELS_REDUCE_FOLD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/reduce.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// Error: InvalidArgument unless input and output, if they are quantised, have
// one scale and zero point: elements are compared as they are.
inline absl::Status CheckOneScale(OperatorContext& context) {
  const Quantization& in = context.input(0).quantization;
  const Quantization& out = context.output(0).quantization;
  if (in.scale() == out.scale() && in.zero_point() == out.zero_point()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("its input has scale ", in.scale(), " and zero point ",
                   in.zero_point(), ", its output ", out.scale(), " and ",
                   out.zero_point(), ": expected them to be equal"));
}

// Fold::Initial<T>() is where a sum begins, Fold::Next(sum, x) the next one.
template <typename Fold>
class FoldNumbers : public ReduceKernel {
 protected:
  absl::Status PrepareType(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
         ElementType::kInt8, ElementType::kUint8, ElementType::kInt16}));
    return CheckOneScale(context);
  }

  absl::Status Reduce(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    switch (input.type) {
      case ElementType::kFloat32:
        Compute<float>(input, output);
        break;
      case ElementType::kInt32:
        Compute<int32_t>(input, output);
        break;
      case ElementType::kInt64:
        Compute<int64_t>(input, output);
        break;
      case ElementType::kInt8:
        Compute<int8_t>(input, output);
        break;
      case ElementType::kUint8:
        Compute<uint8_t>(input, output);
        break;
      default:
        Compute<int16_t>(input, output);
    }
    return absl::OkStatus();
  }

 private:
  template <typename T>
  void Compute(const Tensor& input, Tensor& output) const {
    ForEachOutput(
        input.as<T>(), output.as<T>(), Fold::template Initial<T>(),
        [](T sum, T x) { return Fold::Next(sum, x); },
        [](T sum) { return sum; });
  }
};

// The same of BOOL.
template <typename Fold>
class FoldBools : public ReduceKernel {
 protected:
  absl::Status PrepareType(OperatorContext& context) override {
    return CheckInputType(context, 0, {ElementType::kBool});
  }

  absl::Status Reduce(OperatorContext& context) override {
    // Bytes of a model's constants can be other than 0 and 1.
    ForEachOutput(
        static_cast<const uint8_t*>(context.input(0).data),
        static_cast<uint8_t*>(context.output(0).data), Fold::Initial(),
        [](bool sum, uint8_t x) { return Fold::Next(sum, x != 0); },
        [](bool sum) { return static_cast<uint8_t>(sum ? 1 : 0); });
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_REDUCE_FOLD_H_
