// SPDX-License-Identifier: Apache-2.0
// Makes a plan with Stowage, compares it with the plan of a runtime's own
// planner for the same records, and returns the smaller plan.
//
// Include this header to write an adapter. An adapter lets another runtime, the
// *host*, call Stowage through the interface of the host's own planner. The
// folders beside this file have adapters for several runtimes. Programs without
// a planner of their own should call Solve (stowage/planner.h) instead.
//
//   ProblemSpec spec = ...;            // the problem that the host has to plan
//   OffsetsAssignment host = ...;      // the plan of the host's own planner
//   const StatusOr<BesideHost> result = PlanBesideHost(std::move(spec), &host);
//   if (!result.ok()) return result.status();
//   Use(result->plan);
//
// All adapters follow five rules:
//   1. Lifetimes, which are inclusive in Stowage, are converted in one place.
//   2. If Stowage cannot express a problem, the host's planner plans all of it.
//   3. The host's plan is the incumbent: the result is never larger.
//   4. The result is verified, whichever planner made it. An unsafe plan of the
//      host is reported with its witness and never returned.
//   5. Except for places in memory, an adapter leaves the host's objects in the
//      same state as the host's own planner, for example their ids and order.
#ifndef STOWAGE_ADAPTERS_BESIDE_HOST_H_
#define STOWAGE_ADAPTERS_BESIDE_HOST_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::adapters {

// The strategy and its options. `solve.incumbent` is ignored, since the host's
// plan is the incumbent.
struct BesideHostOptions {
  // The name of a strategy (stowage/registry.h). The default, `skyline`, is at
  // least as good as the planners of all runtimes that have adapters, except
  // for a few problems with groups. It plans most models in about a
  // millisecond. It ignores time limits, except in ggml/chunk_planner.h.
  std::string strategy = "skyline";
  SolveOptions solve;
};

// The result of planning with Stowage and with the host's planner.
struct BesideHost {
  // A safe plan, in the order of the records: the host's plan, unless Stowage
  // found a smaller one.
  OffsetsAssignment plan;
  bool is_hosts_plan = false;
  // A lower bound of every plan, in bytes; 0 if `refusal` is an error.
  size_t lower_bound = 0;
  // The violation in the host's plan, if that plan is unsafe. An adapter should
  // report it (Describe of stowage/verify.h) as the host reports errors.
  optional<Violation> host_violation;
  // OK if Stowage made a plan for these records; otherwise the reason why not.
  // If this is an error, `plan` is the host's plan, which has been found safe.
  Status refusal;
};

// Returns the highest end of a record in bytes, ignoring pools. Returns nullopt
// if an end does not fit in 64 bits, or if a record has no offset. O(n).
inline optional<size_t> HighestEnd(const std::vector<ByteRecord>& records,
                                   const std::vector<size_t>& offsets) {
  if (records.size() != offsets.size()) return nullopt;
  size_t highest = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const optional<size_t> end = CheckedAdd(offsets[i], records[i].tensor_size);
    if (!end) return nullopt;
    highest = std::max(highest, *end);
  }
  return highest;
}

namespace internal {

// Returns the host's plan for a problem that Stowage does not plan because of
// `refusal`. `violation` is the violation in the host's plan, if any. Errors:
// `refusal` if `host` is null; FailedPrecondition if there is a violation.
inline StatusOr<BesideHost> KeepHostPlan(const OffsetsAssignment* host,
                                         optional<Violation> violation,
                                         Status refusal) {
  if (host == nullptr) return refusal;
  if (violation) {
    return WithViolation(FailedPreconditionError("the host's plan is unsafe: " +
                                                 Describe(*violation)),
                         *violation);
  }
  BesideHost result;
  result.plan = *host;
  result.is_hosts_plan = true;
  result.refusal = std::move(refusal);
  return result;
}

}  // namespace internal

// Plans `spec`, and returns the smaller of the new plan and `host`. If the
// plans are equally large, returns the host's plan. `host` may be null if the
// host has no plan. Requires a `spec` of the kind kOffsets with neither a free
// order nor optional groups. Takes as long as Solve.
//
// If Stowage refuses the problem or makes no plan, the host's plan is returned
// with the reason (BesideHost::refusal). Errors:
//   FailedPrecondition  the host's plan is unsafe, and Stowage has no plan; the
//                       error carries the violation (ViolationOf)
//   ResourceExhausted   `host` is null, and Stowage has found no plan within
//                       the capacities
// If `host` is null, the errors of Problem::Create and of Solve are also
// returned. If the problem has constraints, the errors of Problem::Create are
// returned even if the host has a plan, since that plan cannot be verified
// without a Problem.
inline StatusOr<BesideHost> PlanBesideHost(
    ProblemSpec spec, const OffsetsAssignment* host,
    const BesideHostOptions& options = {}) {
  const StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) {
    if (host == nullptr || !spec.constraints.empty()) return problem.status();
    return internal::KeepHostPlan(
        host, FindViolation(spec.records, *host, AlignmentsOf(spec)),
        problem.status());
  }
  SolveOptions solve = options.solve;
  Solution incumbent;
  if (host != nullptr) incumbent.SetPlan(*host);
  solve.incumbent = host != nullptr ? &incumbent : nullptr;
  StatusOr<Solution> solution = Solve(*problem, options.strategy, solve);
  optional<Violation> violation = ViolationOf(solution.status());
  if (host != nullptr && violation && IsInvalidArgument(solution.status())) {
    solve.incumbent = nullptr;
    solution = Solve(*problem, options.strategy, solve);
  } else {
    violation.reset();
  }
  if (!solution.ok()) {
    if (host != nullptr && !violation) {
      violation = FindViolation(*problem, *host);
    }
    return internal::KeepHostPlan(host, violation, solution.status());
  }
  if (!solution->has_plan()) {
    return internal::KeepHostPlan(host, violation,
                                  ResourceExhaustedError(solution->reason));
  }
  BesideHost result;
  result.plan = *solution->offsets();
  result.is_hosts_plan = solution->found_by == "incumbent";
  result.lower_bound = solution->lower_bound;
  result.host_violation = std::move(violation);
  return result;
}

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_BESIDE_HOST_H_
