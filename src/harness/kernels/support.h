// SPDX-License-Identifier: Apache-2.0
// Every operator of this library includes this header. It adds to the public
// tools (kernel_tools.h) the options of all operators, as the model format
// defines them, and shorter ways to write registrations and small kernels.
// Delegates and operators outside of this library use the public tools.
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

// Returns a table without fields. It stands for options that the model leaves
// out.
const flatbuffers::Table* EmptyTable();

// Returns the options of a builtin operator. If the model has no options,
// returns the defaults of the format. Options that delegates also need are in
// operator_options.h. Error: InvalidArgument if the model has the options of
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

// Returns a text that states the valid indices of a dimension of `size`
// elements, such as "0 to 3".
std::string IndexRange(int64_t size);

// Returns the activation that a model file specifies. The result may be a value
// that this library does not know.
inline FusedActivation FusedActivationOf(
    tflite::ActivationFunctionType activation) {
  return static_cast<FusedActivation>(activation);
}

// Returns the registration of a builtin operator whose kernels are created as
// K(arguments...).
template <typename K, typename... Arguments>
OperatorRegistration Operator(std::string name, std::string what,
                              Arguments... arguments) {
  return OperatorRegistration(std::move(name))
      .Computes(std::move(what))
      .template Creates<K>(arguments...);
}

// A kernel that has no state and consists of two functions. Kernels that have
// state derive from Kernel themselves.
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
