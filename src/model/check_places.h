// SPDX-License-Identifier: Apache-2.0
// Checks ranges and groups before a problem is created. Only
// check_constraints.cc calls these functions.
#ifndef STOWAGE_SRC_MODEL_CHECK_PLACES_H_
#define STOWAGE_SRC_MODEL_CHECK_PLACES_H_

#include <cstddef>

#include "stowage/base/status.h"
#include "stowage/problem.h"

namespace stowage {

// Checks that no offset or end can overflow in a plan without needless gaps.
// This is guaranteed if the sum of three numbers fits in 64 bits: `padded_sum`,
// which is the sum of the padded sizes of all records; the sum of the extents
// of all groups; and the maximum of all fixed offsets, lowest offsets of
// ranges, and ends of holes. Error: OutOfRange, with a record or a hole in the
// message. O(n log n).
Status CheckSums(const ProblemSpec& spec, size_t padded_sum);

// Checks ranges and groups. Requires that CheckSums has found no error. Errors:
// InvalidArgument, with the records in the message, for a range that is too
// small, for a fixed offset outside its range, and for a group with
// inconsistent alignments or fixed offsets. O(n log n).
Status CheckPlaces(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PLACES_H_
