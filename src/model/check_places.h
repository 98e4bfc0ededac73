// SPDX-License-Identifier: Apache-2.0
// Checks ranges and groups before a problem is made. Used by check_problem.cc
// and check_constraints.cc only.
#ifndef STOWAGE_SRC_MODEL_CHECK_PLACES_H_
#define STOWAGE_SRC_MODEL_CHECK_PLACES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "stowage/problem.h"

namespace stowage {

// Checks that no sum of a plan can overflow, as long as the plan leaves no
// needless room. Error: OutOfRange, naming a record or a hole, if the sum of
// these numbers exceeds 2^64 - 1: the padded sizes of all records, whose sum is
// `padded_sum`; the extents of all groups; and the highest byte that a fixed
// offset, a range or a hole names. O(n log n).
absl::Status CheckSums(const ProblemSpec& spec, size_t padded_sum);

// Checks ranges and groups. Errors: InvalidArgument, naming the records, for a
// range without room, for a fixed offset outside its range, and for a group
// whose alignments or fixed offsets contradict each other. Requires sums that
// pass CheckSums. O(n log n).
absl::Status CheckPlaces(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PLACES_H_
