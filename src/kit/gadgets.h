// SPDX-License-Identifier: Apache-2.0
// Declares small instances for which the classic strategies make bad plans.
#ifndef STOWAGE_SRC_KIT_GADGETS_H_
#define STOWAGE_SRC_KIT_GADGETS_H_

#include <cstddef>
#include <cstdint>

#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

struct GadgetRecord {
  size_t size;
  TaskId first_task;
  TaskId last_task;
};

// A gadget: an instance for which an optimal plan is known. The total of this
// plan equals the maximum breadth, so no plan is smaller.
using Gadget = Span<const GadgetRecord>;

extern const Gadget kNaiveGadget;
extern const Gadget kEqualityGadget;
extern const Gadget kGreedyInOrderGadget;
extern const Gadget kGreedyByBreadthGadget;
extern const Gadget kGreedyBySizeGadget;
extern const Gadget kGreedyBestGadget;
extern const Gadget kMinCostFlowGadget;

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_GADGETS_H_
