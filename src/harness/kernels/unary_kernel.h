// Operators that compute each element of the output from one of the input,
// which has its type and shape.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_UNARY_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_UNARY_KERNEL_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// Checks and sets what every such operator does, for these types.
inline absl::Status PrepareUnary(OperatorContext& context,
                                 std::initializer_list<ElementType> types) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, types));
  const Tensor& input = context.input(0);
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
  return context.ResizeOutput(0, input.shape);
}

// output[i] = f(input[i]) where both have elements of type T.
template <typename T, typename F>
void ComputeUnary(OperatorContext& context, F f) {
  const auto input = context.input(0).span<T>();
  ForEachElement(input.data(), context.output(0).as<T>(),
                 static_cast<int64_t>(input.size()), f);
}

// An operator for FLOAT32 alone.
template <typename F>
class FloatKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    return PrepareUnary(context, {ElementType::kFloat32});
  }
  absl::Status Invoke(OperatorContext& context) override {
    ComputeUnary<float>(context, F());
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_UNARY_KERNEL_H_
