// SPDX-License-Identifier: Apache-2.0
#include "src/plan/capacity_solver.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/plan/solve_steps.h"
#include "stowage/compare.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/plan_cost.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Returns the largest number that divides all sizes, all prescribed offsets,
// the bounds and displacements of all places, and the ends of all holes, and
// that divides, or is a multiple of, each alignment.
size_t UnitOfTotals(const ProblemSpec& spec) {
  size_t unit = 0;
  for (const auto& record : spec.records) {
    unit = std::gcd(unit, record.tensor_size);
  }
  for (const optional<size_t>& offset : spec.fixed_offsets) {
    unit = std::gcd(unit, offset.value_or(0));
  }
  for (const RecordPlace& place : spec.constraints.places) {
    unit = std::gcd(std::gcd(unit, place.min), place.max.value_or(0));
    unit = std::gcd(unit, place.at);
  }
  for (const Hole& hole : spec.constraints.holes) {
    unit = std::gcd(std::gcd(unit, hole.begin), hole.end);
  }
  const Alignments alignments = AlignmentsOf(spec);
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const size_t alignment = alignments.Of(i);
    if (unit % alignment != 0) unit = std::gcd(unit, alignment);
  }
  return std::max(unit, size_t{1});
}

Capacities CapacitiesOf(const ProblemSpec& spec) {
  if (spec.constraints.pools.empty()) return {spec.capacity};
  Capacities capacities;
  for (const MemoryPool& pool : spec.constraints.pools) {
    capacities.push_back(pool.capacity);
  }
  return capacities;
}

void SetCapacities(const Capacities& capacities, ProblemSpec* spec) {
  std::vector<MemoryPool>& pools = spec->constraints.pools;
  if (pools.empty()) spec->capacity = capacities.front();
  for (size_t p = 0; p < pools.size(); ++p) pools[p].capacity = capacities[p];
}

ProblemSpec WithoutLabels(const Problem& problem) {
  ProblemSpec spec = problem.ToSpec();
  spec.labels = Labels();
  return spec;
}

}  // namespace

Status CapacitySolver::CheckProblem(const Problem& problem) {
  const Constraints* const constraints = problem.constraints();
  if (constraints == nullptr || constraints->prefer_apart.empty()) {
    return InvalidArgumentError(
        "the problem has no preferences, so that its plans do not differ in "
        "the cost of reuse; expected prefer_apart");
  }
  return OkStatus();
}

CapacitySolver::CapacitySolver(const Problem& problem, const Strategy& strategy,
                               const SolveOptions& options)
    : problem_(problem),
      strategy_(strategy),
      options_(options),
      spec_(WithoutLabels(problem)),
      capacities_(CapacitiesOf(spec_)),
      unit_(UnitOfTotals(spec_)),
      watch_(options),
      observer_(&watch_),
      limits_(options_, true) {}

bool CapacitySolver::KeepGoing() {
  const bool has_nodes =
      !options_.node_budget || limits_.nodes() < *options_.node_budget;
  const bool has_time = options_.node_budget || limits_.TimeLeft() > 0;
  return has_nodes && has_time && observer_.KeepGoing();
}

std::vector<size_t> CapacitySolver::SizesOf(const Solution& solution) const {
  const std::vector<size_t> sizes = PoolSizes(problem_, *solution.offsets());
  return sizes.empty() ? std::vector<size_t>{solution.total_size} : sizes;
}

bool CapacitySolver::Fits(const Solution& solution,
                          const Capacities& capacities) const {
  if (!solution.has_plan()) return false;
  const std::vector<size_t> sizes = SizesOf(solution);
  for (size_t p = 0; p < sizes.size(); ++p) {
    if (capacities[p] && sizes[p] > *capacities[p]) return false;
  }
  return true;
}

StatusOr<Solution> CapacitySolver::SolveWithoutPreferences(
    const Capacities& capacities, size_t shares) {
  ProblemSpec spec = spec_;
  spec.constraints.prefer_apart.clear();
  for (std::vector<PoolChoice>& choices : spec.constraints.choices) {
    for (PoolChoice& choice : choices) choice.cost = 0;
  }
  StatusOr<Solution> solution =
      SolveSpec(std::move(spec), capacities, nullptr, shares);
  if (solution.ok() && solution->has_plan()) {
    solution->cost = CostOfPlan(problem_, *solution->offsets());
    // The proofs and the bound of the cost were computed for a problem without
    // costs. They do not hold for the original problem, so they are dropped.
    solution->search_proof = SearchProof();
    solution->cost_bound = 0;
    solution->cost_proofs.clear();
  }
  return solution;
}

StatusOr<Solution> CapacitySolver::Solve(const Capacities& capacities,
                                         const Solution& incumbent,
                                         size_t shares) {
  return SolveSpec(spec_, capacities,
                   Fits(incumbent, capacities) ? &incumbent : nullptr, shares);
}

StatusOr<Solution> CapacitySolver::SolveSpec(ProblemSpec spec,
                                             const Capacities& capacities,
                                             const Solution* incumbent,
                                             size_t shares) {
  SetCapacities(capacities, &spec);
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  SolveOptions options = limits_.LimitsOfNext(shares);
  options.decide = false;
  options.incumbent = incumbent;
  options.observer = &observer_;
  StatusOr<Solution> solution = SolveUnsettled(*problem, strategy_, options);
  if (solution.ok()) {
    limits_.SpendNodes(solution->nodes);
    time_ns_ += solution->time_ns;
  }
  return solution;
}

void CapacitySolver::SetEffort(Solution* solution) const {
  solution->nodes = limits_.nodes();
  solution->time_ns = time_ns_;
}

ScaledCapacities::ScaledCapacities(std::vector<size_t> first,
                                   std::vector<size_t> last, size_t unit)
    : first_(std::move(first)), last_(std::move(last)), unit_(unit) {
  for (size_t p = 0; p < first_.size(); ++p) {
    last_[p] = std::max(first_[p], last_[p]);
    const size_t range = last_[p] - first_[p];
    steps_ =
        std::max<uint64_t>(steps_, range / unit + (range % unit > 0 ? 1 : 0));
  }
}

Capacities ScaledCapacities::At(uint64_t step, uint64_t steps) const {
  Capacities capacities;
  for (size_t p = 0; p < first_.size(); ++p) {
    if (step == steps) {
      capacities.emplace_back(last_[p]);
      continue;
    }
    const auto distance =
        static_cast<size_t>(uint128(last_[p] - first_[p]) * step / steps);
    capacities.emplace_back(
        std::max(first_[p], (first_[p] + distance) / unit_ * unit_));
  }
  return capacities;
}

}  // namespace stowage
