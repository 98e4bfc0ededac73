// SPDX-License-Identifier: Apache-2.0
// Reduces constraints to simpler ones without loss, so that strategies that
// support fewer of them can plan, and the others plan better.
#ifndef STOWAGE_SRC_CONSTRUCT_LOWER_PROBLEM_H_
#define STOWAGE_SRC_CONSTRUCT_LOWER_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/model/renumber_solution.h"
#include "stowage/problem.h"

namespace stowage {

// A simpler problem with the same plans as another, the original problem, or as
// some of the original records.
struct LoweredProblem {
  Problem problem;
  RecordMap map;  // which records of `problem` stand for the original ones
};

// Returns the problem with everything simplified that can be without loss:
//   - a partial order in which the windows of the records are nested, as those
//     of a single chain are: intervals (Fishburn, "Intransitive indifference
//     with unequal indifference intervals", 1970)
//   - a group of records with the same bytes, whose lifetimes touch: one record
// Returns nothing if there is neither. Errors: those of Problem::Create. O(n
// log n + users * chains).
absl::StatusOr<absl::optional<LoweredProblem>> LowerProblem(
    const Problem& problem);

// Replaces groups by records at fixed offsets, for strategies that support only
// these. Returns nothing if a group has no fixed member, or if there are
// constraints beside places. Errors: those of Problem::Create. O(m^2) for m
// members of a group.
absl::StatusOr<absl::optional<LoweredProblem>> LowerFixedGroups(
    const Problem& problem);

// Relaxes groups and partial orders to features of any strategy, with a loss: a
// group becomes one record of its extent that is live while any member is, and
// an order becomes one sequence in which a record is kept until every later
// task follows all its users. Plans of the result are safe. Errors: those of
// Problem::Create; Unimplemented, naming a record, for a group whose start
// would have to be misaligned. O(n log n + users * chains).
absl::StatusOr<LoweredProblem> RelaxToHulls(const Problem& problem);

// Returns the problem of some records, which contain whole groups, in a memory
// without holes and capacity. Errors: those of Problem::Create. O(n).
absl::StatusOr<Problem> ProblemOfRecords(const Problem& problem,
                                         absl::Span<const uint32_t> records);

// Returns one problem for the records of each pool, if every record may lie in
// one pool only. Returns no problems otherwise, or if there are no pools.
// Errors: those of Problem::Create. O(n * pools).
absl::StatusOr<std::vector<LoweredProblem>> SplitByPool(const Problem& problem);

// Drops each set that repeats an earlier one in any order of its members. Where
// records are left out or merged, two sets of Constraints::apart may become
// equal, which Problem::Create refuses. The others keep their order. O(m log m)
// for m members.
void DropRepeatedSets(std::vector<std::vector<size_t>>* sets);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_LOWER_PROBLEM_H_
