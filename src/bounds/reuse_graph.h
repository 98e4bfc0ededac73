// SPDX-License-Identifier: Apache-2.0
// Lists, for the records of one pool, which pairs must not share a byte and
// which pairs pay for sharing one (Constraints::prefer_apart). The lower bound
// of the cost (reuse_bound.h) follows from cliques of this graph.
#ifndef STOWAGE_SRC_BOUNDS_REUSE_GRAPH_H_
#define STOWAGE_SRC_BOUNDS_REUSE_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::reuse {

// Two nodes of the graph that pay for sharing a byte. Their records are in
// different groups, and nothing forbids them to share.
struct SoftPair {
  uint32_t first = 0;
  uint32_t second = 0;
  uint64_t cost = 0;  // above 0
};

// A clique: any two of its nodes either must not share a byte or pay for
// sharing one. If its records need more bytes than the pool has room for, some
// of its records overlap.
struct CostlyClique {
  // A pair that pays. Of the bytes that it shares, at most `bytes` count.
  struct Share {
    uint32_t pair = 0;
    uint64_t bytes = 0;
  };

  std::vector<uint32_t> nodes;  // in rising order
  // The sum of the bytes that pairs of the clique share in every plan; above 0.
  uint64_t overlap = 0;
  std::vector<Share> shares;
};

class ReuseGraph {
 public:
  static constexpr uint32_t kNoPair = ~uint32_t{0};

  // Makes the graph of some records, which lie in `pool` in every plan. Leaves
  // out records without bytes. If more than kMaxNodes records remain, leaves
  // out the smallest of the records that are in no pair that pays. If this is
  // not enough, leaves out the smallest of the other records, too. The graph
  // has no pairs if the pool has no capacity or `work` ends; one unit is a
  // comparison of two records. The arguments must outlive the object.
  static ReuseGraph Make(const Problem& problem,
                         const rigid::Relation& relation,
                         Span<const uint32_t> records, uint32_t pool,
                         WorkLimit* work);

  static constexpr size_t kMaxNodes = 2048;

  size_t size() const { return records_.size(); }
  // Returns the index of the node's record in the problem.
  uint32_t record_of(uint32_t node) const { return records_[node]; }
  Span<const SoftPair> pairs() const { return pairs_; }
  // Returns the number of the pair of two nodes, or kNoPair.
  uint32_t PairOf(uint32_t a, uint32_t b) const {
    return pair_of_[a * size() + b];
  }
  // Returns whether two nodes must not share a byte, or pay for sharing one.
  bool AreRelated(uint32_t a, uint32_t b) const {
    return is_related_[a * size() + b];
  }

  // The sizes of some nodes, and the number of bytes where they may lie. Both
  // are rounded to a grid: the coarsest grid of which all offsets of the nodes
  // are multiples.
  struct Room {
    std::vector<uint64_t> sizes;  // of the nodes, rounded up to the grid
    uint64_t bytes = 0;
  };
  // Requires at least one node. O(nodes * (holes + fixed records)).
  Room RoomOf(Span<const uint32_t> nodes) const;

  // Returns the clique of some nodes. Returns nothing if the records of the
  // nodes need not overlap, if they must overlap by more bytes than all pairs
  // can share (so that no plan exists), or if `overlap` would exceed 64 bits.
  // O(nodes^2).
  optional<CostlyClique> CliqueOf(std::vector<uint32_t> nodes) const;

 private:
  ReuseGraph(const Problem& problem, const rigid::Relation& relation)
      : problem_(problem), relation_(relation) {}

  // Bytes that records may not touch: a hole, or a record at a fixed offset.
  struct Obstacle {
    size_t begin = 0;
    size_t end = 0;
    uint32_t node = 0;  // kNoNode for a hole
    TaskId first_task = 0;
    TaskId last_task = 0;
  };
  static constexpr uint32_t kNoNode = ~uint32_t{0};

  void SelectRecords(Span<const uint32_t> records);
  void AddPairs();
  bool AddConflicts(WorkLimit* work);
  void AddObstacles(uint32_t pool);
  bool IsInWayOf(const Obstacle& obstacle, Span<const uint32_t> nodes) const;

  const Problem& problem_;
  const rigid::Relation& relation_;
  optional<size_t> capacity_;
  std::vector<uint32_t> records_;  // by node
  std::vector<SoftPair> pairs_;
  std::vector<uint32_t> pair_of_;  // by both nodes
  std::vector<bool> is_related_;   // by both nodes
  std::vector<Obstacle> obstacles_;
};

// Returns the least number of bytes that pairs of records share if the records
// have `sum` bytes and lie in `room` bytes. The number of pairs at an address
// is a convex function of the number of records there, so the sum is least if
// all addresses have equally many records. Returns nothing if the result
// exceeds 64 bits. Requires room > 0.
optional<uint64_t> LeastOverlap(uint64_t sum, uint64_t room);

}  // namespace stowage::reuse

#endif  // STOWAGE_SRC_BOUNDS_REUSE_GRAPH_H_
