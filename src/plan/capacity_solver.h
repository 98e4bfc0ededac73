// SPDX-License-Identifier: Apache-2.0
// Solves one problem for several capacities within common limits, for
// SolveWithCostLimit and CostCurve (stowage/cost_curve.h).
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

// The capacities of all pools. A pool without a capacity has nullopt. For a
// problem without pools, the only entry is the capacity of the problem.
using Capacities = std::vector<optional<size_t>>;

class CapacitySolver {
 public:
  // Returns the errors that SolveWithCostLimit and CostCurve have in common.
  static Status CheckProblem(const Problem& problem);

  // Requires that CheckProblem returns no error. `problem`, `strategy` and the
  // observer of `options` must outlive the solver.
  CapacitySolver(const Problem& problem, const Strategy& strategy,
                 const SolveOptions& options);

  // Returns the capacities of the problem.
  const Capacities& capacities() const { return capacities_; }
  // Returns capacities that limit nothing.
  Capacities Unlimited() const { return Capacities(capacities_.size()); }
  // Returns the bytes that a plan uses of each pool. Requires a solution with a
  // plan.
  std::vector<size_t> SizesOf(const Solution& solution) const;
  // Returns whether the solution has a plan, and the plan is within these
  // capacities.
  bool Fits(const Solution& solution, const Capacities& capacities) const;
  // Returns a number of bytes that divides the totals of the smallest plans. If
  // all offsets of a plan are rounded down to multiples of this number, the
  // result is a plan that costs no more.
  size_t unit() const { return unit_; }

  // Returns whether the limits and the observer permit solving another problem.
  bool KeepGoing();

  // Solves the problem without its preferences, and sets the cost of the plan
  // to its cost under the preferences. Uses one of `shares` equal parts of the
  // remaining limits.
  StatusOr<Solution> SolveWithoutPreferences(const Capacities& capacities,
                                             size_t shares);
  // Solves the problem for these capacities. If `incumbent` has a plan that
  // fits, this plan is returned unless a better one is found.
  StatusOr<Solution> Solve(const Capacities& capacities,
                           const Solution& incumbent, size_t shares);

  // Sets the fields of a solution that concern the whole call: the nodes and
  // the time.
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

// Computes capacities that rise in steps from a first to a last size of each
// pool.
class ScaledCapacities {
 public:
  // If the size of a pool is smaller in `last` than in `first`, the capacity of
  // that pool stays at the size in `first`. Intermediate capacities are
  // multiples of `unit`, unless they equal the sizes in `first`.
  ScaledCapacities(std::vector<size_t> first, std::vector<size_t> last,
                   size_t unit);

  // Returns the largest number of units by which the capacity of a pool rises.
  uint64_t steps() const { return steps_; }

  // Returns the capacities after `step` of `steps` equal steps. No capacity
  // falls from one step to the next.
  Capacities At(uint64_t step, uint64_t steps) const;

 private:
  std::vector<size_t> first_;
  std::vector<size_t> last_;
  size_t unit_;
  uint64_t steps_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_
