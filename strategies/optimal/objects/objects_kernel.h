// SPDX-License-Identifier: Apache-2.0
// Finds the kernel of a problem of shared objects, which consists of the
// records that determine how small the objects can be. Only these records need
// a linear program. Problems of offsets have no such kernel.
//
// For a record, consider the other records that are at least as large, and let
// m be the maximum number of them that are live at the same step. The record is
// *dropped* if it conflicts with fewer than m records: any plan of the other
// records then has a free object that is large enough, so the dropped record
// costs nothing. The rule is then applied to the remaining records.
//
//   const ObjectsKernel kernel = FindKernel(items, steps, stop);
//   ... plan the items kernel.kept ...
//   LiftPlan(items, kernel, stop, &plan)
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_KERNEL_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

struct ObjectItem {
  size_t size = 0;  // is in bytes
  StepInterval life;
};

struct ObjectsKernel {
  std::vector<uint32_t> kept;  // has indices of items in rising order
  // The indices of the dropped items, in the order in which they were dropped.
  std::vector<uint32_t> dropped;
};

// Returns the kernel of the items, obtained by applying the rule as often as
// possible, or a larger kernel if the signal is set. Requires that all items
// live within `steps` steps. O(n log n) for each pass over the items; usually a
// few passes.
ObjectsKernel FindKernel(Span<const ObjectItem> items, uint32_t steps,
                         const StopSignal& stop);

// Adds the dropped items to a plan that has an object for each kept item,
// without adding an object. If the signal is set, returns false and leaves the
// plan incomplete. O(objects * log n) per dropped item.
bool LiftPlan(Span<const ObjectItem> items, const ObjectsKernel& kernel,
              const StopSignal& stop, ObjectsAssignment<size_t>* plan);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_KERNEL_H_
