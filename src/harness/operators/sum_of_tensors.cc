// SPDX-License-Identifier: Apache-2.0
// Registers ADD_N, the elementwise sum of any number of tensors of one shape.
#include <algorithm>

#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::sum_of_tensors {
namespace {

using Types = TypeList<float, int32_t>;

absl::Status PrepareSum(OperatorContext& context) {
  const size_t count = std::max(context.input_count(), size_t{1});
  STOWAGE_RETURN_IF_ERROR(CheckOneType(context, count, Types()));
  const Shape& shape = context.input(0).shape;
  for (size_t i = 1; i < count; ++i) {
    if (context.input(i).shape == shape) continue;
    return RefuseModel(InputPlace(context, i), ": its shape is ",
                       ShapeText(context.input(i).shape), "; expected ",
                       ShapeText(shape), ", as input 0 has");
  }
  return context.ResizeOutput(0, shape);
}

// Integers wrap around.
absl::Status SumTensors(OperatorContext& context) {
  Tensor& output = context.output(0);
  const int64_t count = output.elements();
  return DispatchType(Types(), output.type, [&](auto zero) {
    using T = decltype(zero);
    T* const to = output.as<T>();
    ForEachElement(context.input(0).as<T>(), to, count, [](T x) { return x; });
    for (size_t n = 1; n < context.input_count(); ++n) {
      const T* const from = context.input(n).as<T>();
      for (int64_t i = 0; i < count; ++i) {
        to[i] = Wrapping(to[i], from[i], [](auto x, auto y) { return x + y; });
      }
    }
  });
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<FunctionKernel>(
              "ADD_N",
              "the sum of all inputs, which have one shape, elementwise",
              PrepareSum, SumTensors)
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::sum_of_tensors
