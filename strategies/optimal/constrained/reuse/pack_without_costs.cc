// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/reuse/pack_without_costs.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "optimal/search_offsets.h"
#include "src/model/watch.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {
namespace {

using rigid::kNoLevel;
using rigid::Level;
using rigid::Relation;
using rigid::RigidGroup;
using rigid::RigidGroups;

// Returns whether the starts of the groups are limited only by lifetimes,
// alignments and fixed offsets.
bool HaveOnlyCosts(const RigidGroups& groups, const Relation& relation) {
  if (!groups.holes().empty() || groups.problem().constraints()->order ||
      groups.size() != groups.records().size()) {
    return false;
  }
  for (size_t b = 0; b < groups.size(); ++b) {
    const RigidGroup& group = groups[b];
    const uint32_t record = groups.records()[b];
    const bool is_free = group.min == 0 && group.max == kNoLevel;
    const auto pieces = groups.PiecesOf(b);
    const bool is_plain = pieces.empty() || pieces.front().at == 0;
    if ((!is_free && !group.is_fixed()) || !is_plain || group.residue != 0 ||
        relation.HasPermissions(record) ||
        !relation.ApartSetsOf(record).empty()) {
      return false;
    }
  }
  return true;
}

StatusOr<Problem> ProblemWithoutCosts(const RigidGroups& groups, Level limit) {
  ProblemSpec spec;
  const Problem& problem = groups.problem();
  for (const uint32_t record : groups.records()) {
    spec.records.push_back(problem.records()[record]);
    spec.alignments.push_back(problem.alignments().Of(record));
    spec.fixed_offsets.push_back(problem.fixed_offset(record));
  }
  spec.capacity = static_cast<size_t>(limit);
  return Problem::Create(std::move(spec));
}

}  // namespace

CostlessPacking PackWithoutCosts(const RigidGroups& groups,
                                 const Relation& relation, Level limit,
                                 uint64_t nodes, uint64_t seed,
                                 const StopSignal& stop) {
  CostlessPacking packing;
  if (!HaveOnlyCosts(groups, relation)) return packing;
  const StatusOr<Problem> problem = ProblemWithoutCosts(groups, limit);
  if (!problem.ok()) return packing;
  SignalObserver observer(stop);
  SolveOptions options;
  options.observer = &observer;
  options.seed = seed;
  options.decide = true;
  options.time_limit_ns = kNoTimeLimit;
  if (stop.deadline) {
    const auto left = *stop.deadline - std::chrono::steady_clock::now();
    options.time_limit_ns = std::max<int64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(left).count() / 2,
        0);
  }
  if (nodes != ~uint64_t{0}) options.node_budget = nodes;
  const Solution solution = SearchOffsets(*problem, options);
  packing.nodes = solution.nodes;
  const OffsetsAssignment* const plan = solution.offsets();
  if (plan == nullptr || plan->total_size > static_cast<size_t>(limit)) {
    return packing;
  }
  packing.starts.emplace(plan->offsets.begin(), plan->offsets.end());
  packing.found_by = solution.found_by;
  return packing;
}

}  // namespace stowage::optimal
