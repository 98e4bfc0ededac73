// SPDX-License-Identifier: Apache-2.0
// Defines the interface of operators, and the resolver that finds an operator
// by name. To run models with the operators of this library, use interpreter.h.
// To write an operator, include this header, and kernel_tools.h to check its
// tensors.
//
// An operator is a registration (its name, its versions) that creates kernels;
// a kernel runs one operator of one graph. Prepare checks shapes and types,
// sets the shape of every output and requests memory; Invoke computes. The
// interpreter plans the memory after Prepare and before Invoke.
//
//   class Twice : public Kernel {
//     absl::Status Prepare(OperatorContext& context) override {
//       return context.ResizeOutput(0, context.input(0).shape);
//     }
//     absl::Status Invoke(OperatorContext& context) override { ... }
//   };
//
//   OperatorResolver resolver = BuiltinOperators();
//   resolver.Add(OperatorRegistration("Twice")
//                    .IsCustom()
//                    .SharesMemoryOf(InPlace::kInput0)
//                    .Creates<Twice>());
//
// Errors of kernels should describe what was found and what was expected; the
// interpreter prepends the model, the subgraph and the operator.
#ifndef STOWAGE_HARNESS_OPERATOR_H_
#define STOWAGE_HARNESS_OPERATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness {

class Delegate;
class ResourceVariables;

// An argument or a result of a call of a subgraph that is being prepared.
struct CallTensor {
  const Tensor* tensor = nullptr;
  // True if the shape is known only when the call runs, and may differ between
  // calls. The shape of `tensor` is then meaningless.
  bool varies = false;
};

// Limits the number of iterations of a loop.
struct LoopRule {
  // The maximum number of iterations. Exceeding it is an error.
  uint64_t max_turns = 1'000'000;
  // If true, a loop runs 0 to 3 iterations; the number is derived from the
  // arguments of the loop. Must be set if shadows compute conditions, because a
  // loop with a shadowed condition might never terminate.
  bool draws_turns = false;
};

// A kernel's view of its operator and of the tensors of this operator.
class OperatorContext {
 public:
  virtual ~OperatorContext() = default;

  virtual const OperatorSpec& spec() const = 0;

  size_t input_count() const { return spec().inputs.size(); }
  size_t output_count() const { return spec().outputs.size(); }
  // Returns whether the operator has an input `i`. Returns false if `i` is
  // beyond the last input, or if the model omits the input.
  bool has_input(size_t i) const {
    return i < input_count() && spec().inputs[i] != kAbsent;
  }
  bool has_output(size_t i) const {
    return i < output_count() && spec().outputs[i] != kAbsent;
  }

  // The next two functions require that the input or output exists. The bytes
  // of constants can be read in Prepare and in Invoke, and the bytes of other
  // tensors only in Invoke. The bytes of outputs and temporaries are undefined
  // at the start of Invoke.
  virtual const Tensor& input(size_t i) const = 0;
  virtual Tensor& output(size_t i) = 0;
  // Returns an input that is a variable, which Invoke may read and write.
  virtual Tensor& variable(size_t i) = 0;
  virtual Tensor& temporary(size_t i) = 0;
  // Returns the number of temporaries that have been added so far.
  virtual size_t temporary_count() const = 0;

  // Sets the shape of an output. May be called in Prepare. Must be called in
  // every Invoke if Prepare has called MakeOutputDynamic, even with the shape
  // of the last Invoke, because the output has no memory before; Invoke is
  // otherwise an error. Errors: InvalidArgument for an impossible shape and for
  // an output that does not exist; ResourceExhausted, in Invoke, above the
  // memory limit.
  virtual absl::Status ResizeOutput(size_t i, const Shape& shape) = 0;

  // Declares that the shape of the output depends on data, and that Invoke will
  // set it. May be called only in Prepare; a call in Invoke, or for an output
  // that does not exist, is an error of the kernel. Later operators are
  // prepared when the shape is known.
  virtual void MakeOutputDynamic(size_t i) = 0;

  // Adds a tensor that is live while this operator runs, and returns its index
  // for temporary(). May be called only in Prepare. Errors: InvalidArgument for
  // an impossible shape; FailedPrecondition in Invoke.
  virtual absl::StatusOr<size_t> AddTemporary(ElementType type,
                                              const Shape& shape) = 0;

  // Declare that one tensor, the part, has the same bytes as another tensor,
  // the whole, has from byte `at` on. May be called only in Prepare. For
  // DeclareInputPart, the input is the part and the output is the whole. For
  // DeclareOutputPart, the output is the part and the input is the whole. The
  // plan may place the part inside the whole. In this case, Invoke need not
  // copy the part.
  virtual void DeclareInputPart(size_t /*input*/, size_t /*output*/,
                                size_t /*at*/) {}
  virtual void DeclareOutputPart(size_t /*output*/, size_t /*input*/,
                                 size_t /*at*/) {}

  // Returns memory that is kept until the kernel is prepared again. May be
  // called only in Prepare. The memory is zeroed and aligned to 16 bytes. The
  // memory report lists it as operator data. Errors: ResourceExhausted above
  // the memory limit; FailedPrecondition in Invoke.
  virtual absl::StatusOr<void*> NewPersistentBytes(size_t bytes) = 0;
  template <typename T>
  absl::StatusOr<absl::Span<T>> NewPersistent(size_t count);

  // Returns the variables that persist between invocations and are shared by
  // all subgraphs.
  virtual ResourceVariables& resources() = 0;

  // Runs a subgraph without inputs and outputs. May be called only in Invoke.
  // Each subgraph runs only once: if it has already run without an error since
  // the interpreter was created or reset, the call does nothing. Errors: that
  // of the subgraph; InvalidArgument if the subgraph does not exist, is already
  // running, is the first subgraph of the model, or has inputs or outputs;
  // InvalidArgument if calls are nested too deeply.
  virtual absl::Status InvokeOnce(size_t subgraph) = 0;

  // Prepares a call of a subgraph with these arguments, and returns the outputs
  // of the subgraph. May be called only in Prepare. The tensors are valid until
  // the subgraph is prepared again. Errors: InvalidArgument if the type of an
  // argument differs from the type of the subgraph's input; those of the
  // operators in the subgraph; Unimplemented if the context cannot call
  // subgraphs.
  virtual absl::StatusOr<std::vector<CallTensor>> PrepareCall(
      size_t subgraph, absl::Span<const CallTensor> arguments);
  // Runs a subgraph that Prepare has prepared. May be called only in Invoke.
  // The arguments are used as the subgraph's inputs without copying. Returns
  // the outputs of the subgraph. Their bytes are valid until the next call of
  // any subgraph, or until the calling operator writes one of its own outputs,
  // whichever comes first. A returned output may be the same tensor as an
  // argument or as another output. Errors: those of operators and observers in
  // the subgraph.
  virtual absl::StatusOr<std::vector<const Tensor*>> Call(
      size_t subgraph, absl::Span<const Tensor* const> arguments);
  virtual LoopRule loop_rule() const { return {}; }
  // Returns scratch memory in the arena. May be called only in Invoke. An
  // operator that calls subgraphs needs this memory to copy results if the
  // copies form a cycle. The operator copies results at one or two places,
  // which are numbered from 0: in the two branches of IF, or at the start of a
  // WHILE and at the end of each iteration. The span is empty if the plan has
  // no scratch memory for `place`.
  virtual absl::Span<uint8_t> CopyScratch(size_t /*place*/) { return {}; }
};

// Runs one operator of one graph. Kernels must not keep pointers to tensors,
// because tensors move. Keep results of Prepare in members or in persistent
// memory. An exception of Prepare or Invoke becomes an Internal error, and
// std::bad_alloc becomes a ResourceExhausted error.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // Prepares the operator. Called before the memory is planned, and again
  // whenever a shape on which the operator depends may have changed.
  virtual absl::Status Prepare(OperatorContext& context) = 0;
  virtual absl::Status Invoke(OperatorContext& context) = 0;
};

// Describes an operator: its name, the models that it accepts, and the creation
// of its kernels. Calls of the setters can be chained. The initial values of
// the fields are the defaults.
struct OperatorRegistration {
  explicit OperatorRegistration(std::string operator_name)
      : name(std::move(operator_name)) {}

  // Sets the line of the operator in the table of operators
  // (docs/operators.md).
  OperatorRegistration& Computes(std::string what);
  OperatorRegistration& IsCustom();
  OperatorRegistration& OfVersions(int32_t min, int32_t max);
  OperatorRegistration& SharesMemoryOf(InPlace inputs);
  OperatorRegistration& FoldsConstants();
  OperatorRegistration& CreatedBy(
      std::function<std::unique_ptr<Kernel>()> factory);
  // Sets the function that creates kernels to one that calls K(arguments...).
  template <typename K, typename... Arguments>
  OperatorRegistration& Creates(Arguments... arguments) {
    return CreatedBy([=] { return std::make_unique<K>(arguments...); });
  }
  OperatorRegistration& ShadowedBy(
      std::function<std::unique_ptr<Kernel>()> factory);

  std::string name;  // is "CONV_2D", or the name of a custom operator
  std::string summary;
  bool is_custom = false;
  // The lowest and the highest version that models may require.
  int32_t min_version = 1;
  int32_t max_version = 1;
  InPlace in_place = InPlace::kNever;
  // True if an operator with only constant inputs is computed only once, into
  // persistent memory.
  bool folds_constants = false;
  // Creates a kernel. Not set if the operator runs only as a shadow.
  std::function<std::unique_ptr<Kernel>()> create;
  // Creates the shadow that replaces the kernel (shadow.h). If not set, the
  // shadow is a ShadowKernel.
  std::function<std::unique_ptr<Kernel>()> shadow;
};

// A set of registrations. A resolver is a value: to extend a set, copy the
// resolver and add operators to the copy.
class OperatorResolver {
 public:
  // Adds a registration, or replaces the registration with the same name and
  // kind.
  void Add(OperatorRegistration registration);

  // Adds a delegate for every graph that runs these operators. A separate
  // delegate is created for each subgraph, and applied when the subgraph is
  // prepared for the first time (Subgraph::ApplyDelegate).
  using DelegateFactory =
      std::function<absl::StatusOr<std::shared_ptr<Delegate>>()>;
  void AddDelegate(DelegateFactory create) {
    delegates_.push_back(std::move(create));
  }
  absl::Span<const DelegateFactory> delegates() const { return delegates_; }

  // Returns the registration with this name, or null if there is none. The
  // pointer is valid until the next Add.
  const OperatorRegistration* Find(absl::string_view name,
                                   bool is_custom) const;

  // Returns the reason why there is no kernel for the operator, or an empty
  // string if there is a kernel. The reason is a text such as "ADD", if no
  // registration has this name, or "ADD version 9 (kernels are for 1 to 5)".
  std::string WhyUnsupported(const OperatorSpec& op) const;

  // Returns all registrations, sorted by kind and then by name.
  const std::map<std::pair<bool, std::string>, OperatorRegistration>& all()
      const {
    return registrations_;
  }

 private:
  std::map<std::pair<bool, std::string>, OperatorRegistration> registrations_;
  std::vector<DelegateFactory> delegates_;
};

// Returns all operators of this library (docs/operators.md), builtin and
// custom.
OperatorResolver BuiltinOperators();

template <typename T>
absl::StatusOr<absl::Span<T>> OperatorContext::NewPersistent(size_t count) {
  if (count > SIZE_MAX / sizeof(T)) {
    return absl::ResourceExhaustedError("operator data beyond any memory");
  }
  absl::StatusOr<void*> bytes = NewPersistentBytes(count * sizeof(T));
  if (!bytes.ok()) return bytes.status();
  return absl::MakeSpan(static_cast<T*>(*bytes), count);
}

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OPERATOR_H_
