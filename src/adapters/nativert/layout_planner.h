// SPDX-License-Identifier: Apache-2.0
// Provides a layout planner for nativert, the runtime of PyTorch for exported
// models. The layout planner also calls a planner of nativert, and returns the
// smaller layout.
//
// Include this header in a build of PyTorch, after
// torch/nativert/executor/memory/LayoutPlannerAlgorithm.h. Define a function
// such as PlanWithStowage below, and select this function where LayoutPlanner
// selects its algorithm. The types of nativert are template parameters. In
// other programs, call Solve (stowage/planner.h).
//
//   LayoutPlan PlanWithStowage(const std::vector<AllocationSpec>& specs) {
//     auto plan = stowage::adapters::PlanLayout(
//         specs, &GreedyBySizeAllocationPlanner);
//     TORCH_CHECK(plan.ok(), plan.status().message());
//     return *std::move(plan);
//   }
#ifndef STOWAGE_ADAPTERS_NATIVERT_LAYOUT_PLANNER_H_
#define STOWAGE_ADAPTERS_NATIVERT_LAYOUT_PLANNER_H_

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "src/adapters/beside_host.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::adapters {

struct LayoutOptions {
  BesideHostOptions plan;
  // If set, called with the violation when the layout of the host is unsafe. An
  // unsafe layout is not returned.
  std::function<void(const Violation&)> on_unsafe_host;
};

// Plans the layout of `specs`. Returns the smaller of the new layout and the
// layout made by `host`, a planner of nativert. The result has one allocation
// for each spec, in the same order and of the same size. Sizes are not padded,
// since nativert has already padded them. A lifetime is from the first to the
// last node that uses the value, both inclusive.
//
// If a lifetime ends before it begins, the layout of the host is returned
// without verification. If the sum of the sizes does not fit in 64 bits, the
// layout of the host is verified and returned. Error: FailedPrecondition, with
// the violation (ViolationOf), if the layout of the host is unsafe and Stowage
// has no layout. Takes as long as `host` and Solve together.
template <typename Plan, typename Spec>
StatusOr<Plan> PlanLayout(const std::vector<Spec>& specs,
                          Plan (*host)(const std::vector<Spec>&),
                          const LayoutOptions& options = {}) {
  Plan plan = host(specs);
  ProblemSpec problem;
  for (const Spec& spec : specs) {
    const auto first = static_cast<TaskId>(spec.lifetime.start);
    const auto last = static_cast<TaskId>(spec.lifetime.end);
    if (last < first) return plan;
    problem.records.emplace_back(static_cast<size_t>(spec.size), first, last);
  }
  OffsetsAssignment host_plan;
  for (const auto& allocation : plan.allocations) {
    host_plan.offsets.push_back(static_cast<size_t>(allocation.offset));
  }
  host_plan.total_size = static_cast<size_t>(plan.total_size);
  const StatusOr<BesideHost> result =
      PlanBesideHost(std::move(problem), &host_plan, options.plan);
  const optional<Violation> violation =
      result.ok() ? result->host_violation : ViolationOf(result.status());
  if (violation && options.on_unsafe_host) options.on_unsafe_host(*violation);
  if (!result.ok()) return result.status();
  plan.total_size = result->plan.total_size;
  plan.allocations.resize(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    plan.allocations[i].size = specs[i].size;
    plan.allocations[i].offset = result->plan.offsets[i];
  }
  return plan;
}

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_NATIVERT_LAYOUT_PLANNER_H_
