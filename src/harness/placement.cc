// SPDX-License-Identifier: Apache-2.0
#include "src/harness/placement.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/build_program.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/verify_placement.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/sharing.h"

namespace stowage::harness {
namespace {

using Clock = std::chrono::steady_clock;

// The node budget of strategies that search. For most networks, a few hundred
// nodes are enough.
constexpr uint64_t kSearchNodes = 20'000;

// The time limit for a plan that chooses which groups to keep. Making such a
// plan requires solving many problems.
constexpr absl::Duration kChoiceTime = absl::Seconds(1);

// The offsets of records, and the strategy that found them.
struct Placement {
  OffsetsAssignment offsets;
  std::string strategy;
  // The place of each record in its group. Empty unless the groups are
  // optional. Records of groups that are not kept have no place.
  std::vector<RecordPlace> places = {};
};

// The limits of the search for one plan, shared by all strategies that are
// tried for the plan.
class SearchLimits {
 public:
  SearchLimits(const InterpreterOptions& options, bool chooses_groups) {
    search_.time_limit_ns = kNoTimeLimit;
    search_.node_budget = options.node_budget;
    if (options.time_limit) {
      search_.time_limit_ns = absl::ToInt64Nanoseconds(*options.time_limit);
    } else if (!options.node_budget) {
      // Unlike a time limit, a node budget leads to the same plan on every
      // machine. A time limit is set as well only if groups are chosen, because
      // that may take long.
      search_.node_budget = kSearchNodes;
      if (chooses_groups) {
        search_.time_limit_ns = absl::ToInt64Nanoseconds(kChoiceTime);
      }
    }
  }

  // Returns the part of the limits that remains.
  SolveOptions Left() const {
    SolveOptions left = search_;
    if (left.time_limit_ns != kNoTimeLimit) {
      const int64_t spent_ns =
          absl::ToInt64Nanoseconds(absl::FromChrono(Clock::now() - begin_));
      left.time_limit_ns = std::max<int64_t>(left.time_limit_ns - spent_ns, 0);
    }
    if (left.node_budget) {
      *left.node_budget -= std::min(*left.node_budget, nodes_);
    }
    return left;
  }

  void Spend(uint64_t nodes) { nodes_ += nodes; }

 private:
  SolveOptions search_;
  const Clock::time_point begin_ = Clock::now();
  uint64_t nodes_ = 0;
};

ProblemSpec SpecOf(const ArenaRecords& records, const MemoryPlan& plan,
                   const InterpreterOptions& options) {
  ProblemSpec spec;
  spec.kind = options.kind;
  spec.records = records.records;
  spec.alignment = options.tensor_alignment;
  spec.place_first = PlacedFirst(records, plan.lifetimes);
  spec.constraints.order = plan.order;
  spec.constraints.users = records.users;
  spec.constraints.places = records.places;
  spec.groups_are_optional = !records.places.empty();
  return spec;
}

// Checks a plan made by a planner that the caller provides. Plans of strategies
// are not checked here, because the verifier has already checked them.
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

// Returns the place of each tensor in its group, computed from the places of
// records.
std::vector<RecordPlace> TensorPlaces(const ArenaRecords& records,
                                      const MemoryPlan& plan,
                                      const std::vector<RecordPlace>& places) {
  std::vector<RecordPlace> result(plan.graph.tensors.size());
  for (size_t i = 0; i < places.size(); ++i) {
    result[records.tensors[i]] = places[i];
  }
  return result;
}

// Returns the strategies that support this kind of plan, sorted by name. If
// groups have to be chosen, the strategies that search come last, because they
// are slow and each would have to solve many problems.
std::vector<const Strategy*> StrategiesFor(const MemoryPlan& plan,
                                           PlanKind kind, bool chooses_groups) {
  std::vector<const Strategy*> strategies = AllStrategies();
  strategies.erase(std::remove_if(strategies.begin(), strategies.end(),
                                  [&](const Strategy* strategy) {
                                    return !CanPlan(*strategy, plan, kind);
                                  }),
                   strategies.end());
  if (chooses_groups) {
    std::stable_partition(
        strategies.begin(), strategies.end(),
        [](const Strategy* strategy) { return !strategy->info().is_search; });
  }
  return strategies;
}

// Plans the same records with several strategies. The problem is created only
// once, because creating it takes time.
class StrategyTrials {
 public:
  // All arguments must outlive this object.
  StrategyTrials(const ArenaRecords& records, const MemoryPlan& plan,
                 const InterpreterOptions& options)
      : records_(records),
        plan_(plan),
        kind_(options.kind),
        chooses_groups_(!records.places.empty()),
        limits_(options, chooses_groups_),
        problem_(Problem::Create(SpecOf(records, plan, options))) {}

  absl::StatusOr<Placement> PlanWith(const std::string& strategy);
  // Returns the smallest plan of all strategies. If groups are optional, ties
  // are broken in favor of the plan that avoids the most copies. Remaining ties
  // are broken in favor of the first plan.
  absl::StatusOr<Placement> Smallest();

 private:
  size_t LeastBytes() const;
  size_t CopiesAvoided(const std::vector<RecordPlace>& places) const;

  const ArenaRecords& records_;
  const MemoryPlan& plan_;
  const PlanKind kind_;
  const bool chooses_groups_;
  SearchLimits limits_;
  const absl::StatusOr<Problem> problem_;
};

absl::StatusOr<Placement> StrategyTrials::PlanWith(
    const std::string& strategy) {
  if (!problem_.ok()) return problem_.status();
  const absl::StatusOr<Solution> solution =
      Solve(*problem_, strategy, limits_.Left());
  if (!solution.ok()) return solution.status();
  limits_.Spend(solution->nodes);
  if (!solution->has_plan()) {
    return absl::FailedPreconditionError(solution->reason);
  }
  absl::StatusOr<OffsetsAssignment> offsets =
      kind_ == PlanKind::kOffsets
          ? *solution->offsets()
          : ObjectsToOffsets(*solution->objects(), problem_->alignments());
  if (!offsets.ok()) return offsets.status();
  return Placement{*std::move(offsets), strategy, solution->places};
}

// Returns a lower bound on the size of every plan, in bytes.
size_t StrategyTrials::LeastBytes() const {
  if (!chooses_groups_) return LowerBoundOf(records_);
  return problem_.ok() ? AlignedLowerBound(*problem_) : 0;
}

size_t StrategyTrials::CopiesAvoided(
    const std::vector<RecordPlace>& places) const {
  return places.empty()
             ? 0
             : CountCopiesAvoided(plan_.graph, plan_.lifetimes,
                                  TensorPlaces(records_, plan_, places));
}

absl::StatusOr<Placement> StrategyTrials::Smallest() {
  const size_t max_avoided = CopiesAvoided(records_.places);
  const size_t bound = LeastBytes();
  absl::StatusOr<Placement> best =
      absl::InternalError("no strategy plans this kind; expected at least one");
  size_t smallest = 0;
  size_t avoided = 0;
  for (const Strategy* strategy :
       StrategiesFor(plan_, kind_, chooses_groups_)) {
    const bool is_smallest = best.ok() && smallest <= bound;
    // If the best plan meets the bound, no plan is smaller. A strategy that
    // searches could then only find a plan that avoids more copies, which is
    // not worth the time.
    if (is_smallest && (avoided == max_avoided || strategy->info().is_search)) {
      break;
    }
    absl::StatusOr<Placement> placement = PlanWith(strategy->info().name);
    // If a strategy fails, the other strategies are tried nevertheless.
    if (!placement.ok()) {
      if (!best.ok()) best = std::move(placement);
      continue;
    }
    const size_t size = EndOf(records_, placement->offsets);
    const size_t avoids = CopiesAvoided(placement->places);
    if (best.ok() &&
        (size > smallest || (size == smallest && avoids <= avoided))) {
      continue;
    }
    best = std::move(placement);
    smallest = size;
    avoided = avoids;
  }
  return best;
}

absl::StatusOr<Placement> PlaceRecords(const ArenaRecords& records,
                                       const MemoryPlan& plan,
                                       const InterpreterOptions& options) {
  if (options.planner == nullptr) {
    StrategyTrials trials(records, plan, options);
    return options.strategy.empty() ? trials.Smallest()
                                    : trials.PlanWith(options.strategy);
  }
  absl::StatusOr<OffsetsAssignment> offsets = options.planner(records);
  if (!offsets.ok()) return offsets.status();
  const absl::Status status =
      CheckBroughtPlan(records, *offsets, options.tensor_alignment);
  if (!status.ok()) return status;
  return Placement{*std::move(offsets), "a planner provided by the caller",
                   records.places};
}

// Places the tensors of one function of a program. Must be called for the entry
// first, because that call plans the whole program.
absl::Status PlaceFunction(const InterpreterOptions& options,
                           MemoryPlan* plan) {
  ProgramPlan& program = *plan->program;
  if (plan->function == 0) {
    absl::Status status = PlaceProgram(options, &program);
    if (!status.ok()) return status;
  }
  LifetimeOptions lifetimes;
  lifetimes.rules = options.lifetimes;
  lifetimes.io = options.io_lifetime;
  lifetimes.sharing_nodes = 0;
  plan->lifetimes = PlanLifetimes(plan->graph, lifetimes);
  plan->tensor_places.clear();
  plan->strategy = program.strategy;
  plan->arena_bytes = program.planned.total_size;
  plan->offsets.assign(plan->graph.tensors.size(), absl::nullopt);
  plan->resources.clear();
  for (size_t t = 0; t < plan->offsets.size(); ++t) {
    if (plan->graph.tensors[t].storage != Storage::kArena) continue;
    const absl::optional<size_t> variable =
        program.VariableOf(plan->function, t);
    if (variable) {
      plan->resources[t] = program.resources[*variable];
    } else {
      plan->offsets[t] = program.OffsetOf(plan->function, t);
    }
  }
  return PlacePersistent(plan->graph, plan->lifetimes, 0, plan->last_node(),
                         plan->alignment, plan);
}

}  // namespace

size_t LowerBoundOf(const ArenaRecords& records) {
  if (records.places.empty()) return OffsetsLowerBound(records.records);
  ProblemSpec spec;
  spec.records = records.records;
  spec.constraints.places = records.places;
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  return problem.ok() ? LowerBoundOf(*problem).bytes : 0;
}

absl::Status PlaceFirst(const InterpreterOptions& options, MemoryPlan* plan) {
  if (plan->program != nullptr) return PlaceFunction(options, plan);
  const ArenaRecords records = plan->Records();
  absl::StatusOr<Placement> placement = PlaceRecords(records, *plan, options);
  if (!placement.ok()) return placement.status();
  plan->strategy = std::move(placement->strategy);
  plan->arena_bytes = EndOf(records, placement->offsets);
  plan->offsets.assign(plan->graph.tensors.size(), absl::nullopt);
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    plan->offsets[records.tensors[i]] = placement->offsets.offsets[i];
  }
  if (!plan->tensor_places.empty()) {
    plan->tensor_places = TensorPlaces(records, *plan, placement->places);
  }
  absl::Status status =
      PlacePersistent(plan->graph, plan->lifetimes, 0, plan->last_node(),
                      plan->alignment, plan);
  // A plan made by a planner that the caller provides is not verified here; its
  // errors are found by the checks of a run.
  if (!status.ok() || options.planner != nullptr) return status;
  return VerifyPlacement(*plan, options.io_lifetime.value_or(DefaultIoLifetime(
                                    options.lifetimes)) == IoLifetime::kKeep);
}

absl::Status PlaceNext(size_t first_node, bool preserves_all,
                       MemoryPlan* plan) {
  for (size_t t = plan->lifetimes.size(); t < plan->graph.tensors.size(); ++t) {
    plan->lifetimes.push_back({absl::nullopt, absl::nullopt, t});
  }
  if (!plan->tensor_places.empty()) {
    plan->tensor_places.resize(plan->graph.tensors.size());
  }
  for (size_t node = first_node; node < plan->prepared_nodes; ++node) {
    for (const size_t t : plan->graph.nodes[node].temporaries) {
      Lifetime& lifetime = plan->lifetimes[t];
      if (!lifetime.first) lifetime.first = node;
      if (!preserves_all) lifetime.last = node;
    }
  }
  if (plan->program != nullptr) {
    plan->offsets.resize(plan->graph.tensors.size());
    return absl::OkStatus();
  }
  return PlaceTensors(plan->graph, plan->lifetimes, first_node,
                      plan->last_node(), plan->alignment, plan);
}

}  // namespace stowage::harness
