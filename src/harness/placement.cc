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
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/error_payload.h"
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
                                           const MemoryPlan& plan,
                                           const std::string& strategy,
                                           const InterpreterOptions& options) {
  ProblemSpec spec;
  spec.kind = options.kind;
  spec.records = records.records;
  spec.alignment = options.tensor_alignment;
  spec.place_first = PlacedFirst(records, plan.lifetimes);
  spec.constraints.order = plan.order;
  spec.constraints.users = records.users;
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
      return WithTensor(
          absl::InvalidArgumentError(absl::StrCat(
              "tensor ", records.tensors[i], ": offset ", plan.offsets[i],
              " in the plan; expected a multiple of ", alignment)),
          records.tensors[i]);
    }
    if (!CheckedAdd(plan.offsets[i], records.records[i].tensor_size)) {
      return WithTensor(
          absl::InvalidArgumentError(absl::StrCat(
              "tensor ", records.tensors[i], ": offset ", plan.offsets[i],
              " in the plan overflows 64 bits at its end")),
          records.tensors[i]);
    }
  }
  return absl::OkStatus();
}

// Offsets of records, and the strategy that made them.
struct Placement {
  OffsetsAssignment offsets;
  std::string strategy;
};

size_t EndOf(const ArenaRecords& records, const OffsetsAssignment& plan) {
  size_t end = 0;
  for (size_t i = 0; i < records.records.size(); ++i) {
    end = std::max(end, plan.offsets[i] + records.records[i].tensor_size);
  }
  return end;
}

bool CanPlan(const Strategy& strategy, const MemoryPlan& plan, PlanKind kind) {
  const FeatureSet& features = strategy.info().features;
  return features.Has(kind == PlanKind::kOffsets ? Feature::kOffsets
                                                 : Feature::kObjects) &&
         (!plan.order || features.Has(Feature::kPartialOrder));
}

// The smallest of all plans, the first by name among equals.
absl::StatusOr<Placement> Smallest(const ArenaRecords& records,
                                   const MemoryPlan& plan,
                                   const InterpreterOptions& options) {
  const size_t bound = OffsetsLowerBound(records.records);
  absl::StatusOr<Placement> best =
      absl::InternalError("no strategy plans this kind; expected one at least");
  size_t smallest = 0;
  for (const Strategy* strategy : AllStrategies()) {
    if (best.ok() && smallest == bound) break;
    if (!CanPlan(*strategy, plan, options.kind)) continue;
    const std::string& name = strategy->info().name;
    absl::StatusOr<OffsetsAssignment> offsets =
        PlanWith(records, plan, name, options);
    // Where one gives up, the others remain.
    if (!offsets.ok()) {
      if (!best.ok()) best = offsets.status();
      continue;
    }
    const size_t size = EndOf(records, *offsets);
    if (best.ok() && size >= smallest) continue;
    best = Placement{*std::move(offsets), name};
    smallest = size;
  }
  return best;
}

absl::StatusOr<Placement> PlaceRecords(const ArenaRecords& records,
                                       const MemoryPlan& plan,
                                       const InterpreterOptions& options) {
  if (options.planner == nullptr && options.strategy.empty()) {
    return Smallest(records, plan, options);
  }
  absl::StatusOr<OffsetsAssignment> offsets =
      options.planner != nullptr
          ? options.planner(records)
          : PlanWith(records, plan, options.strategy, options);
  if (!offsets.ok()) return offsets.status();
  if (options.planner == nullptr) {
    return Placement{*std::move(offsets), options.strategy};
  }
  const absl::Status status =
      CheckBroughtPlan(records, *offsets, options.tensor_alignment);
  if (!status.ok()) return status;
  return Placement{*std::move(offsets), "a planner of the caller's"};
}

}  // namespace

absl::Status PlaceFirst(const InterpreterOptions& options, MemoryPlan* plan) {
  const ArenaRecords records = plan->Records();
  absl::StatusOr<Placement> placement = PlaceRecords(records, *plan, options);
  if (!placement.ok()) return placement.status();
  plan->strategy = std::move(placement->strategy);
  plan->arena_bytes = EndOf(records, placement->offsets);
  plan->offsets.assign(plan->graph.tensors.size(), absl::nullopt);
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    plan->offsets[records.tensors[i]] = placement->offsets.offsets[i];
  }
  return PlacePersistent(plan->graph, plan->lifetimes, 0, plan->last_node(),
                         plan->alignment, plan);
}

absl::Status PlaceNext(size_t first_node, bool preserves_all,
                       MemoryPlan* plan) {
  for (size_t t = plan->lifetimes.size(); t < plan->graph.tensors.size(); ++t) {
    plan->lifetimes.push_back({absl::nullopt, absl::nullopt, t});
  }
  for (size_t node = first_node; node < plan->prepared_nodes; ++node) {
    for (const size_t t : plan->graph.nodes[node].temporaries) {
      Lifetime& lifetime = plan->lifetimes[t];
      if (!lifetime.first) lifetime.first = node;
      if (!preserves_all) lifetime.last = node;
    }
  }
  return PlaceTensors(plan->graph, plan->lifetimes, first_node,
                      plan->last_node(), plan->alignment, plan);
}

}  // namespace stowage::harness
