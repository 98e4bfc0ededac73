// GREEDY_BY_SIZE for shared objects: the paper's "Greedy by Size Improved".
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_size {

// Stage by stage (a stage is the records between two positional maximums,
// largest first), assigns the record that is closest in time to an object that
// is free for it, and a new object to one that no object is free for.
//
// The plain algorithm keeps the distance of every record to every object and
// updates all after each step. Here each record knows only its nearest object.
// A step can change that for two groups of records, and both lie within the
// gap of the object's timeline that the step has split: those now closer to
// the object than to their nearest, and those whose nearest it was and which
// it now blocks. WaitingRecords finds the two groups, FreeGaps finds the new
// nearest object of a record that lost its own. O((n + u) log n) time for u
// such changes, O(n) memory.
ObjectsAssignment<size_t> AssignObjects(absl::Span<const ByteRecord> records);

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_OBJECTS_H_
