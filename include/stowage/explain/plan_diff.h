// SPDX-License-Identifier: Apache-2.0
// Explains the difference between the totals of two plans as a sum of changes,
// which is exactly this difference. To explain a single plan, use explain.h.
//
//   const absl::StatusOr<views::PlanDiff> diff =
//       views::DiffPlans(old_view, new_view);
//   if (!diff.ok()) return diff.status();
//   for (const views::DiffRow& row : diff->rows) ...
//
// Each tensor contributes the change of its live bytes between the peaks of the
// two plans:
//
//   the change of the total
//     = the sum over all tensors of
//         (bytes live at the peak of NEW) - (bytes live at the peak of OLD),
//         which is the change of the breadth
//     + the change of (lower bound - breadth), which is 0 without constraints
//     + the change of (total - lower bound), the bytes free at the peak
//
// The two plans may be of different versions of a model. The tensors of the two
// versions are matched; tensors without a match are new or gone. The sum is
// exact for any matching. Tasks are inclusive.
#ifndef STOWAGE_EXPLAIN_PLAN_DIFF_H_
#define STOWAGE_EXPLAIN_PLAN_DIFF_H_

#include <cstddef>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// The key by which the tensors of two problems are matched. If several tensors
// have the same key, they are matched in the order of their first tasks.
enum class MatchBy {
  // First the name. The tensors that remain are matched by the operator that
  // computes the tensor, its shape and its type together. If one of the
  // problems has no names, no operators and no shapes of tensors, all tensors
  // are matched by id.
  kWhatIsKnown,
  kId,
  kName,
};

// Returns, for each record of OLD, the index of its match in NEW, or nullopt if
// the record is gone. No two records have the same match. O(n log n).
std::vector<absl::optional<size_t>> MatchTensors(const ProblemSpec& old_problem,
                                                 const ProblemSpec& new_problem,
                                                 MatchBy by);

// A tensor with different numbers of live bytes at the two peaks.
struct DiffRow {
  enum class Reason {
    kNew,           // the record has no match in OLD
    kGone,          // the record has no match in NEW
    kGrew,          // the record is live at both peaks and is larger in NEW
    kShrank,        // the record is live at both peaks and is smaller in NEW
    kNowLive,       // the record is live only at the peak of NEW
    kNoLongerLive,  // the record is live only at the peak of OLD
  };
  Reason reason = Reason::kNew;
  absl::optional<size_t> old_record;
  absl::optional<size_t> new_record;
  size_t old_bytes = 0;  // bytes that are live at the peak of OLD
  size_t new_bytes = 0;  // bytes that are live at the peak of NEW

  absl::int128 change() const {
    return absl::int128(new_bytes) - absl::int128(old_bytes);
  }
};

// Returns "new", "gone", "grew", "shrank", "now live" or "no longer live".
absl::string_view ReasonName(DiffRow::Reason reason);

// The sizes of one of the two plans, in bytes.
struct DiffSide {
  size_t total = 0;
  size_t lower_bound = 0;
  size_t breadth = 0;
  // A task at which `breadth` bytes are live, or nullopt if all records have 0
  // bytes.
  absl::optional<TaskId> peak;
};

// The difference between two plans, OLD and NEW.
struct PlanDiff {
  DiffSide old_side;
  DiffSide new_side;
  // The rows are sorted by decreasing size of the change, then by index in NEW,
  // and then by index in OLD.
  std::vector<DiffRow> rows;
  size_t matched = 0;            // the number of tensors that match
  std::vector<size_t> gone;      // records of OLD without a match
  std::vector<size_t> appeared;  // records of NEW without a match
  // True if both traces have the same task numbers with the same operators.
  bool has_same_tasks = false;
  // The task of NEW that corresponds to the peak of OLD, if it is known. If
  // both traces have the same tasks, it is the task with the same number.
  // Otherwise it is the first task in NEW of some tensor that begins at the
  // peak in OLD. If the task is not a peak of NEW, the peak has moved.
  absl::optional<TaskId> old_peak_in_new;
  size_t old_peak_now = 0;  // bytes that are live at old_peak_in_new
  bool has_peak_moved = false;

  // These functions return the three changes and their sum. Each change is a
  // number of NEW minus the corresponding number of OLD.
  absl::int128 TensorsChange() const;  // returns the sum over `rows`
  // Returns the change of (lower bound - breadth).
  absl::int128 BoundChange() const;
  // Returns the change of (total - lower bound).
  absl::int128 GapsChange() const;
  absl::int128 TotalChange() const;  // returns the change of the total
};

// Compares two plans. If a plan has several peaks, prefers a peak that both
// plans have. The sum is exact even for unsafe plans. Error: InvalidArgument if
// one plan has offsets and the other has shared objects, unless one of the
// problems has no records. O(n log n).
absl::StatusOr<PlanDiff> DiffPlans(const PlanView& old_view,
                                   const PlanView& new_view,
                                   MatchBy by = MatchBy::kWhatIsKnown);

// Returns the problem of NEW with one change reverted; it can then be planned
// again. The tensor gets its size in OLD and, if both problems have the same
// tasks, its lifetime in OLD. A new tensor is left out, and a tensor that is
// gone is added again.
//
// Returns nullopt if reverting is impossible or changes nothing. It is
// impossible for a tensor that is gone if the tasks differ or NEW has
// constraints. It changes nothing for a tensor that is live at a peak only
// because the peak has moved. O(n).
absl::optional<ProblemSpec> RevertChange(const PlanView& old_view,
                                         const PlanView& new_view,
                                         const PlanDiff& diff,
                                         const DiffRow& row);

}  // namespace stowage::views

#endif  // STOWAGE_EXPLAIN_PLAN_DIFF_H_
