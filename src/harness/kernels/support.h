// SPDX-License-Identifier: Apache-2.0
// The header that every operator of this library includes. In addition to the
// public tools (kernel_tools.h), it provides the options of all operators as
// the model format defines them, and shorthands for registrations and small
// kernels. For delegates and for operators outside this library use the public
// tools.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SUPPORT_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"      // IWYU pragma: export
#include "stowage/harness/dispatch_type.h"     // IWYU pragma: export
#include "stowage/harness/kernel_tools.h"      // IWYU pragma: export
#include "stowage/harness/operator.h"          // IWYU pragma: export
#include "stowage/harness/operator_options.h"  // IWYU pragma: export
#include "stowage/harness/shapes.h"            // IWYU pragma: export
#include "stowage/harness/tensor.h"            // IWYU pragma: export

namespace stowage::harness {

// Returns a table without fields, which is used if the model contains no
// options.
const flatbuffers::Table* EmptyTable();

// Returns the options of a builtin operator, or the defaults of the format if
// the model contains no options. For options that delegates also need use
// operator_options.h. Error: InvalidArgument if the model contains the options
// of a different operator.
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

// Returns the valid indices of a dimension of `size` elements as text, such as
// "0 to 3".
std::string IndexRange(int64_t size);

// Returns the activation in a model file, which may be unknown to this library.
inline FusedActivation FusedActivationOf(
    tflite::ActivationFunctionType activation) {
  return static_cast<FusedActivation>(activation);
}

// Returns the registration of a builtin operator with kernels that are created
// as K(arguments...).
template <typename K, typename... Arguments>
OperatorRegistration Operator(std::string name, std::string what,
                              Arguments... arguments) {
  return OperatorRegistration(std::move(name))
      .Computes(std::move(what))
      .template Creates<K>(arguments...);
}

// A kernel that consists of two functions and has no state. For a kernel with
// state derive from Kernel.
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

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SUPPORT_H_
