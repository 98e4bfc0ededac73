// SPDX-License-Identifier: Apache-2.0
// Implements GREEDY_BY_SIZE for shared objects. The paper in README.md calls
// this algorithm "Greedy by Size Improved".
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_

#include <cstddef>
#include <cstdint>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::greedy_by_size {

// Assigns shared objects stage by stage. A stage consists of the records
// between two positional maximums, largest first. Within a stage, the next
// record is the one that is closest in time to an object that is free for it,
// and the record is assigned to that object. A record for which no object is
// free gets a new object.
//
// The original algorithm stores the distance of every record to every object
// and updates all distances after each assignment, although it never uses most
// of them. This implementation instead uses a priority queue, which holds a
// lower bound of the distance from each record of the stage to its nearest free
// object. When a record comes to the front, its distance is computed from the
// timelines of the objects (FreeGaps). If the bound was exact, the record is
// assigned next; otherwise it is queued again with the distance as its bound.
// If the distance of a record grows because objects fill up, its bound remains
// valid and need not be updated. A newly assigned tensor lowers the bounds of
// the records that are close to it (WaitingRecords). The new bound is half the
// distance, so even if tensors approach a record step by step, its bound is
// updated only a logarithmic number of times.
//
// Requires that `largest_first` contains all records, by decreasing size and
// then by index. Returns nullopt if the signal stops the work. O((n + w) log n)
// time and O(n) memory, where w is the number of pairs of records that conflict
// or are close to each other. A pair is close if the distance between its
// records is at most the distance from one of them to the object that this
// record is assigned to.
optional<ObjectsAssignment<size_t>> AssignObjects(
    const Problem& problem, Span<const uint32_t> largest_first,
    const StopSignal& stop);

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
