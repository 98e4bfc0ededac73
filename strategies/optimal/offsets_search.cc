// SPDX-License-Identifier: Apache-2.0
#include "optimal/offsets_search.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimal/exact/components.h"
#include "optimal/exact/conflict.h"
#include "optimal/exact/packing.h"
#include "optimal/exact/portfolio.h"
#include "optimal/exact/search_log.h"
#include "optimal/repair/genetic_portfolio.h"
#include "optimal/repair/repair_portfolio.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/best_fit.h"
#include "src/construct/construct.h"
#include "src/construct/placing_order.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/lower_bound.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

OffsetsSearch::OffsetsSearch(const Problem& problem,
                             const SolveOptions& options,
                             const SearchTuning& tuning)
    : problem_(problem),
      records_(problem.records()),
      options_(options),
      capacity_(problem.capacity()),
      watch_(options),
      stop_(watch_.SignalAfter()) {
  limits_.nodes = options.node_budget;
  limits_.stop = &stop_;
  limits_.threads = ThreadsOf(options);
  limits_.seed = options.seed;
  limits_.tuning = tuning;
}

// Returns the largest total that need not be improved further.
size_t OffsetsSearch::Goal() const {
  const size_t enough = options_.decide ? capacity_.value_or(0) : 0;
  return std::max(report_.lower_bound, enough);
}

bool OffsetsSearch::IsDone() const {
  return best_.total_size <= Goal() || ExceedsCapacity();
}

bool OffsetsSearch::ExceedsCapacity() const {
  return capacity_ && report_.lower_bound > *capacity_;
}

uint64_t OffsetsSearch::NodesLeft() const {
  if (!limits_.nodes) return std::numeric_limits<uint64_t>::max();
  return *limits_.nodes - std::min(*limits_.nodes, report_.nodes);
}

void OffsetsSearch::Report() {
  watch_.OnProgress(
      {best_.total_size, report_.lower_bound, report_.nodes, report_.found_by});
}

Solution OffsetsSearch::Run() {
  Search();
  report_.SetPlan(std::move(best_));
  return std::move(report_);
}

void OffsetsSearch::Search() {
  best_ = StackAll(problem_);
  report_.found_by = "stack";
  if (stop_.IsSet()) return;
  BeginQuickly();
  report_.lower_bound = LowerBoundOf(problem_).bytes;
  Report();
  if (IsDone() || stop_.IsSet()) return;
  BoundByAlignments();
  if (!ExceedsCapacity()) {
    if (!IsDone()) ConstructPlans();
    if (IsDone() || stop_.IsSet()) return;
  }
  if (!MakeComponents()) return;
  while (!IsDone() && !stop_.IsSet() && Improve(Worst())) {
  }
  if (ExceedsCapacity()) Explain();
}

// Replaces the stack by the plan of GREEDY_BY_SIZE if there is little time for
// many records. They then have a plan of a sensible size even if the time ends
// before the first sweep.
void OffsetsSearch::BeginQuickly() {
  const auto needed = TimeToSort(problem_.size());
  const auto little = std::max(
      4 * needed, std::min(16 * needed, std::chrono::milliseconds(400)));
  if (stop_.IsSetWithin(needed) || !stop_.IsSetWithin(little)) return;
  const auto order = LargestFirst(records_, stop_);
  if (!order) return;
  WorkLimit work(WorkLimit::kUnlimited, &stop_);
  auto plan = PlaceBestFit(problem_, *order, best_.total_size, &work);
  if (!plan) return;
  best_ = *std::move(plan);
  report_.found_by = "greedy_by_size";
}

void OffsetsSearch::ConstructPlans() {
  ConstructEffort effort;
  effort.checks = limits_.tuning.construct_checks;
  effort.tuning = limits_.tuning.construct;
  effort.stop = &stop_;
  effort.threads = limits_.threads;
  effort.improved = [this](std::string found_by) {
    report_.found_by = std::move(found_by);
    Report();
  };
  Construct(problem_, Goal(), effort, &best_);
}

// Raises the lower bound to the height that the records of one task need
// because of their alignments. If only a capacity is to be decided, a bound
// just above this capacity is sufficient. The proof of the new bound is a
// search with a capacity just below the bound, which finds at its root that no
// plan fits.
void OffsetsSearch::BoundByAlignments() {
  std::vector<uint32_t> records;
  bool is_padded = false;
  for (uint32_t i = 0; i < problem_.size(); ++i) {
    const size_t size = records_[i].tensor_size;
    if (size == 0) continue;
    records.push_back(i);
    is_padded = is_padded || size % problem_.alignments().Of(i) != 0;
  }
  if (!is_padded || NodesLeft() == 0) return;
  // The computation of the bound cannot be interrupted, so it is started only
  // if there is enough time.
  if (stop_.IsSetWithin(TimeToSort(records.size()))) return;
  unit_ = UnitOf(problem_);
  if (!FitsLevels(problem_, unit_)) return;
  const Packing packing = PackingOf(problem_, unit_, records);
  const StepHeight tallest = TallestStep(packing);
  const Level height =
      std::min(tallest.height, CapacityToDecide().value_or(kMaxLevel) + 1);
  if (static_cast<size_t>(height) * unit_ <= report_.lower_bound) return;
  ++report_.nodes;
  std::vector<uint32_t> at_step;
  for (const Item& item : packing.items) {
    if (item.begin <= tallest.step && tallest.step < item.end) {
      at_step.push_back(item.record);
    }
  }
  const Packing step = PackingOf(problem_, unit_, at_step);
  RaiseBound(step, height, {{MovableItems(step)}, height - 1});
}

bool OffsetsSearch::MakeComponents() {
  unit_ = UnitOf(problem_);
  if (!FitsLevels(problem_, unit_)) return false;
  // The total cannot be below the bound of the whole problem, so no packing
  // needs to be lower than this bound. The bound is a multiple of the unit,
  // unless it is the end of a fixed record without bytes. Such a record is in
  // no packing, so it is safe to round the bound down to units. If the bound
  // exceeds the capacity, it is only known that some packing does not fit.
  const bool exceeds = ExceedsCapacity();
  const auto bound = static_cast<Level>(report_.lower_bound / unit_);
  auto packings = Components(problem_, unit_, stop_);
  if (!packings) return false;
  for (Packing& packing : *packings) {
    Component component;
    component.packing = std::move(packing);
    const Level own = LowerBoundOf(component.packing);
    component.known.lower =
        std::max(own, exceeds ? TallestStep(component.packing).height : bound);
    for (const Item& item : component.packing.items) {
      component.known.levels.push_back(
          static_cast<Level>(best_.offsets[item.record] / unit_));
    }
    component.known.upper = TopOf(component.packing, component.known.levels);
    // The bound of a packing can exceed the bound of the whole problem only if
    // the packing has fixed records, so the proof of such a bound is the room
    // around the fixed records.
    const size_t lower = static_cast<size_t>(own) * unit_;
    if (lower > report_.lower_bound) {
      report_.lower_bound = lower;
      report_.bound_proof = {BoundProof::Kind::kRoomAroundFixed};
    }
    components_.push_back(std::move(component));
  }
  return true;
}

// Returns the component that determines the total. If components exceed a
// capacity, this component exceeds it the most.
OffsetsSearch::Component* OffsetsSearch::Worst() {
  const auto worst =
      std::max_element(components_.begin(), components_.end(),
                       [](const Component& a, const Component& b) {
                         return a.known.upper < b.known.upper;
                       });
  return worst == components_.end() ? nullptr : &*worst;
}

// Returns the capacity of the problem while no known plan fits it: the search
// then only decides whether such a plan exists. Returns nullopt if a known plan
// fits or if the problem has no capacity: the search then looks for the
// optimum.
optional<Level> OffsetsSearch::CapacityToDecide() const {
  if (!capacity_ || best_.total_size <= *capacity_) return nullopt;
  return static_cast<Level>(*capacity_ / unit_);
}

// Does one step of work. Returns false if no further work could help.
bool OffsetsSearch::Improve(Component* component) {
  if (component == nullptr) return false;
  if (component->asked != CapacityToDecide()) {
    component->asked = CapacityToDecide();
    component->portfolio = nullptr;
    component->genetic = nullptr;
    component->repairs = nullptr;
  }
  const bool is_exact =
      component->packing.items.size() <= limits_.tuning.max_exact_items;
  const uint64_t nodes = is_exact ? SearchExactly(component) : 0;
  ++component->rounds;
  if (IsDone() || stop_.IsSet()) return true;
  // The first round of the exact searches solves most packings of real
  // networks, so the genetic searches begin only after this round.
  uint64_t done = nodes;
  if (component->rounds > 1) done += EvolveOrders(component, nodes);
  if (IsDone() || stop_.IsSet()) return true;
  if (!MakeRepairs(component)) return done > 0;
  const uint64_t iterations =
      is_exact
          ? LaterShare(*component, component->repairs->IterationsFor(nodes))
          : limits_.tuning.repair_iterations;
  return done + Repair(component, iterations) > 0;
}

// Runs a part of a round of exact searches. Returns the number of nodes
// searched.
uint64_t OffsetsSearch::SearchExactly(Component* component) {
  Known& known = component->known;
  if (component->portfolio == nullptr) {
    component->portfolio =
        std::make_unique<Portfolio>(component->packing, known.lower,
                                    known.upper, component->asked, limits_);
  }
  Portfolio& portfolio = *component->portfolio;
  portfolio.LowerUpper(known.upper);
  const uint64_t nodes = portfolio.Round(NodesLeft());
  report_.nodes += nodes;
  if (portfolio.upper() < known.upper) {
    known.upper = portfolio.upper();
    known.levels = *portfolio.levels();
    Accept(*component, portfolio.FoundBy(unit_));
  }
  if (portfolio.lower() > known.lower) {
    known.lower = portfolio.lower();
    RaiseBound(component->packing, known.lower, *portfolio.exhausted());
  }
  return nodes;
}

// Runs the genetic searches, with a number of nodes that is proportional to
// `nodes`, the number of nodes of the exact search. Returns the number of nodes
// searched.
uint64_t OffsetsSearch::EvolveOrders(Component* component, uint64_t nodes) {
  Known& known = component->known;
  const uint64_t nodes_each = std::min(
      LaterShare(*component, nodes * limits_.tuning.genetic.percent / 100),
      NodesLeft() / GeneticPortfolio::kSearches);
  if (nodes_each == 0) return 0;
  if (component->genetic == nullptr) {
    component->genetic = std::make_unique<GeneticPortfolio>(
        component->packing, component->asked, limits_);
  }
  const Level upper = known.upper;
  const uint64_t taken = component->genetic->Round(nodes_each, &known);
  report_.nodes += taken;
  if (known.upper < upper) {
    Accept(*component, component->genetic->FoundBy(unit_));
  }
  return taken;
}

// Returns whether there is enough time before the deadline to set up the repair
// searches. Must be checked in advance, because the setup cannot be
// interrupted.
bool OffsetsSearch::HasTimeToRepair(const Component& component) const {
  const size_t items =
      component.packing.items.size() * RepairPortfolio::kSearches;
  return !stop_.IsSetWithin(TimeToSort(items));
}

bool OffsetsSearch::MakeRepairs(Component* component) {
  if (limits_.tuning.repair_iterations == 0) return false;
  if (component->repairs != nullptr) return true;
  if (!HasTimeToRepair(*component)) return false;
  component->repairs = std::make_unique<RepairPortfolio>(
      component->packing, component->asked, limits_);
  return true;
}

// Returns how much of `work` the component may do in this round: only a part of
// it in the early rounds, and all of it later.
uint64_t OffsetsSearch::LaterShare(const Component& component,
                                   uint64_t work) const {
  const SearchTuning& tuning = limits_.tuning;
  return component.rounds <= tuning.early_rounds ? work / tuning.early_part
                                                 : work;
}

// Gives each repair search `iterations_each` iterations, divided into short
// rounds, because a search that succeeds has to wait for the end of the round.
// Returns the number of iterations made.
uint64_t OffsetsSearch::Repair(Component* component, uint64_t iterations_each) {
  Known& known = component->known;
  const uint64_t iterations_at_once = limits_.tuning.repair_iterations;
  uint64_t taken = 0;
  for (uint64_t given = 0;
       given < iterations_each && !IsDone() && !stop_.IsSet();
       given += iterations_at_once) {
    const Level upper = known.upper;
    const uint64_t iterations = component->repairs->Round(
        std::min({iterations_at_once, iterations_each - given,
                  NodesLeft() / RepairPortfolio::kSearches}),
        &known);
    if (iterations == 0) break;
    taken += iterations;
    report_.nodes += iterations;
    if (known.upper < upper) {
      Accept(*component, component->repairs->FoundBy(unit_));
    }
  }
  return taken;
}

// Adopts the plan of the component. Reports `found_by` only if the total
// becomes smaller.
void OffsetsSearch::Accept(const Component& component, std::string found_by) {
  for (size_t k = 0; k < component.known.levels.size(); ++k) {
    best_.offsets[component.packing.items[k].record] =
        static_cast<size_t>(component.known.levels[k]) * unit_;
  }
  const size_t total = best_.total_size;
  // Fixed records without bytes are in no packing, but may be above all
  // packings. The lower bound includes their ends.
  best_.total_size = std::max(static_cast<size_t>(Worst()->known.upper) * unit_,
                              LowerBoundOf(problem_).bytes);
  if (best_.total_size >= total) return;
  report_.found_by = std::move(found_by);
  Report();
}

// Reports records that do not fit the capacity together.
void OffsetsSearch::Explain() {
  const auto capacity = static_cast<Level>(*capacity_ / unit_);
  for (const Component& component : components_) {
    if (component.known.lower <= capacity) continue;
    Limits limits = limits_;
    if (limits.nodes) limits.nodes = NodesLeft();
    const Conflict conflict = FindConflict(component.packing, capacity, limits);
    report_.nodes += conflict.nodes;
    report_.conflict_is_irreducible = conflict.irreducible;
    for (const std::vector<Level>& levels : conflict.witnesses) {
      std::vector<size_t>& rest = report_.conflict_witnesses.emplace_back();
      rest.reserve(levels.size());
      for (const Level level : levels) {
        rest.push_back(static_cast<size_t>(level) * unit_);
      }
    }
    report_.conflict.assign(conflict.records.begin(), conflict.records.end());
    if (conflict.exhausted) {
      report_.search_proof =
          MakeSearchProof(conflict.packing, unit_, *conflict.exhausted);
    }
    return;
  }
}

// Adopts a lower bound of the height of a packing, which `search` has proved.
void OffsetsSearch::RaiseBound(const Packing& packing, Level lower,
                               const ExhaustedSearch& search) {
  const size_t bound = static_cast<size_t>(lower) * unit_;
  if (bound <= report_.lower_bound) return;
  report_.lower_bound = bound;
  report_.bound_proof = {BoundProof::Kind::kSearch};
  report_.search_proof = MakeSearchProof(packing, unit_, search);
  Report();
}

}  // namespace stowage::optimal
