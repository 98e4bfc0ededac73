// SPDX-License-Identifier: Apache-2.0
// Defines the limits and the callback of the searches for the plan of a kernel
// (objects_kernel.h), which are ClassSearch (class_search.h) and ObjectsTree
// (objects_tree.h). For searches for offsets, use Limits (limits.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_KERNEL_LIMITS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_KERNEL_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/string_view.h"

namespace stowage::optimal {

struct KernelLimits {
  // Only plans with a total below this number of bytes are wanted.
  size_t limit = 0;
  const StopSignal* stop = nullptr;  // is not owned, and must not be null
  // The remaining number of nodes and of pivots of linear programs. The search
  // decreases this number.
  uint64_t* nodes_left = nullptr;  // is not owned, and must not be null
  // Called with every better plan: the plan (objects by item), its total, and
  // the text for Solution::found_by. The total becomes the limit. Returns true
  // if the plan is good enough, and the search must stop.
  std::function<bool(ObjectsAssignment<size_t>, size_t, string_view)> on_plan;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_KERNEL_LIMITS_H_
