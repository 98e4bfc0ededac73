// SPDX-License-Identifier: Apache-2.0
// Checks a plan file against a trace, with the rules of stowage/verify.h.
#ifndef STOWAGE_SRC_COMMAND_PLAN_VERDICT_H_
#define STOWAGE_SRC_COMMAND_PLAN_VERDICT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage::cli {

struct PlanVerdict {
  PlanKind kind = PlanKind::kOffsets;
  size_t records = 0;
  size_t total_size = 0;
  // The cost of a safe plan. Set only for problems whose plans have a cost.
  absl::optional<uint64_t> cost;
  // True if the plan has chosen the order of the tasks.
  bool has_order = false;
  // For the plan of a program, a sentence about the value in memory that is
  // wrong. Empty if all values are correct, or if they were not checked because
  // of a violation.
  std::string fault;
  // The plan is safe if neither `violation` nor `order_violation` has a value
  // and `fault` is empty.
  absl::optional<Violation> violation;
  absl::optional<OrderViolation> order_violation;
  // A description of the violation with the names of tensors and pools. Empty
  // for a safe plan.
  std::string message;

  bool is_safe() const {
    return !violation && !order_violation && fault.empty();
  }
};

// Checks the plan against the intervals, sizes, alignments and fixed offsets of
// the problem. If `alignment` is given, it replaces the alignments. Errors:
// InvalidArgument if the file is a plan for another problem, or not a plan;
// those of Problem::Create.
absl::StatusOr<PlanVerdict> CheckPlanFile(const NamedFile& asked,
                                          const NamedFile& plan,
                                          absl::optional<size_t> alignment);

// Returns the violation of a verdict as JSON, with the names of tensors.
Json ViolationJson(const ProblemSpec& problem, const PlanVerdict& verdict);

// Returns a text that names the rules with which a plan of this kind is
// checked.
absl::string_view CheckedRules(const ProblemSpec& problem, PlanKind kind);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_VERDICT_H_
