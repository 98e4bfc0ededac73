// SPDX-License-Identifier: Apache-2.0
// Writes constraints as simpler ones where nothing is lost, so that strategies
// that know fewer of them can plan, and those that know all plan better.
#ifndef STOWAGE_CORE_LOWER_PROBLEM_H_
#define STOWAGE_CORE_LOWER_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// A problem whose plans are those of another.
struct LoweredProblem {
  Problem problem;
  std::vector<uint32_t> record_of;  // its record, by record of the other
  // How far above the offset of that a record lies; empty for nowhere.
  std::vector<size_t> at = {};
};

// What can be written without loss:
//   - a partial order in which the windows of the records are nested, as those
//     of a single chain are: intervals (Fishburn, "Intransitive indifference
//     with unequal indifference intervals", 1970)
//   - a group of records with the same bytes, whose lifetimes touch: one record
// Nothing if there is neither. Error: of Problem::Create. O(n log n + users *
// chains).
absl::StatusOr<absl::optional<LoweredProblem>> LowerProblem(
    const Problem& problem);

// Writes groups and partial orders as what any strategy knows, at a loss: a
// group as one record of its extent while any of it is live, an order as one
// sequence in which a record is kept until every later task follows all its
// users. Plans of the result are safe. Error: of Problem::Create;
// Unimplemented, naming a record, for a group whose start would have to be
// misaligned. O(n log n + users * chains).
absl::StatusOr<LoweredProblem> RelaxToHulls(const Problem& problem);

// The solution of a lowered problem as one of the other: offsets and conflict
// by record, without proofs that speak of records.
Solution RaiseSolution(const LoweredProblem& lowered, Solution solution);

// The problem of some records, which have whole groups, in a memory without
// holes and capacity. Error: of Problem::Create. O(n).
absl::StatusOr<Problem> ProblemOfRecords(const Problem& problem,
                                         absl::Span<const uint32_t> records);

// The problem of the records of each pool, if none has a choice; nothing
// otherwise, or without pools. Error: of Problem::Create. O(n).
struct ProblemOfPool {
  Problem problem;
  std::vector<uint32_t> records;  // of the other problem
};
absl::StatusOr<std::vector<ProblemOfPool>> SplitByPool(const Problem& problem);

// Drops each set of records that is there before, in whatever order: where
// records are left out or become one, two sets of Constraints::apart may become
// the same, which Problem::Create refuses. The others keep their order.
// O(m log m) for m members.
void DropRepeatedSets(std::vector<std::vector<size_t>>* sets);

}  // namespace stowage

#endif  // STOWAGE_CORE_LOWER_PROBLEM_H_
