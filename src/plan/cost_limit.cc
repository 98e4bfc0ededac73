// SPDX-License-Identifier: Apache-2.0
// SolveWithCostLimit of stowage/cost_curve.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "src/base/str_cat.h"
#include "src/plan/capacity_solver.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/cost_curve.h"
#include "stowage/registry.h"

namespace stowage {
namespace {

// Searches for the smallest plan that costs no more than a limit.
class CostLimitSearch {
 public:
  CostLimitSearch(CapacitySolver* solver, uint64_t limit)
      : solver_(*solver), limit_(limit) {}

  StatusOr<Solution> Run();

 private:
  bool IsWithin(const Solution& solution) const {
    return solution.has_plan() && solution.cost <= limit_;
  }
  // Lowers the total of `best_` by bisection. `cheapest_` is the plan of the
  // least cost among those that are below the first capacity that is tried.
  Status Bisect();
  // Returns `best_` with its status.
  Solution Finished();
  // Returns a solution without a plan. If `least` has a plan, says what is
  // known of the least cost.
  Solution TooCostly(Solution least) const;

  CapacitySolver& solver_;
  const uint64_t limit_;
  size_t bound_ = 0;  // no plan within the limit is smaller
  uint64_t cost_bound_ = 0;
  Solution cheapest_;
  Solution best_;
};

StatusOr<Solution> CostLimitSearch::Run() {
  StatusOr<Solution> smallest =
      solver_.SolveWithoutPreferences(solver_.capacity(), 8);
  if (!smallest.ok()) return smallest;
  if (smallest->status == SolutionStatus::kInfeasible) return smallest;
  if (IsWithin(*smallest)) {
    solver_.SetEffort(&*smallest);
    return smallest;
  }
  bound_ = smallest->lower_bound;
  StatusOr<Solution> least = solver_.Solve(solver_.capacity(), *smallest, 4);
  if (!least.ok()) return least;
  cost_bound_ = least->cost_bound;
  if (!IsWithin(*least)) return TooCostly(*std::move(least));
  cheapest_ = *std::move(smallest);
  best_ = *std::move(least);
  if (Status s = Bisect(); !s.ok()) return s;
  return Finished();
}

Status CostLimitSearch::Bisect() {
  const size_t unit = solver_.unit();
  // Capacities are counted in units. All from `end` on are known to suffice,
  // and those below `begin` are not tried: they failed, or are below the
  // smallest plan of all that is known.
  size_t begin = std::max(bound_, cheapest_.total_size) / unit;
  size_t end = best_.total_size / unit;
  while (begin < end && solver_.KeepGoing()) {
    const size_t middle = begin + (end - begin) / 2;
    size_t steps = 1;
    for (size_t range = end - begin; range > 1; range /= 2) ++steps;
    StatusOr<Solution> found = solver_.Solve(middle * unit, cheapest_, steps);
    if (!found.ok()) return found.status();
    if (IsWithin(*found)) {
      best_ = *std::move(found);
      end = best_.total_size / unit;
      continue;
    }
    begin = middle + 1;
    const bool is_proved = found->status == SolutionStatus::kInfeasible ||
                           found->cost_bound > limit_;
    if (is_proved) bound_ = std::max(bound_, begin * unit);
    if (found->has_plan()) cheapest_ = *std::move(found);
  }
  return OkStatus();
}

Solution CostLimitSearch::Finished() {
  best_.lower_bound = std::min(bound_, best_.total_size);
  best_.bound_proof = BoundProof();
  best_.search_proof = SearchProof();
  best_.cost_bound = cost_bound_;
  best_.reason.clear();
  best_.status = SolutionStatus::kFeasible;
  if (bound_ >= best_.total_size) {
    best_.status = SolutionStatus::kOptimal;
    best_.reason = StrCat("no smaller plan costs ", limit_, " or less");
  }
  solver_.SetEffort(&best_);
  return std::move(best_);
}

Solution CostLimitSearch::TooCostly(Solution least) const {
  solver_.SetEffort(&least);
  if (!least.has_plan()) return least;
  const bool is_proved = least.cost_bound > limit_;
  std::string known = StrCat("no plan costs less than ", least.cost_bound);
  if (least.cost > least.cost_bound) {
    known = StrCat("the least cost that was found is ", least.cost, ", and ",
                   known);
  }
  least.reason = StrCat(known, "; the limit is ", limit_);
  least.DropPlan(is_proved ? SolutionStatus::kInfeasible
                           : SolutionStatus::kTimeLimit);
  least.total_size = 0;
  least.lower_bound = bound_;
  least.bound_proof = BoundProof();
  least.search_proof = SearchProof();
  return least;
}

}  // namespace

StatusOr<Solution> SolveWithCostLimit(const Problem& problem,
                                      string_view strategy, uint64_t limit,
                                      const SolveOptions& options) {
  const StatusOr<const Strategy*> found = FindStrategy(strategy);
  if (!found.ok()) return found.status();
  if (Status s = CapacitySolver::CheckProblem(problem); !s.ok()) return s;
  CapacitySolver solver(problem, **found, options);
  return CostLimitSearch(&solver, limit).Run();
}

}  // namespace stowage
