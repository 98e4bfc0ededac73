// SPDX-License-Identifier: Apache-2.0
// Explains why a plan has its size: how much each tensor contributes, which
// records support the highest byte, and where bytes are free. To see a plan,
// draw it with the headers in stowage/views/. For the changes between two
// plans, use plan_diff.h.
//
//   const views::PlanExplanation why = views::ExplainPlan(view);
//   for (const size_t i : why.breadth.at_peak) {
//     std::cout << view.problem.names[i] << " is worth "
//               << why.breadth.values[i].marginal << " bytes\n";
//   }
//
// The total of a plan is the number of bytes that are live at the peak plus the
// number of bytes that are free at the peak. Tensors explain the live bytes.
// Support chains explain the free bytes: each record of a support chain is on
// top of the record below it.
//
//   bytes ^        +-----+ <- highest byte     chain: foot, lifted
//         |        |lift-|
//         |        | ed  |                     lifted is live at the peak,
//         |   +----+-----+                     with fewer live bytes below
//         |   |   foot   |  free               it than `foot` has: the
//         |   |          |-----+               difference is the excess
//         |   +----------+ peak|               of the plan
//         +---------------------->
//                     tasks
//
// An explanation uses only the sizes of the records and their usage intervals
// in the order of task numbers. It is therefore exact for problems with only
// records and alignments. If a problem has other constraints, WhyBoundDiffers
// returns the reason why its lower bound may differ from the breadth. The
// records must satisfy CheckUsageRecords. Tasks are inclusive.
#ifndef STOWAGE_EXPLAIN_EXPLAIN_H_
#define STOWAGE_EXPLAIN_EXPLAIN_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// The contribution of one record, in bytes.
struct RecordValue {
  // The bytes by which the maximum breadth decreases if the record is removed.
  size_t marginal = 0;
  // The bytes by which the maximum breadth decreases if the record is freed
  // before the first peak at which it is live. It is 0 if the record is not
  // live at any peak, or begins at this peak.
  size_t if_ended_before_peak = 0;
};

// The maximum number of bytes that are live at the same time, and the records
// that determine it.
struct BreadthExplanation {
  size_t breadth = 0;  // the maximum breadth, which equals OffsetsLowerBound
  // The tasks at which `breadth` bytes are live and some record begins, in
  // rising order. Empty if all records have 0 bytes.
  std::vector<TaskId> peaks;
  // For each entry of `peaks`, the last task of the run of tasks that begins
  // with it, at which `breadth` bytes are live and no other record begins.
  std::vector<TaskId> peak_ends;
  std::vector<RecordValue> values;  // is indexed by record
  // The records that have bytes and are live at some peak. They are sorted by
  // decreasing marginal value, then by decreasing size, and then by index.
  std::vector<size_t> at_peak;
  // A smallest set of records such that removing all of them decreases the
  // breadth, in the order of their first tasks. If some record is live at every
  // peak, the list has only one record: the one with the highest marginal
  // value. Otherwise, the marginal value of every record is 0. There may be
  // other sets of the same size.
  std::vector<size_t> plateau;
};

// Explains the breadth. The marginal value of a record is the breadth minus the
// larger of two numbers: the maximum number of bytes that are live outside of
// the record's lifetime, and the maximum within this lifetime minus the
// record's size. `plateau` is a smallest set of intervals that covers all
// peaks, and is found by a greedy algorithm. O(n log n) time, O(n) memory.
BreadthExplanation ExplainBreadth(absl::Span<const ByteRecord> records);

// Returns the reason why the maximum breadth alone does not determine the lower
// bound of a problem of this kind: "shared objects", "fixed offsets" or
// "constraints". Returns an empty string if it does. In this case, the marginal
// value of a record is also the number of bytes by which the lower bound
// decreases if the record is removed.
std::string WhyBoundDiffers(const ProblemSpec& problem, PlanKind kind);

// One record of a support chain.
struct ChainPart {
  size_t record = 0;
  // The bytes between this record and the part below it, or between this record
  // and the start of the band if this is the lowest part.
  size_t gap = 0;
};

// A part of a support chain that is live at the peak although some bytes below
// it are free at the peak.
struct ChainLift {
  size_t part = 0;  // the part that is lifted, which is live at the peak
  // The first part of the foot, which consists of the parts from `foot` to
  // `part` - 1. These parts are not live at the peak. If only a gap lifts
  // `part`, there is no foot, and `foot` equals `part`.
  size_t foot = 0;
  size_t held = 0;  // bytes below the part, counted from the start of the band
  size_t needed = 0;  // bytes below the part that are live at the peak
  // The bytes below the part that are free at the peak, excluding the bytes
  // that lower lifts already count.
  size_t bytes = 0;
};

// A support chain of the highest byte. Each record is above the previous record
// of the chain, and the two records are both live at some task. The sizes of
// the records, the gaps and `above` add up to the size of the band.
struct SupportChain {
  absl::optional<size_t> band;   // is the pool, and is nothing for an arena
  size_t floor = 0;              // the first byte of the band in the picture
  size_t size = 0;               // the size of the arena or of the pool
  std::vector<ChainPart> parts;  // has the lowest part first
  size_t gaps = 0;               // the sum of the gaps of all parts
  // The bytes above the last part, where all records have 0 bytes.
  size_t above = 0;
  // The largest number of bytes of this band that are live at the same time,
  // and the first task at which so many bytes are live.
  size_t breadth = 0;
  TaskId peak = 0;
  // `size` minus `breadth`, or 0 if `breadth` is larger.
  size_t excess = 0;
  // The lifts, starting with the lowest part. `rest` is the number of bytes
  // above all lifts that are free at the peak. In a safe plan without
  // constraints, the bytes of the lifts and `rest` add up to the excess.
  std::vector<ChainLift> lifts;
  size_t rest = 0;
};

// The use of the bytes of the drawing from `task` to the task of the next
// entry. The three numbers add up to the total size.
struct TaskWaste {
  TaskId task = 0;
  // Bytes that live tensors hold. Bytes that several tensors share count once.
  size_t held = 0;
  size_t inside = 0;  // bytes that are free below a live tensor of their band
  size_t top = 0;  // bytes that are free above all live tensors of their band
};

// The unused bytes of a pool or a shared object.
struct BandWaste {
  size_t records = 0;
  size_t max_held = 0;  // the largest number of bytes that are held at a task
  // The bytes that are free at the first peak of the whole plan.
  size_t free_at_peak = 0;
  // The mean of the free bytes over all tasks, rounded down.
  size_t mean_free = 0;
};

// The unused bytes of a plan, by task and by pool or shared object.
struct PlanWaste {
  // An entry for each task at which a number changes, in rising order.
  std::vector<TaskWaste> tasks;
  // The index of the first entry with the largest value of `inside`, or 0 if
  // there are no entries.
  size_t worst = 0;
  // The sums of `inside` and `top` over all tasks from 0 to the last task of
  // any record, and the means over these tasks, rounded down.
  absl::uint128 inside_sum = 0;
  absl::uint128 top_sum = 0;
  size_t inside_mean = 0;
  size_t top_mean = 0;
  // The values of `inside` and `top` at the first peak. Their sum is the size
  // of the plan minus the bytes that are live at this peak.
  size_t inside_at_peak = 0;
  size_t top_at_peak = 0;
  std::vector<BandWaste> bands;  // has one entry for each of PlanView::bands
};

// The whole explanation of a plan.
struct PlanExplanation {
  BreadthExplanation breadth;
  // One support chain for an arena, or one for each pool with bytes. Empty for
  // shared objects, because the size of each object is simply that of its
  // largest tensor.
  std::vector<SupportChain> chains;
  PlanWaste waste;
};

// Explains a plan with the support chain that has the fewest bytes in gaps and,
// among these chains, the fewest parts. Accepts unsafe plans, but their support
// chains do not explain anything. Holes of a problem count as free bytes. O(n
// log n) time, O(n) memory.
PlanExplanation ExplainPlan(const PlanView& view);

// Returns the name of a record for use in sentences.
using NameRecord = std::function<std::string(size_t record)>;

// Returns sentences that explain the excess of a chain by its largest lifts,
// with all numbers in bytes. If `name` is null, records are named by their id
// and their name, in quotes and escaped. O(parts log parts).
std::string DescribeSupportChain(const PlanView& view,
                                 const SupportChain& chain,
                                 const NameRecord& name = nullptr);

// Returns at most `count` records that are worth passing to ReplanWithout,
// because a plan without one of them is likely to be smaller. The list begins
// with records in the feet of support chains, up to half of `count`, rounded
// up. Records of `at_peak` follow.
std::vector<size_t> ReplanCandidates(const PlanExplanation& why, size_t count);

// Returns the problem without one record. If the problem has constraints, which
// refer to records by index, the record is kept and its size becomes 0. O(n).
ProblemSpec WithoutRecord(const ProblemSpec& problem, size_t record);

// Plans a problem with any strategy and returns the total size.
using PlanTotal =
    std::function<absl::StatusOr<size_t>(const ProblemSpec& problem)>;

// Plans the problem once for each of `records`, without this record. Returns
// the totals in the order of `records`. Error: the first error of `plan`.
absl::StatusOr<std::vector<size_t>> ReplanWithout(
    const ProblemSpec& problem, absl::Span<const size_t> records,
    const PlanTotal& plan);

}  // namespace stowage::views

#endif  // STOWAGE_EXPLAIN_EXPLAIN_H_
