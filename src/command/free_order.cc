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
#include "src/io/match_rows.h"
#include "stowage/free_order.h"
#include "stowage/problem_file.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {

Trace TraceInOrder(const ProblemFile& file) {
  Trace trace = file.trace;
  if (!file.free_order) return trace;
  const std::vector<TaskId>& order = file.execution_order;
  trace.records = RecordsInOrder(trace.records, *file.free_order, order);
  const std::vector<size_t> positions = PositionsIn(order);
  const auto move = [&](size_t* task) {
    if (*task < positions.size()) *task = positions[*task];
  };
  for (TensorInfo& info : trace.tensors) {
    if (info.producer) move(&*info.producer);
    for (size_t& consumer : info.consumers) move(&consumer);
    std::sort(info.consumers.begin(), info.consumers.end());
  }
  if (trace.operators.empty()) return trace;
  std::vector<std::string> operators(order.size());
  for (size_t task = 0; task < trace.operators.size(); ++task) {
    operators[positions[task]] = std::move(trace.operators[task]);
  }
  trace.operators = std::move(operators);
  return trace;
}

std::string OrderText(absl::Span<const TaskId> order) {
  constexpr size_t kMost = 20;
  const absl::Span<const TaskId> shown = order.subspan(0, kMost);
  return absl::StrCat(absl::StrJoin(shown, " "),
                      order.size() > kMost
                          ? absl::StrCat(" ... (", order.size(), " tasks)")
                          : "");
}

absl::StatusOr<absl::optional<OrderViolation>> ApplyOrder(
    const std::string& problem_path, ProblemFile* problem,
    const std::string& plan_path, ProblemFile* plan) {
  const bool has_order = plan->free_order && !plan->execution_order.empty();
  const bool is_free = problem->free_order && problem->free_order->tasks > 0;
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
      MatchRows(problem->trace, InputName(problem_path), plan->trace,
                InputName(plan_path));
  if (!rows.ok()) return rows.status();
  const std::vector<TaskId>& order = plan->execution_order;
  auto violation = FindOrderViolation(*problem->free_order, order);
  if (violation) return violation;
  problem->execution_order = order;
  problem->trace = TraceInOrder(*problem);
  for (size_t i = 0; i < rows->size(); ++i) {
    plan->trace.records[(*rows)[i]] = problem->trace.records[i];
  }
  return violation;
}

}  // namespace stowage::cli
