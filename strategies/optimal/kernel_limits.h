// SPDX-License-Identifier: Apache-2.0
// What limits a search for the plan of a kernel (objects_kernel.h), and who
// hears of its plans: ClassSearch (class_search.h) and ObjectsTree
// (objects_tree.h). The limits of searches for offsets are Limits (limits.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_KERNEL_LIMITS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_KERNEL_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"

namespace stowage::optimal {

struct KernelLimits {
  // Only totals below it are of interest, in bytes.
  size_t limit = 0;
  const StopSignal* stop = nullptr;  // not owned, not null
  // Nodes, and pivots of linear programs; what is left afterwards.
  uint64_t* nodes_left = nullptr;  // not owned, not null
  // Called with every better plan, its objects by item, with its total, which
  // is then the limit, and with what found it (Solution::found_by). Returns
  // whether it is all that was asked for.
  std::function<bool(ObjectsAssignment<size_t>, size_t, absl::string_view)>
      on_plan;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_KERNEL_LIMITS_H_
