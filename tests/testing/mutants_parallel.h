// SPDX-License-Identifier: Apache-2.0
// Defines mutants of planners for parallel execution. Each mutant is wrong
// about the order of tasks.
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_PARALLEL_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_PARALLEL_H_

#include <functional>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/testing/graphs.h"

namespace stowage::testing {

using ParallelPlanFn =
    std::function<ObjectsAssignment<size_t>(const GraphInstance&)>;

struct ParallelMutant {
  std::string name;
  std::string bug;
  ParallelPlanFn plan;
};

// Returns the plan of the sound planner from which all mutants were made. In
// this plan, tensor b takes over the object of tensor a only if b depends on
// every tensor that is computed directly from a.
ObjectsAssignment<size_t> PlanParallel(const GraphInstance& graph);

std::vector<ParallelMutant> ParallelMutants();

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_PARALLEL_H_
