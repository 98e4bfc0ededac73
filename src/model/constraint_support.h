// SPDX-License-Identifier: Apache-2.0
// Declares a table of the functions with which the planner handles constraints,
// free orders and optional groups. These functions are as large as the rest of
// the planner, and programs that do not need these features should not contain
// them. They are therefore in a separate library, stowage::constraints, and all
// other code calls them only through this table.
//
// The table is found by the linker: LinkedConstraints has two definitions, and
// each program links one of them. The definition in stowage::constraints
// (src/plan/constraint_table.cc.in) returns the table, and the definition in
// stowage::plain (no_constraints.cc) returns null. Nothing has to be registered
// at run time, and the order in which static objects are initialized does not
// matter.
//
// If there is no table, Problem::Create refuses every problem that needs these
// functions. Code that receives such a problem can therefore rely on the table.
#ifndef STOWAGE_SRC_MODEL_CONSTRAINT_SUPPORT_H_
#define STOWAGE_SRC_MODEL_CONSTRAINT_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

struct LowerBound;  // stowage/lower_bound.h
struct Violation;   // stowage/verify.h

// A function with which a strategy plans under constraints, defined in the
// folder strategies/NAME/constrained.
struct ConstrainedStrategy {
  string_view name;
  StatusOr<Solution> (*solve)(const Problem& problem,
                              const SolveOptions& options);
};

struct ConstraintSupport {
  // Returns the errors of Problem::Create about a free order. Requires that the
  // spec has a free order.
  Status (*check_free_order)(const ProblemSpec& spec);
  // Returns the errors of Problem::Create about constraints. `padded_sum` is
  // the sum of all padded sizes.
  Status (*check)(const ProblemSpec& spec, size_t padded_sum);

  // Merges all preferences about the same two records into one.
  void (*add_up_preferences)(std::vector<ApartPreference>* preferences);

  // The next four functions require Problem::constraints().
  optional<Violation> (*find_violation)(const Problem& problem,
                                        const OffsetsAssignment& assignment);
  size_t (*aligned_lower_bound)(const Problem& problem);
  uint64_t (*cost_of_plan)(const Problem& problem,
                           const OffsetsAssignment& plan);
  uint64_t (*cost_lower_bound)(const Problem& problem);

  // Requires constraints or a free order.
  LowerBound (*lower_bound)(const Problem& problem);

  // Implement Solve and DecidedProblem (stowage/planner.h) for all problems for
  // which NeedsConstraints returns true.
  StatusOr<Solution> (*solve)(const Problem& problem, const Strategy& strategy,
                              const SolveOptions& options);
  // See SettleConflict (src/plan/settle_conflict.h).
  void (*settle_conflict)(const Problem& problem, const Strategy& strategy,
                          const SolveOptions& options, int64_t spent_ns,
                          Solution* solution);
  StatusOr<Problem> (*decided_problem)(const Problem& problem,
                                       const Solution& solution);

  // The strategies in this program that plan under constraints.
  Span<const ConstrainedStrategy> strategies;
};

// Returns the table, or null if this program does not link
// stowage::constraints. Thread-safe, even before main.
const ConstraintSupport* LinkedConstraints();

// Returns whether the problem has constraints, a free order or optional groups.
bool NeedsConstraints(const Problem& problem);

// Returns whether the planner has to choose groups: which groups to keep
// (ProblemSpec::groups_are_optional), or which groups to unite
// (Constraints::same_or_apart).
bool LeavesChoiceOfGroups(const Problem& problem);

// Solves a problem with constraints by calling the function in the table for
// the strategy with this name. Error: Unimplemented if the table contains none.
StatusOr<Solution> SolveUnderConstraints(string_view strategy,
                                         const Problem& problem,
                                         const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CONSTRAINT_SUPPORT_H_
