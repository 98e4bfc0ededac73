// SPDX-License-Identifier: Apache-2.0
// Why a plan is as large as it is: what each tensor is worth, what carries the
// highest byte, and where bytes are free. To see the plan use the pictures of
// this folder; for what changed between two plans use plan_diff.h.
//
//   const views::PlanExplanation why = views::ExplainPlan(view);
//   for (const size_t i : why.breadth.at_peak) {
//     std::cout << view.trace.ids[i] << " is worth "
//               << why.breadth.values[i].marginal << " bytes\n";
//   }
//
// A total is the bytes live at the peak, plus the bytes free there. Tensors
// explain the first, towers the second:
//
//   bytes ^        +-----+ <- highest byte     tower: foot, lifted
//         |        |lift-|
//         |        | ed  |                     lifted is live at the peak,
//         |   +----+-----+                     where less than `foot` lies
//         |   |   foot   |  free               beneath it: the difference is
//         |   |          |-----+               the excess of the plan
//         |   +----------+ peak|
//         +---------------------->
//                     tasks
//
// All of this follows from usage intervals in the order of task numbers, so it
// is exact for records with sizes and alignments. Where a problem asks for
// more, WhyBoundDiffers says why its lower bound is another number. Requires
// records that satisfy CheckUsageRecords; tasks are inclusive.
#ifndef STOWAGE_VIEWS_EXPLAIN_H_
#define STOWAGE_VIEWS_EXPLAIN_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"
#include "stowage/views/plan_view.h"

namespace stowage::views {

// What one record is worth, in bytes.
struct RecordValue {
  // What the largest breadth falls by without the record.
  size_t marginal = 0;
  // What it falls by if the record ends before the first peak at which it is
  // live; 0 if it is live at none, or begins there.
  size_t if_ended_before_peak = 0;
};

// The most bytes live at once, and what depends on them.
struct BreadthExplanation {
  size_t breadth = 0;  // OffsetsLowerBound
  // The tasks at which so many are live and some record begins, rising. Empty
  // if no record has bytes.
  std::vector<TaskId> peaks;
  std::vector<RecordValue> values;  // by record
  // Records of some bytes that are live at some peak: by marginal value, then
  // size, both descending, then index.
  std::vector<size_t> at_peak;
  // The fewest records without which the breadth is smaller, by first task: the
  // one worth most if some record is live at every peak, else no single record
  // has a value. The number is exact; other records may do as well.
  std::vector<size_t> plateau;
};

// O(n log n) time, O(n) memory. `marginal` is the breadth less the larger of
// the most bytes live outside of the record's life, and the most inside less
// its size; `plateau` covers the peaks, which are points, by the fewest
// intervals, greedily, which is optimal.
BreadthExplanation ExplainBreadth(absl::Span<const ByteRecord> records);

// Why the lower bound of a problem of this kind is not the largest breadth
// alone, as a phrase: "shared objects", "fixed offsets", "constraints". Empty
// if it is: then marginal values are what the lower bound falls by.
std::string WhyBoundDiffers(const Trace& trace, PlanKind kind);

// One record of a tower.
struct TowerPart {
  size_t record = 0;
  size_t gap = 0;  // bytes beneath it, down to the part below or the floor
};

// Where a tower holds more bytes beneath a record than the peak needs there.
struct TowerLift {
  size_t part = 0;  // of the tower, live at the peak: what is lifted
  // The parts from here to `part` - 1 are not live at the peak: the foot. Equal
  // to `part` if only a gap lifts it.
  size_t foot = 0;
  size_t held = 0;    // bytes beneath the part, from the floor
  size_t needed = 0;  // bytes beneath it that are live at the peak
  size_t bytes = 0;  // free beneath it at the peak, and not beneath lifts below
};

// Records that carry the highest byte: each lies above the one before it, and
// is live with it at some task. Their sizes, the gaps and `above` add up to the
// size of the band.
struct Tower {
  absl::optional<size_t> band;   // the pool; none for an arena
  size_t floor = 0;              // the first byte, in the drawing
  size_t size = 0;               // of the arena or the pool
  std::vector<TowerPart> parts;  // from the floor up
  size_t gaps = 0;               // bytes, of all parts
  size_t above = 0;  // bytes above the last: only records of no bytes are there
  // The most bytes of records in this band live at once, and the first task
  // that has them.
  size_t breadth = 0;
  TaskId peak = 0;
  size_t excess = 0;  // size less breadth; 0 if the breadth is larger
  // By part, rising. With `rest`, bytes free at the peak above all of them, the
  // bytes of the lifts add up to the excess of a safe plan without constraints.
  std::vector<TowerLift> lifts;
  size_t rest = 0;
};

// Bytes of the drawing from `task` to the task of the next entry. They add up
// to the total size.
struct TaskWaste {
  TaskId task = 0;
  size_t held = 0;    // by some live tensor; those that share count once
  size_t inside = 0;  // free below a live tensor of their band
  size_t top = 0;     // free above all live tensors of their band
};

// What a pool or a shared object leaves unused.
struct BandWaste {
  size_t records = 0;
  size_t most_held = 0;     // bytes, at its busiest task
  size_t free_at_peak = 0;  // at the first peak of the whole drawing
  size_t mean_free = 0;     // over all tasks, rounded down
};

struct PlanWaste {
  std::vector<TaskWaste> tasks;  // at which something changes, rising
  // The entry with most bytes free inside, the first of several; 0 without
  // entries.
  size_t worst = 0;
  // Bytes times tasks, from task 0 to the last of any record, and the mean of a
  // task, rounded down.
  absl::uint128 inside_sum = 0;
  absl::uint128 top_sum = 0;
  size_t inside_mean = 0;
  size_t top_mean = 0;
  // At the first peak: what the plan takes beyond the bytes live there.
  size_t inside_at_peak = 0;
  size_t top_at_peak = 0;
  std::vector<BandWaste> bands;  // one for each of PlanView::bands
};

struct PlanExplanation {
  BreadthExplanation breadth;
  // One for an arena, one for each pool with bytes; none for shared objects,
  // each of which is as large as its largest tensor.
  std::vector<Tower> towers;
  PlanWaste waste;
};

// The tower with the fewest bytes in gaps, and of these with the fewest parts.
// Of an unsafe plan, too, whose towers explain nothing. Holes of a problem
// count as free bytes. O(n log n) time, O(n) memory.
PlanExplanation ExplainPlan(const PlanView& view);

// What a sentence calls a record.
using NameRecord = std::function<std::string(size_t record)>;

// Sentences on where the excess of a tower comes from: its largest lifts, with
// all numbers in bytes. Without `name`, records are called by their ids and
// names in quotes, escaped. O(parts log parts).
std::string DescribeTower(const PlanView& view, const Tower& tower,
                          const NameRecord& name = nullptr);

// Records without which a smaller total is likely, best first, at most `count`:
// the feet of towers, then at_peak.
std::vector<size_t> ReplanCandidates(const PlanExplanation& why, size_t count);

// The trace without one record: or, where it has constraints, which name
// records by index, with a record of no bytes in its place. O(n).
Trace WithoutRecord(const Trace& trace, size_t record);

// The total of a plan that the caller makes, by whichever strategy.
using PlanTotal = std::function<absl::StatusOr<size_t>(const Trace& trace)>;

// The totals of plans for the trace without each of `records`, in their order.
// Error: the first of `plan`.
absl::StatusOr<std::vector<size_t>> ReplanWithout(
    const Trace& trace, absl::Span<const size_t> records,
    const PlanTotal& plan);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_EXPLAIN_H_
