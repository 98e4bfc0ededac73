// SPDX-License-Identifier: Apache-2.0
#include "stowage/explain/plan_diff.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

using Matches = std::vector<absl::optional<size_t>>;

absl::int128 Difference(size_t from, size_t to) {
  return absl::int128(to) - absl::int128(from);
}

bool IsLiveInPlan(const PlanView& view, size_t record,
                  const absl::optional<TaskId>& task) {
  const ByteRecord& life = view.problem.records[record];
  return task && life.first_task <= *task && *task <= life.last_task;
}

size_t BytesAt(const PlanView& view, const absl::optional<size_t>& record,
               const absl::optional<TaskId>& task) {
  if (!record || !IsLiveInPlan(view, *record, task)) return 0;
  return view.problem.records[*record].tensor_size;
}

size_t BreadthAt(const PlanView& view, TaskId task) {
  const auto after = std::upper_bound(
      view.profile.begin(), view.profile.end(), task,
      [](TaskId t, const TaskBreadth& step) { return t < step.task; });
  return after == view.profile.begin() ? 0 : (after - 1)->breadth;
}

DiffSide SideOf(const PlanView& view) {
  DiffSide side;
  side.total = view.total_size;
  side.lower_bound = view.lower_bound;
  side.breadth = view.peak_breadth;
  if (!view.peak_tasks.empty()) side.peak = view.peak_tasks.front();
  return side;
}

// Returns every task at which a record begins and the breadth is largest.
// Adjacent peaks are all listed, because they may have no tensor in common.
std::vector<TaskId> PeaksOf(const PlanView& view) {
  std::vector<TaskId> peaks;
  if (view.peak_breadth == 0) return peaks;
  for (const TaskBreadth& at : TaskBreadths(view.problem.records)) {
    if (at.breadth == view.peak_breadth) peaks.push_back(at.task);
  }
  return peaks;
}

// Returns, for each peak of the old plan, the corresponding task of the new
// plan. If both plans have the same tasks, this is the same task. Otherwise it
// is the first task of the new record that matches a record beginning at the
// peak, or nullopt if no record beginning at the peak has a match.
std::vector<absl::optional<TaskId>> PeaksInNew(const PlanView& old_view,
                                               const std::vector<TaskId>& peaks,
                                               const PlanView& new_view,
                                               const Matches& matches,
                                               bool has_same_tasks) {
  std::vector<absl::optional<TaskId>> found(peaks.size());
  if (has_same_tasks) {
    std::copy(peaks.begin(), peaks.end(), found.begin());
    return found;
  }
  for (size_t i = 0; i < matches.size(); ++i) {
    if (!matches[i]) continue;
    const TaskId first = old_view.problem.records[i].first_task;
    const auto peak = std::lower_bound(peaks.begin(), peaks.end(), first);
    if (peak == peaks.end() || *peak != first) continue;
    absl::optional<TaskId>& at =
        found[static_cast<size_t>(peak - peaks.begin())];
    if (!at) at = new_view.problem.records[*matches[i]].first_task;
  }
  return found;
}

void ChoosePeaks(const PlanView& old_view, const PlanView& new_view,
                 const Matches& matches, PlanDiff* diff) {
  const std::vector<TaskId> peaks = PeaksOf(old_view);
  const std::vector<absl::optional<TaskId>> in_new =
      PeaksInNew(old_view, peaks, new_view, matches, diff->has_same_tasks);
  if (in_new.empty()) return;
  diff->old_peak_in_new = in_new.front();
  for (size_t k = 0; k < in_new.size(); ++k) {
    if (!in_new[k]) continue;
    if (BreadthAt(new_view, *in_new[k]) < diff->new_side.breadth) continue;
    diff->old_side.peak = peaks[k];
    diff->old_peak_in_new = in_new[k];
    diff->new_side.peak = in_new[k];
    break;
  }
  if (!diff->old_peak_in_new) return;
  diff->old_peak_now = BreadthAt(new_view, *diff->old_peak_in_new);
  diff->has_peak_moved = diff->old_peak_now < diff->new_side.breadth;
}

DiffRow::Reason ReasonOf(const DiffRow& row) {
  using Reason = DiffRow::Reason;
  if (!row.old_record) return Reason::kNew;
  if (!row.new_record) return Reason::kGone;
  if (row.old_bytes == 0) return Reason::kNowLive;
  if (row.new_bytes == 0) return Reason::kNoLongerLive;
  return row.new_bytes > row.old_bytes ? Reason::kGrew : Reason::kShrank;
}

}  // namespace

absl::string_view ReasonName(DiffRow::Reason reason) {
  switch (reason) {
    case DiffRow::Reason::kNew:
      return "new";
    case DiffRow::Reason::kGone:
      return "gone";
    case DiffRow::Reason::kGrew:
      return "grew";
    case DiffRow::Reason::kShrank:
      return "shrank";
    case DiffRow::Reason::kNowLive:
      return "now live";
    case DiffRow::Reason::kNoLongerLive:
      return "no longer live";
  }
  return "";
}

absl::int128 PlanDiff::TensorsChange() const {
  absl::int128 sum = 0;
  for (const DiffRow& row : rows) sum += row.change();
  return sum;
}

absl::int128 PlanDiff::BoundChange() const {
  return Difference(new_side.breadth, new_side.lower_bound) -
         Difference(old_side.breadth, old_side.lower_bound);
}

absl::int128 PlanDiff::GapsChange() const {
  return Difference(new_side.lower_bound, new_side.total) -
         Difference(old_side.lower_bound, old_side.total);
}

absl::int128 PlanDiff::TotalChange() const {
  return Difference(old_side.total, new_side.total);
}

absl::StatusOr<PlanDiff> DiffPlans(const PlanView& old_view,
                                   const PlanView& new_view, MatchBy by) {
  const ProblemSpec& old_problem = old_view.problem;
  const ProblemSpec& new_problem = new_view.problem;
  const bool are_of_one_kind = old_view.kind == new_view.kind ||
                               old_problem.records.empty() ||
                               new_problem.records.empty();
  if (!are_of_one_kind) {
    return absl::InvalidArgumentError(absl::StrCat(
        new_view.caption.title, ": a plan of ", PlanKindName(new_view.kind),
        "; expected ", PlanKindName(old_view.kind), " as in ",
        old_view.caption.title));
  }
  PlanDiff diff;
  diff.old_side = SideOf(old_view);
  diff.new_side = SideOf(new_view);
  diff.has_same_tasks =
      old_view.task_count == new_view.task_count &&
      old_problem.labels.operators == new_problem.labels.operators;
  const Matches matches = MatchTensors(old_problem, new_problem, by);
  ChoosePeaks(old_view, new_view, matches, &diff);
  const auto add = [&](absl::optional<size_t> old_record,
                       absl::optional<size_t> new_record) {
    DiffRow row;
    row.old_record = old_record;
    row.new_record = new_record;
    row.old_bytes = BytesAt(old_view, old_record, diff.old_side.peak);
    row.new_bytes = BytesAt(new_view, new_record, diff.new_side.peak);
    row.reason = ReasonOf(row);
    if (row.old_bytes != row.new_bytes) diff.rows.push_back(row);
  };
  std::vector<bool> is_matched(new_problem.records.size(), false);
  for (size_t i = 0; i < matches.size(); ++i) {
    add(i, matches[i]);
    if (matches[i]) {
      is_matched[*matches[i]] = true;
      ++diff.matched;
    } else {
      diff.gone.push_back(i);
    }
  }
  for (size_t i = 0; i < is_matched.size(); ++i) {
    if (is_matched[i]) continue;
    add(absl::nullopt, i);
    diff.appeared.push_back(i);
  }
  const auto key = [](const DiffRow& row) {
    const absl::int128 change = row.change();
    return std::make_tuple(change < 0 ? change : -change, !row.new_record,
                           row.new_record.value_or(0),
                           row.old_record.value_or(0));
  };
  std::sort(
      diff.rows.begin(), diff.rows.end(),
      [&](const DiffRow& a, const DiffRow& b) { return key(a) < key(b); });
  return diff;
}

}  // namespace stowage::views
