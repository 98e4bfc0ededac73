// GREEDY_BY_BREADTH: the tasks with most bytes alive come first.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_BREADTH_GREEDY_BY_BREADTH_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_BREADTH_GREEDY_BY_BREADTH_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::greedy_by_breadth {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_by_breadth

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_BREADTH_GREEDY_BY_BREADTH_H_
