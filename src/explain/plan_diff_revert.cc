// SPDX-License-Identifier: Apache-2.0
// Undoes one change of a diff.
#include <cstddef>
#include <utility>

#include "absl/types/optional.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

// Appends a record, and an entry for it in every list that has one entry per
// record.
void AppendRecord(const ProblemSpec& from, size_t record,
                  ProblemSpec* problem) {
  const size_t count = problem->records.size();
  problem->names.push_back(from.names[record]);
  problem->records.push_back(from.records[record]);
  if (!problem->alignments.empty() || !from.alignments.empty()) {
    problem->alignments.resize(count, 1);
    problem->alignments.push_back(
        from.alignments.empty() ? 1 : from.alignments[record]);
  }
  if (!problem->fixed_offsets.empty()) problem->fixed_offsets.emplace_back();
  if (!problem->labels.tensors.empty()) problem->labels.tensors.emplace_back();
  if (!problem->labels.readers.empty()) problem->labels.readers.push_back(0);
}

}  // namespace

absl::optional<ProblemSpec> RevertChange(const PlanView& old_view,
                                         const PlanView& new_view,
                                         const PlanDiff& diff,
                                         const DiffRow& row) {
  if (row.new_record && !row.old_record) {
    return WithoutRecord(new_view.problem, *row.new_record);
  }
  const bool has_constraints = !new_view.problem.constraints.empty();
  const ByteRecord& before = old_view.problem.records[*row.old_record];
  if (!row.new_record) {
    if (!diff.has_same_tasks || has_constraints) return absl::nullopt;
    ProblemSpec problem = new_view.problem;
    AppendRecord(old_view.problem, *row.old_record, &problem);
    return problem;
  }
  ByteRecord reverted = new_view.problem.records[*row.new_record];
  const ByteRecord now = reverted;
  reverted.tensor_size = before.tensor_size;
  // If there are constraints, the tasks are not reverted: a partial order
  // derives them from the users of the record, which are not reverted either.
  if (diff.has_same_tasks && !has_constraints) {
    reverted.first_task = before.first_task;
    reverted.last_task = before.last_task;
  }
  const bool is_same = reverted.tensor_size == now.tensor_size &&
                       reverted.first_task == now.first_task &&
                       reverted.last_task == now.last_task;
  if (is_same) return absl::nullopt;
  ProblemSpec problem = new_view.problem;
  problem.records[*row.new_record] = reverted;
  return problem;
}

}  // namespace stowage::views
