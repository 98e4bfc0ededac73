// SPDX-License-Identifier: Apache-2.0
#include "src/harness/placement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"

namespace stowage::harness {
namespace {

// What strategies that search may try: most networks need a few hundred.
constexpr uint64_t kSearchNodes = 20'000;

absl::StatusOr<OffsetsAssignment> PlanWith(const ArenaRecords& records,
                                           absl::Span<const size_t> place_first,
                                           const std::string& strategy,
                                           const InterpreterOptions& options) {
  ProblemSpec spec;
  spec.kind = options.kind;
  spec.records = records.records;
  spec.alignment = options.tensor_alignment;
  spec.place_first.assign(place_first.begin(), place_first.end());
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  SolveOptions search;
  // The same plan on every machine, however busy it is.
  search.node_budget = kSearchNodes;
  absl::StatusOr<Solution> solution = Solve(*problem, strategy, search);
  if (!solution.ok()) return solution.status();
  if (options.kind == PlanKind::kOffsets) return solution->offsets();
  return ObjectsToOffsets(*solution->objects(), problem->alignments());
}

// The verifier has passed every plan of a strategy; this one is not from one.
absl::Status CheckBroughtPlan(const ArenaRecords& records,
                              const OffsetsAssignment& plan, size_t alignment) {
  if (plan.offsets.size() != records.records.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the plan has ", plan.offsets.size(),
                     " offsets; expected ", records.records.size()));
  }
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    if (plan.offsets[i] % alignment != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the plan puts tensor ", records.tensors[i], " at ", plan.offsets[i],
          ": expected a multiple of ", alignment));
    }
    if (!CheckedAdd(plan.offsets[i], records.records[i].tensor_size)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the plan puts tensor ", records.tensors[i], " at ",
                       plan.offsets[i], ": its end passes 2^64 - 1"));
    }
  }
  return absl::OkStatus();
}

ArenaPlan Spread(const ArenaRecords& records, const OffsetsAssignment& offsets,
                 size_t tensor_count) {
  ArenaPlan plan;
  plan.offsets.resize(tensor_count);
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    plan.offsets[records.tensors[i]] = offsets.offsets[i];
    plan.arena_bytes = std::max(
        plan.arena_bytes, offsets.offsets[i] + records.records[i].tensor_size);
  }
  return plan;
}

bool CanPlan(const Strategy& strategy, PlanKind kind) {
  return strategy.info().features.Has(
      kind == PlanKind::kOffsets ? Feature::kOffsets : Feature::kObjects);
}

// The smallest of all plans, the first by name among equals.
absl::StatusOr<Placement> Smallest(size_t tensor_count,
                                   const ArenaRecords& records,
                                   absl::Span<const size_t> place_first,
                                   const InterpreterOptions& options) {
  const size_t bound = OffsetsLowerBound(records.records);
  absl::StatusOr<Placement> best =
      absl::InternalError("no strategy plans this kind");
  for (const Strategy* strategy : AllStrategies()) {
    if (best.ok() && best->plan.arena_bytes == bound) break;
    if (!CanPlan(*strategy, options.kind)) continue;
    const std::string& name = strategy->info().name;
    const absl::StatusOr<OffsetsAssignment> offsets =
        PlanWith(records, place_first, name, options);
    // One that gives up leaves the field to the others.
    if (!offsets.ok()) {
      if (!best.ok()) best = offsets.status();
      continue;
    }
    ArenaPlan plan = Spread(records, *offsets, tensor_count);
    if (!best.ok() || plan.arena_bytes < best->plan.arena_bytes) {
      best = Placement{std::move(plan), name};
    }
  }
  return best;
}

}  // namespace

absl::StatusOr<Placement> PlaceFirst(const ArenaGraph& graph,
                                     absl::Span<const Lifetime> lifetimes,
                                     size_t last_node,
                                     const InterpreterOptions& options) {
  const ArenaRecords records = RecordsOf(graph, lifetimes, last_node);
  const std::vector<size_t> place_first = PlacedFirst(records, lifetimes);
  absl::StatusOr<Placement> result;
  if (options.planner != nullptr) {
    const absl::StatusOr<OffsetsAssignment> offsets = options.planner(records);
    if (!offsets.ok()) return offsets.status();
    const absl::Status status =
        CheckBroughtPlan(records, *offsets, options.tensor_alignment);
    if (!status.ok()) return status;
    result = Placement{Spread(records, *offsets, graph.tensors.size()),
                       "a planner of the caller's"};
  } else if (options.strategy.empty()) {
    result = Smallest(graph.tensors.size(), records, place_first, options);
  } else {
    const absl::StatusOr<OffsetsAssignment> offsets =
        PlanWith(records, place_first, options.strategy, options);
    if (!offsets.ok()) return offsets.status();
    result = Placement{Spread(records, *offsets, graph.tensors.size()),
                       options.strategy};
  }
  if (!result.ok()) return result;
  result->plan.persistent_bytes = 0;
  const absl::Status status = PlacePersistent(
      graph, lifetimes, 0, last_node, options.tensor_alignment, &result->plan);
  if (!status.ok()) return status;
  return result;
}

}  // namespace stowage::harness
