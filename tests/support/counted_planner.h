// SPDX-License-Identifier: Apache-2.0
// Counts the answers of a planner, for tests that would also pass if the
// planner refused everything.
#ifndef STOWAGE_TESTS_SUPPORT_COUNTED_PLANNER_H_
#define STOWAGE_TESTS_SUPPORT_COUNTED_PLANNER_H_

#include <cstddef>
#include <utility>

#include "stowage/problem.h"

namespace stowage::support {

struct AnswerCount {
  size_t calls = 0;
  size_t plans = 0;  // number of calls that returned a plan
};

// Returns a planner that calls `planner` and counts its answers in `count`,
// which must outlive the returned planner. `Fn` is PlanFn or ObjectsPlanFn.
template <typename Fn>
Fn Counted(Fn planner, AnswerCount* count) {
  return [planner = std::move(planner), count](const ProblemSpec& spec) {
    auto plan = planner(spec);
    ++count->calls;
    if (plan.ok()) ++count->plans;
    return plan;
  };
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_COUNTED_PLANNER_H_
