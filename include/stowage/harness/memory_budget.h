// SPDX-License-Identifier: Apache-2.0
// The memory limit of an interpreter, for memory that a delegate allocates
// outside the arena (PartitionContext::memory_budget). Operators use
// OperatorContext, which counts their memory automatically.
//
//   MemoryBudget& budget = context.memory_budget();
//   if (!budget.Reserve(bytes)) return absl::ResourceExhaustedError(...);
//   ...
//   budget.Release(bytes);  // when the memory is given back
#ifndef STOWAGE_HARNESS_MEMORY_BUDGET_H_
#define STOWAGE_HARNESS_MEMORY_BUDGET_H_

#include <cstddef>

namespace stowage::harness {

// Counts bytes up to a limit. Not thread-safe.
class MemoryBudget {
 public:
  // If the limit is 0, the memory of the machine is the limit.
  explicit MemoryBudget(size_t limit);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_; }
  // Reserves bytes if that many remain. Returns whether they were reserved.
  bool Reserve(size_t bytes);
  // Gives reserved bytes back to the budget.
  void Release(size_t bytes) { used_ -= bytes; }

 private:
  size_t limit_;
  size_t used_ = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MEMORY_BUDGET_H_
