// SPDX-License-Identifier: Apache-2.0
// Finds pools that are too small for the records that may lie in no other
// pools: at one task, these records need more room than the pools have. For a
// record that alone fits none of its pools, and for constraints that contradict
// each other, see contradiction.h.
#ifndef STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
#define STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_

#include <cstddef>
#include <string>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Searches for a task and a set of pools such that the records that are live at
// the task, and may lie in no pool outside of the set, need more bytes than the
// pools of the set have together. If there are such a task and such a set,
// returns a solution that is kInfeasible. The solution has the records of the
// conflict, and a reason that names these records, the pools and their
// capacity. The sets that are tried are the pools of each record, up to 64
// different sets, and the set of all pools. Records in groups are not counted.
// Returns nothing if the problem has `never` pairs or a partial order, since
// lifetimes alone do not decide then which records conflict. O(n log n) for
// each set.
optional<Solution> FindPoolShortage(const Problem& problem);

// Returns the names of the records: "'a'", "'a' and 'b'" or "'a', 'b' and 'c'".
// If there are more than 20 records, lists the first 20 and says how many
// others there are. If the problem has no names, returns "records 0 and 1".
// Requires at least one record.
std::string NamesOfRecords(const Problem& problem, Span<const size_t> records);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
