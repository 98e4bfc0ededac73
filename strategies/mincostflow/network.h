// SPDX-License-Identifier: Apache-2.0
// Defines the network in which memory flows from records that end to records
// that start.
//
// All memory of one size forms a *size class*, in which it waits at no cost. A
// record that ends supplies its memory to the class of its size, and a record
// that starts takes memory from the class of its size. Memory may move between
// any two classes: to a smaller size at no cost, and to a larger size at a cost
// equal to the difference in size. In addition to the classes, there is the
// *world*, which supplies new memory of any size at a cost equal to the size,
// and takes unused memory at no cost.
//
//   class 9   end o------------->o end, start ----------> world
//                   \ 0 (down)    \ 0
//   class 4          `-->o start   \        o end, start -> world
//                                   \      /^
//   class 1   end o------------------`--->o  3 (up)
//            round 0     round 0    round 1 round 2       time -->
//
// A unit of flow from an end to a start costs the same as the arc between the
// two in the bipartite network of all pairs, so both networks have the same
// minimum cost. However, this network has only O(n) nodes and few arcs that
// matter, and does not distinguish records of equal size.
//
// A *round* is a sequence of ends followed by a sequence of starts. Within a
// round, every start may take memory from every end, so the order within the
// round does not matter. Each size class has one node for each round in which a
// record of this class starts or ends.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_NETWORK_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::mincostflow {

constexpr size_t kNone = static_cast<size_t>(-1);

// One size class in one round.
struct Node {
  size_t size_class = 0;
  size_t round = 0;
  // The events [begin, starts) are the records that end here.
  size_t begin = 0;
  // The events [starts, end) are the records that start here.
  size_t starts = 0;
  size_t end = 0;
  size_t next = kNone;  // the next node of this size class

  size_t end_count() const { return starts - begin; }
  size_t start_count() const { return end - starts; }
};

// An arc that moves memory to another size class. The tail is in the same round
// as the head, or in an earlier round.
struct Arc {
  size_t tail = 0;
  size_t head = 0;
};

struct Network {
  std::vector<size_t> class_sizes;  // has distinct sizes in ascending order
  std::vector<Node> nodes;          // is sorted by round, then by size class
  std::vector<size_t> events;       // has each record twice

  size_t SizeOf(size_t node) const {
    return class_sizes[nodes[node].size_class];
  }
  size_t CostOf(const Arc& arc) const {
    const size_t from = SizeOf(arc.tail);
    const size_t to = SizeOf(arc.head);
    return to > from ? to - from : 0;
  }
  // Returns one past the last node of the round of `node`. O(nodes of the
  // round).
  size_t EndOfTurn(size_t node) const {
    size_t end = node;
    while (end < nodes.size() && nodes[end].round == nodes[node].round) ++end;
    return end;
  }
};

// Builds the network. O(n log n) time, O(n) memory.
Network BuildNetwork(Span<const TensorUsageRecord<size_t>> records);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_NETWORK_H_
