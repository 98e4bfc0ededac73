// SPDX-License-Identifier: Apache-2.0
// Checks ranges and groups before a problem is made. Only check_constraints.cc
// calls these functions.
#ifndef STOWAGE_SRC_MODEL_CHECK_PLACES_H_
#define STOWAGE_SRC_MODEL_CHECK_PLACES_H_

#include <cstddef>

#include "stowage/base/status.h"
#include "stowage/problem.h"

namespace stowage {

// Checks that no offset or end can overflow in a plan that leaves no needless
// gaps. Error: OutOfRange, naming a record or a hole, if the sum of these
// numbers exceeds 2^64 - 1: `padded_sum`, which is the sum of the padded sizes
// of all records; the extents of all groups; and the highest byte that a fixed
// offset, a range or a hole names. O(n log n).
Status CheckSums(const ProblemSpec& spec, size_t padded_sum);

// Checks ranges and groups. Errors: InvalidArgument, naming the records, for a
// range without room, for a fixed offset outside its range, and for a group
// whose alignments or fixed offsets contradict each other. Requires sums that
// pass CheckSums. O(n log n).
Status CheckPlaces(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PLACES_H_
