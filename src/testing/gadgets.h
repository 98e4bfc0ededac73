// SPDX-License-Identifier: Apache-2.0
// Small instances on which the classic strategies plan badly.
#ifndef STOWAGE_SRC_TESTING_GADGETS_H_
#define STOWAGE_SRC_TESTING_GADGETS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

struct GadgetRecord {
  size_t size;
  TaskId first_task;
  TaskId last_task;
};

// A gadget is an instance with a plan that has no more bytes than are live at
// one of its tasks. No plan can be smaller.
using Gadget = absl::Span<const GadgetRecord>;

extern const Gadget kNaiveGadget;
extern const Gadget kEqualityGadget;
extern const Gadget kGreedyInOrderGadget;
extern const Gadget kGreedyByBreadthGadget;
extern const Gadget kGreedyBySizeGadget;
extern const Gadget kGreedyBestGadget;
extern const Gadget kMinCostFlowGadget;

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_GADGETS_H_
