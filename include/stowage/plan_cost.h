// SPDX-License-Identifier: Apache-2.0
// Computes the cost of a plan under constraints (constraints.h), and says what
// the plan pays for. The cost of a plan that this library has made is
// Solution::cost. Use this header for plans of any other origin, and to find
// the preferences that a plan does not follow:
//
//   for (const ApartPreference& pair : PaidPairs(problem, plan)) {
//     std::cout << problem.names()[pair.first] << " and "
//               << problem.names()[pair.second] << " pay " << pair.cost <<
//               "\n";
//   }
//
// A plan pays for the pools that it chooses, and for each pair of
// Constraints::prefer_apart in which the two records share a byte, even if
// these records are never live at the same task. Records in different pools
// share no byte, and a record of 0 bytes shares no byte with any record. Two
// records that overlap within their group pay in every plan.
#ifndef STOWAGE_PLAN_COST_H_
#define STOWAGE_PLAN_COST_H_

#include <cstdint>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the cost of a plan: the costs of the pools that it chooses, and of
// the pairs that PaidPairs returns. Returns 0 for a problem without
// constraints. The result is below 2^64, because Problem::Create has checked
// that the sum of all costs is below 2^64. Requires a plan in which
// FindViolation (verify.h) finds no violation. O(n + preferences).
uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan);

// Returns the preferences in which the two records share a byte, sorted by
// falling cost. Preferences of equal cost are sorted by the indices of their
// records. In each preference, `first` is below `second`. Preferences that cost
// 0 are left out. Requires a plan in which FindViolation (verify.h) finds no
// violation. O(preferences + paid * log(paid)).
std::vector<ApartPreference> PaidPairs(const Problem& problem,
                                       const OffsetsAssignment& plan);

// Returns the number of bytes that need not be copied under a plan: the sum of
// SharedPlace::copied over the pairs of Constraints::same_or_apart that lie in
// one place. Problem::Create has checked that the sum is below 2^64. Requires
// an offset for every record. O(pairs).
uint64_t BytesNotCopied(const Problem& problem, const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_PLAN_COST_H_
