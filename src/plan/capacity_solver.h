// SPDX-License-Identifier: Apache-2.0
// Solves one problem for several capacities. All of these solves share one set
// of limits. Used by SolveWithCostLimit and CostCurve (stowage/cost_curve.h).
#ifndef STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_
#define STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/model/watch.h"
#include "src/plan/shared_limits.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// The capacities of all pools; nullopt for a pool without a capacity. For a
// problem without pools, the only entry is the capacity of the problem.
using Capacities = std::vector<optional<size_t>>;

class CapacitySolver {
 public:
  // Checks the requirements that SolveWithCostLimit and CostCurve have in
  // common. Errors: InvalidArgument if the problem has no preferences
  // (prefer_apart).
  static Status CheckProblem(const Problem& problem);

  // Requires that CheckProblem returns OK. `problem`, `strategy` and the
  // observer in `options` must outlive the solver.
  CapacitySolver(const Problem& problem, const Strategy& strategy,
                 const SolveOptions& options);

  // Returns the capacities of the problem.
  const Capacities& capacities() const { return capacities_; }
  // Returns capacities that limit nothing.
  Capacities Unlimited() const { return Capacities(capacities_.size()); }
  // Returns the number of bytes that the plan uses in each pool. Requires a
  // solution with a plan.
  std::vector<size_t> SizesOf(const Solution& solution) const;
  // Returns whether the solution has a plan and the plan is within these
  // capacities.
  bool Fits(const Solution& solution, const Capacities& capacities) const;
  // Returns a number of bytes that divides the totals of the smallest plans.
  // Rounding all offsets of a plan down to multiples of this number yields a
  // valid plan that costs no more.
  size_t unit() const { return unit_; }

  // Returns whether the limits and the observer permit solving another problem.
  bool KeepGoing();

  // Solves the problem without its preferences, and then sets the cost of the
  // solution to the cost of its plan under the preferences. Uses 1 / `shares`
  // of the remaining limits.
  StatusOr<Solution> SolveWithoutPreferences(const Capacities& capacities,
                                             size_t shares);
  // Solves the problem for these capacities. If `incumbent` has a plan that
  // fits, returns that plan unless a better plan is found. Uses 1 / `shares` of
  // the remaining limits.
  StatusOr<Solution> Solve(const Capacities& capacities,
                           const Solution& incumbent, size_t shares);

  // Sets the nodes and the time of the solution to those of the whole call.
  void SetEffort(Solution* solution) const;

 private:
  StatusOr<Solution> SolveSpec(ProblemSpec spec, const Capacities& capacities,
                               const Solution* incumbent, size_t shares);

  const Problem& problem_;
  const Strategy& strategy_;
  const SolveOptions options_;
  const ProblemSpec spec_;
  const Capacities capacities_;
  const size_t unit_;
  Watch watch_;
  WithoutProgress observer_;
  SharedLimits limits_;
  int64_t time_ns_ = 0;
};

// Computes capacities that rise in steps from an initial to a final size of
// each pool.
class ScaledCapacities {
 public:
  // If the size of a pool is smaller in `last` than in `first`, the capacity of
  // that pool is always the size in `first`. Every intermediate capacity is
  // either a multiple of `unit` or equal to the size in `first`.
  ScaledCapacities(std::vector<size_t> first, std::vector<size_t> last,
                   size_t unit);

  // Returns the rise of the capacity of a pool from first to last, in units;
  // the maximum over all pools.
  uint64_t steps() const { return steps_; }

  // Returns the capacities after `step` of `steps` equal steps. A capacity
  // never decreases from one step to the next.
  Capacities At(uint64_t step, uint64_t steps) const;

 private:
  std::vector<size_t> first_;
  std::vector<size_t> last_;
  size_t unit_;
  uint64_t steps_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_
