// SPDX-License-Identifier: Apache-2.0
#include "src/plan/infeasible_by_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/bound_proof.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Explains why the capacity is too small, using a task at which too many bytes
// are live. The conflict consists of the largest tensors that are live at the
// task, as few as necessary to exceed the capacity.
void ExplainByTask(const Problem& problem, TaskId task, size_t capacity,
                   Solution* solution) {
  const Span<const ByteRecord> records = problem.records();
  std::vector<size_t>& conflict = solution->conflict;
  conflict = TaskProfile(records, task);
  size_t sum = 0;
  for (const size_t i : conflict) sum += records[i].tensor_size;
  while (sum - records[conflict.back()].tensor_size > capacity) {
    sum -= records[conflict.back()].tensor_size;
    conflict.pop_back();
  }
  std::sort(conflict.begin(), conflict.end());
  // Without any one of its records, the sizes of the conflict no longer exceed
  // the capacity. If there are no alignments and no fixed records, the
  // remaining records therefore have a plan. Otherwise, padding and the space
  // around fixed records may still prevent a plan.
  solution->conflict_is_irreducible =
      std::all_of(conflict.begin(), conflict.end(), [&](size_t i) {
        return problem.alignments().Of(i) == 1 && !problem.fixed_offset(i);
      });
}

// Returns the records that end above the capacity at any offset.
std::vector<size_t> RecordsAbove(const Problem& problem, size_t capacity) {
  std::vector<size_t> above;
  for (size_t i = 0; i < problem.size(); ++i) {
    const size_t end =
        problem.fixed_offset(i).value_or(0) + problem.records()[i].tensor_size;
    if (end > capacity) above.push_back(i);
  }
  return above;
}

// Returns the reason that none of the records `above` fits within the capacity.
// Requires at least one record.
std::string ReasonOfRecordsAbove(const Problem& problem, size_t capacity,
                                 Span<const size_t> above) {
  if (above.size() > 1) {
    return StrCat("each of ", above.size(),
                  " records alone exceeds the capacity ", capacity);
  }
  const size_t i = above.front();
  const size_t size = problem.records()[i].tensor_size;
  const optional<size_t> offset = problem.fixed_offset(i);
  return StrCat(offset ? "the end" : "the size", " of record ", i,
                offset ? " at its fixed offset, " : ", ",
                offset.value_or(0) + size, ", exceeds the capacity ", capacity);
}

// Returns the reason that the bound excludes all plans within the capacity. The
// verb agrees with the subject: "the bytes ... exceed", "the sum ... exceeds".
std::string ReasonOfBound(const LowerBound& bound, size_t capacity) {
  const std::string reason = Describe(bound.proof);
  const bool is_plural = StartsWith(reason, "the bytes ");
  return StrCat(reason, ", ", bound.bytes, is_plural ? ", exceed" : ", exceeds",
                " the capacity ", capacity);
}

// Returns the records of the bound, and also every record of 0 bytes that has a
// prescribed place and belongs to the same group as a record of the bound. Such
// a record occupies no space, but prevents its group from being placed lower.
std::vector<size_t> ConflictOf(const Problem& problem,
                               const LowerBound& bound) {
  const std::vector<RecordPlace>& places = problem.constraints()->places;
  std::vector<size_t> conflict = bound.records;
  std::set<uint32_t> groups;
  for (const size_t i : conflict) {
    if (!places.empty()) groups.insert(places[i].group);
  }
  groups.erase(kNoGroup);
  for (size_t i = 0; i < places.size() && !groups.empty(); ++i) {
    const bool has_place =
        problem.fixed_offset(i) || places[i].min > 0 || places[i].max;
    if (has_place && problem.records()[i].tensor_size == 0 &&
        groups.count(places[i].group) > 0) {
      conflict.push_back(i);
    }
  }
  std::sort(conflict.begin(), conflict.end());
  return conflict;
}

}  // namespace

Solution InfeasibleByBound(const Problem& problem, size_t capacity) {
  const LowerBound& bound = LowerBoundOf(problem);
  Solution solution;
  solution.status = SolutionStatus::kInfeasible;
  solution.lower_bound = bound.bytes;
  solution.bound_proof = bound.proof;
  if (problem.constraints() != nullptr) {
    solution.conflict = ConflictOf(problem, bound);
    solution.reason = ReasonOfBound(bound, capacity);
    return solution;
  }
  solution.conflict = RecordsAbove(problem, capacity);
  if (!solution.conflict.empty()) {
    solution.conflict_is_irreducible = solution.conflict.size() == 1;
    solution.reason =
        ReasonOfRecordsAbove(problem, capacity, solution.conflict);
    return solution;
  }
  solution.reason = ReasonOfBound(bound, capacity);
  if (const optional<TaskId> task = TaskOf(bound.proof)) {
    ExplainByTask(problem, *task, capacity, &solution);
  }
  return solution;
}

}  // namespace stowage
