// SPDX-License-Identifier: Apache-2.0
// Planners of problems with constraints that are wrong about one of them: what
// the kit must catch. Those of records alone are in mutants.h.
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/testing/problem_properties.h"

namespace stowage::testing {

// A sound planner that is asked another problem, or whose plan is damaged.
struct ProblemMutant {
  std::string name;
  std::string bug;
  std::function<void(ProblemSpec*)> forget;  // or null, as the next
  std::function<void(const Problem&, OffsetsAssignment*)> damage;
  std::string property;  // by which it is caught
  std::string message;   // of the violation: an expression
  size_t records = 0;    // of the smallest problem, at most
};

std::vector<ProblemMutant> ProblemMutants();

// The planner; the mutant outlives it.
ProblemPlanFn BrokenPlannerOf(const ProblemMutant& mutant);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_
