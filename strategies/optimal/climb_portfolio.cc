// SPDX-License-Identifier: Apache-2.0
#include "optimal/climb_portfolio.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "optimal/limits.h"
#include "optimal/packing.h"
#include "src/core/run_on_threads.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

ClimbPortfolio::ClimbPortfolio(const Packing& packing,
                               absl::optional<Level> capacity,
                               const Limits& limits)
    : packing_(packing), capacity_(capacity), limits_(limits) {
  for (size_t k = 0; k < kClimbs; ++k) {
    climbs_.push_back(
        {OrderClimb(packing, k % 2 == 0, limits.seed + k, limits.tuning.climb),
         0, 0});
  }
}

Level ClimbPortfolio::GoalOf(Level lower, Level upper) const {
  if (capacity_) return *capacity_;
  const auto steps = static_cast<Level>(limits_.tuning.climb.steps_to_bound);
  return upper - std::max<Level>((upper - lower) / steps, 1);
}

void ClimbPortfolio::RunClimb(Level lower, uint64_t nodes, Climb* climb) const {
  WorkLimit work(WorkLimit::kUnlimited, limits_.stop);
  OrderClimb& search = climb->search;
  const uint64_t stop = search.nodes() + nodes;
  while (search.nodes() < stop && climb->upper > lower) {
    const Level goal = GoalOf(lower, climb->upper);
    if (!search.Run(goal, stop - search.nodes(), &work)) return;
    climb->upper = TopOf(packing_, search.levels());
    climb->found_at = goal;
  }
}

uint64_t ClimbPortfolio::Round(uint64_t nodes_each, Known* known) {
  const Level lower = capacity_.value_or(known->lower);
  uint64_t nodes = 0;
  for (Climb& climb : climbs_) {
    climb.upper = known->upper;
    nodes -= climb.search.nodes();
  }
  RunEachOnThreads(limits_.threads, kClimbs,
                   [&](size_t k) { RunClimb(lower, nodes_each, &climbs_[k]); });
  for (Climb& climb : climbs_) {
    nodes += climb.search.nodes();
    if (climb.upper >= known->upper) continue;
    known->upper = climb.upper;
    known->levels = climb.search.levels();
    found_capacity_ = climb.found_at;
    found_try_ = climb.search.tries();
  }
  return nodes;
}

std::string ClimbPortfolio::FoundBy(size_t unit) const {
  return absl::StrCat("climb of orders (capacity ",
                      static_cast<size_t>(found_capacity_) * unit, ", try ",
                      found_try_, ")");
}

}  // namespace stowage::optimal
