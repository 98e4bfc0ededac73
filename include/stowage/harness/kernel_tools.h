// SPDX-License-Identifier: Apache-2.0
// What writers of operators and delegates need again and again: returning early
// with an error, and checking what the model says about the tensors of an
// operator. Every error message says what was found and what was expected.
//
//   absl::Status Prepare(OperatorContext& context) override {
//     STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, {ElementType::kInt8}));
//     STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
//     return context.ResizeOutput(0, context.input(0).shape);
//   }
//
// Other tools: operator_options.h, shapes.h, window.h (convolutions and pools),
// fixed_point.h (quantized arithmetic), dispatch_type.h (elements as C++ types)
// and delegate_options.h.
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

// Returns from the function with the error of a status, if it is one.
#define STOWAGE_RETURN_IF_ERROR(expression)                   \
  do {                                                        \
    if (absl::Status status_ = (expression); !status_.ok()) { \
      return status_;                                         \
    }                                                         \
  } while (false)

// Declares a variable and sets it to the value of a StatusOr, or returns the
// error if there is no value: STOWAGE_ASSIGN_OR_RETURN(const int axis,
// ResolveAxis(...)).
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

// Returns InvalidArgument with a message joined from parts, as by absl::StrCat.
template <typename... Parts>
absl::Status RefuseModel(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Returns the elements of an input; null if it is left out.
template <typename T>
const T* OptionalInput(const OperatorContext& context, size_t i) {
  return context.has_input(i) ? context.input(i).as<T>() : nullptr;
}

// Returns the name of an input or output for messages: `input 1 (tensor
// "weights")`.
std::string InputPlace(const OperatorContext& context, size_t i);
std::string OutputPlace(OperatorContext& context, size_t i);

// Checks the numbers of inputs and outputs. Error: InvalidArgument unless the
// operator has at least `min_inputs` and at most `max_inputs` inputs, the first
// `min_inputs` of them present, and `outputs` outputs, all present.
absl::Status CheckCounts(const OperatorContext& context, size_t min_inputs,
                         size_t max_inputs, size_t outputs);

// Checks that the type of the tensor is in `expected`, which may be a TypeList
// (dispatch_type.h), or ElementTypes in braces. Error: InvalidArgument, listing
// all expected types.
absl::Status CheckInputType(const OperatorContext& context, size_t i,
                            absl::Span<const ElementType> expected);
absl::Status CheckOutputType(OperatorContext& context, size_t i,
                             absl::Span<const ElementType> expected);

// Checks that the operator has exactly `inputs` inputs and one output, that all
// of them are present, and that all have the same type, which is in `expected`.
// Error: InvalidArgument.
absl::Status CheckOneType(OperatorContext& context, size_t inputs,
                          absl::Span<const ElementType> expected);

// Checks that the number of dimensions is from `min_rank` to `max_rank`, both
// inclusive. Error: InvalidArgument.
absl::Status CheckInputRank(const OperatorContext& context, size_t i,
                            int min_rank, int max_rank);

// Checks that the tensor has one scale and one zero point that make sense for
// its type: the scale must be finite and above 0, and the zero point must be in
// the range of the type. Error: InvalidArgument.
absl::Status CheckInputQuantized(const OperatorContext& context, size_t i);
absl::Status CheckOutputQuantized(OperatorContext& context, size_t i);
// Does the same as CheckInputQuantized and CheckOutputQuantized for all inputs
// and outputs. All of them must be present.
absl::Status CheckAllQuantized(OperatorContext& context);

// Gives an output the type that the operator computes, whatever type the model
// declares. TensorFlow Lite does the same. It must be called before
// ResizeOutput. Strings and variables keep their types; CheckOutputType finds
// those that are wrong.
void SetOutputType(OperatorContext& context, size_t i, ElementType type);

// Returns the elements of an input of INT32 or INT64, which must have bytes.
// Error: InvalidArgument for another type.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const OperatorContext& context,
                                                size_t i);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_KERNEL_TOOLS_H_
