// SPDX-License-Identifier: Apache-2.0
// Divides the limits of one call among the problems that the call solves.
#ifndef STOWAGE_SRC_PLAN_SHARED_LIMITS_H_
#define STOWAGE_SRC_PLAN_SHARED_LIMITS_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "src/model/watch.h"
#include "stowage/strategy.h"

namespace stowage {

class SharedLimits {
 public:
  // `options` must outlive the object. If `divides_nodes` is false, only the
  // time is divided, and each problem may use all of the remaining nodes.
  SharedLimits(const SolveOptions& options, bool divides_nodes)
      : options_(options), divides_nodes_(divides_nodes) {}

  // Returns the options with the limits of the next problem, given that
  // `shares` problems remain to be solved. No problem may use more than its
  // share of the remaining time, so there is time left to find a plan for every
  // problem.
  SolveOptions LimitsOfNext(size_t shares) const {
    SolveOptions limits = options_;
    const int64_t left = TimeLeft();
    limits.time_limit_ns =
        left == kNoTimeLimit ? left : left / static_cast<int64_t>(shares);
    if (options_.node_budget) {
      *limits.node_budget -= std::min(*options_.node_budget, nodes_);
      if (divides_nodes_) *limits.node_budget /= shares;
    }
    return limits;
  }

  // Returns the remaining nanoseconds, or kNoTimeLimit.
  int64_t TimeLeft() const {
    return stowage::TimeLeft(options_.time_limit_ns, NanosecondsSince(begin_));
  }

  void SpendNodes(uint64_t nodes) { nodes_ += nodes; }
  uint64_t nodes() const { return nodes_; }

 private:
  const SolveOptions& options_;
  const bool divides_nodes_;
  const std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  uint64_t nodes_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_SHARED_LIMITS_H_
