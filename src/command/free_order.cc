// SPDX-License-Identifier: Apache-2.0
#include "src/command/free_order.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "stowage/free_order.h"
#include "stowage/io/match_rows.h"
#include "stowage/io/problem_file.h"
#include "stowage/usage_record.h"

namespace stowage::cli {

std::string OrderText(absl::Span<const TaskId> order) {
  constexpr size_t kMax = 20;
  const absl::Span<const TaskId> shown = order.subspan(0, kMax);
  return absl::StrCat(absl::StrJoin(shown, " "),
                      order.size() > kMax
                          ? absl::StrCat(" ... (", order.size(), " tasks)")
                          : "");
}

absl::StatusOr<absl::optional<OrderViolation>> ApplyOrder(
    const std::string& problem_path, ProblemFile* problem,
    const std::string& plan_path, ProblemFile* plan) {
  const std::vector<TaskId>& order = plan->plan.execution_order;
  const auto& free_order = problem->problem.free_order;
  const bool has_order = plan->problem.free_order && !order.empty();
  const bool is_free = free_order && free_order->tasks > 0;
  if (!is_free && !has_order) return absl::optional<OrderViolation>();
  if (is_free != has_order) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputName(plan_path),
        is_free ? ": no execution_order for a problem whose order is free; "
                  "expected the tasks in the order in which they run"
                : ": execution_order for a problem whose order is given; "
                  "expected none"));
  }
  const absl::StatusOr<std::vector<size_t>> rows =
      MatchRows(problem->problem, InputName(problem_path), plan->problem,
                InputName(plan_path));
  if (!rows.ok()) return rows.status();
  auto violation = FindOrderViolation(*free_order, order);
  if (violation) return violation;
  problem->plan.execution_order = order;
  absl::StatusOr<ProblemFile> ordered = InChosenOrder(std::move(*problem));
  if (!ordered.ok()) return ordered.status();
  *problem = *std::move(ordered);
  for (size_t i = 0; i < rows->size(); ++i) {
    plan->problem.records[(*rows)[i]] = problem->problem.records[i];
  }
  return violation;
}

}  // namespace stowage::cli
