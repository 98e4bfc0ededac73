// SPDX-License-Identifier: Apache-2.0
// Finds the best plan for the rigid groups of one pool: first constructs plans,
// then searches for better ones. For several pools, use ConstrainedSearch
// (constrained_search.h), which calls FindBestPlan for each pool.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_GROUP_OPTIMUM_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_GROUP_OPTIMUM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/group_search.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

using rigid::CostlyPair;
using rigid::GroupPlan;
using rigid::RigidGroups;

struct GroupAnswer;

struct GroupLimits {
  uint64_t nodes = ~uint64_t{0};
  StopSignal stop;
  uint64_t seed = 1;
  size_t threads = 1;       // for costs; a node budget needs 1
  bool decide = false;      // the first plan within the capacity is enough
  uint64_t cost_bound = 0;  // no plan costs less
  // The offsets from which the annealing starts if pairs have costs, indexed by
  // record. ~size_t{0} means that the offset is unknown. Not owned; may be
  // null.
  const std::vector<size_t>* known = nullptr;
  // If true and pairs have costs, FindBestPlan does not run the annealing once
  // a plan is known.
  bool is_quick = false;
  // Called with each better plan; may be empty.
  std::function<void(const GroupAnswer&)> report;
  // Returns a lower bound of the cost, given the cost of a known plan, which
  // exceeds `cost_bound`. May be empty.
  std::function<uint64_t(uint64_t)> raise_bound;
};

struct GroupAnswer {
  optional<GroupPlan> plan;
  std::string found_by;  // see Solution::found_by
  // True if it is proved that no plan exists, or that `plan` is the best: that
  // no plan costs less and no plan of the same cost has a lower top.
  bool is_proved = false;
  bool is_searched = false;  // the proof took a complete search
  rigid::Level bound = 0;    // no plan ends lower
  uint64_t nodes = 0;
};

// Returns the best plan of `groups` within their capacity. `costly` refers to
// pieces by their index in `groups`.
GroupAnswer FindBestPlan(const rigid::RigidGroups& groups,
                         const rigid::Relation& relation,
                         const std::vector<CostlyPair>& costly,
                         const GroupLimits& limits);

// Returns the sum of the costs of all pairs that share a byte when the groups
// start at `starts`.
uint64_t CostOf(const rigid::RigidGroups& groups,
                const std::vector<CostlyPair>& costly,
                const std::vector<rigid::Level>& starts);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_GROUP_OPTIMUM_H_
