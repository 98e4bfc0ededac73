// SPDX-License-Identifier: Apache-2.0
// Reports the plans of a search for the least cost, and raises its bound.
#include <algorithm>
#include <cstdint>

#include "optimal/constrained/constrained_search.h"
#include "src/bounds/constrained_bound.h"
#include "src/bounds/reuse_tree.h"
#include "stowage/lower_bound.h"

namespace stowage::optimal {

GroupLimits ConstrainedSearch::LimitsOfWhole() {
  GroupLimits limits = LimitsLeft();
  if (constraints_.prefer_apart.empty()) return limits;
  limits.report = [this](const GroupAnswer& answer) { Report(answer); };
  if (problem_.size() > kMaxRecordsOfCases) return limits;
  limits.raise_bound = [this](uint64_t cost) {
    const StopSignal stop = watch_.SignalAfter(2);
    pairs_.cost = BoundReuseByCases(problem_, pairs_, cost, &stop);
    return pairs_.cost;
  };
  return limits;
}

// Reports a plan of the only pool to the observer.
void ConstrainedSearch::Report(const GroupAnswer& answer) {
  SearchProgress progress;
  progress.total_size = static_cast<uint64_t>(answer.plan->top);
  progress.lower_bound =
      std::min(progress.total_size, LowerBoundOf(problem_).bytes);
  progress.nodes = nodes_ + answer.nodes;
  progress.found_by = answer.found_by;
  const uint64_t constant = CostWithinGroups(problem_);
  progress.cost = answer.plan->cost + constant;
  progress.cost_bound = pairs_.cost + constant;
  watch_.OnProgress(progress);
}

}  // namespace stowage::optimal
