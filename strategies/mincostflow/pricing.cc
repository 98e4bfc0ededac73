// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/pricing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/range_tree.h"

namespace stowage::mincostflow {
namespace {

struct Offer {
  Cost price = std::numeric_limits<Cost>::max();
  size_t node = kNone;

  bool operator<(const Offer& other) const {
    return std::make_pair(price, node) <
           std::make_pair(other.price, other.node);
  }
};

struct Cheaper {
  const Offer& operator()(const Offer& a, const Offer& b) const {
    return std::min(a, b);
  }
};

}  // namespace

std::vector<Arc> FindProfitableArcs(const Network& network,
                                    Span<const size_t> part,
                                    Span<const Cost> prices) {
  const std::vector<size_t>& sizes = network.class_sizes;
  std::vector<Arc> arcs;
  // Memory from a node of a larger class costs the price of that node. Memory
  // from a node of a smaller class costs the price of that node plus the
  // difference in size. The trees store only the terms of these costs that do
  // not depend on the head of the arc.
  BestOfRange<Offer, Cheaper> larger(sizes.size());
  BestOfRange<Offer, Cheaper> smaller(sizes.size());
  const auto is_profitable = [](const Offer& offer, Cost limit) {
    return offer.node != kNone && offer.price < limit;
  };
  for (size_t i = 0; i < part.size();) {
    const size_t round = network.nodes[part[i]].round;
    const size_t first = i;
    for (; i < part.size() && network.nodes[part[i]].round == round; ++i) {
      const size_t size_class = network.nodes[part[i]].size_class;
      larger.Set(size_class, {prices[i], part[i]});
      smaller.Set(size_class,
                  {prices[i] - static_cast<Cost>(sizes[size_class]), part[i]});
    }
    for (size_t j = first; j < i; ++j) {
      const Node& head = network.nodes[part[j]];
      if (head.start_count() == 0) continue;
      const Offer down = larger.Best(head.size_class + 1, sizes.size());
      if (is_profitable(down, prices[j])) {
        arcs.push_back({down.node, part[j]});
      }
      const Offer up = smaller.Best(0, head.size_class);
      if (is_profitable(
              up, prices[j] - static_cast<Cost>(sizes[head.size_class]))) {
        arcs.push_back({up.node, part[j]});
      }
    }
  }
  return arcs;
}

}  // namespace stowage::mincostflow
