// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/pricing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace stowage::mincostflow {
namespace {

// Finds the cheapest offer in a range of size classes, by a segment tree.
class Offers {
 public:
  struct Offer {
    Cost price = std::numeric_limits<Cost>::max();
    size_t node = kNone;

    bool operator<(const Offer& other) const {
      return std::make_pair(price, node) <
             std::make_pair(other.price, other.node);
    }
  };

  explicit Offers(size_t shelf_count)
      : shelf_count_(shelf_count), tree_(2 * shelf_count) {}

  void Set(size_t shelf, const Offer& offer) {
    size_t i = shelf + shelf_count_;
    tree_[i] = offer;
    for (i /= 2; i > 0; i /= 2) {
      tree_[i] = std::min(tree_[2 * i], tree_[2 * i + 1]);
    }
  }

  // Returns the cheapest offer of the classes in [begin, end).
  Offer Cheapest(size_t begin, size_t end) const {
    Offer cheapest;
    size_t i = begin + shelf_count_;
    size_t j = end + shelf_count_;
    for (; i < j; i /= 2, j /= 2) {
      if (i % 2 == 1) cheapest = std::min(cheapest, tree_[i++]);
      if (j % 2 == 1) cheapest = std::min(cheapest, tree_[--j]);
    }
    return cheapest;
  }

 private:
  size_t shelf_count_;
  std::vector<Offer> tree_;
};

}  // namespace

std::vector<Arc> FindProfitableArcs(const Network& network,
                                    absl::Span<const size_t> part,
                                    absl::Span<const Cost> prices) {
  const std::vector<size_t>& sizes = network.shelf_sizes;
  std::vector<Arc> arcs;
  // From a larger class, memory costs its price. From a smaller class, it costs
  // its price plus the difference in size; the tree stores the terms that do
  // not depend on the head.
  Offers larger(sizes.size());
  Offers smaller(sizes.size());
  const auto is_profitable = [](const Offers::Offer& offer, Cost limit) {
    return offer.node != kNone && offer.price < limit;
  };
  for (size_t i = 0; i < part.size();) {
    const size_t turn = network.nodes[part[i]].turn;
    const size_t first = i;
    for (; i < part.size() && network.nodes[part[i]].turn == turn; ++i) {
      const size_t shelf = network.nodes[part[i]].shelf;
      larger.Set(shelf, {prices[i], part[i]});
      smaller.Set(shelf,
                  {prices[i] - static_cast<Cost>(sizes[shelf]), part[i]});
    }
    for (size_t j = first; j < i; ++j) {
      const Node& head = network.nodes[part[j]];
      if (head.start_count() == 0) continue;
      const Offers::Offer down = larger.Cheapest(head.shelf + 1, sizes.size());
      if (is_profitable(down, prices[j])) {
        arcs.push_back({down.node, part[j]});
      }
      const Offers::Offer up = smaller.Cheapest(0, head.shelf);
      if (is_profitable(up, prices[j] - static_cast<Cost>(sizes[head.shelf]))) {
        arcs.push_back({up.node, part[j]});
      }
    }
  }
  return arcs;
}

}  // namespace stowage::mincostflow
