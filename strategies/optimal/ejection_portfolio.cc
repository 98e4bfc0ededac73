// SPDX-License-Identifier: Apache-2.0
#include "optimal/ejection_portfolio.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "optimal/ejection_search.h"
#include "optimal/limits.h"
#include "optimal/luby.h"
#include "optimal/packing.h"
#include "src/core/run_on_threads.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

namespace {

bool IsLatestFirst(size_t runner) { return runner % 2 == 0; }

}  // namespace

EjectionPortfolio::EjectionPortfolio(const Packing& packing,
                                     absl::optional<Level> capacity,
                                     const Limits& limits)
    : packing_(packing),
      neighbours_(packing),
      capacity_(capacity),
      limits_(limits) {}

Level EjectionPortfolio::GoalOf(size_t search, const Known& known) const {
  if (capacity_) return *capacity_;
  if (search < kSearches / 2) return known.lower;
  const Level room = known.upper - known.lower;
  return known.upper -
         std::max<Level>(room / limits_.tuning.ejection.small_step, 1);
}

void EjectionPortfolio::Restart(size_t runner, const Known& known) {
  Runner& self = runners_[runner];
  const auto manner = IsLatestFirst(runner) ? EjectionSearch::Manner::kLatest
                                            : EjectionSearch::Manner::kAny;
  const uint64_t seed = limits_.seed + self.begun * kSearches + runner;
  ++self.begun;
  self.search = std::make_unique<EjectionSearch>(
      packing_, neighbours_, known.levels, GoalOf(runner, known), manner, seed,
      limits_.tuning.ejection);
}

void EjectionPortfolio::ApplyResult(const Runner& runner, Known* known) {
  if (runner.search == nullptr || !runner.search->fits()) return;
  const std::vector<Level>& levels = runner.search->levels();
  const Level top = TopOf(packing_, levels);
  if (top >= known->upper) return;
  known->upper = top;
  known->levels = levels;
  found_capacity_ = runner.search->capacity();
  found_runner_ = static_cast<size_t>(&runner - runners_.data());
}

std::string EjectionPortfolio::FoundBy(size_t unit) const {
  return absl::StrCat("ejection (capacity ",
                      static_cast<size_t>(found_capacity_) * unit,
                      IsLatestFirst(found_runner_) ? ", latest" : ", any",
                      " first, start ", runners_[found_runner_].begun, ")");
}

uint64_t EjectionPortfolio::Round(uint64_t turns_each, Known* known) {
  std::atomic<size_t> next{0};
  RunOnThreads(std::min(limits_.threads, kSearches), [&] {
    WorkLimit work(WorkLimit::kUnlimited, limits_.stop);
    for (size_t k = next++; k < kSearches; k = next++) {
      Runner& self = runners_[k];
      self.turns = 0;
      if (work.left() == 0) continue;
      const bool is_stale =
          self.search == nullptr || self.search->capacity() < known->lower ||
          self.search->capacity() >= known->upper ||
          self.search->turns() >=
              limits_.tuning.ejection.restart * Luby(self.begun);
      if (is_stale) Restart(k, *known);
      const uint64_t begun_at = self.search->turns();
      self.search->Run(turns_each, &work);
      self.turns = self.search->turns() - begun_at;
    }
  });
  for (const Runner& runner : runners_) ApplyResult(runner, known);
  return std::accumulate(
      runners_.begin(), runners_.end(), uint64_t{0},
      [](uint64_t sum, const Runner& runner) { return sum + runner.turns; });
}

}  // namespace stowage::optimal
