// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/generators.h"

#include "rapidcheck.h"
#include "stowage/planner.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"

int main() {
  const auto planner = stowage::testing::StrategyPlanFn("greedy_best");
  const bool holds = rc::check("every property holds", [&planner] {
    const auto spec = *stowage::testing::AnyInstances();
    for (const auto& property : stowage::testing::AllProperties()) {
      RC_ASSERT(property.check(planner, spec) == absl::OkStatus());
    }
  });
  return holds ? 0 : 1;
}
