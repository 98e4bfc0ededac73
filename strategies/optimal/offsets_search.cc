#include "optimal/offsets_search.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>  // NOLINT(build/c++11): abseil has no count of cores
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "optimal/components.h"
#include "optimal/conflict.h"
#include "optimal/packing.h"
#include "optimal/portfolio.h"
#include "optimal/window_repair.h"
#include "src/core/construct.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"

namespace stowage::optimal {
namespace {

// Looks at records while plans are constructed: enough for all orders on most
// inputs, and some seconds on the largest.
constexpr uint64_t kConstructLooks = uint64_t{64} << 20;
// Records that can be ranked, sorted and swept once in a millisecond, at least:
// sorting cannot be interrupted.
constexpr size_t kRecordsPerMillisecond = 1500;
// Repairs fail for good once windows have grown this often.
constexpr uint64_t kRepairs = 24;

size_t ThreadsOf(const SearchOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

// Whether all levels of any packing fit a Level with room to spare.
bool FitsLevels(absl::Span<const ByteRecord> records,
                const Alignments& alignments, size_t unit) {
  const auto most = static_cast<size_t>(kMaxLevel) - 1;
  size_t sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t padded =
        records[i].tensor_size / unit + alignments.Of(i) / unit;
    if (padded > most - sum) return false;
    sum += padded;
  }
  return true;
}

}  // namespace

StopSignal SignalOf(const SearchOptions& options) {
  StopSignal stop;
  stop.cancelled = options.cancelled;
  if (options.node_budget || options.deadline == absl::InfiniteDuration()) {
    return stop;
  }
  // No clock counts further than a few hundred years.
  const absl::Duration deadline =
      std::min(options.deadline, absl::Hours(24 * 365));
  stop.deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(deadline);
  return stop;
}

OffsetsSearch::OffsetsSearch(absl::Span<const ByteRecord> records,
                             const StrategyOptions& options)
    : records_(records), options_(options), stop_(SignalOf(options.search)) {
  limits_.nodes = options.search.node_budget;
  limits_.stop = &stop_;
  limits_.threads = ThreadsOf(options.search);
  limits_.seed = options.search.seed;
}

// Bytes that need no improvement.
size_t OffsetsSearch::Goal() const {
  return std::max(report_.lower_bound, options_.capacity.value_or(0));
}

bool OffsetsSearch::IsDone() const {
  if (best_.total_size <= Goal()) return true;
  return options_.capacity && report_.lower_bound > *options_.capacity;
}

uint64_t OffsetsSearch::NodesLeft() const {
  if (!limits_.nodes) return std::numeric_limits<uint64_t>::max();
  return *limits_.nodes - std::min(*limits_.nodes, report_.nodes);
}

void OffsetsSearch::Report() {
  if (!options_.search.progress) return;
  options_.search.progress({best_.total_size, report_.lower_bound});
}

OffsetsAssignment OffsetsSearch::Run() {
  best_ = StackAll(records_, options_.alignments);
  // Without the time to sort the records there is no time for more.
  const absl::Duration needed =
      absl::Milliseconds(records_.size() / kRecordsPerMillisecond);
  if (stop_.deadline && options_.search.deadline <= needed) return best_;
  report_.lower_bound = OffsetsLowerBound(records_);
  Report();
  if (IsDone() || stop_.IsSet()) return std::move(best_);
  ranks_ = RankIntervals(records_);
  ConstructPlans();
  Report();
  if (IsDone() || stop_.IsSet()) return std::move(best_);
  MakeComponents();
  while (!IsDone() && !stop_.IsSet() && Improve(Worst())) {
  }
  if (options_.capacity && report_.lower_bound > *options_.capacity) Explain();
  return std::move(best_);
}

void OffsetsSearch::ConstructPlans() {
  WorkLimit work(kConstructLooks, &stop_);
  Construct(records_, ranks_, options_.alignments, Goal(), &work, &best_);
}

void OffsetsSearch::MakeComponents() {
  unit_ = UnitOf(records_, options_.alignments);
  if (!FitsLevels(records_, options_.alignments, unit_)) return;
  for (Packing& packing :
       Components(records_, ranks_, options_.alignments, unit_)) {
    Component component;
    component.packing = std::move(packing);
    component.lower = MostAlive(component.packing);
    for (const Item& item : component.packing.items) {
      const auto level = static_cast<Level>(best_.offsets[item.record] / unit_);
      component.levels.push_back(level);
      component.upper = std::max(component.upper, level + item.size);
    }
    components_.push_back(std::move(component));
  }
}

// The one that decides the total, or, of a capacity, the first that exceeds it.
OffsetsSearch::Component* OffsetsSearch::Worst() {
  const auto worst = std::max_element(
      components_.begin(), components_.end(),
      [](const Component& a, const Component& b) { return a.upper < b.upper; });
  return worst == components_.end() ? nullptr : &*worst;
}

// One step of work; false if there is none left that could help.
bool OffsetsSearch::Improve(Component* component) {
  if (component == nullptr) return false;
  if (RepairWindows(component)) return true;
  if (component->packing.items.size() > kMaxExact) return false;
  return SearchExactly(component);
}

bool OffsetsSearch::SearchExactly(Component* component) {
  if (component->portfolio == nullptr) {
    absl::optional<Level> capacity;
    if (options_.capacity) {
      capacity = static_cast<Level>(*options_.capacity / unit_);
    }
    // What is below the bound of all needs no search here.
    const auto bound =
        static_cast<Level>((report_.lower_bound + unit_ - 1) / unit_);
    component->lower = std::max(component->lower, bound);
    component->portfolio =
        std::make_unique<Portfolio>(component->packing, component->lower,
                                    component->upper, capacity, limits_);
  }
  Portfolio& portfolio = *component->portfolio;
  const uint64_t nodes = portfolio.Round(NodesLeft());
  report_.nodes += nodes;
  if (portfolio.upper() < component->upper) {
    Accept(component, *portfolio.levels());
  }
  if (portfolio.lower() > component->lower) {
    component->lower = portfolio.lower();
    RaiseBound(*component);
  }
  return nodes > 0;
}

// Tries to get below the capacity or to the bound at once, and then half way,
// with windows that grow from turn to turn. Small packings are left to the
// exact search after the first turn.
bool OffsetsSearch::RepairWindows(Component* component) {
  const uint64_t turn = component->repairs;
  const bool is_large = component->packing.items.size() > kMaxExact;
  if (turn >= (is_large ? kRepairs : 2)) return false;
  ++component->repairs;
  const auto goal = static_cast<Level>(Goal() / unit_);
  const Level room = component->upper - goal;
  const Level capacity = turn % 2 == 0 ? goal : goal + room / 2;
  RepairEffort effort;
  effort.window <<= turn / 4;
  effort.nodes <<= turn / 4;
  effort.orders += turn / 4;
  effort.seed = limits_.seed + turn;
  effort.budget = NodesLeft();
  if (effort.budget == 0) return false;
  WorkLimit work(WorkLimit::kUnlimited, &stop_);
  std::vector<Level> levels = component->levels;
  RepairByWindows(component->packing, capacity, effort, &work, &levels,
                  &report_.nodes);
  Accept(component, levels);
  return true;
}

void OffsetsSearch::Accept(Component* component,
                           const std::vector<Level>& levels) {
  Level upper = 0;
  for (size_t k = 0; k < levels.size(); ++k) {
    upper = std::max(upper, levels[k] + component->packing.items[k].size);
  }
  component->levels = levels;
  component->upper = upper;
  for (size_t k = 0; k < levels.size(); ++k) {
    best_.offsets[component->packing.items[k].record] =
        static_cast<size_t>(levels[k]) * unit_;
  }
  const size_t total = best_.total_size;
  best_.total_size = static_cast<size_t>(Worst()->upper) * unit_;
  if (best_.total_size < total) Report();
}

// Names records that do not fit the capacity.
void OffsetsSearch::Explain() {
  const auto capacity = static_cast<Level>(*options_.capacity / unit_);
  for (const Component& component : components_) {
    if (component.lower <= capacity) continue;
    Limits limits = limits_;
    if (limits.nodes) limits.nodes = NodesLeft();
    const Conflict conflict = FindConflict(component.packing, capacity, limits);
    report_.nodes += conflict.nodes;
    report_.irreducible = conflict.irreducible;
    report_.conflict.assign(conflict.records.begin(), conflict.records.end());
    return;
  }
}

void OffsetsSearch::RaiseBound(const Component& component) {
  const size_t bound = static_cast<size_t>(component.lower) * unit_;
  if (bound <= report_.lower_bound) return;
  report_.lower_bound = bound;
  report_.searched = true;
  Report();
}

}  // namespace stowage::optimal
