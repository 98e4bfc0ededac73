// SPDX-License-Identifier: Apache-2.0
// Constructs a plan of many rigid groups with the functions for problems
// without constraints. This takes a tenth of the time of a bottom-left pass
// over the same groups. For plans under all constraints, use ConstructGroups
// (construct_groups.h).
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_RELAXED_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_RELAXED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"

namespace stowage::rigid {

struct RelaxedPlan {
  std::vector<Level> starts;
  std::string found_by;  // see Solution::found_by
  // True if all groups are single records without further constraints. In this
  // case, Construct (construct.h) has tried everything that the effort allows,
  // and bottom-left passes over the groups would find nothing better.
  bool is_thorough = false;
};

// Plans the groups, ignoring the capacity. If all groups are single records
// that are live in intervals, Construct plans them with at most `checks` checks
// of records. Otherwise, the groups are relaxed to bounding boxes
// (RelaxToBoxes, lower_problem.h), and a sweep plans the boxes. A plan of boxes
// may need up to twice as many bytes as a plan of the groups. Returns nullopt
// if there are constraints other than lifetimes and groups, if no plan is
// smaller than a stack, or if the signal is set at the start. O(n log n + users
// * chains), in addition to `checks`.
optional<RelaxedPlan> ConstructRelaxed(const RigidGroups& groups,
                                       uint64_t checks, const StopSignal& stop);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_RELAXED_H_
