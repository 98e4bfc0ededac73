// SPDX-License-Identifier: Apache-2.0
// What limits the parts of a search, and what they may use.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/optional.h"
#include "optimal/search_tuning.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

struct Limits {
  absl::optional<uint64_t> nodes;    // else the signal is the only limit
  const StopSignal* stop = nullptr;  // not owned; null for none
  size_t threads = 1;
  uint64_t seed = 1;
  SearchTuning tuning;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LIMITS_H_
