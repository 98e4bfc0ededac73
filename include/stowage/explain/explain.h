// SPDX-License-Identifier: Apache-2.0
// Explains why a plan is as large as it is: how much each tensor contributes,
// which records support the highest byte, and where bytes are free. To see the
// plan, draw it with the headers in stowage/views/. For the changes between two
// plans, use plan_diff.h.
//
//   const views::PlanExplanation why = views::ExplainPlan(view);
//   for (const size_t i : why.breadth.at_peak) {
//     std::cout << view.problem.names[i] << " is worth "
//               << why.breadth.values[i].marginal << " bytes\n";
//   }
//
// The total of a plan is the sum of the bytes that are live at the peak and the
// bytes that are free at the peak. The first number is explained by tensors.
// The second number is explained by support chains: each record of a support
// chain lies on the record below it.
//
//   bytes ^        +-----+ <- highest byte     chain: foot, lifted
//         |        |lift-|
//         |        | ed  |                     lifted is live at the peak,
//         |   +----+-----+                     where less than `foot` lies
//         |   |   foot   |  free               beneath it: the difference is
//         |   |          |-----+               the excess of the plan
//         |   +----------+ peak|
//         +---------------------->
//                     tasks
//
// An explanation uses only the sizes of the records and their usage intervals
// in the order of task numbers. It is therefore exact for problems that have
// nothing but records and alignments. If a problem has further constraints,
// WhyBoundDiffers says why its lower bound may differ from the breadth. The
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
  // The bytes by which the maximum breadth decreases if the record ends before
  // the first peak at which it is live. It is 0 if the record is live at no
  // peak, or begins at this peak.
  size_t if_ended_before_peak = 0;
};

// The maximum number of bytes live at once, and the records that determine it.
struct BreadthExplanation {
  size_t breadth = 0;  // the maximum breadth, which equals OffsetsLowerBound
  // The tasks at which `breadth` bytes are live and some record begins, in
  // rising order. The list is empty if no record has bytes.
  std::vector<TaskId> peaks;
  std::vector<RecordValue> values;  // is indexed by record
  // The records of at least one byte that are live at some peak. They are
  // sorted by marginal value, then by size, both descending, and then by index.
  std::vector<size_t> at_peak;
  // A smallest set of records without which the breadth is smaller, in the
  // order of their first tasks. If some record is live at every peak, the list
  // has only one record: the one with the highest marginal value. Otherwise, no
  // single record has a marginal value above 0. No smaller set exists, but
  // there may be other sets of this size.
  std::vector<size_t> plateau;
};

// Explains the breadth. `marginal` is the breadth minus the larger of two
// numbers. One is the maximum number of bytes that are live outside the
// record's lifetime; the other is the maximum within this lifetime, minus the
// record's size. `plateau` is a smallest set of intervals that covers all
// peaks; a greedy algorithm finds it. O(n log n) time, O(n) memory.
BreadthExplanation ExplainBreadth(absl::Span<const ByteRecord> records);

// Returns why the lower bound of a problem of this kind is not determined by
// the maximum breadth alone: "shared objects", "fixed offsets", "constraints".
// Returns an empty string if the breadth alone determines the bound. The
// marginal value of a record is then also the number of bytes by which the
// bound decreases if the record is removed.
std::string WhyBoundDiffers(const ProblemSpec& problem, PlanKind kind);

// One record of a support chain.
struct ChainPart {
  size_t record = 0;
  // The bytes between this record and the part below it or, if it is the lowest
  // part, the start of the band.
  size_t gap = 0;
};

// Describes a part of a support chain that is live at the peak, while some
// bytes below this part are free at the peak.
struct ChainLift {
  size_t part = 0;  // the part that is lifted, which is live at the peak
  // The first part of the foot. The foot consists of the parts from `foot` to
  // `part` - 1, which are not live at the peak. If only a gap lifts `part`,
  // there is no foot, and `foot` equals `part`.
  size_t foot = 0;
  size_t held = 0;  // bytes below the part, counted from the start of the band
  size_t needed = 0;  // bytes below the part that are live at the peak
  // The bytes below the part that are free at the peak, except for the bytes
  // that lower lifts already count.
  size_t bytes = 0;
};

// A support chain of the highest byte. Each record lies above the previous
// record of the chain, and the two records are live together at some task. The
// sizes of the records, the gaps and `above` add up to the size of the band.
struct SupportChain {
  absl::optional<size_t> band;   // is the pool, and is nothing for an arena
  size_t floor = 0;              // the first byte of the band in the picture
  size_t size = 0;               // the size of the arena or of the pool
  std::vector<ChainPart> parts;  // has the lowest part first
  size_t gaps = 0;               // the sum of the gaps of all parts
  // The bytes above the last part. Only records of 0 bytes are there.
  size_t above = 0;
  // The largest number of bytes of records in this band that are live at once,
  // and the first task at which it is reached.
  size_t breadth = 0;
  TaskId peak = 0;
  // `size` minus `breadth`, or 0 if `breadth` is larger.
  size_t excess = 0;
  // The lifts, from the lowest part up. `rest` is the number of bytes that are
  // free at the peak above all lifts. In a safe plan without constraints, the
  // bytes of the lifts and `rest` add up to the excess.
  std::vector<ChainLift> lifts;
  size_t rest = 0;
};

// Says how the bytes of the drawing are used from `task` up to the task of the
// next entry. The three numbers add up to the total size.
struct TaskWaste {
  TaskId task = 0;
  // Bytes that live tensors hold, where shared bytes count once.
  size_t held = 0;
  size_t inside = 0;  // bytes that are free below a live tensor of their band
  size_t top = 0;  // bytes that are free above all live tensors of their band
};

// The unused bytes of a pool or a shared object.
struct BandWaste {
  size_t records = 0;
  size_t max_held = 0;  // the largest number of bytes that are held at a task
  // Bytes that are free at the first peak of the whole plan.
  size_t free_at_peak = 0;
  // The mean of the free bytes over all tasks, rounded down.
  size_t mean_free = 0;
};

// The unused bytes of a plan, by task and by pool or shared object.
struct PlanWaste {
  // Tasks at which something changes, in rising order.
  std::vector<TaskWaste> tasks;
  // The index of the first entry with the largest value of `inside`. It is 0 if
  // there are no entries.
  size_t worst = 0;
  // The sums of `inside` and `top` over all tasks from 0 to the last task of
  // any record, and their means over these tasks, rounded down.
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
  // One support chain for an arena, or one for each pool with bytes. There are
  // none for shared objects, because each object is as large as its largest
  // tensor.
  std::vector<SupportChain> chains;
  PlanWaste waste;
};

// Explains a plan by the support chain with the fewest bytes in gaps. If there
// are several such chains, one with the fewest parts is used. An unsafe plan is
// accepted, but its support chains explain nothing. Holes of a problem count as
// free bytes. O(n log n) time, O(n) memory.
PlanExplanation ExplainPlan(const PlanView& view);

// Returns the name that sentences use for a record.
using NameRecord = std::function<std::string(size_t record)>;

// Returns sentences that explain the excess of a chain by its largest lifts,
// with all numbers in bytes. If `name` is null, a record is called by its id
// and its name, in quotes and escaped. O(parts log parts).
std::string DescribeSupportChain(const PlanView& view,
                                 const SupportChain& chain,
                                 const NameRecord& name = nullptr);

// Returns at most `count` records that are worth trying with ReplanWithout:
// without one of these records, a plan is likely to be smaller. The records in
// the feet of support chains come first and take at most half of the list.
// Records of `at_peak` follow.
std::vector<size_t> ReplanCandidates(const PlanExplanation& why, size_t count);

// Returns the problem without one record. Constraints name records by index. If
// the problem has constraints, the record is therefore kept, but its size
// becomes 0. O(n).
ProblemSpec WithoutRecord(const ProblemSpec& problem, size_t record);

// Plans a problem with any strategy and returns the total size.
using PlanTotal =
    std::function<absl::StatusOr<size_t>(const ProblemSpec& problem)>;

// For each of `records`, plans the problem without this record. Returns the
// totals in the order of `records`. Error: the first error of `plan`.
absl::StatusOr<std::vector<size_t>> ReplanWithout(
    const ProblemSpec& problem, absl::Span<const size_t> records,
    const PlanTotal& plan);

}  // namespace stowage::views

#endif  // STOWAGE_EXPLAIN_EXPLAIN_H_
