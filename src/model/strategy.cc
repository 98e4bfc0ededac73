// SPDX-License-Identifier: Apache-2.0
#include "stowage/strategy.h"

#include "absl/strings/string_view.h"

namespace stowage {

absl::string_view StrategyName(MemoryStrategy strategy) {
  switch (strategy) {
    case MemoryStrategy::NAIVE:
      return "naive";
    case MemoryStrategy::EQUALITY:
      return "equality";
    case MemoryStrategy::GREEDY_IN_ORDER:
      return "greedy_in_order";
    case MemoryStrategy::GREEDY_BY_BREADTH:
      return "greedy_by_breadth";
    case MemoryStrategy::GREEDY_BY_SIZE:
      return "greedy_by_size";
    case MemoryStrategy::GREEDY_BEST:
      return "greedy_best";
    case MemoryStrategy::MINCOSTFLOW:
      return "mincostflow";
  }
  return "unknown";
}

}  // namespace stowage
