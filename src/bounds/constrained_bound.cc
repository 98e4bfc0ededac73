// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/constrained_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/bounds/bound_pool_cost.h"
#include "src/bounds/cliques.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_selection.h"
#include "src/bounds/reuse_bound.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/lower_bound.h"

namespace stowage {
namespace {

// The maximum work for the bound of the cost of sharing in every call of Solve.
constexpr uint64_t kLittleWork = uint64_t{1} << 21;
// The maximum work for this bound in a call that requests only the bound.
constexpr uint64_t kMuchWork = uint64_t{1} << 28;

using rigid::GroupBound;
using rigid::Relation;
using rigid::RigidGroups;

LowerBound BoundOfPool(const Problem& problem, const Relation& relation,
                       const std::vector<uint32_t>& records, uint32_t pool) {
  const auto groups = RigidGroups::Make(problem, records, pool);
  if (!groups) return {0, {BoundProof::Kind::kNoBytes}};
  const GroupBound found = FindGroupBound(*groups, relation);
  LowerBound bound = {static_cast<size_t>(found.bytes), found.proof};
  bound.records.assign(found.clique.records.begin(),
                       found.clique.records.end());
  return bound;
}

// Returns, for each pool, the records that may be placed in no other pool.
std::vector<std::vector<uint32_t>> BoundToPools(const Problem& problem) {
  const std::vector<rigid::PoolItem> items = rigid::PoolItemsOf(problem);
  std::vector<std::vector<uint32_t>> bound(problem.constraints()->pools.size());
  for (uint32_t k = 0; k < items.size(); ++k) {
    const std::vector<PoolChoice>& choices = items[k].choices;
    if (choices.size() == 1) bound[choices.front().pool].push_back(k);
  }
  for (std::vector<uint32_t>& list : bound) {
    list = rigid::RecordsOf(items, list);
  }
  return bound;
}

CostBound BoundCostIn(const Problem& problem, uint64_t work) {
  // Two records that share one place may need fewer bytes. Fewer records then
  // have to leave a pool or to pay for sharing. So only the costs within groups
  // are certain.
  if (!problem.constraints()->same_or_apart.empty()) {
    return {CostWithinGroups(problem), {}};
  }
  ReuseBound reuse = BoundReuse(problem, work, nullptr);
  return {BoundCostOfPools(problem) + CostWithinGroups(problem) + reuse.cost,
          std::move(reuse.proofs)};
}

}  // namespace

LowerBound BoundUnderConstraints(const Problem& problem) {
  const Relation relation(problem);
  const Constraints& constraints = *problem.constraints();
  if (constraints.pools.empty()) {
    return BoundOfPool(problem, relation, rigid::AllRecordsOf(problem), 0);
  }
  // Records that are live together need all their bytes, no matter which pools
  // they are in. Holes and capacities differ between the pools and are
  // therefore ignored here.
  LowerBound bound = BoundOfPool(problem, relation,
                                 rigid::AllRecordsOf(problem), rigid::kNoPool);
  const auto records = BoundToPools(problem);
  size_t sum = 0;
  for (uint32_t p = 0; p < records.size(); ++p) {
    sum += BoundOfPool(problem, relation, records[p], p).bytes;
  }
  if (sum <= bound.bytes) return bound;
  return {sum, {BoundProof::Kind::kPools}};
}

uint64_t CostWithinGroups(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  if (constraints.places.empty()) return 0;
  uint64_t cost = 0;
  for (const ApartPreference& wish : constraints.prefer_apart) {
    const RecordPlace& a = constraints.places[wish.first];
    const RecordPlace& b = constraints.places[wish.second];
    const size_t size_of_a = problem.records()[wish.first].tensor_size;
    const size_t size_of_b = problem.records()[wish.second].tensor_size;
    if (a.group == kNoGroup || a.group != b.group || size_of_a == 0 ||
        size_of_b == 0) {
      continue;
    }
    const bool share =
        a.at < b.at ? b.at - a.at < size_of_a : a.at - b.at < size_of_b;
    if (share) cost += wish.cost;
  }
  return cost;
}

uint64_t BoundCostOfPools(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  if (constraints.pools.empty()) return 0;
  return BoundPoolCost(rigid::PoolItemsOf(problem), constraints.pools);
}

CostBound BoundCost(const Problem& problem) {
  return BoundCostIn(problem, kLittleWork);
}

uint64_t CostLowerBoundUnderConstraints(const Problem& problem) {
  return BoundCostIn(problem, kMuchWork).cost;
}

}  // namespace stowage
