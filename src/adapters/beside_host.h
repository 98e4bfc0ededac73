// SPDX-License-Identifier: Apache-2.0
// Compares a plan of Stowage with the plan that a runtime's own planner has
// made for the same records, and returns the smaller one.
//
// Include this header to write an adapter. An adapter lets another runtime, the
// *host*, call Stowage through the interface of the host's own planner. The
// folders beside this file have the adapters for several runtimes. Programs
// that have no planner yet call Solve (stowage/planner.h).
//
//   ProblemSpec spec = ...;            // what the host was asked to plan
//   OffsetsAssignment host = ...;      // what the host's own planner answered
//   const StatusOr<BesideHost> result = PlanBesideHost(std::move(spec), &host);
//   if (!result.ok()) return result.status();
//   Use(result->plan);
//
// All adapters keep five rules:
//   1. Lifetimes are translated in one place. Stowage's are inclusive.
//   2. If Stowage cannot express a problem, the host's planner plans all of it.
//   3. The host's plan is the incumbent: the result is never larger.
//   4. The result is verified, whichever planner has made it. A plan of the
//      host that is unsafe is reported with its witness and never returned.
//   5. Apart from the places in memory, an adapter leaves the host's objects as
//      the host's own planner leaves them, for example their ids and order.
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

// Says how to plan. `solve.incumbent` is ignored, since the host's plan is the
// incumbent.
struct BesideHostOptions {
  // The name of a strategy (stowage/registry.h). `skyline` is at least as good
  // as the planners of the runtimes for which there are adapters. It plans most
  // models in about a millisecond, but some hundred records in many small
  // chunks (ggml/chunk_planner.h) can take seconds.
  std::string strategy = "skyline";
  SolveOptions solve;
};

// The result of planning beside a host's planner.
struct BesideHost {
  // A safe plan, in the order of the records. It is the plan of the host if
  // Stowage has no smaller plan.
  OffsetsAssignment plan;
  bool is_hosts_plan = false;
  // A lower bound of every plan in bytes; 0 if `refusal` is an error.
  size_t lower_bound = 0;
  // The violation in the host's plan, if that plan is unsafe. An adapter
  // reports it (Describe of stowage/verify.h) where its host reports errors.
  optional<Violation> host_violation;
  // The reason why Stowage has made no plan for these records; OK if Stowage
  // has made one. If this is an error, `plan` is the host's plan, which has
  // been found safe.
  Status refusal;
};

// Returns the highest end of a record in bytes, without regard to pools.
// Returns nullopt if an end does not fit 64 bits, or if a record has no offset.
// O(n).
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
// `refusal`. `violation` is the violation in that plan, if there is one.
// Errors: `refusal` if `host` is null; FailedPrecondition if there is a
// violation.
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

// Plans `spec` and returns the smaller of the new plan and `host`. `spec` must
// ask for offsets, and must have neither a free order nor optional groups.
// `host` may be null if the host has no plan. If the plans are equally large,
// the host's plan is returned.
//
// If Stowage refuses the problem or makes no plan, the host's plan is returned
// with the reason (BesideHost::refusal). Errors:
//   FailedPrecondition  the host's plan is unsafe, and Stowage has no plan; the
//                       error carries the violation (ViolationOf)
//   ResourceExhausted   `host` is null, and Stowage has found no plan within
//                       the capacities
// If `host` is null, the errors of Problem::Create and of Solve are returned,
// too. If the problem has constraints, the errors of Problem::Create are
// returned even if the host has a plan, since that plan cannot be verified
// without a Problem.
//
// Takes as long as Solve.
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
