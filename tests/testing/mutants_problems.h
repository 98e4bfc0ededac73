// SPDX-License-Identifier: Apache-2.0
// Defines mutants of planners for problems with constraints. Each mutant is
// wrong about one constraint, and the kit must catch it. Mutants that plan
// records without constraints are in mutants.h.
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/testing/plan_fn.h"

namespace stowage::testing {

// A mutant consists of a sound planner and either `forget`, which changes the
// problem before it is planned, or `damage`, which changes the plan.
struct ProblemMutant {
  std::string name;
  std::string bug;
  std::function<void(ProblemSpec*)> forget;  // may be null, and so may `damage`
  std::function<void(const Problem&, OffsetsAssignment*)> damage;
  std::string property;  // the property that catches the mutant
  std::string message;   // a regular expression for the violation
  size_t records = 0;    // maximum number of records in the smallest problem
};

std::vector<ProblemMutant> ProblemMutants();

// Returns the planner of a mutant. Requires that the mutant outlives the
// planner.
PlanFn BrokenPlannerOf(const ProblemMutant& mutant);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_
