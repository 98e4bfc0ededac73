// SPDX-License-Identifier: Apache-2.0
// Derives problems from a given problem. Properties compare the plans of the
// derived problems with the plan of the given problem. A planner that can plan
// the given problem should also be able to plan most of the derived problems.
#ifndef STOWAGE_SRC_KIT_TRANSFORMS_H_
#define STOWAGE_SRC_KIT_TRANSFORMS_H_

#include <cstddef>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Return three orders of `count` records: unchanged, backward and shuffled.
std::vector<size_t> FirstToLast(size_t count);
std::vector<size_t> BackwardOrder(size_t count);
std::vector<size_t> ShuffledOrder(size_t count);

// Undo a reordering: record i of `plan` becomes record order[i] of the result.
// Objects are numbered by first use, because plans that differ only in the
// numbers of objects count as equal.
OffsetsAssignment RestoreOrder(const OffsetsAssignment& plan,
                               Span<const size_t> order);
ObjectsAssignment<size_t> RestoreOrder(const ObjectsAssignment<size_t>& plan,
                                       Span<const size_t> order);

// Returns the problem with execution reversed, so that its last task comes
// first. With constraints, records keep their indices. Without constraints,
// their indices may change, and the result is in execution order if `spec` is.
ProblemSpec Reversed(const ProblemSpec& spec);

// Returns the records with all sizes multiplied by `size_factor` and all
// alignments multiplied by `alignment_factor`, which must be a power of two.
// Returns nullopt if a product exceeds 2^64 - 1 or if there are constraints.
optional<ProblemSpec> Scaled(const ProblemSpec& spec, size_t size_factor,
                             size_t alignment_factor);

// Returns the records with an additional record in front, which is as large as
// the largest record and live from the first task to the last. Returns nullopt
// if there are no records, or if there are constraints.
optional<ProblemSpec> WithLongRecord(const ProblemSpec& spec);

// Returns the records with `later` added to all tasks, or nullopt if a task
// would exceed 2^64 - 1 or if there are constraints.
optional<ProblemSpec> Shifted(const ProblemSpec& spec, TaskId later);

// Returns the problem with the tasks of its partial order renumbered and its
// streams reordered. Returns a problem without a partial order unchanged.
ProblemSpec WithTasksRenumbered(const ProblemSpec& spec);

// Returns the problem without the tasks that use no record. Requires a partial
// order. The remaining tasks are numbered from 0, and edges are added to
// preserve the order among them.
ProblemSpec WithUsedTasksAlone(const ProblemSpec& spec);

// Returns the problem without the user at index `user` in the list of users of
// a record. Requires a partial order, and a record with at least two users.
ProblemSpec WithoutUser(const ProblemSpec& spec, size_t record, size_t user);

// Removes the edge or wait with this index. Requires a partial order. Returns
// false if the remaining order is invalid because it needs too many chains.
bool DropEdge(size_t edge, ProblemSpec* spec);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_TRANSFORMS_H_
