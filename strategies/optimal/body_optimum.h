// SPDX-License-Identifier: Apache-2.0
// The best plan of the bodies of one pool: construct, then search. For several
// pools use ConstrainedSearch (constrained_search.h), which asks this of each.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_BODY_OPTIMUM_H_
#define STOWAGE_STRATEGIES_OPTIMAL_BODY_OPTIMUM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/body_search.h"
#include "src/bodies/bodies.h"
#include "src/bodies/conflicts.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

struct BodyLimits {
  uint64_t nodes = ~uint64_t{0};
  StopSignal stop;
  uint64_t seed = 1;
  bool decide = false;  // the first plan within the capacity is enough
};

struct BodyAnswer {
  absl::optional<BodyPlan> plan;
  std::string found_by;  // as Solution::found_by
  // No plan costs less, and none of that cost ends lower; or there is no plan.
  bool is_proved = false;
  bool is_searched = false;  // that took a complete search
  bodies::Level bound = 0;   // of every top
  uint64_t nodes = 0;
};

// `costly` of the bodies' own pieces. The capacity is that of the bodies.
BodyAnswer FindBestPlan(const bodies::Bodies& bodies,
                        const bodies::Relation& relation,
                        const std::vector<CostlyPair>& costly,
                        const BodyLimits& limits);

// The cost of pairs that share a byte.
uint64_t CostOf(const bodies::Bodies& bodies,
                const std::vector<CostlyPair>& costly,
                const std::vector<bodies::Level>& starts);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_BODY_OPTIMUM_H_
