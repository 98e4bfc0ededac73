// SPDX-License-Identifier: Apache-2.0
// Derives the problem that consists of some records of a given problem. To
// solve such a problem in place of the given one and convert the solution, see
// stowage/model/renumber_solution.h.
#ifndef STOWAGE_SRC_MODEL_KEEP_RECORDS_H_
#define STOWAGE_SRC_MODEL_KEEP_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the problem that consists of the records `kept`, in this order.
// Removes each pair that has a record outside `kept`, and removes such records
// from sets, groups and lists. Labels keep their tasks. Requires distinct
// indices. O(size of the problem), plus the time of DropRepeatedSets.
ProblemSpec KeepRecords(const ProblemSpec& spec, Span<const size_t> kept);

// Returns the problem without record `i`, by KeepRecords.
ProblemSpec DropRecord(const ProblemSpec& spec, size_t i);

// Appends the constraints between records to `to`. Record i becomes record
// record_of[i] of the copy, or is left out if record_of[i] is RecordMap::kNone.
void CopyRelations(const Constraints& from, Span<const uint32_t> record_of,
                   Constraints* to);

// Removes each set that has the same members, in any order, as an earlier set.
// The remaining sets keep their order. This is necessary after records have
// been left out or merged: two sets of Constraints::apart may then be equal,
// which Problem::Create rejects. O(m log m) for m members.
void DropRepeatedSets(std::vector<std::vector<size_t>>* sets);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_KEEP_RECORDS_H_
