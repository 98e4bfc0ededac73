// Plans for usage records: the calls that most programs need.
//
// AssignObjectsToTensors and AssignOffsetsToTensors take what TensorFlow Lite's
// functions of these names take, so that porting is a change of namespace:
//
//   stowage::OffsetsAssignment plan;
//   absl::Status status = stowage::AssignOffsetsToTensors(
//       records, stowage::MemoryStrategy::GREEDY_BY_SIZE, &plan);
//
// Plan returns the assignment with its status, bound and time, and takes any
// registered strategy by name.
//
// Every plan they return has passed FindViolation (verify.h). Records may come
// in any order. Errors, of all three:
//   InvalidArgument  a record, an alignment, the reallocation graph or a fixed
//                    offset is invalid; the message names it
//   OutOfRange       the sizes, padded to the alignment, pass 2^64 - 1 in sum;
//                    the message names the record where they do; or there are
//                    more than kMaxRecords records
//   Unimplemented    the strategy cannot do what was asked: it never drops a
//                    constraint
//   ResourceExhausted
//                    the strategy gave up: the records are too many for it
//   NotFound         no strategy has that name
//   Internal         the strategy returned an unsafe plan: a bug, caught
#ifndef STOWAGE_PLANNER_H_
#define STOWAGE_PLANNER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage {

// Assigns a shared object to every tensor. TensorSizeT is size_t, uint2, uint3
// or BHWC. `reallocation_graph` may be null; graph[x] lists the records that
// may take over the object of record x. On error `assignment` is unchanged.
template <typename TensorSizeT>
absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph = nullptr);

// Assigns an offset in one arena to every tensor, in bytes, each a multiple of
// `base_addr_align_bytes` (a power of two). On error `assignment` is unchanged.
absl::Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes = 1,
    const UsageGraph* reallocation_graph = nullptr);

enum class PlanKind { kOffsets, kObjects };

enum class PlanStatus {
  kOptimal,     // proved: `reason` says how
  kFeasible,    // safe; may or may not be the smallest there is
  kInfeasible,  // proved: no plan fits the capacity; there is no assignment
  kDeadline,    // the search ended before it knew whether one fits: none either
};

// "offsets", "objects".
absl::string_view PlanKindName(PlanKind kind);
// "optimal", "feasible", "infeasible", "deadline".
absl::string_view PlanStatusName(PlanStatus status);

struct PlanOptions {
  std::string strategy = "greedy_best";
  PlanKind kind = PlanKind::kOffsets;
  Alignments alignments;  // of offsets; shared objects are allocated apart
  const UsageGraph* reallocation_graph = nullptr;  // not owned
  // Offsets that are given, in bytes: empty, or an entry for every record.
  absl::Span<const absl::optional<size_t>> fixed_offsets;
  // Bytes that the plan may use. Below the lower bound the answer is
  // kInfeasible. A strategy that searches decides it: kOptimal, kFeasible,
  // kInfeasible or kDeadline. Of any other a plan that turns out larger is
  // still returned.
  absl::optional<size_t> capacity;
  SearchOptions search;  // for strategies with that feature
};

struct PlanResult {
  PlanKind kind = PlanKind::kOffsets;
  OffsetsAssignment offsets;          // when kind is kOffsets
  ObjectsAssignment<size_t> objects;  // when kind is kObjects
  PlanStatus status = PlanStatus::kFeasible;
  std::string reason;      // what proves kOptimal and kInfeasible
  size_t total_size = 0;   // bytes; of objects, the sum of their sizes
  size_t lower_bound = 0;  // bytes; proved: of profile.h, or by a search
  size_t naive_size = 0;   // bytes; the sum of all sizes
  absl::Duration time;     // of the strategy's own call
  // What a search has proved besides; empty for other strategies, but for the
  // conflict of offsets that exceed the capacity at one task.
  SearchReport report;
};

// One plan. Costs what the strategy costs, plus O(n log n) to bound and verify.
absl::StatusOr<PlanResult> Plan(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const PlanOptions& options = PlanOptions());

}  // namespace stowage

#endif  // STOWAGE_PLANNER_H_
