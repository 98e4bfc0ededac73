// SPDX-License-Identifier: Apache-2.0
// A graph of the records of one pool. It has the pairs that must not share a
// byte, and the pairs that pay for sharing one (Constraints::prefer_apart). The
// lower bound of the cost (reuse_bound.h) is derived from cliques of this
// graph.
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
// different groups and are allowed to share bytes.
struct SoftPair {
  uint32_t first = 0;
  uint32_t second = 0;
  uint64_t cost = 0;  // above 0
};

// A clique: any two of its nodes either must not share a byte or pay for
// sharing one. If its records have more bytes than the pool has room for, some
// of them overlap in every plan.
struct CostlyClique {
  // A pair that pays. At most `bytes` of the bytes that the pair shares count.
  struct Share {
    uint32_t pair = 0;
    uint64_t bytes = 0;
  };

  std::vector<uint32_t> nodes;  // in rising order
  // A lower bound of the number of bytes that the pairs of the clique share in
  // every plan, summed over the pairs; above 0.
  uint64_t overlap = 0;
  std::vector<Share> shares;
};

class ReuseGraph {
 public:
  static constexpr uint32_t kNoPair = ~uint32_t{0};

  // Makes the graph of `records`, which are in `pool` in every plan. Leaves out
  // records without bytes. If more than kMaxNodes records remain, leaves out
  // the smallest of the records that are in no pair that pays, and then, if
  // necessary, the smallest of the other records. The graph has no pairs if the
  // pool has no capacity or if `work` ends; one unit is a comparison of two
  // records. The arguments must outlive the object.
  static ReuseGraph Make(const Problem& problem,
                         const rigid::Relation& relation,
                         Span<const uint32_t> records, uint32_t pool,
                         WorkLimit* work);

  static constexpr size_t kMaxNodes = 2048;

  size_t size() const { return records_.size(); }
  // Returns the index of the node's record in the problem.
  uint32_t record_of(uint32_t node) const { return records_[node]; }
  Span<const SoftPair> pairs() const { return pairs_; }
  // Returns the index of the pair in pairs(), or kNoPair if the two nodes are
  // no such pair.
  uint32_t PairOf(uint32_t a, uint32_t b) const {
    return pair_of_[a * size() + b];
  }
  // Returns whether two nodes either must not share a byte or pay for sharing
  // one.
  bool AreRelated(uint32_t a, uint32_t b) const {
    return is_related_[a * size() + b];
  }

  // The sizes of some nodes, and the number of bytes that are available to
  // them. Both are rounded to the coarsest grid such that the offsets of all of
  // these nodes are multiples of it.
  struct Room {
    std::vector<uint64_t> sizes;  // of the nodes, rounded up to the grid
    uint64_t bytes = 0;
  };
  // Requires at least one node. O(nodes * (holes + fixed records)).
  Room RoomOf(Span<const uint32_t> nodes) const;

  // Returns the clique of `nodes`. Returns nullopt in three cases: if the
  // records of the nodes need not overlap, if they must overlap by more bytes
  // than all pairs can share (no plan exists then), or if `overlap` would
  // exceed 64 bits. O(nodes^2).
  optional<CostlyClique> CliqueOf(std::vector<uint32_t> nodes) const;

 private:
  ReuseGraph(const Problem& problem, const rigid::Relation& relation)
      : problem_(problem), relation_(relation) {}

  // Bytes that records must avoid: a hole, or a record at a fixed offset.
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

// Returns the minimum number of bytes that pairs of records share, summed over
// the pairs, if records of `sum` bytes in total are placed in `room` bytes. The
// number of pairs at an address is a convex function of the number of records
// at this address, so the sum is lowest if all addresses have the same number
// of records. Returns nullopt if the result exceeds 64 bits. Requires room > 0.
optional<uint64_t> LeastOverlap(uint64_t sum, uint64_t room);

}  // namespace stowage::reuse

#endif  // STOWAGE_SRC_BOUNDS_REUSE_GRAPH_H_
