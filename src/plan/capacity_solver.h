// SPDX-License-Identifier: Apache-2.0
// Solves one problem for several capacities within common limits, for
// SolveWithCostLimit and CostCurve (stowage/cost_curve.h).
#ifndef STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_
#define STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "src/model/watch.h"
#include "src/plan/shared_limits.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

class CapacitySolver {
 public:
  // Returns the errors that SolveWithCostLimit and CostCurve have in common.
  static Status CheckProblem(const Problem& problem);

  // Requires that CheckProblem returns no error. `problem`, `strategy` and the
  // observer of `options` must outlive the solver.
  CapacitySolver(const Problem& problem, const Strategy& strategy,
                 const SolveOptions& options);

  // The capacity of the problem, or of its only pool.
  optional<size_t> capacity() const { return capacity_; }
  // The totals of the smallest plans are multiples of this number: if all
  // offsets of a plan are rounded down to multiples of it, the result is a plan
  // that costs no more.
  size_t unit() const { return unit_; }

  // Returns whether the limits and the observer allow another problem.
  bool KeepGoing();

  // Solves the problem without its preferences, and sets the cost of the plan
  // to that under the preferences. Uses one of `shares` equal parts of what
  // remains of the limits.
  StatusOr<Solution> SolveWithoutPreferences(optional<size_t> capacity,
                                             size_t shares);
  // Solves the problem for this capacity. If `incumbent` has a plan that fits,
  // this plan is returned unless a better one is found.
  StatusOr<Solution> Solve(optional<size_t> capacity, const Solution& incumbent,
                           size_t shares);

  // Sets the fields of a solution that concern the whole call: the nodes and
  // the time.
  void SetEffort(Solution* solution) const;

 private:
  StatusOr<Solution> SolveSpec(ProblemSpec spec, optional<size_t> capacity,
                               const Solution* incumbent, size_t shares);

  const Problem& problem_;
  const Strategy& strategy_;
  const SolveOptions options_;
  const ProblemSpec spec_;
  const optional<size_t> capacity_;
  const size_t unit_;
  Watch watch_;
  WithoutProgress observer_;
  SharedLimits limits_;
  int64_t time_ns_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CAPACITY_SOLVER_H_
