// SPDX-License-Identifier: Apache-2.0
// Planners for parallel execution that are wrong about the order of tasks.
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

// What they were made from: an object is handed on to a tensor that depends on
// everything that reads what was in it before.
ObjectsAssignment<size_t> PlanParallel(const GraphInstance& graph);

std::vector<ParallelMutant> ParallelMutants();

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_PARALLEL_H_
