// SPDX-License-Identifier: Apache-2.0
// The tensors of a partition as its kernels see them: those inside it, which
// are the delegate's, and those that it shares with the interpreter
// (PartitionContext).
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_INNER_TENSORS_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_INNER_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/memory.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::reference {

// When a kernel asks for something.
enum class Phase {
  kPrepare,      // before memory is planned
  kPrepareLate,  // in Invoke, after a shape that was computed
  kInvoke,
};

class InnerTensors {
 public:
  void Clear() { own_.clear(); }
  // A tensor inside the partition, as in the model.
  void AddInside(size_t tensor, const Tensor& model);

  // The delegate's: inside the partition, or an output whose shape is computed.
  bool IsOwn(size_t tensor) const { return own_.count(tensor) > 0; }
  // Whether it has been made dynamic.
  bool IsComputed(size_t tensor) const;
  Tensor& own(size_t tensor) { return own_.at(tensor).tensor; }

  // Errors: those of PartitionContext, for tensors that are not the delegate's.
  absl::StatusOr<const Tensor*> Read(const PartitionContext& context,
                                     size_t tensor);
  absl::StatusOr<Tensor*> Write(PartitionContext& context, size_t tensor);

  // As OperatorContext has them. Errors likewise.
  absl::Status Resize(PartitionContext& context, size_t tensor,
                      const Shape& shape, Phase phase);
  // Does nothing for a tensor without bytes, or in persistent memory.
  absl::Status MakeDynamic(PartitionContext& context, size_t tensor);

  // Gives a tensor inside the partition memory of its own, zeroed. Error:
  // ResourceExhausted.
  absl::Status Allocate(PartitionContext& context, size_t tensor);
  // Takes back the shapes that were computed, and their memory.
  void ForgetComputed();
  // In memory that each has for itself.
  size_t own_bytes() const;

 private:
  struct Own {
    Tensor tensor;
    Tensor initial;
    MemoryBlock memory;
    bool is_output = false;  // its memory is the interpreter's
  };

  std::map<size_t, Own> own_;
};

}  // namespace stowage::harness::reference

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_INNER_TENSORS_H_
