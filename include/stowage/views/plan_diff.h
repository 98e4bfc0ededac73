// SPDX-License-Identifier: Apache-2.0
// Why the total of one plan is larger or smaller than that of another: an
// account that adds up to the byte. For one plan alone use explain.h.
//
//   const absl::StatusOr<views::PlanDiff> diff =
//       views::DiffPlans(old_view, new_view);
//   if (!diff.ok()) return diff.status();
//   for (const views::DiffRow& row : diff->rows) ...
//
// Every tensor counts with its bytes live at the peak of each plan:
//
//   sum of (bytes at the peak of NEW) - (bytes at the peak of OLD)
//     = the change of the breadth
//   + the change of (lower bound - breadth), 0 without constraints,
//   + the change of (total - lower bound), what is free at the peak
//     = the change of the total
//
// The plans may be of two versions of a model, whose tensors are matched; those
// without a match are new or gone. The account adds up for any matching. Tasks
// are inclusive.
#ifndef STOWAGE_VIEWS_PLAN_DIFF_H_
#define STOWAGE_VIEWS_PLAN_DIFF_H_

#include <cstddef>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"
#include "stowage/views/plan_view.h"

namespace stowage::views {

// Which tensors of two traces are the same. Of several with one key, the first
// of one trace, by first task, is the first of the other, and so on.
enum class MatchBy {
  // By name, and what is left by operator and shape; by id where either trace
  // knows none of these.
  kWhatIsKnown,
  kId,
  kName,
};

// The match of every record of OLD in NEW, by index; nothing for one that is
// gone. No two have the same. O(n log n).
std::vector<absl::optional<size_t>> MatchTensors(const Trace& old_trace,
                                                 const Trace& new_trace,
                                                 MatchBy by);

// One tensor whose bytes at the peak have changed.
struct DiffRow {
  enum class Reason {
    kNew,           // no match in OLD
    kGone,          // no match in NEW
    kGrew,          // live at both peaks
    kShrank,        // live at both peaks
    kNowLive,       // live at the peak of NEW alone
    kNoLongerLive,  // live at the peak of OLD alone
  };
  Reason reason = Reason::kNew;
  absl::optional<size_t> old_record;
  absl::optional<size_t> new_record;
  size_t old_bytes = 0;  // live at the peak of OLD
  size_t new_bytes = 0;  // live at the peak of NEW

  absl::int128 change() const {
    return absl::int128(new_bytes) - absl::int128(old_bytes);
  }
};

// "new", "gone", "grew", "shrank", "now live", "no longer live".
absl::string_view ReasonName(DiffRow::Reason reason);

// What a plan takes.
struct DiffSide {
  size_t total = 0;
  size_t lower_bound = 0;
  size_t breadth = 0;
  absl::optional<TaskId> peak;  // a task with that breadth; none without bytes
};

struct PlanDiff {
  DiffSide old_side;
  DiffSide new_side;
  // By the size of the change, descending, then index in NEW, then OLD.
  std::vector<DiffRow> rows;
  size_t matched = 0;            // tensors
  std::vector<size_t> gone;      // records of OLD without a match
  std::vector<size_t> appeared;  // records of NEW without a match
  // Whether tasks have the same numbers and operators in both.
  bool has_same_tasks = false;
  // The task of NEW that is OLD's peak, where that is known: the same number,
  // or where a tensor begins that began there. If it is not a peak of NEW, the
  // peak has moved.
  absl::optional<TaskId> old_peak_in_new;
  size_t old_peak_now = 0;  // bytes live there in NEW
  bool has_peak_moved = false;

  // The three lines of the account, and their sum.
  absl::int128 TensorsChange() const;  // the sum over `rows`
  absl::int128 BoundChange() const;    // of the lower bound beyond the breadth
  absl::int128 GapsChange() const;     // of the total beyond the lower bound
  absl::int128 TotalChange() const;
};

// Of several peaks, one is taken that is a peak of both, if there is one. The
// plans may be unsafe: the account adds up even so. Error: InvalidArgument for
// offsets against shared objects, unless one trace has no records. O(n log n).
absl::StatusOr<PlanDiff> DiffPlans(const PlanView& old_view,
                                   const PlanView& new_view,
                                   MatchBy by = MatchBy::kWhatIsKnown);

// NEW with one change reverted, without a plan, to be planned: its size and,
// where tasks are the same, its life are those of OLD; a new tensor is left
// out, and one that is gone is back. Nothing where that is not possible or
// changes nothing: of a gone tensor if tasks differ or NEW has constraints, and
// of one that is live at a peak because that has moved. O(n).
absl::optional<Trace> RevertChange(const PlanView& old_view,
                                   const PlanView& new_view,
                                   const PlanDiff& diff, const DiffRow& row);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_PLAN_DIFF_H_
