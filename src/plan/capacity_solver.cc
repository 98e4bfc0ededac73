// SPDX-License-Identifier: Apache-2.0
#include "src/plan/capacity_solver.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/plan_cost.h"
#include "stowage/planner.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Returns the largest number that divides all sizes, all bounds of places and
// holes, and the prescribed offsets, and that divides each alignment or is a
// multiple of it.
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

optional<size_t> CapacityOf(const ProblemSpec& spec) {
  const std::vector<MemoryPool>& pools = spec.constraints.pools;
  return pools.empty() ? spec.capacity : pools[0].capacity;
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
  if (constraints->pools.size() > 1) {
    return UnimplementedError(
        StrCat("the problem has ", constraints->pools.size(),
               " pools, which have a capacity each; expected one memory"));
  }
  return OkStatus();
}

CapacitySolver::CapacitySolver(const Problem& problem, const Strategy& strategy,
                               const SolveOptions& options)
    : problem_(problem),
      strategy_(strategy),
      options_(options),
      spec_(WithoutLabels(problem)),
      capacity_(CapacityOf(spec_)),
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

StatusOr<Solution> CapacitySolver::SolveWithoutPreferences(
    optional<size_t> capacity, size_t shares) {
  ProblemSpec spec = spec_;
  spec.constraints.prefer_apart.clear();
  StatusOr<Solution> solution =
      SolveSpec(std::move(spec), capacity, nullptr, shares);
  if (solution.ok() && solution->has_plan()) {
    solution->cost = CostOfPlan(problem_, *solution->offsets());
    // It is the proof of another problem.
    solution->search_proof = SearchProof();
  }
  return solution;
}

StatusOr<Solution> CapacitySolver::Solve(optional<size_t> capacity,
                                         const Solution& incumbent,
                                         size_t shares) {
  const bool fits =
      incumbent.has_plan() && (!capacity || incumbent.total_size <= *capacity);
  return SolveSpec(spec_, capacity, fits ? &incumbent : nullptr, shares);
}

StatusOr<Solution> CapacitySolver::SolveSpec(ProblemSpec spec,
                                             optional<size_t> capacity,
                                             const Solution* incumbent,
                                             size_t shares) {
  std::vector<MemoryPool>& pools = spec.constraints.pools;
  (pools.empty() ? spec.capacity : pools[0].capacity) = capacity;
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  SolveOptions options = limits_.LimitsOfNext(shares);
  options.decide = false;
  options.incumbent = incumbent;
  options.observer = &observer_;
  StatusOr<Solution> solution = stowage::Solve(*problem, strategy_, options);
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

}  // namespace stowage
