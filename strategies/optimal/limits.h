// SPDX-License-Identifier: Apache-2.0
// Defines the limits and resources that a search passes on to its parts. For
// the options set by a user, see SolveOptions (stowage/strategy.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

struct Limits {
  optional<uint64_t> nodes;  // without this limit, the signal is the only limit
  const StopSignal* stop = nullptr;  // is not owned, and may be null
  size_t threads = 1;
  uint64_t seed = 1;
  SearchTuning tuning;
};

// Returns whether the signal is set.
inline bool IsStopped(const Limits& limits) {
  return limits.stop != nullptr && limits.stop->IsSet();
}

// Returns the number of threads to use, which is at least 1.
size_t ThreadsOf(const SolveOptions& options);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_
