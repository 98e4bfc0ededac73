// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/genetic_portfolio.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "optimal/exact/packing.h"
#include "optimal/limits.h"
#include "src/base/run_on_threads.h"
#include "src/base/str_cat.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

GeneticPortfolio::GeneticPortfolio(const Packing& packing,
                                   optional<Level> capacity,
                                   const Limits& limits)
    : packing_(packing), capacity_(capacity), limits_(limits) {
  for (size_t k = 0; k < kSearches; ++k) {
    searches_.push_back({GeneticSearch(packing, k % 2 == 0, limits.seed + k,
                                       limits.tuning.genetic),
                         0, 0});
  }
}

Level GeneticPortfolio::GoalOf(const GeneticRun& run, Level lower) const {
  if (capacity_) return *capacity_;
  if (run.search.restarts() % 2 == 1) return lower;
  const auto steps = static_cast<Level>(limits_.tuning.genetic.steps_to_bound);
  return run.upper - std::max<Level>((run.upper - lower) / steps, 1);
}

void GeneticPortfolio::RunSearch(Level lower, uint64_t nodes,
                                 GeneticRun* run) const {
  WorkLimit work(WorkLimit::kUnlimited, limits_.stop);
  GeneticSearch& search = run->search;
  const uint64_t stop = search.nodes() + nodes;
  while (search.nodes() < stop && run->upper > lower) {
    const Level goal = GoalOf(*run, lower);
    if (!search.Run(goal, stop - search.nodes(), &work)) return;
    run->upper = TopOf(packing_, search.levels());
    run->found_at = goal;
  }
}

uint64_t GeneticPortfolio::Round(uint64_t nodes_each, Known* known) {
  const Level lower = capacity_.value_or(known->lower);
  uint64_t nodes = 0;
  for (GeneticRun& run : searches_) {
    run.upper = known->upper;
    nodes -= run.search.nodes();
  }
  RunEachOnThreads(limits_.threads, kSearches, limits_.stop, [&](size_t k) {
    RunSearch(lower, nodes_each, &searches_[k]);
  });
  for (GeneticRun& run : searches_) {
    nodes += run.search.nodes();
    if (run.upper >= known->upper) continue;
    known->upper = run.upper;
    known->levels = run.search.levels();
    found_capacity_ = run.found_at;
    found_try_ = run.search.tries();
  }
  return nodes;
}

std::string GeneticPortfolio::FoundBy(size_t unit) const {
  return StrCat("genetic search (capacity ",
                static_cast<size_t>(found_capacity_) * unit, ", try ",
                found_try_, ")");
}

}  // namespace stowage::optimal
