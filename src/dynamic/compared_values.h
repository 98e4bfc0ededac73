// SPDX-License-Identifier: Apache-2.0
// Computes the parameter values at which stacking orders are compared, and the
// number of bytes that the problem needs at each of them.
#ifndef STOWAGE_SRC_DYNAMIC_COMPARED_VALUES_H_
#define STOWAGE_SRC_DYNAMIC_COMPARED_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// One value of the parameters, the sizes of the records at this value, and a
// plan for this value alone.
struct ComparedValue {
  ParameterValues values;
  std::vector<size_t> sizes;
  size_t bound = 0;             // no plan is smaller
  size_t need = 0;              // the total of the smallest plan that was found
  std::vector<size_t> offsets;  // the offsets of that plan
};

// Returns the number of nodes that each search may visit if `plans` plans are
// searched.
uint64_t SearchNodesFor(size_t plans);

// Searches for the smallest plan. Visits at most SearchNodesFor(1) nodes.
// Errors: those of Solve.
StatusOr<Solution> SearchPlan(const Problem& problem);

// Returns a plan for the given sizes, made with fast strategies and, if there
// are few records, with a search of at most `nodes` nodes. `values` is copied
// to the result. Errors: those of Problem::Create; if no strategy finds a plan,
// the error of the last strategy.
StatusOr<ComparedValue> PlanForSizes(const DynamicProblem& problem,
                                     const ParameterValues& values,
                                     std::vector<size_t> sizes, uint64_t nodes);

// Returns a plan for each value of a sample (DynamicProblem::SampleValues). The
// sample is smaller for problems with more records.
StatusOr<std::vector<ComparedValue>> CompareValues(
    const DynamicProblem& problem);

// Returns the records by rising offset, which is the stacking order of the
// plan. Among records at the same offset, records without bytes come first.
std::vector<size_t> OrderOf(const ComparedValue& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_COMPARED_VALUES_H_
