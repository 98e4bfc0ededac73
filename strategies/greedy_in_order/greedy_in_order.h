// GREEDY_IN_ORDER: in execution order, reuse the free object of closest size.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_
#define STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::greedy_in_order {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_in_order

#endif  // STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_
