// SPDX-License-Identifier: Apache-2.0
// Constructs a plan of many bodies by strategies that know no constraints: in a
// tenth of the time of a dive (place_bodies.h) over the same bodies.
#ifndef STOWAGE_BODIES_CONSTRUCT_RELAXED_H_
#define STOWAGE_BODIES_CONSTRUCT_RELAXED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/bodies/bodies.h"
#include "src/core/work_limit.h"

namespace stowage::bodies {

struct RelaxedPlan {
  std::vector<Level> starts;
  std::string found_by;  // as Solution::found_by
  // The bodies are records and nothing else, and all that Construct
  // (construct.h) tries with these looks was tried: dives over bodies would
  // find no better.
  bool is_thorough = false;
};

// Bodies of records that are only live in intervals are planned by Construct
// with so many looks. Of others it sweeps over hulls, of groups and of a
// partial order (RelaxToHulls, lower_problem.h): up to twice the bytes. Nothing
// if constraints say more, if the plan is as large as a stack, or if the signal
// is set at first. The capacity is not looked at. O(n log n + users * chains)
// without looks.
absl::optional<RelaxedPlan> ConstructRelaxed(const Bodies& bodies,
                                             uint64_t looks,
                                             const StopSignal& stop);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_CONSTRUCT_RELAXED_H_
