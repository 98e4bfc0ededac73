// SPDX-License-Identifier: Apache-2.0
// Defines planners of problems with constraints that are wrong about one
// constraint and that the kit must catch. Mutants for records alone are in
// mutants.h.
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

// A sound planner that gets another problem, or whose plan is damaged.
struct ProblemMutant {
  std::string name;
  std::string bug;
  std::function<void(ProblemSpec*)> forget;  // may be null, like the next one
  std::function<void(const Problem&, OffsetsAssignment*)> damage;
  std::string property;  // that catches it
  std::string message;   // a regular expression for the violation
  size_t records = 0;    // at most, in the smallest problem
};

std::vector<ProblemMutant> ProblemMutants();

// Returns the planner. The mutant must outlive it.
ProblemPlanFn BrokenPlannerOf(const ProblemMutant& mutant);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_PROBLEMS_H_
