// SPDX-License-Identifier: Apache-2.0
#include "stowage/cost_curve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/plan/capacity_solver.h"
#include "src/plan/is_better.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/registry.h"

namespace stowage {
namespace {

constexpr size_t kMaxPoints = 10'000;

// Returns capacities at `count` points without duplicates. Point k is at the
// fraction k^2 / (count - 1)^2 of the way from the first to the last
// capacities.
std::vector<Capacities> CapacitiesOfPoints(const ScaledCapacities& scaled,
                                           size_t count) {
  std::vector<Capacities> capacities;
  const size_t steps = (count - 1) * (count - 1);
  for (size_t k = 0; k < count; ++k) {
    Capacities next = scaled.At(k * k, steps);
    if (capacities.empty() || next != capacities.back()) {
      capacities.push_back(std::move(next));
    }
  }
  return capacities;
}

CostPoint PointOf(const Capacities& capacities, Solution solution) {
  CostPoint point;
  for (const optional<size_t>& capacity : capacities) {
    point.capacities.push_back(*capacity);
    point.capacity += *capacity;
  }
  point.solution = std::move(solution);
  return point;
}

// Solves the problem for each capacity, from the first to the last.
StatusOr<std::vector<CostPoint>> PointsAt(
    const std::vector<Capacities>& capacities, Solution incumbent,
    CapacitySolver* solver) {
  std::vector<CostPoint> points;
  for (size_t k = 0; k < capacities.size(); ++k) {
    StatusOr<Solution> solution =
        solver->Solve(capacities[k], incumbent, capacities.size() - k);
    if (!solution.ok()) return solution.status();
    if (solution->has_plan()) incumbent = *solution;
    points.push_back(PointOf(capacities[k], *std::move(solution)));
  }
  return points;
}

}  // namespace

StatusOr<std::vector<CostPoint>> CostCurve(const Problem& problem,
                                           string_view strategy, size_t count,
                                           const SolveOptions& options) {
  const StatusOr<const Strategy*> found = FindStrategy(strategy);
  if (!found.ok()) return found.status();
  if (count < 2 || count > kMaxPoints) {
    return InvalidArgumentError(
        StrCat("points of the curve: ", count, "; expected 2 to ", kMaxPoints));
  }
  if (Status s = CapacitySolver::CheckProblem(problem); !s.ok()) return s;
  CapacitySolver solver(problem, **found, options);
  StatusOr<Solution> smallest =
      solver.SolveWithoutPreferences(solver.Unlimited(), count + 2);
  if (!smallest.ok()) return smallest.status();
  if (!smallest->has_plan()) {
    return std::vector<CostPoint>{{0, {}, *std::move(smallest)}};
  }
  const StatusOr<Solution> largest =
      solver.Solve(solver.Unlimited(), *smallest, count + 1);
  if (!largest.ok()) return largest.status();
  const ScaledCapacities scaled(solver.SizesOf(*smallest),
                                solver.SizesOf(*largest), solver.unit());
  StatusOr<std::vector<CostPoint>> points = PointsAt(
      CapacitiesOfPoints(scaled, count), *std::move(smallest), &solver);
  if (!points.ok()) return points;
  // `largest` is also a plan for the last capacity. Its cost bound was proved
  // without a capacity, so the bound also holds for this capacity.
  Solution& last = points->back().solution;
  const uint64_t bound = std::max(last.cost_bound, largest->cost_bound);
  if (IsBetter(*largest, last)) last = *largest;
  last.cost_bound = bound;
  for (size_t k = points->size() - 1; k > 0; --k) {
    Solution& less = (*points)[k - 1].solution;
    less.cost_bound =
        std::max(less.cost_bound, (*points)[k].solution.cost_bound);
  }
  return points;
}

}  // namespace stowage
