// SPDX-License-Identifier: Apache-2.0
// The values at which orders are compared, and what each of them needs.
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

// A value, its sizes, and a plan for it alone.
struct ComparedValue {
  ParameterValues values;
  std::vector<size_t> sizes;
  size_t bound = 0;             // no plan is smaller
  size_t need = 0;              // the total of the smallest plan that was found
  std::vector<size_t> offsets;  // of that plan
};

// Returns the nodes that the search of one plan may take if this many plans are
// made.
uint64_t SearchNodesFor(size_t plans);

// Searches for the smallest plan with the nodes that a single plan may take.
// Errors: those of Solve.
StatusOr<Solution> SearchPlan(const Problem& problem);

// Plans for given sizes by a strategy that takes little time, and by a search
// of at most `nodes` for few records. `values` is what the result says it is
// for. Error: that of Problem::Create.
StatusOr<ComparedValue> PlanForSizes(const DynamicProblem& problem,
                                     const ParameterValues& values,
                                     std::vector<size_t> sizes, uint64_t nodes);

// Plans for the values of a sample of the problem (SampleValues) whose number
// falls with that of the records.
StatusOr<std::vector<ComparedValue>> CompareValues(
    const DynamicProblem& problem);

// Returns the records by rising offset, which is the order in which a plan
// stacks them. Records that need no bytes come before others at their offset.
std::vector<size_t> OrderOf(const ComparedValue& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_COMPARED_VALUES_H_
