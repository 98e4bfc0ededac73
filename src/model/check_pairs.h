// SPDX-License-Identifier: Apache-2.0
// Checks constraints on pairs of records before a problem is created. Only
// check_constraints.cc calls these functions.
#ifndef STOWAGE_SRC_MODEL_CHECK_PAIRS_H_
#define STOWAGE_SRC_MODEL_CHECK_PAIRS_H_

#include <cstddef>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"

namespace stowage {

// Returns an error if `record`, which entry `index` of a list refers to, does
// not exist. `what` is the name of such an entry in the message.
Status CheckIndex(string_view what, size_t index, size_t record,
                  size_t records);

// Checks the pairs of `never`, `prefer_apart` and `same_or_apart`. Requires
// that apart sets and groups have been checked. Errors: InvalidArgument, with
// the records in the message; OutOfRange if the sum of the bytes that need not
// be copied exceeds 2^64 - 1. O(n log n).
Status CheckPairs(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PAIRS_H_
