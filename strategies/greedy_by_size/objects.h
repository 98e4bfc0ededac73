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
// record is the one that is closest in time to an object that is free for it;
// it is assigned to that object. A record for which no object is free gets a
// new object.
//
// The original algorithm stores the distance of every record to every object
// and updates all distances after each assignment, although it never uses most
// of them. Here, a priority queue has for each record of the stage a lower
// bound of its distance to the nearest free object. When a record comes to the
// front, this distance is computed from the timelines of the objects
// (FreeGaps). If the bound was exact, the record is assigned next; otherwise it
// is queued again with the distance as its bound. If the distance of a record
// grows, because objects fill up, its bound remains valid and nothing has to be
// done. A newly assigned tensor lowers the bounds of the records that it is
// close to (WaitingRecords). The new bound is half the distance. A record that
// tensors approach step by step is therefore updated only a logarithmic number
// of times.
//
// `largest_first` must contain all records by size descending, then by index.
// Returns nothing if the signal stops the work. O((n + w) log n) time and O(n)
// memory, where w is the number of pairs of records that conflict or are close
// to each other. A pair is close if its distance is at most the distance from
// one of its records to the object that gets this record.
optional<ObjectsAssignment<size_t>> AssignObjects(
    const Problem& problem, Span<const uint32_t> largest_first,
    const StopSignal& stop);

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
