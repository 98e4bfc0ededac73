// SPDX-License-Identifier: Apache-2.0
// The memory limit of an interpreter, for what a delegate allocates beside the
// arena (PartitionContext::memory_budget). Operators ask OperatorContext, whose
// memory is counted by itself.
//
//   MemoryBudget& budget = context.memory_budget();
//   if (!budget.Reserve(bytes)) return absl::ResourceExhaustedError(...);
//   ...
//   budget.Release(bytes);  // when the memory is given back
#ifndef STOWAGE_HARNESS_MEMORY_BUDGET_H_
#define STOWAGE_HARNESS_MEMORY_BUDGET_H_

#include <cstddef>

namespace stowage::harness {

// Bytes that may be taken together. Not thread-safe.
class MemoryBudget {
 public:
  // 0 is what the machine has.
  explicit MemoryBudget(size_t limit);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_; }
  // Takes bytes out of what is left, and returns whether there were as many.
  bool Reserve(size_t bytes);
  // Gives back what Reserve took.
  void Release(size_t bytes) { used_ -= bytes; }

 private:
  size_t limit_;
  size_t used_ = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MEMORY_BUDGET_H_
