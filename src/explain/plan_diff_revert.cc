// SPDX-License-Identifier: Apache-2.0
// Undoes one change of a diff.
#include <cstddef>
#include <utility>

#include "absl/types/optional.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

void DropPlan(Trace* trace) {
  trace->offsets.clear();
  trace->objects.clear();
  trace->chosen_pools.clear();
}

// Appends a record, and its entry in every list that has one for each record.
void AppendRecord(const Trace& from, size_t record, Trace* trace) {
  const size_t count = trace->records.size();
  trace->ids.push_back(from.ids[record]);
  trace->records.push_back(from.records[record]);
  if (!trace->alignments.empty() || !from.alignments.empty()) {
    trace->alignments.resize(count, 1);
    trace->alignments.push_back(
        from.alignments.empty() ? 1 : from.alignments[record]);
  }
  if (!trace->fixed.empty()) trace->fixed.emplace_back();
  if (!trace->tensors.empty()) trace->tensors.emplace_back();
  if (!trace->consumers.empty()) trace->consumers.push_back(0);
}

}  // namespace

absl::optional<Trace> RevertChange(const PlanView& old_view,
                                   const PlanView& new_view,
                                   const PlanDiff& diff, const DiffRow& row) {
  if (row.new_record && !row.old_record) {
    Trace trace = WithoutRecord(new_view.trace, *row.new_record);
    DropPlan(&trace);
    return trace;
  }
  const bool has_constraints = !new_view.trace.constraints.empty();
  const ByteRecord& before = old_view.trace.records[*row.old_record];
  if (!row.new_record) {
    if (!diff.has_same_tasks || has_constraints) return absl::nullopt;
    Trace trace = new_view.trace;
    DropPlan(&trace);
    AppendRecord(old_view.trace, *row.old_record, &trace);
    return trace;
  }
  ByteRecord reverted = new_view.trace.records[*row.new_record];
  const ByteRecord now = reverted;
  reverted.tensor_size = before.tensor_size;
  // With constraints the tasks stay, because in a partial order the tasks of a
  // record are those of its users.
  if (diff.has_same_tasks && !has_constraints) {
    reverted.first_task = before.first_task;
    reverted.last_task = before.last_task;
  }
  const bool is_same = reverted.tensor_size == now.tensor_size &&
                       reverted.first_task == now.first_task &&
                       reverted.last_task == now.last_task;
  if (is_same) return absl::nullopt;
  Trace trace = new_view.trace;
  DropPlan(&trace);
  trace.records[*row.new_record] = reverted;
  return trace;
}

}  // namespace stowage::views
