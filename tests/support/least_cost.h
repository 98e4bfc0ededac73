// SPDX-License-Identifier: Apache-2.0
// Finds the lowest cost of the pairs that share bytes by trying every plan.
// Shares no code with the library, so that tests can compare bounds and
// searches with it.
#ifndef STOWAGE_TESTS_SUPPORT_LEAST_COST_H_
#define STOWAGE_TESTS_SUPPORT_LEAST_COST_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "stowage/problem.h"

namespace stowage::support {

// Returns the lowest cost of all plans within the capacity of a problem, or
// nullopt if there is no plan. Requires that the problem has a capacity, no
// pools, and no constraints other than `prefer_apart`, `apart` and holes.
// Records may have alignments and fixed offsets. Takes time exponential in the
// number of records.
absl::optional<uint64_t> LeastCostOfAllPlans(const ProblemSpec& spec);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_LEAST_COST_H_
