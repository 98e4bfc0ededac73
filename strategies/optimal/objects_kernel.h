// SPDX-License-Identifier: Apache-2.0
// The records that decide how small shared objects can be: what is worth a
// linear program. Offsets have no such kernel.
//
// A record is *dropped* if fewer records conflict with it than others of at
// least its size are live at one step. Any plan of the others then has an
// object that is large enough and free, so the record costs nothing, and the
// rest is reduced again without it.
//
//   const ObjectsKernel kernel = FindKernel(items, steps, stop);
//   ... plan the items kernel.kept ...
//   LiftPlan(items, kernel, stop, &plan)
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_KERNEL_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"

namespace stowage::optimal {

struct ObjectItem {
  size_t size = 0;  // bytes
  StepInterval life;
};

struct ObjectsKernel {
  std::vector<uint32_t> kept;     // items, rising
  std::vector<uint32_t> dropped;  // items, in the order in which they went
};

// A kernel of the items, which live within `steps` steps: the smallest that the
// rule leads to, or a larger one if the signal ends it. O(n log n) for each
// pass over the items; a few passes.
ObjectsKernel FindKernel(absl::Span<const ObjectItem> items, uint32_t steps,
                         const StopSignal& stop);

// Adds the dropped items to a plan that has an object for each kept one, and no
// object to the plan. Returns false, with the plan in part done, if the signal
// is set. O(objects * log n) for each dropped item.
bool LiftPlan(absl::Span<const ObjectItem> items, const ObjectsKernel& kernel,
              const StopSignal& stop, ObjectsAssignment<size_t>* plan);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_KERNEL_H_
