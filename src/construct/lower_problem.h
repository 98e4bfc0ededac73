// SPDX-License-Identifier: Apache-2.0
// Replaces the constraints of a problem by simpler ones. Strategies that
// support few constraints can then plan the problem, and other strategies find
// smaller plans. Only RelaxToBoxes excludes some plans.
#ifndef STOWAGE_SRC_CONSTRUCT_LOWER_PROBLEM_H_
#define STOWAGE_SRC_CONSTRUCT_LOWER_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/model/renumber_solution.h"
#include "stowage/problem.h"

namespace stowage {

// A simpler problem that represents the original problem or some of its
// records.
struct LoweredProblem {
  Problem problem;
  RecordMap map;  // says which records of `problem` stand for original records
};

// Returns the problem after these simplifications, neither of which excludes a
// plan:
//
// - A partial order is replaced by intervals if the windows of the records are
//   nested, as they are in a single chain (Fishburn, "Intransitive indifference
//   with unequal indifference intervals", 1970).
// - A group becomes one record if its records have the same bytes and there is
//   no gap between their lifetimes.
//
// Returns nullopt if neither simplification is possible. Errors: those of
// Problem::Create. O(n log n + users * chains).
StatusOr<optional<LoweredProblem>> LowerProblem(const Problem& problem);

// Replaces groups by records at fixed offsets, for strategies that support
// fixed offsets but no groups. Returns nullopt if there are no groups, if a
// group has no fixed member, or if there are constraints other than places.
// Errors: those of Problem::Create. O(m^2) for m members of a group.
StatusOr<optional<LoweredProblem>> LowerFixedGroups(const Problem& problem);

// Relaxes groups and a partial order to constraints that more strategies
// support. This excludes some plans. A group becomes one record that contains
// all members and is live while any of them is live. A partial order becomes
// one sequence of tasks, in which a record is live from its first user to the
// last task that does not follow all of its users. Plans of the result are safe
// for the original problem. Errors: those of Problem::Create; Unimplemented for
// a group whose start would have to be misaligned, with a message that names a
// record. O(n log n + users * chains).
StatusOr<LoweredProblem> RelaxToBoxes(const Problem& problem);

// Returns a problem that consists only of `records`, in a memory that has
// neither holes nor a capacity. Requires that `records` contains either all or
// none of the members of each group. Errors: those of Problem::Create. O(n).
StatusOr<Problem> ProblemOfRecords(const Problem& problem,
                                   Span<const uint32_t> records);

// If every record may be placed in only one pool, returns one problem for the
// records of each pool. Otherwise, or if there are no pools, returns an empty
// list. Errors: those of Problem::Create. O(n * pools).
StatusOr<std::vector<LoweredProblem>> SplitByPool(const Problem& problem);

// Returns the holes of a problem with a partial order as holes of a problem
// with intervals: each applies at all tasks. Holes that differ only in their
// tasks are then equal, which Problem::Create rejects, so each is returned
// once. O(h log h) for h holes.
std::vector<Hole> HolesAtAllTasks(Span<const Hole> holes);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_LOWER_PROBLEM_H_
