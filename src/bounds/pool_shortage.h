// SPDX-License-Identifier: Apache-2.0
// Finds pools that are too small: the records that may lie in no other pools
// need more room at one task than these pools have. For a record that alone
// fits none of its pools, and for constraints that contradict each other, see
// contradiction.h.
#ifndef STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
#define STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a solution that is kInfeasible if the records that are live at a task
// and may lie in no other pools than some set of pools exceed the capacities of
// this set together. The solution has the records of the conflict, and a reason
// that names these records, the pools and their capacity. Every set of pools
// that a record may use is tried, up to 64 sets, and the set of all pools.
// Records in groups are not counted. Nothing is returned if anything besides
// lifetimes decides which records conflict. O(n log n) for each set.
absl::optional<Solution> FindPoolShortage(const Problem& problem);

// Returns the names of the records: "'a'", "'a' and 'b'" or "'a', 'b' and 'c'".
// Of more than 20 records it lists the first 20 and says how many others there
// are. If the problem has no names, returns "records 0 and 1". Requires at
// least one record.
std::string NamesOfRecords(const Problem& problem,
                           absl::Span<const size_t> records);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
