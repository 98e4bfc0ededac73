// SPDX-License-Identifier: Apache-2.0
// Makes plans for usage records and for problems. Most programs need only the
// functions of this header.
//
// AssignObjectsToTensors and AssignOffsetsToTensors have the parameters of
// TensorFlow Lite's functions of these names, so that a program is ported by a
// change of the namespace:
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
// Every plan that these functions return has passed FindViolation (verify.h).
// Errors, besides those of Problem::Create:
//   Unimplemented       the strategy does not support what the problem
//                       requires; FeaturesOf lists all missing features
//   ResourceExhausted   there are too many records for the strategy, or the
//                       sizes and places of a problem with constraints sum to
//                       more than 2^60 bytes
//   FailedPrecondition  the strategy returned an unsafe plan, which is a bug in
//                       the strategy; the error has the violation
//                       (ViolationOf of verify.h)
// and, if the strategy is given by its name, those of FindStrategy
// (registry.h).
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
// or BHWC. `reallocation_graph` may be null. Entry x of the graph lists the
// records that may take over the object of record x. On error, `assignment` is
// unchanged.
template <typename TensorSizeT>
Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph = nullptr);

// Assigns an offset in one arena to every tensor, in bytes, each a multiple of
// `base_addr_align_bytes` (a power of two). On error, `assignment` is
// unchanged.
Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes = 1,
    const UsageGraph* reallocation_graph = nullptr);

// Solves one problem. Takes the time of the strategy, plus O(n log n) for the
// bound and the verification.
//
// If the capacity is below the lower bound, or if the problem contradicts
// itself, the result is kInfeasible and the strategy is not called. A problem
// contradicts itself if, for example, records at fixed offsets share bytes that
// they may not share, or no offset satisfies both a range and an alignment. No
// plan above the capacity is returned. If a strategy that searches finds no
// plan within the capacity, the result is kInfeasible or kTimeLimit. If a
// strategy that does not search makes a plan above the capacity, the result is
// kOverCapacity, since nothing is known about smaller plans.
//
// With SolveOptions::incumbent, the plan that is returned is never worse than
// the incumbent (the lower cost is better; at equal costs, fewer bytes are
// better), unless the incumbent is above the capacity. Error: InvalidArgument
// with the violation (ViolationOf) if the incumbent is unsafe.
//
// If the order of the tasks is free, groups are optional, or pairs of records
// may lie in one place (Constraints::same_or_apart), Solve chooses the order,
// the groups to keep or the pairs together with the plan. To do so, Solve
// solves many problems; the limits of `options` apply to the whole call.
StatusOr<Solution> Solve(const Problem& problem, const Strategy& strategy,
                         const SolveOptions& options = {});
StatusOr<Solution> Solve(const Problem& problem, string_view strategy,
                         const SolveOptions& options = {});

// Returns the problem in which the choices of its solution are fixed. In the
// returned problem, the order of the tasks is given. The groups are those that
// the plan keeps, and those that result from pairs that lie in one place. If
// `problem` has such pairs and the solution has no places (Solution::places),
// the groups follow from the plan. Reports require a problem that leaves no
// choices open; FindViolation accepts a problem that leaves only pairs open. A
// problem that leaves no choices open is returned unchanged. Errors:
// InvalidArgument if the solution has no order of the tasks, or an order that
// the edges do not allow, or groups that the problem does not permit; those of
// Problem::Create. O(n + tasks), plus the time to compare the groups that are
// united.
StatusOr<Problem> DecidedProblem(const Problem& problem,
                                 const Solution& solution);

// Writes the log of the search that proved a bound or a conflict
// (Solution::search_proof). Other programs can replay the log
// (docs/certificates.md). To write the log, this function repeats the search of
// `solution.strategy`. The call takes as long as the original search, and 4 MiB
// of memory. Errors: FailedPrecondition if the solution has no proof by search;
// NotFound if the strategy of the solution is not registered; the first error
// of `write`, which ends the log.
Status WriteSearchLog(const Problem& problem, const Solution& solution,
                      const WriteText& write);

}  // namespace stowage

#endif  // STOWAGE_PLANNER_H_
