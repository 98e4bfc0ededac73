// SPDX-License-Identifier: Apache-2.0
// Constructs a plan of many rigid groups by strategies that know no
// constraints, in a tenth of the time of a bottom-left pass (place_bodies.h)
// over the same groups.
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_RELAXED_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_RELAXED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/base/work_limit.h"
#include "src/bounds/bodies.h"

namespace stowage::bodies {

struct RelaxedPlan {
  std::vector<Level> starts;
  std::string found_by;  // see Solution::found_by
  // True if all groups are single records without further constraints, and
  // everything that Construct (construct.h) tries within this effort was tried:
  // bottom-left passes over the groups would find nothing better.
  bool is_thorough = false;
};

// Plans the groups without their constraints. If they are records that are only
// live in intervals, Construct plans them, visiting at most `looks` records.
// Otherwise a sweep plans the bounding intervals of groups and of a partial
// order (RelaxToHulls, lower_problem.h), with up to twice the bytes. Returns
// nothing if there are further constraints, if the plan is as large as a stack,
// or if the signal is set at the start. Ignores the capacity. O(n log n + users
// * chains) besides `looks`.
absl::optional<RelaxedPlan> ConstructRelaxed(const Bodies& bodies,
                                             uint64_t looks,
                                             const StopSignal& stop);

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_RELAXED_H_
