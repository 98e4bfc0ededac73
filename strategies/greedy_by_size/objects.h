// SPDX-License-Identifier: Apache-2.0
// GREEDY_BY_SIZE for shared objects: the paper's "Greedy by Size Improved".
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage::greedy_by_size {

// Stage by stage (a stage is the records between two positional maximums,
// largest first), assigns the record that is closest in time to an object that
// is free for it, and a new object to one that no object is free for.
//
// The plain algorithm keeps the distance of every record to every object and
// updates all after each step, of which nearly all is never looked at. Here a
// record of the stage has only a lower bound of its nearest distance, in a
// queue, and when it comes up its distance is looked up in the timelines of the
// objects (FreeGaps): either the bound was exact, and the record is next, or it
// goes back with the distance as its bound. Objects that fill up make distances
// larger, which that handles by itself; a tensor that makes them smaller is
// told to the records it is close to (WaitingRecords), and since a bound is
// then set to half the distance, a record hears of a tensor that draws nearer
// step by step only a logarithmic number of times.
//
// `largest_first` has all records by size descending, then by index.
// O((n + w) log n) time, for w pairs of records that conflict or are as close
// as one of them to its object when it is assigned; O(n) memory.
// Returns nothing if the signal is set before it is done.
absl::optional<ObjectsAssignment<size_t>> AssignObjects(
    const Problem& problem, absl::Span<const uint32_t> largest_first,
    const StopSignal& stop);

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
