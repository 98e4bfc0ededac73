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
// gaps. For this, the sum of three numbers must fit 64 bits: `padded_sum`,
// which is the sum of the padded sizes of all records; the sum of the extents
// of all groups; and the largest of all fixed offsets, lowest offsets of
// ranges, and ends of holes. Error: OutOfRange, naming a record or a hole.
// O(n log n).
Status CheckSums(const ProblemSpec& spec, size_t padded_sum);

// Checks ranges and groups. Errors: InvalidArgument, naming the records, for a
// range without room, for a fixed offset outside its range, and for a group
// whose alignments or fixed offsets contradict each other. Requires sums that
// pass CheckSums. O(n log n).
Status CheckPlaces(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PLACES_H_
