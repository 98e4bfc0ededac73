// SPDX-License-Identifier: Apache-2.0
// Implements SolveWithCostLimit (stowage/cost_curve.h).
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/watch.h"
#include "src/plan/capacity_solver.h"
#include "src/plan/settle_conflict.h"
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
  // Lowers the total of `best_` by bisection over the capacities. The tried
  // capacities are between the sizes of `cheapest_`, which is the smallest
  // known plan and costs too much, and the sizes of `best_`. If a capacity
  // turns out to be too small, `cheapest_` becomes the cheapest plan found for
  // that capacity.
  Status Bisect();
  // Records the result for these capacities. If the cost of `found` is within
  // the limit, `found` becomes `best_` if it is smaller. Otherwise `found`
  // becomes `cheapest_` if it has a plan, and `bound_` rises if it is proved
  // that no smaller plan is within the limit.
  void Take(const Capacities& capacities, Solution found);
  // Returns the sizes of a plan, rounded down to multiples of solver_.unit().
  std::vector<size_t> UnitsOf(const Solution& solution) const;
  // Returns `best_` with its status.
  Solution Finished();
  // Returns a solution without a plan. If `least` has a plan, the returned
  // solution states what is known about the least cost.
  Solution TooCostly(Solution least) const;

  CapacitySolver& solver_;
  const uint64_t limit_;
  size_t bound_ = 0;  // no plan within the limit is smaller
  BoundProof bound_proof_;
  uint64_t cost_bound_ = 0;
  Solution cheapest_;
  Solution best_;
};

StatusOr<Solution> CostLimitSearch::Run() {
  StatusOr<Solution> smallest =
      solver_.SolveWithoutPreferences(solver_.capacities(), 8);
  if (!smallest.ok()) return smallest;
  if (smallest->status == SolutionStatus::kInfeasible) return smallest;
  if (IsWithin(*smallest)) {
    solver_.SetEffort(&*smallest);
    return smallest;
  }
  bound_ = smallest->lower_bound;
  bound_proof_ = smallest->bound_proof;
  StatusOr<Solution> least = solver_.Solve(solver_.capacities(), *smallest, 4);
  if (!least.ok()) return least;
  if (!IsWithin(*least) && least->has_plan() && least->cost_bound <= limit_ &&
      solver_.KeepGoing()) {
    // If no plan within the limit was found, no bisection follows, so this
    // search may use everything that remains of the limits.
    cost_bound_ = least->cost_bound;
    least = solver_.Solve(solver_.capacities(), *least, 1);
    if (!least.ok()) return least;
  }
  cost_bound_ = std::max(cost_bound_, least->cost_bound);
  least->cost_bound = cost_bound_;
  if (!IsWithin(*least)) return TooCostly(*std::move(least));
  cheapest_ = *std::move(smallest);
  best_ = *std::move(least);
  if (Status s = Bisect(); !s.ok()) return s;
  return Finished();
}

std::vector<size_t> CostLimitSearch::UnitsOf(const Solution& solution) const {
  std::vector<size_t> sizes = solver_.SizesOf(solution);
  for (size_t& size : sizes) size -= size % solver_.unit();
  return sizes;
}

Status CostLimitSearch::Bisect() {
  std::vector<size_t> first = UnitsOf(cheapest_);
  if (first.size() == 1) {
    const size_t bound = std::min(bound_, best_.total_size);
    first[0] = std::max(first[0], bound - bound % solver_.unit());
  }
  const ScaledCapacities capacities(first, UnitsOf(best_), solver_.unit());
  // The capacities after `end` steps are known to suffice. Capacities after
  // fewer than `begin` steps are not tried, because they either were found to
  // be too small or are below the size of the smallest plan of all.
  uint64_t begin = 0;
  uint64_t end = capacities.steps();
  while (begin < end && solver_.KeepGoing()) {
    const uint64_t middle = begin + (end - begin) / 2;
    const Capacities tried = capacities.At(middle, capacities.steps());
    size_t shares = 1;
    for (uint64_t range = end - begin; range > 1; range /= 2) ++shares;
    StatusOr<Solution> found = solver_.Solve(tried, cheapest_, shares);
    if (!found.ok()) return found.status();
    if (!IsWithin(*found)) {
      begin = middle + 1;
      Take(tried, *std::move(found));
      continue;
    }
    end = middle;
    Take(tried, *std::move(found));
    // The plan may also fit the capacities after fewer steps.
    for (uint64_t step = (end - begin) / 2 + 1; step > 0; step /= 2) {
      while (
          end - begin >= step &&
          solver_.Fits(best_, capacities.At(end - step, capacities.steps()))) {
        end -= step;
      }
    }
  }
  return OkStatus();
}

void CostLimitSearch::Take(const Capacities& capacities, Solution found) {
  if (IsWithin(found)) {
    if (found.total_size < best_.total_size) best_ = std::move(found);
    return;
  }
  const bool is_proved =
      found.status == SolutionStatus::kInfeasible || found.cost_bound > limit_;
  // With several pools, a smaller plan may use less of one pool and more of
  // another. Only the failure of a single capacity therefore implies a bound.
  if (is_proved && capacities.size() == 1) {
    bound_ = *capacities[0] + solver_.unit();
    bound_proof_ = {BoundProof::Kind::kCostOfSmaller};
  }
  if (found.has_plan()) cheapest_ = std::move(found);
}

Solution CostLimitSearch::Finished() {
  best_.lower_bound = std::min(bound_, best_.total_size);
  best_.bound_proof = bound_proof_;
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
  least.bound_proof = bound_proof_;
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
  const auto begin = std::chrono::steady_clock::now();
  Watch watch(options);
  SolveOptions watched = options;
  if (options.observer != nullptr) watched.observer = &watch;
  CapacitySolver solver(problem, **found, watched);
  StatusOr<Solution> solution = CostLimitSearch(&solver, limit).Run();
  if (solution.ok()) {
    SettleConflict(problem, **found, watched, NanosecondsSince(begin),
                   &*solution);
  }
  return solution;
}

}  // namespace stowage
