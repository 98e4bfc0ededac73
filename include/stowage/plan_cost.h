// SPDX-License-Identifier: Apache-2.0
// Computes the cost of a plan under constraints (constraints.h), and finds the
// preferences that the plan does not follow. If this library made the plan, its
// cost is already in Solution::cost; use CostOfPlan for plans of any other
// origin.
//
//   for (const ApartPreference& pair : PaidPairs(problem, plan)) {
//     std::cout << problem.names()[pair.first] << " and "
//               << problem.names()[pair.second] << " pay " << pair.cost <<
//               "\n";
//   }
//
// The cost of a plan is the cost of the pools that it chooses, plus the cost of
// each pair of Constraints::prefer_apart in which the two records share a byte,
// even if these records are never live at the same task. Records in different
// pools share no byte, and a record of 0 bytes shares no byte with any record.
// If two records of a group overlap within the group, every plan pays the cost
// of their pair.
#ifndef STOWAGE_PLAN_COST_H_
#define STOWAGE_PLAN_COST_H_

#include <cstdint>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the cost of a plan: the costs of the pools that it chooses, plus the
// costs of the pairs that PaidPairs returns. Returns 0 for a problem without
// constraints. The result fits in 64 bits, because Problem::Create has checked
// that the sum of all costs is below 2^64. Requires a plan in which
// FindViolation (verify.h) finds no violation. O(n + preferences).
uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan);

// Returns the preferences that the plan does not follow: those in which the two
// records share a byte, sorted by decreasing cost. Preferences of equal cost
// are sorted by the indices of their records. In each preference, `first` is
// below `second`. Preferences of cost 0 are left out. Requires a plan in which
// FindViolation (verify.h) finds no violation. O(preferences + paid *
// log(paid)).
std::vector<ApartPreference> PaidPairs(const Problem& problem,
                                       const OffsetsAssignment& plan);

// Returns the number of bytes that need not be copied under a plan: the sum of
// SharedPlace::copied over the pairs of Constraints::same_or_apart that share
// one place. Problem::Create has checked that this sum is below 2^64. Requires
// an offset for every record. O(pairs).
uint64_t BytesNotCopied(const Problem& problem, const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_PLAN_COST_H_
