// GREEDY_BEST: the smallest plan of the other greedy strategies.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_GREEDY_BEST_GREEDY_BEST_H_
#define STOWAGE_STRATEGIES_GREEDY_BEST_GREEDY_BEST_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::greedy_best {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_best

#endif  // STOWAGE_STRATEGIES_GREEDY_BEST_GREEDY_BEST_H_
