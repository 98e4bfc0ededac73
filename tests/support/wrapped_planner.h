// SPDX-License-Identifier: Apache-2.0
// Wraps planners for tests of the kit. Counted counts the results of a planner,
// because some tests would pass even if the planner refused everything. Spoilt
// changes the plans of a planner, so that a test has a planner with wrong
// plans.
#ifndef STOWAGE_TESTS_SUPPORT_WRAPPED_PLANNER_H_
#define STOWAGE_TESTS_SUPPORT_WRAPPED_PLANNER_H_

#include <cstddef>

#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/testing/plan_fn.h"

namespace stowage::support {

struct AnswerCount {
  size_t calls = 0;
  size_t plans = 0;  // number of calls that returned a plan
};

// Returns a planner that calls `planner` and counts its results in `count`,
// which must outlive the returned planner.
template <typename Plan>
testing::PlannerFn<Plan> Counted(testing::PlannerFn<Plan> planner,
                                 AnswerCount* count) {
  return [planner, count](const ProblemSpec& spec) {
    auto plan = planner(spec);
    ++count->calls;
    if (plan.ok()) ++count->plans;
    return plan;
  };
}

// Returns a planner that calls `sound` and changes its plan with
// `spoil(records, &plan)`.
template <typename Plan, typename SpoilFn>
testing::PlannerFn<Plan> Spoilt(testing::PlannerFn<Plan> sound, SpoilFn spoil) {
  return [sound, spoil](const ProblemSpec& spec) mutable {
    auto plan = sound(spec);
    if (plan.ok()) spoil(absl::MakeConstSpan(spec.records), &*plan);
    return plan;
  };
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_WRAPPED_PLANNER_H_
