// SPDX-License-Identifier: Apache-2.0
// Defines shadows: kernels without arithmetic, which make it possible to check
// the plan of any model. Set InterpreterOptions::shadow to run a model with
// unsupported operators; without shadows, every operator needs its kernel
// (operator.h).
//
//   CheckOptions options;
//   options.plan.shadow = ShadowMode::kMissing;
//   options.feed = ...;
//   CheckPlan(*model, BuiltinOperators(), options);   // see checks.h
//
// A shadow writes to each output a function of every byte of all inputs, of the
// values of resources and variables, of the operator's name, version and
// options, and of the output's index. It also rewrites variables and
// temporaries. Two runs with a difference in any byte of an input therefore
// have different outputs. Shadows thus detect unsafe sharing, and do so more
// often than real kernels, because no value is clamped, rounded away or left
// unread.
//
// Shadows write valid numbers: BOOL is 0 or 1, floating point is in [0.5, 1),
// integers are arbitrary. Two different inputs give the same output with a
// probability of 2^-b, where b is the number of free bits of the output: 23 for
// a FLOAT32 element, 10 for FLOAT16, 52 for FLOAT64, 1 for BOOL, all bits for
// integers, and 64 at most. A fault may be missed only if all of its effects
// pass through a small output. For a single BOOL, the probability is one half,
// and each further invocation halves it. Tensors without bytes, such as
// strings, carry 64 bits from shadow to shadow (Tensor::digest).
//
// A tensor that no operator writes and only custom operators read is working
// memory of these operators (TensorSpec::is_scratch): a shadow owns this memory
// while it runs, and overwrites it. In memory that the caller provides, an
// input of a custom operator may overlap an output of the operator, because a
// shadow reads all inputs before it writes an output.
//
// Shapes are those of the model. The shadow of an operator with a kernel uses
// the same memory as the kernel: the kernel's Prepare sets shapes, temporaries
// and operator data, and outputs share memory in place as the registration of
// the operator permits. Under ShadowMode::kAll, the plan is therefore the same
// as in a run without shadows. An operator without a kernel does not share
// memory in place.
#ifndef STOWAGE_HARNESS_SHADOW_H_
#define STOWAGE_HARNESS_SHADOW_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// Says which operators run as shadows.
enum class ShadowMode {
  kNone,
  // Three kinds of operators run as shadows: those without a kernel for their
  // version; those with a kernel that refuses the model in Prepare; and those
  // that read 32-bit or 64-bit integers from a shadow, because a kernel would
  // use these integers as indices and lengths.
  kMissing,
  // Every operator runs as a shadow, unless it has an effect beyond its
  // tensors. This exception applies to operators that have a resource or no
  // output (VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, CALL_ONCE); their
  // kernels run as usual. IF, WHILE and STABLEHLO_COMPOSITE run the subgraphs
  // that they call, with shadows of the operators in them; a loop runs 0 to 3
  // iterations.
  kAll,
};

// An operator that runs as a shadow. Under kMissing, an operator that calls a
// subgraph with shadows runs as a shadow itself: it reads its inputs and writes
// its outputs, and the subgraph does not run.
struct ShadowedOperator {
  size_t subgraph = 0;
  size_t node = 0;
  std::string name;    // is "RFFT2D" or "CUSTOM SignalFramer", for example
  std::string reason;  // the reason for the shadow
};

// The shadow of an operator without a kernel. Its outputs have their declared
// shapes. The interpreter refuses the operator if these shapes are not known:
// if a dimension is open although no input has an open dimension, if the output
// of a custom operator has no rank, or if the shape of an input differs from
// its declared shape. For such an operator, derive a class from ShadowKernel
// that sets the shapes, and register this class:
//
//   class FramerShadow : public ShadowKernel {
//     absl::Status Prepare(OperatorContext& context) override {
//       absl::Status status = context.ResizeOutput(0, ...);
//       return status.ok() ? ShadowKernel::Prepare(context) : status;
//     }
//   };
//   resolver.Add(OperatorRegistration("SignalFramer").IsCustom().ShadowedBy(
//       [] { return std::make_unique<FramerShadow>(); }));
//
// Invoke is O(bytes of inputs, outputs, temporaries and variables).
class ShadowKernel : public Kernel {
 public:
  ShadowKernel() = default;
  // Creates the shadow of an operator that may share memory in place.
  // `in_place` selects the inputs that may share memory with output 0
  // (operator.h). With kUnmodified, the shadow copies such an input to output
  // 0.
  explicit ShadowKernel(InPlace in_place) : in_place_(in_place) {}

  absl::Status Prepare(OperatorContext& context) override;
  absl::Status Invoke(OperatorContext& context) override;

 private:
  bool CopyUnmodified(OperatorContext& context) const;
  bool MaySharePlace(OperatorContext& context, size_t input) const;

  InPlace in_place_ = InPlace::kNever;
  uint64_t salt_ = 0;  // a hash of the name, the version and the options
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHADOW_H_
