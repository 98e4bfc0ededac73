// SPDX-License-Identifier: Apache-2.0
// Functions that plan usage records: most programs need only these.
//
// AssignObjectsToTensors and AssignOffsetsToTensors have the parameters of
// TensorFlow Lite's functions of these names, so that porting is a change of
// namespace:
//
//   stowage::OffsetsAssignment plan;
//   Status status = stowage::AssignOffsetsToTensors(
//       records, stowage::MemoryStrategy::GREEDY_BY_SIZE, &plan);
//
// Solve takes a whole Problem and any registered strategy by name, and returns
// the plan with its status, bound and time:
//
//   StatusOr<stowage::Solution> solution =
//       stowage::Solve(problem, "greedy_best");
//
// Every plan they return has passed FindViolation (verify.h). Errors, besides
// those of Problem::Create:
//   Unimplemented       the strategy does not support what the problem
//                       requires: all missing features are listed (FeaturesOf)
//   ResourceExhausted   the records are too many for the strategy
//   FailedPrecondition  the strategy returned an unsafe plan, which is a bug in
//                       the strategy; the error has the violation
//                       (ViolationOf of verify.h)
// and those of FindStrategy (registry.h) for a name.
#ifndef STOWAGE_PLANNER_H_
#define STOWAGE_PLANNER_H_

#include <cstddef>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage {

// Assigns a shared object to every tensor. TensorSizeT is size_t, uint2, uint3
// or BHWC. `reallocation_graph` may be null; graph[x] lists the records that
// may take over the object of record x. On error `assignment` is unchanged.
template <typename TensorSizeT>
Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph = nullptr);

// Assigns an offset in one arena to every tensor, in bytes, each a multiple of
// `base_addr_align_bytes` (a power of two). On error `assignment` is unchanged.
Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes = 1,
    const UsageGraph* reallocation_graph = nullptr);

// Solves one problem. The time is that of the strategy, plus O(n log n) for the
// bound and the verification.
//
// The result is kInfeasible without a call of the strategy if the capacity is
// below the lower bound or if the problem contradicts itself: records at fixed
// offsets share bytes that they may not share, or no offset satisfies both a
// range and an alignment. No plan above the capacity is returned. If a strategy
// that searches finds no other, the result is kInfeasible or kTimeLimit. If a
// strategy that does not search makes such a plan, the result is kOverCapacity,
// since nothing is known about smaller plans.
//
// With SolveOptions::incumbent no plan is returned that is larger than the
// incumbent, unless the incumbent is above the capacity. Error: InvalidArgument
// with the violation (ViolationOf) if the incumbent is unsafe.
//
// If the order of the tasks is free, groups are optional, or pairs of records
// may lie in one place (Constraints::same_or_apart), Solve chooses the order,
// the groups to keep or the pairs together with the plan. It solves many
// problems to do so; the limits of `options` are those of the whole call.
StatusOr<Solution> Solve(const Problem& problem, const Strategy& strategy,
                         const SolveOptions& options = {});
StatusOr<Solution> Solve(const Problem& problem, string_view strategy,
                         const SolveOptions& options = {});

// Returns the problem with the choices of its solution: the order of the tasks
// is given, and the groups are those that the plan keeps, or makes of pairs
// that lie in one place. If a solution with such pairs has no places, the
// groups follow from its plan. FindViolation and reports require such a
// problem. A problem that leaves none of these choices is returned unchanged.
// Errors: InvalidArgument if the solution has no order of the tasks, or one
// that the edges do not allow, or groups that the problem does not permit;
// those of Problem::Create. O(n + tasks), and the time to compare groups that
// become one.
StatusOr<Problem> DecidedProblem(const Problem& problem,
                                 const Solution& solution);

// Writes the log of the search that proved a bound or a conflict
// (Solution::search_proof), which others can replay (docs/certificates.md). To
// do so it repeats the search by `solution.strategy`. This takes as long as the
// search did, and 4 MiB of memory. Errors: FailedPrecondition if the solution
// has no such proof; NotFound if its strategy is not registered; the first
// error of `write`, which ends the log.
Status WriteSearchLog(const Problem& problem, const Solution& solution,
                      const WriteText& write);

}  // namespace stowage

#endif  // STOWAGE_PLANNER_H_
