// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/repair_portfolio.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "optimal/exact/packing.h"
#include "optimal/limits.h"
#include "optimal/luby.h"
#include "optimal/repair/ejection_search.h"
#include "optimal/repair/overlap_pairs.h"
#include "optimal/repair/overlap_search.h"
#include "optimal/repair/repair_search.h"
#include "src/base/run_on_threads.h"
#include "src/base/str_cat.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

namespace {

// The range of Runner::halvings. The step of a runner is the distance between
// the bound and the incumbent, halved this number of times: from a half to
// 1/256 of the distance.
constexpr int kFewestHalvings = 1;
constexpr int kMaxHalvings = 8;

bool IsLatestFirst(size_t runner) { return runner % 2 == 0; }

}  // namespace

RepairPortfolio::RepairPortfolio(const Packing& packing,
                                 optional<Level> capacity, const Limits& limits)
    : packing_(packing),
      neighbours_(packing),
      pairs_(OverlapPairs::Make(packing, neighbours_,
                                limits.tuning.overlap.max_sides)),
      capacity_(capacity),
      limits_(limits) {
  for (const Item& item : packing.items) {
    steps_of_items_ += item.end - item.begin;
  }
  for (size_t k = 1; k < kSearches; ++k) {
    runners_[k].halvings = int{1} << (k - 1);
  }
}

Level RepairPortfolio::GoalOf(size_t search, const Known& known) const {
  if (capacity_) return *capacity_;
  if (search == 0) return known.lower;
  const Level room = known.upper - known.lower;
  const Level step = std::max<Level>(room >> runners_[search].halvings, 1);
  return std::max(known.lower, known.upper - step);
}

uint64_t RepairPortfolio::IterationsFor(uint64_t nodes) const {
  if (!pairs_) return nodes / limits_.tuning.ejection.nodes_per_turn;
  const OverlapTuning& tuning = limits_.tuning.overlap;
  const uint64_t sides = pairs_->size() / packing_.items.size();
  const uint64_t time = tuning.time_per_turn + tuning.time_per_side * sides;
  return nodes * steps_of_items_ / (kSearches * time);
}

// Returns the search with which a runner starts or restarts.
std::unique_ptr<RepairSearch> RepairPortfolio::Begin(size_t runner,
                                                     const Known& known) const {
  const uint64_t seed =
      limits_.seed + runners_[runner].begun * kSearches + runner;
  const Level goal = GoalOf(runner, known);
  if (pairs_) {
    return std::make_unique<OverlapSearch>(packing_, *pairs_, known.levels,
                                           goal, seed, limits_.tuning.overlap);
  }
  const auto manner = IsLatestFirst(runner) ? EjectionSearch::Manner::kLatest
                                            : EjectionSearch::Manner::kAny;
  return std::make_unique<EjectionSearch>(packing_, neighbours_, known.levels,
                                          goal, manner, seed,
                                          limits_.tuning.ejection);
}

// Makes the next step of a runner larger after a success, and smaller if its
// search has used up its iterations without success. Keeps the step if the
// result of another search has made the search obsolete before that.
void RepairPortfolio::Adapt(Runner* runner) const {
  const RepairSearch* search = runner->search.get();
  if (search == nullptr) return;
  if (search->fits()) {
    runner->halvings = std::max(runner->halvings - 1, kFewestHalvings);
  } else if (IsSpent(*runner)) {
    runner->halvings = std::min(runner->halvings + 1, kMaxHalvings);
  }
}

bool RepairPortfolio::IsSpent(const Runner& runner) const {
  const uint64_t restart =
      pairs_ ? limits_.tuning.overlap.restart : limits_.tuning.ejection.restart;
  return runner.search->iterations() >= restart * Luby(runner.begun);
}

bool RepairPortfolio::IsStale(const Runner& runner, const Known& known) const {
  if (runner.search == nullptr) return true;
  const RepairSearch& search = *runner.search;
  return search.capacity() < known.lower || search.capacity() >= known.upper ||
         IsSpent(runner);
}

void RepairPortfolio::ApplyResult(const Runner& runner, Known* known) {
  if (runner.search == nullptr || !runner.search->fits()) return;
  const std::vector<Level>& levels = runner.search->levels();
  const Level top = TopOf(packing_, levels);
  if (top >= known->upper) return;
  known->upper = top;
  known->levels = levels;
  found_capacity_ = runner.search->capacity();
  found_runner_ = static_cast<size_t>(&runner - runners_.data());
}

std::string RepairPortfolio::FoundBy(size_t unit) const {
  const size_t capacity = static_cast<size_t>(found_capacity_) * unit;
  const uint64_t start = runners_[found_runner_].begun;
  if (pairs_) {
    return StrCat("overlap search (capacity ", capacity, ", start ", start,
                  ")");
  }
  return StrCat("ejection (capacity ", capacity,
                IsLatestFirst(found_runner_) ? ", latest" : ", any",
                " first, start ", start, ")");
}

uint64_t RepairPortfolio::Round(uint64_t iterations_each, Known* known) {
  RunEachOnThreads(limits_.threads, kSearches, limits_.stop, [&](size_t k) {
    Runner& self = runners_[k];
    self.iterations = 0;
    if (IsStopped(limits_)) return;
    if (IsStale(self, *known)) {
      Adapt(&self);
      self.search = Begin(k, *known);
      ++self.begun;
    }
    WorkLimit work(WorkLimit::kUnlimited, limits_.stop);
    const uint64_t begun_at = self.search->iterations();
    self.search->Run(iterations_each, &work);
    self.iterations = self.search->iterations() - begun_at;
  });
  for (const Runner& runner : runners_) ApplyResult(runner, known);
  return std::accumulate(runners_.begin(), runners_.end(), uint64_t{0},
                         [](uint64_t sum, const Runner& runner) {
                           return sum + runner.iterations;
                         });
}

}  // namespace stowage::optimal
