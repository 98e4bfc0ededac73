#include "stowage/planner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/fixed_offsets.h"
#include "stowage/profile.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using Clock = std::chrono::steady_clock;

bool Supports(const StrategyFeatures& can, size_t /*type*/) {
  return can.objects;
}
bool Supports(const StrategyFeatures& can, uint2 /*type*/) {
  return can.extents;
}
bool Supports(const StrategyFeatures& can, uint3 /*type*/) {
  return can.extents;
}
bool Supports(const StrategyFeatures& can, BHWC /*type*/) { return can.bhwc; }

absl::string_view WhatIs(size_t /*type*/) { return "shared objects"; }
absl::string_view WhatIs(uint2 /*type*/) { return "2-D extents"; }
absl::string_view WhatIs(uint3 /*type*/) { return "3-D extents"; }
absl::string_view WhatIs(BHWC /*type*/) { return "BHWC shapes"; }

absl::Status Refuse(const Strategy& strategy, absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat(
      "strategy '", strategy.info().name, "' does not support ", what));
}

absl::Status CheckReallocationGraph(const Strategy& strategy,
                                    const UsageGraph* graph, size_t records) {
  if (graph == nullptr) return absl::OkStatus();
  if (!strategy.info().features.reallocation_graph) {
    return Refuse(strategy, "a reallocation graph");
  }
  if (graph->size() != records) {
    return absl::InvalidArgumentError(
        absl::StrCat("reallocation graph: it has ", graph->size(),
                     " entries for ", records, " records"));
  }
  for (size_t x = 0; x < graph->size(); ++x) {
    for (const size_t y : (*graph)[x]) {
      if (y < records) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("reallocation graph: entry ", x, " lists record ", y,
                       ", but there are ", records, " records"));
    }
  }
  return absl::OkStatus();
}

// Any plan that only ever places a record on the floor or on others' ends
// stays below the sum of sizes and paddings, so strategies need no checks of
// their own once that sum is known to fit.
absl::Status CheckPaddedSum(absl::Span<const ByteRecord> records,
                            const Alignments& alignments) {
  size_t sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const absl::optional<size_t> padded =
        CheckedAdd(records[i].tensor_size, alignments.Of(i) - 1);
    const absl::optional<size_t> next =
        padded ? CheckedAdd(sum, *padded) : absl::nullopt;
    if (!next) {
      return absl::OutOfRangeError(
          absl::StrCat("record ", i, ": its size ", records[i].tensor_size,
                       " with alignment ", alignments.Of(i),
                       " takes the sum of the sizes past 2^64 - 1"));
    }
    sum = *next;
  }
  return absl::OkStatus();
}

// What the strategy interface promises to implementations, for shared objects.
template <typename TensorSizeT>
absl::Status CheckObjectsRequest(
    const Strategy& strategy,
    absl::Span<const TensorUsageRecord<TensorSizeT>> records,
    const StrategyOptions& options) {
  if (!Supports(strategy.info().features, TensorSizeT{})) {
    return Refuse(strategy, WhatIs(TensorSizeT{}));
  }
  if (absl::Status s = CheckUsageRecords(records); !s.ok()) return s;
  if (absl::Status s = options.alignments.Check(records.size()); !s.ok()) {
    return s;
  }
  if (!options.fixed_offsets.empty()) {
    return Refuse(strategy, "fixed offsets of shared objects");
  }
  if (options.reallocation_graph != nullptr &&
      !std::is_same_v<TensorSizeT, size_t>) {
    return Refuse(strategy, absl::StrCat("a reallocation graph of ",
                                         WhatIs(TensorSizeT{})));
  }
  return CheckReallocationGraph(strategy, options.reallocation_graph,
                                records.size());
}

// The same for offsets.
absl::Status CheckOffsetsRequest(const Strategy& strategy,
                                 absl::Span<const ByteRecord> records,
                                 const StrategyOptions& options) {
  if (!strategy.info().features.offsets) return Refuse(strategy, "offsets");
  if (absl::Status s = CheckUsageRecords(records); !s.ok()) return s;
  if (absl::Status s = options.alignments.Check(records.size()); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckPaddedSum(records, options.alignments); !s.ok()) {
    return s;
  }
  if (!options.fixed_offsets.empty() &&
      !strategy.info().features.fixed_offsets) {
    return Refuse(strategy, "fixed offsets");
  }
  if (absl::Status s =
          CheckFixedOffsets(records, options.alignments, options.fixed_offsets);
      !s.ok()) {
    return s;
  }
  return CheckReallocationGraph(strategy, options.reallocation_graph,
                                records.size());
}

absl::Status Unsafe(const Strategy& strategy, const Violation& violation) {
  return absl::InternalError(
      absl::StrCat("strategy '", strategy.info().name,
                   "' returned an unsafe plan: ", Describe(violation)));
}

// Verified plans, for requests that have been checked.
template <typename TensorSizeT>
absl::StatusOr<ObjectsAssignment<TensorSizeT>> PlanVerifiedObjects(
    const Strategy& strategy,
    absl::Span<const TensorUsageRecord<TensorSizeT>> records,
    const StrategyOptions& options, absl::Duration* time) {
  const Clock::time_point start = Clock::now();
  absl::StatusOr<ObjectsAssignment<TensorSizeT>> plan =
      strategy.PlanObjects(records, options);
  *time = absl::FromChrono(Clock::now() - start);
  if (!plan.ok()) return plan;
  if (auto violation = FindViolation(records, *plan)) {
    return Unsafe(strategy, *violation);
  }
  return plan;
}

absl::StatusOr<OffsetsAssignment> PlanVerifiedOffsets(
    const Strategy& strategy, absl::Span<const ByteRecord> records,
    const StrategyOptions& options, absl::Duration* time) {
  const Clock::time_point start = Clock::now();
  absl::StatusOr<OffsetsAssignment> plan =
      strategy.PlanOffsets(records, options);
  *time = absl::FromChrono(Clock::now() - start);
  if (!plan.ok()) return plan;
  if (auto violation = FindViolation(records, *plan, options.alignments)) {
    return Unsafe(strategy, *violation);
  }
  return plan;
}

// Fills in the assignment of `result`, its total and its time.
absl::Status Assign(const Strategy& strategy,
                    absl::Span<const ByteRecord> records,
                    const StrategyOptions& options, PlanResult* result) {
  if (result->kind == PlanKind::kOffsets) {
    absl::StatusOr<OffsetsAssignment> plan =
        PlanVerifiedOffsets(strategy, records, options, &result->time);
    if (!plan.ok()) return plan.status();
    result->offsets = *std::move(plan);
    result->total_size = result->offsets.total_size;
    return absl::OkStatus();
  }
  absl::StatusOr<ObjectsAssignment<size_t>> plan =
      PlanVerifiedObjects(strategy, records, options, &result->time);
  if (!plan.ok()) return plan.status();
  result->objects = *std::move(plan);
  const absl::StatusOr<size_t> total = TotalSize(result->objects);
  if (!total.ok()) return total.status();
  result->total_size = *total;
  return absl::OkStatus();
}

// The lower bound of the kind asked for, and a phrase that says why it holds.
struct Bound {
  size_t bytes = 0;
  std::string reason;
  TaskId task = 0;  // of offsets
};

Bound LowerBound(absl::Span<const ByteRecord> records, PlanKind kind) {
  if (kind == PlanKind::kObjects) {
    return {ObjectsLowerBound(records), "the sum of positional maximums", 0};
  }
  const TaskBreadth peak = MaximumBreadth(records);
  return {peak.breadth, absl::StrCat("the bytes alive at task ", peak.task),
          peak.task};
}

// The tensors of a task that is too broad, without those, from the smallest
// on, that are not needed to exceed the capacity.
void ExplainByTask(absl::Span<const ByteRecord> records,
                   const Alignments& alignments, TaskId task, size_t capacity,
                   SearchReport* report) {
  report->conflict = TaskProfile(records, task);
  size_t sum = 0;
  for (const size_t i : report->conflict) sum += records[i].tensor_size;
  std::vector<size_t>& conflict = report->conflict;
  while (sum - records[conflict.back()].tensor_size > capacity) {
    sum -= records[conflict.back()].tensor_size;
    conflict.pop_back();
  }
  std::sort(conflict.begin(), conflict.end());
  // With one less the sizes fit, but paddings between them may not.
  report->irreducible =
      std::all_of(conflict.begin(), conflict.end(),
                  [&](size_t i) { return alignments.Of(i) == 1; });
}

std::string SearchedReason(const SearchReport& report) {
  return absl::StrCat("the search below ", report.lower_bound,
                      " bytes is complete, ", report.nodes, " nodes");
}

// Says whether the capacity suffices, where a search was to find out.
void Decide(size_t capacity, PlanResult* result) {
  if (result->total_size <= capacity) return;
  result->offsets = OffsetsAssignment();
  result->objects = ObjectsAssignment<size_t>();
  result->total_size = 0;
  if (result->lower_bound > capacity) {
    result->status = PlanStatus::kInfeasible;
    result->reason = SearchedReason(result->report);
  } else {
    result->status = PlanStatus::kDeadline;
    result->reason =
        absl::StrCat("no plan within ", capacity,
                     " bytes was found, nor a proof that there is none");
  }
}

void Claim(const Bound& bound, PlanResult* result) {
  if (result->total_size != result->lower_bound) return;
  result->status = PlanStatus::kOptimal;
  result->reason = result->lower_bound == bound.bytes
                       ? absl::StrCat("the total equals ", bound.reason)
                       : SearchedReason(result->report);
}

}  // namespace

template <typename TensorSizeT>
absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph) {
  const absl::StatusOr<const Strategy*> found =
      FindStrategy(StrategyName(strategy));
  if (!found.ok()) return found.status();
  const auto records = absl::MakeConstSpan(usage_records);
  StrategyOptions options;
  options.reallocation_graph = reallocation_graph;
  if (absl::Status s = CheckObjectsRequest(**found, records, options);
      !s.ok()) {
    return s;
  }
  absl::Duration time;
  absl::StatusOr<ObjectsAssignment<TensorSizeT>> plan =
      PlanVerifiedObjects(**found, records, options, &time);
  if (!plan.ok()) return plan.status();
  *assignment = *std::move(plan);
  return absl::OkStatus();
}

template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<size_t>>&, MemoryStrategy,
    ObjectsAssignment<size_t>*, const UsageGraph*);
template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<uint2>>&, MemoryStrategy,
    ObjectsAssignment<uint2>*, const UsageGraph*);
template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<uint3>>&, MemoryStrategy,
    ObjectsAssignment<uint3>*, const UsageGraph*);
template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<BHWC>>&, MemoryStrategy,
    ObjectsAssignment<BHWC>*, const UsageGraph*);

absl::Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes, const UsageGraph* reallocation_graph) {
  const absl::StatusOr<const Strategy*> found =
      FindStrategy(StrategyName(strategy));
  if (!found.ok()) return found.status();
  StrategyOptions options;
  options.alignments = base_addr_align_bytes;
  options.reallocation_graph = reallocation_graph;
  if (absl::Status s = CheckOffsetsRequest(**found, usage_records, options);
      !s.ok()) {
    return s;
  }
  absl::Duration time;
  absl::StatusOr<OffsetsAssignment> plan =
      PlanVerifiedOffsets(**found, usage_records, options, &time);
  if (!plan.ok()) return plan.status();
  *assignment = *std::move(plan);
  return absl::OkStatus();
}

absl::string_view PlanKindName(PlanKind kind) {
  return kind == PlanKind::kOffsets ? "offsets" : "objects";
}

absl::string_view PlanStatusName(PlanStatus status) {
  switch (status) {
    case PlanStatus::kOptimal:
      return "optimal";
    case PlanStatus::kFeasible:
      return "feasible";
    case PlanStatus::kInfeasible:
      return "infeasible";
    case PlanStatus::kDeadline:
      return "deadline";
  }
  return "unknown";
}

absl::StatusOr<PlanResult> Plan(absl::Span<const ByteRecord> records,
                                const PlanOptions& options) {
  const absl::StatusOr<const Strategy*> strategy =
      FindStrategy(options.strategy);
  if (!strategy.ok()) return strategy.status();
  StrategyOptions request = {options.alignments,    options.reallocation_graph,
                             options.fixed_offsets, options.search,
                             options.capacity,      /*report=*/nullptr};
  const absl::Status checked =
      options.kind == PlanKind::kOffsets
          ? CheckOffsetsRequest(**strategy, records, request)
          : CheckObjectsRequest(**strategy, records, request);
  if (!checked.ok()) return checked;
  const Bound bound = LowerBound(records, options.kind);
  PlanResult result;
  result.kind = options.kind;
  result.lower_bound = bound.bytes;
  result.naive_size = NaiveSize(records);
  if (options.capacity && bound.bytes > *options.capacity) {
    result.status = PlanStatus::kInfeasible;
    result.reason = absl::StrCat(bound.reason, ", ", bound.bytes,
                                 ", exceed the capacity ", *options.capacity);
    if (options.kind == PlanKind::kOffsets) {
      ExplainByTask(records, options.alignments, bound.task, *options.capacity,
                    &result.report);
    }
    return result;
  }
  request.report = &result.report;
  if (absl::Status s = Assign(**strategy, records, request, &result); !s.ok()) {
    return s;
  }
  result.lower_bound = std::max(bound.bytes, result.report.lower_bound);
  if ((*strategy)->info().features.search && options.capacity) {
    Decide(*options.capacity, &result);
  }
  if (result.status == PlanStatus::kFeasible) Claim(bound, &result);
  return result;
}

}  // namespace stowage
