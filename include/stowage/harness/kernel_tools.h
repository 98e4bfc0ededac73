// SPDX-License-Identifier: Apache-2.0
// Provides small tools for the kernels of operators and delegates: macros that
// return early with an error, and checks of what the model declares about the
// tensors of an operator. The interfaces of kernels are in operator.h and
// delegate.h. Every error message describes what was found and what was
// expected.
//
//   absl::Status Prepare(OperatorContext& context) override {
//     STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, {ElementType::kInt8}));
//     STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
//     return context.ResizeOutput(0, context.input(0).shape);
//   }
//
// Other tools: operator_options.h (options of builtin operators), shapes.h
// (axes, strides, broadcasting), window.h (convolutions and pools),
// fixed_point.h (quantized arithmetic), dispatch_type.h (elements as C++
// types), delegate_options.h and memory_budget.h.
#ifndef STOWAGE_HARNESS_KERNEL_TOOLS_H_
#define STOWAGE_HARNESS_KERNEL_TOOLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"    // IWYU pragma: export
#include "absl/status/statusor.h"  // IWYU pragma: export
#include "absl/strings/str_cat.h"  // IWYU pragma: export
#include "absl/types/span.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/element_type.h"

// Evaluates `expression`, which is a status. If it is not OK, returns it from
// the calling function.
#define STOWAGE_RETURN_IF_ERROR(expression)                   \
  do {                                                        \
    if (absl::Status status_ = (expression); !status_.ok()) { \
      return status_;                                         \
    }                                                         \
  } while (false)

// Evaluates `expression`, which is a StatusOr. Sets the declared variable to
// its value, or returns its error from the calling function:
//
//   STOWAGE_ASSIGN_OR_RETURN(const int axis, ResolveAxis(options.axis, rank));
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot have them.
#define STOWAGE_ASSIGN_OR_RETURN(declaration, expression)            \
  STOWAGE_ASSIGN_OR_RETURN_(STOWAGE_CONCATENATED(result_, __LINE__), \
                            declaration, expression)
#define STOWAGE_ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                                      \
  if (!result.ok()) return result.status();                        \
  declaration = *std::move(result)
#define STOWAGE_CONCATENATED(a, b) STOWAGE_CONCATENATED_(a, b)
#define STOWAGE_CONCATENATED_(a, b) a##b
// NOLINTEND(bugprone-macro-parentheses)

namespace stowage::harness {

// Returns InvalidArgument with the message absl::StrCat(parts...).
template <typename... Parts>
absl::Status RefuseModel(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Returns the elements of an optional input, or null if the model omits it.
template <typename T>
const T* OptionalInput(const OperatorContext& context, size_t i) {
  return context.has_input(i) ? context.input(i).as<T>() : nullptr;
}

// Return the name of an input or output for messages, such as `input 1 (tensor
// "weights")`.
std::string InputPlace(const OperatorContext& context, size_t i);
std::string OutputPlace(OperatorContext& context, size_t i);

// Checks that the number of inputs is in [min_inputs, max_inputs] and the
// number of outputs is `outputs`. The first `min_inputs` inputs and all outputs
// must be present. Error: InvalidArgument.
absl::Status CheckCounts(const OperatorContext& context, size_t min_inputs,
                         size_t max_inputs, size_t outputs);

// Checks that the type of the tensor is in `expected`, which may be a TypeList
// (dispatch_type.h) or a list of ElementType in braces. Error: InvalidArgument,
// listing all expected types.
absl::Status CheckInputType(const OperatorContext& context, size_t i,
                            absl::Span<const ElementType> expected);
absl::Status CheckOutputType(OperatorContext& context, size_t i,
                             absl::Span<const ElementType> expected);

// Checks that the operator has exactly `inputs` inputs and one output, that all
// of them are present, and that they all have the same type, which must be in
// `expected`. Error: InvalidArgument.
absl::Status CheckOneType(OperatorContext& context, size_t inputs,
                          absl::Span<const ElementType> expected);

// Checks that the number of dimensions is in [min_rank, max_rank]. Error:
// InvalidArgument.
absl::Status CheckInputRank(const OperatorContext& context, size_t i,
                            int min_rank, int max_rank);

// Checks that the tensor has one scale, which is finite and above 0, and one
// zero point in the range of the tensor's type. Error: InvalidArgument.
absl::Status CheckInputQuantized(const OperatorContext& context, size_t i);
absl::Status CheckOutputQuantized(OperatorContext& context, size_t i);
// Applies CheckInputQuantized and CheckOutputQuantized to all inputs and
// outputs. All of them must be present.
absl::Status CheckAllQuantized(OperatorContext& context);

// Gives an output the type that the operator computes, regardless of its type
// in the model, like TensorFlow Lite. Must be called before ResizeOutput. A
// string or a variable keeps its type; if an output may be either, call
// CheckOutputType.
void SetOutputType(OperatorContext& context, size_t i, ElementType type);

// Returns the elements of an input of type INT32 or INT64. Requires that the
// input has bytes. Error: InvalidArgument for any other type.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const OperatorContext& context,
                                                size_t i);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_KERNEL_TOOLS_H_
