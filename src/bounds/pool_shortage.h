// SPDX-License-Identifier: Apache-2.0
// Finds sets of pools that are too small for the records that are restricted to
// them: at some task, these records need more bytes than the pools have. For a
// record that fits none of its pools even alone, and for constraints that
// contradict each other, see contradiction.h.
#ifndef STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
#define STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_

#include <cstddef>
#include <string>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Searches for a task and a set of pools that are too small at that task. The
// pools of a set are too small if the records that are live at the task and may
// be placed only in these pools need more bytes than the pools have together.
// If the search succeeds, returns a solution that is kInfeasible. The solution
// has the records of the conflict, and a reason that names these records, the
// pools and their capacity.
//
// The search tries the set of pools of each record, up to 64 different sets,
// and the set of all pools. It does not count records in groups. Returns
// nullopt if the problem has `never` pairs or a partial order, since lifetimes
// alone then do not determine which records conflict. O(n log n) for each set.
optional<Solution> FindPoolShortage(const Problem& problem);

// Returns the names of the records: "'a'", "'a' and 'b'" or "'a', 'b' and 'c'".
// If there are more than 20 records, lists the first 20 and adds the number of
// other records. If the problem has no names, returns indices: "records 0 and
// 1". Requires at least one record.
std::string NamesOfRecords(const Problem& problem, Span<const size_t> records);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
