// SPDX-License-Identifier: Apache-2.0
// Finds pools that have less room than the records that may lie in no other
// need at one task. For what fits none of its pools alone, and for constraints
// that contradict each other, see contradiction.h.
#ifndef STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
#define STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// A solution that is kInfeasible, with the records of the conflict and a reason
// that names them, the pools and their capacity, if the records that are live
// at a task and may lie in some pools alone exceed the capacities of these
// together. Every set of pools that a record may use is tried, up to 64 of
// them, and the set of all pools. Records in groups are not counted, and
// nothing is found where lifetimes alone do not say what conflicts. O(n log n)
// for each set.
absl::optional<Solution> FindPoolShortage(const Problem& problem);

// "'a'", "'a' and 'b'", "'a', 'b' and 'c'"; of more than 20 the first 20 and
// how many others there are. Of a problem without names "records 0 and 1".
// Requires records.
std::string NamesOfRecords(const Problem& problem,
                           absl::Span<const size_t> records);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_POOL_SHORTAGE_H_
