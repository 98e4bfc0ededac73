// SPDX-License-Identifier: Apache-2.0
// What limits the parts of a search, and what they may use.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/optional.h"
#include "optimal/search_tuning.h"
#include "src/core/work_limit.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

struct Limits {
  absl::optional<uint64_t> nodes;    // else the signal is the only limit
  const StopSignal* stop = nullptr;  // not owned; null for none
  size_t threads = 1;
  uint64_t seed = 1;
  SearchTuning tuning;
};

// When a search has to end, counted from now.
inline bool IsStopped(const Limits& limits) {
  return limits.stop != nullptr && limits.stop->IsSet();
}

StopSignal SignalOf(const SolveOptions& options);

// How many threads it may use, at least 1.
size_t ThreadsOf(const SolveOptions& options);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_
