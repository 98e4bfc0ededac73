// SPDX-License-Identifier: Apache-2.0
// The checks of ranges and groups before a problem is made: for
// check_problem.cc and check_constraints.cc alone.
#ifndef STOWAGE_SRC_CORE_CHECK_PLACES_H_
#define STOWAGE_SRC_CORE_CHECK_PLACES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "stowage/problem.h"

namespace stowage {

// Error: OutOfRange, naming a record or a hole, if the padded sizes of all
// records, whose sum is `padded_sum`, the extents of all groups and the highest
// byte that a fixed offset, a range or a hole names sum to more than 2^64 - 1.
// What a plan that leaves no needless room adds up thus cannot overflow. O(n
// log n).
absl::Status CheckSums(const ProblemSpec& spec, size_t padded_sum);

// Errors: InvalidArgument, naming the records, for a range without room, a
// fixed offset outside its range, and for a group whose alignments or fixed
// offsets contradict each other. Requires sums that pass. O(n log n).
absl::Status CheckPlaces(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_CHECK_PLACES_H_
