// SPDX-License-Identifier: Apache-2.0
// Derives problems from a problem, for properties that compare their plans. A
// planner that can plan the original should be able to plan most of them.
#ifndef STOWAGE_SRC_TESTING_TRANSFORMS_H_
#define STOWAGE_SRC_TESTING_TRANSFORMS_H_

#include <cstddef>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Return three orders of `count` records: unchanged, backward and shuffled.
std::vector<size_t> FirstToLast(size_t count);
std::vector<size_t> BackwardOrder(size_t count);
std::vector<size_t> ShuffledOrder(size_t count);

// Returns the problem of the records `kept`, in this order. It has those
// constraints that concern no other record.
ProblemSpec Reordered(const ProblemSpec& spec, absl::Span<const size_t> kept);

// Returns the plan with its records in their original order: the record at
// index i of `plan` is record order[i]. Objects are numbered by their first
// use, because plans that differ only in the numbers of objects count as equal.
OffsetsAssignment RestoreOrder(const OffsetsAssignment& plan,
                               absl::Span<const size_t> order);
ObjectsAssignment<size_t> RestoreOrder(const ObjectsAssignment<size_t>& plan,
                                       absl::Span<const size_t> order);

// Returns the problem without record `i`.
ProblemSpec Without(const ProblemSpec& spec, size_t i);

// Returns the problem with execution reversed, so that its last task comes
// first. With constraints the records keep their indices. Without constraints
// their indices may change; the result is in execution order if `spec` is.
ProblemSpec Reversed(const ProblemSpec& spec);

// Returns the records with sizes and alignments multiplied by these factors, or
// nullopt if a product exceeds 2^64 - 1 or if there are constraints.
// `alignment_factor` must be a power of two.
absl::optional<ProblemSpec> Scaled(const ProblemSpec& spec, size_t size_factor,
                                   size_t alignment_factor);

// Returns the records with an additional first one, which is as large as the
// largest of them and live from the first task to the last. Returns nullopt if
// there are no records, or if there are constraints.
absl::optional<ProblemSpec> WithLongRecord(const ProblemSpec& spec);

// Returns the records with `later` added to all tasks, or nullopt if a task
// would exceed 2^64 - 1 or if there are constraints.
absl::optional<ProblemSpec> Shifted(const ProblemSpec& spec, TaskId later);

// Returns the problem with the tasks of its partial order renumbered and its
// streams reordered. A problem without a partial order is returned unchanged.
ProblemSpec WithTasksRenumbered(const ProblemSpec& spec);

// Removes all tasks that use no record. Requires a partial order. The remaining
// tasks are numbered from 0 and keep their order among each other; edges are
// added where that is necessary to preserve the order.
ProblemSpec WithUsedTasksAlone(const ProblemSpec& spec);

// Removes the `user`-th task from the users of the record. Requires a partial
// order, and that the record has another user.
ProblemSpec WithoutUser(const ProblemSpec& spec, size_t record, size_t user);

// Removes the edge or wait with this index. Requires a partial order. Returns
// false if the remaining order is not valid, which happens if it takes too many
// chains.
bool DropEdge(size_t edge, ProblemSpec* spec);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_TRANSFORMS_H_
