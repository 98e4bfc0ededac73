// SPDX-License-Identifier: Apache-2.0
// The network in which memory flows from records that end to records that
// start.
//
// Memory of one size waits on a *shelf*, and waiting is free. A record that
// ends puts its memory on the shelf of its size, a record that starts takes
// memory from the shelf of its size, and memory may be carried from any shelf
// to any other: down for nothing, up for the difference in size. Beyond the
// shelves is the *world*, which sells memory of any size for its size, and
// takes what is left over for nothing.
//
//   shelf 9   end o------------->o end, start ----------> world
//                   \ 0 (down)    \ 0
//   shelf 4          `-->o start   \        o end, start -> world
//                                   \      /^
//   shelf 1   end o------------------`--->o  3 (up)
//            turn 0      turn 0     turn 1  turn 2        time -->
//
// A unit of flow from an end to a start costs what the arc between the two
// costs in the bipartite network of all pairs, and so the minima are the same;
// but there are O(n) nodes, the arcs between them that matter are few, and
// records of equal size are not distinguished.
//
// A *turn* is a run of ends followed by a run of starts: within one, every
// start may take from every end, and the order inside does not matter. Each
// shelf has one node for each turn in which something happens on it.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_NETWORK_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "stowage/usage_record.h"

namespace stowage::mincostflow {

constexpr size_t kNone = static_cast<size_t>(-1);

// One shelf in one turn.
struct Node {
  size_t shelf = 0;
  size_t turn = 0;
  size_t begin = 0;     // of its records in `events`:
  size_t starts = 0;    // first those that end,
  size_t end = 0;       // then those that start
  size_t next = kNone;  // the same shelf, later

  size_t end_count() const { return starts - begin; }
  size_t start_count() const { return end - starts; }
};

// A way to carry memory to another shelf. The tail is of the same turn as the
// head or an earlier one.
struct Arc {
  size_t tail = 0;
  size_t head = 0;
};

struct Network {
  std::vector<size_t> shelf_sizes;  // distinct, ascending
  std::vector<Node> nodes;          // by turn, then shelf
  std::vector<size_t> events;       // records, twice each

  size_t SizeOf(size_t node) const { return shelf_sizes[nodes[node].shelf]; }
  size_t CostOf(const Arc& arc) const {
    const size_t from = SizeOf(arc.tail);
    const size_t to = SizeOf(arc.head);
    return to > from ? to - from : 0;
  }
  // One past the last node of the turn that `node` is in. O(nodes in it).
  size_t EndOfTurn(size_t node) const {
    size_t end = node;
    while (end < nodes.size() && nodes[end].turn == nodes[node].turn) ++end;
    return end;
  }
};

// O(n log n) time, O(n) memory.
Network BuildNetwork(absl::Span<const TensorUsageRecord<size_t>> records);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_NETWORK_H_
