// SPDX-License-Identifier: Apache-2.0
// Makes plans for usage records and for problems. Most programs need only this
// header.
//
// AssignObjectsToTensors and AssignOffsetsToTensors have the same parameters as
// the functions of these names in TensorFlow Lite, so that a program can be
// ported by changing the namespace:
//
//   stowage::OffsetsAssignment plan;
//   Status status = stowage::AssignOffsetsToTensors(
//       records, stowage::MemoryStrategy::GREEDY_BY_SIZE, &plan);
//
// Solve takes a whole Problem and the name of any registered strategy, and
// returns the plan with its status, its bound and the time that was spent:
//
//   StatusOr<stowage::Solution> solution =
//       stowage::Solve(problem, "greedy_best");
//
// FindViolation (verify.h) has found no violation in any plan that these
// functions return. Errors: those of Problem::Create, and
//   Unimplemented       the strategy does not support what the problem
//                       requires; FeaturesOf lists all missing features
//   ResourceExhausted   there are too many records for the strategy, or the
//                       sizes and places of a problem with constraints sum to
//                       more than 2^60 bytes
//   FailedPrecondition  the strategy returned an unsafe plan, which is a bug in
//                       the strategy; the error has the violation
//                       (ViolationOf of verify.h)
// and, if the strategy is given by name, those of FindStrategy (registry.h).
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
// or BHWC. If `reallocation_graph` is not null, its entry x lists the records
// that may take over the object of record x. On error, `assignment` is
// unchanged.
template <typename TensorSizeT>
Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph = nullptr);

// Assigns to every tensor an offset in one arena, in bytes. Offsets are
// multiples of `base_addr_align_bytes`, which must be a power of two. On error,
// `assignment` is unchanged.
Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes = 1,
    const UsageGraph* reallocation_graph = nullptr);

// Solves one problem. Takes the time of the strategy, plus O(n log n) for the
// bound and the verification.
//
// If the capacity is below the lower bound, or if the problem contradicts
// itself, the status is kInfeasible and the strategy is not called. A problem
// contradicts itself if, for example, records at fixed offsets share bytes that
// they may not share, or no offset satisfies both a range and an alignment.
//
// No plan above the capacity is returned. If a strategy that searches finds no
// plan within the capacity, the status is kInfeasible or kTimeLimit. If a
// strategy that does not search makes a plan above the capacity, the status is
// kOverCapacity, because smaller plans may exist.
//
// With SolveOptions::incumbent, the returned plan is never worse than the
// incumbent, unless the incumbent is above the capacity. The plan of lower cost
// is better; at equal costs, the plan with fewer bytes is better. Error:
// InvalidArgument with the violation (ViolationOf) if the incumbent is unsafe.
//
// A problem may leave choices to the planner: the order of the tasks if it is
// free, the groups to keep if groups are optional, and the pairs of records
// that share one place (Constraints::same_or_apart). Solve makes these choices
// together with the plan. To do so, it solves many problems; the limits of
// `options` apply to the whole call.
StatusOr<Solution> Solve(const Problem& problem, const Strategy& strategy,
                         const SolveOptions& options = {});
StatusOr<Solution> Solve(const Problem& problem, string_view strategy,
                         const SolveOptions& options = {});

// Returns `problem` with the choices of `solution` fixed. In the returned
// problem, the order of the tasks is given, and the groups are those that the
// plan keeps and those that result from pairs that share one place. If
// `problem` has such pairs and the solution has no places (Solution::places),
// the groups are derived from the plan. A problem that leaves no choices open
// is returned unchanged.
//
// Reports require a problem that leaves no choices open; FindViolation accepts
// a problem that leaves only pairs open. Errors: InvalidArgument if the
// solution has no order of the tasks, an order that the edges do not allow, or
// groups that the problem does not permit; those of Problem::Create. O(n +
// tasks), plus the time to compare the groups that are united.
StatusOr<Problem> DecidedProblem(const Problem& problem,
                                 const Solution& solution);

// Writes the log of the search that proved a bound or a conflict
// (Solution::search_proof). Other programs can replay the log to check the
// proof (docs/certificates.md). This function has to repeat the search of
// `solution.strategy`, so it takes as long as the original search, and 4 MiB of
// memory. Errors: FailedPrecondition if the solution has no proof by search;
// NotFound if the strategy of the solution is not registered; the first error
// of `write`, which ends the log.
Status WriteSearchLog(const Problem& problem, const Solution& solution,
                      const WriteText& write);

}  // namespace stowage

#endif  // STOWAGE_PLANNER_H_
