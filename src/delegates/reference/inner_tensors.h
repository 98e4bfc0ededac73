// SPDX-License-Identifier: Apache-2.0
// Gives a kernel access to the tensors of a partition: the tensors inside it,
// which the delegate owns, and the tensors that the partition shares with the
// interpreter (PartitionContext).
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_INNER_TENSORS_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_INNER_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::reference {

// The phase in which a kernel calls its context.
enum class Phase {
  kPrepare,      // runs before memory is planned
  kPrepareLate,  // runs in Invoke, once a shape has been computed
  kInvoke,
};

class InnerTensors {
 public:
  void Clear() { own_.clear(); }
  // Adds a tensor inside the partition, with the properties of `model`, which
  // is the same tensor in the model.
  void AddInside(size_t tensor, const Tensor& model);

  // Returns whether the delegate owns the tensor. It owns all tensors inside
  // the partition, and those outputs whose shapes are computed at run time.
  bool IsOwn(size_t tensor) const { return own_.count(tensor) > 0; }
  // Returns whether the tensor has been made dynamic.
  bool IsComputed(size_t tensor) const;
  Tensor& own(size_t tensor) { return own_.at(tensor).tensor; }

  // Return a tensor for reading or for writing. Errors: those of
  // PartitionContext, for tensors that the delegate does not own.
  absl::StatusOr<const Tensor*> Read(const PartitionContext& context,
                                     size_t tensor);
  absl::StatusOr<Tensor*> Write(PartitionContext& context, size_t tensor);

  // Implements OperatorContext::ResizeOutput. Errors: those of
  // PartitionContext.
  absl::Status Resize(PartitionContext& context, size_t tensor,
                      const Shape& shape, Phase phase);
  // Makes a tensor dynamic. Does nothing if the tensor has no bytes or is in
  // persistent memory.
  absl::Status MakeDynamic(PartitionContext& context, size_t tensor);

  // Allocates separate memory, initialized to zero, for a tensor inside the
  // partition. Error: ResourceExhausted.
  absl::Status Allocate(PartitionContext& context, size_t tensor);
  // Resets the shapes of all computed tensors and frees their memory.
  void ForgetComputed();
  // Returns the total size of all tensors with separate memory, in bytes.
  size_t own_bytes() const;

 private:
  struct Own {
    Tensor tensor;
    Tensor initial;
    MemoryBlock memory;
    // True if the interpreter owns the memory of the tensor.
    bool is_output = false;
  };

  std::map<size_t, Own> own_;
};

}  // namespace stowage::harness::reference

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_INNER_TENSORS_H_
