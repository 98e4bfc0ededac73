// SPDX-License-Identifier: Apache-2.0
// Checks constraints that name pairs of records before a problem is made. Only
// check_constraints.cc calls these functions.
#ifndef STOWAGE_SRC_MODEL_CHECK_PAIRS_H_
#define STOWAGE_SRC_MODEL_CHECK_PAIRS_H_

#include <cstddef>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"

namespace stowage {

// Checks the entry with this index in a list, which names `record`. Returns an
// error if there is no such record. `what` is the word for such an entry in the
// message.
Status CheckIndex(string_view what, size_t index, size_t record,
                  size_t records);

// Checks the pairs of `never`, `prefer_apart` and `same_or_apart`. Errors:
// InvalidArgument, naming the records; OutOfRange if the bytes that need not be
// copied sum to more than 2^64 - 1. Requires apart sets and groups that have
// been checked. O(n log n).
Status CheckPairs(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PAIRS_H_
