// SPDX-License-Identifier: Apache-2.0
#include "src/model/constraint_support.h"

#include "src/base/str_cat.h"
#include "stowage/constraints.h"

namespace stowage {

bool NeedsConstraints(const Problem& problem) {
  return problem.constraints() != nullptr || problem.free_order() != nullptr ||
         problem.groups_are_optional();
}

bool LeavesChoiceOfGroups(const Problem& problem) {
  const Constraints* const constraints = problem.constraints();
  return problem.groups_are_optional() ||
         (constraints != nullptr && !constraints->same_or_apart.empty());
}

StatusOr<Solution> SolveUnderConstraints(string_view strategy,
                                         const Problem& problem,
                                         const SolveOptions& options) {
  const ConstraintSupport* const support = LinkedConstraints();
  if (support != nullptr) {
    for (const ConstrainedStrategy& entry : support->strategies) {
      if (entry.name == strategy) return entry.solve(problem, options);
    }
  }
  return UnimplementedError(
      StrCat("strategy '", strategy,
             "': it plans under constraints by code that this program does not "
             "link; expected stowage::constraints among its libraries"));
}

}  // namespace stowage
