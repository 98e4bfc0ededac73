// SPDX-License-Identifier: Apache-2.0
// Defines mutants, which are planners for parallel execution that are wrong
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

// Returns the plan of the sound planner that all mutants were made from. In
// this plan, tensor b takes over the object of tensor a only if b depends on
// everything that reads a.
ObjectsAssignment<size_t> PlanParallel(const GraphInstance& graph);

std::vector<ParallelMutant> ParallelMutants();

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_PARALLEL_H_
