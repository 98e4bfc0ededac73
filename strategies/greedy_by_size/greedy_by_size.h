// GREEDY_BY_SIZE: the largest tensors come first.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_GREEDY_BY_SIZE_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_GREEDY_BY_SIZE_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::greedy_by_size {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_GREEDY_BY_SIZE_H_
