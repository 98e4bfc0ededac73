// SPDX-License-Identifier: Apache-2.0
// Groups the plans of a page by trace.
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/views/page_data.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

bool IsSameRecord(const ProblemSpec& a, size_t i, const ProblemSpec& b,
                  size_t j) {
  const TensorUsageRecord<size_t>& x = a.records[i];
  const TensorUsageRecord<size_t>& y = b.records[j];
  return x.tensor_size == y.tensor_size && x.first_task == y.first_task &&
         x.last_task == y.last_task;
}

bool HasSameRows(const ProblemSpec& a, const ProblemSpec& b) {
  if (a.names != b.names) return false;
  for (size_t i = 0; i < a.records.size(); ++i) {
    if (!IsSameRecord(a, i, b, i)) return false;
  }
  return true;
}

// Returns, for each record of `a`, the index of the record with the same id in
// `b`, or an empty list if both traces list the same records in the same order.
// Returns nullopt if the traces do not have the same records.
absl::optional<std::vector<size_t>> RowsOf(const ProblemSpec& a,
                                           const ProblemSpec& b) {
  if (a.records.size() != b.records.size()) return absl::nullopt;
  if (HasSameRows(a, b)) return std::vector<size_t>();
  if (a.names.size() != a.records.size() ||
      b.names.size() != b.records.size()) {
    return absl::nullopt;
  }
  absl::flat_hash_map<absl::string_view, size_t> row_of;
  row_of.reserve(b.names.size());
  for (size_t j = 0; j < b.names.size(); ++j) row_of.emplace(b.names[j], j);
  std::vector<size_t> rows;
  rows.reserve(a.names.size());
  for (size_t i = 0; i < a.names.size(); ++i) {
    const auto row = row_of.find(a.names[i]);
    if (row == row_of.end() || !IsSameRecord(a, i, b, row->second)) {
      return absl::nullopt;
    }
    rows.push_back(row->second);
  }
  return rows;
}

}  // namespace

PagePlans GroupPlans(absl::Span<const PlanView> views) {
  PagePlans page;
  for (const PlanView& view : views) {
    PagePlan plan;
    plan.view = &view;
    plan.trace = page.traces.size();
    for (size_t t = 0; t < page.traces.size(); ++t) {
      absl::optional<std::vector<size_t>> rows =
          RowsOf(page.traces[t].view->problem, view.problem);
      if (!rows) continue;
      plan.trace = t;
      plan.rows = *std::move(rows);
      break;
    }
    if (plan.trace == page.traces.size()) page.traces.push_back({&view});
    page.plans.push_back(std::move(plan));
  }
  return page;
}

}  // namespace stowage::views
