// SPDX-License-Identifier: Apache-2.0
// The cost of a plan under constraints (constraints.h), and what it is paid
// for. Solution::cost has the cost of a plan of this library; use this header
// for plans of any origin, and to learn which preferences a plan does not keep:
//
//   for (const ApartPreference& pair : PaidPairs(problem, plan)) {
//     std::cout << problem.names()[pair.first] << " and "
//               << problem.names()[pair.second] << " pay " << pair.cost <<
//               "\n";
//   }
//
// A plan pays for the pools that it chooses, and for each pair of
// Constraints::prefer_apart whose records share a byte: whether they are live
// at the same task plays no part. Records in different pools share no byte, and
// a record of 0 bytes shares none. Two records of a group that overlap in it
// pay in every plan.
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
// constraints. The sum is below 2^64, because Problem::Create has checked that
// the sum of all costs is. Requires a plan in which FindViolation (verify.h)
// finds no violation. O(n + preferences).
uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan);

// Returns the preferences of which the records share a byte, the one of the
// highest cost first, and those of equal cost by the indices of their records.
// `first` is below `second` in each of them. Preferences that cost 0 are left
// out. Requires a plan in which FindViolation (verify.h) finds no violation.
// O(preferences + paid * log(paid)).
std::vector<ApartPreference> PaidPairs(const Problem& problem,
                                       const OffsetsAssignment& plan);

// Returns the number of bytes that need not be copied under a plan:
// SharedPlace::copied, summed over the pairs of Constraints::same_or_apart that
// lie in one place. The sum is below 2^64, because Problem::Create has checked
// that. Requires an offset for every record. O(pairs).
uint64_t BytesNotCopied(const Problem& problem, const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_PLAN_COST_H_
