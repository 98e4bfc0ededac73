// SPDX-License-Identifier: Apache-2.0
// The header that every operator includes. It includes the interface of
// operators, statuses, types of elements and the format of models. It declares
// the functions that Prepare needs: to read options, and to check the model.
// Every error message says what was found and what was expected.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SUPPORT_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"    // IWYU pragma: export
#include "absl/status/statusor.h"  // IWYU pragma: export
#include "absl/strings/str_cat.h"  // IWYU pragma: export
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "src/harness/kernels/dispatch_type.h"  // IWYU pragma: export
#include "src/tflite/model_generated.h"         // IWYU pragma: export
#include "stowage/harness/operator.h"           // IWYU pragma: export
#include "stowage/harness/tensor.h"             // IWYU pragma: export

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

// Returns a table without fields. It stands for options that the model leaves
// out.
const flatbuffers::Table* EmptyTable();

// Returns the options of a builtin operator, with the defaults of the format if
// the model has none. Error: InvalidArgument if the model has the options of
// another operator.
template <typename Options>
absl::StatusOr<const Options*> OptionsOf(const OperatorSpec& spec) {
  constexpr auto kType = tflite::BuiltinOptionsTraits<Options>::enum_value;
  if (spec.options == nullptr) {
    return reinterpret_cast<const Options*>(EmptyTable());
  }
  if (spec.options_type != static_cast<int>(kType)) {
    return RefuseModel("its options are of type ", spec.options_type,
                       "; expected ", static_cast<int>(kType), " (",
                       tflite::EnumNameBuiltinOptions(kType), ")");
  }
  return static_cast<const Options*>(spec.options);
}
template <typename Options>
absl::StatusOr<const Options*> OptionsOf(const OperatorContext& context) {
  return OptionsOf<Options>(context.spec());
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

// Checks that the type of the tensor is in `expected`, which may be a TypeList,
// or ElementTypes in braces. Error: InvalidArgument, listing all expected
// types.
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

// Returns an axis of a model as a number from 0 to rank - 1. In models a
// negative axis counts from the last dimension. Error: InvalidArgument for an
// axis that does not exist.
absl::StatusOr<int> ResolveAxis(int64_t axis, int rank);

// Returns the registration of a builtin operator whose kernels are created as
// K(arguments...).
template <typename K, typename... Arguments>
OperatorRegistration Operator(std::string name, std::string what,
                              Arguments... arguments) {
  return OperatorRegistration(std::move(name))
      .Computes(std::move(what))
      .template Creates<K>(arguments...);
}

// A kernel without state, which consists of two functions. All other kernels
// derive from Kernel.
class FunctionKernel : public Kernel {
 public:
  using Function = absl::Status (*)(OperatorContext& context);

  FunctionKernel(Function prepare, Function invoke)
      : prepare_(prepare), invoke_(invoke) {}
  absl::Status Prepare(OperatorContext& context) override {
    return prepare_(context);
  }
  absl::Status Invoke(OperatorContext& context) override {
    return invoke_(context);
  }

 private:
  Function prepare_;
  Function invoke_;
};

// Returns the product of dimensions `first` (inclusive) to `last` (exclusive).
int64_t FlatSize(const Shape& shape, int first, int last);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SUPPORT_H_
