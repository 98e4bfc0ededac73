// SPDX-License-Identifier: Apache-2.0
// Finds the best plan for rigid groups under any constraints, by exhaustive
// search. Without constraints other than fixed offsets, use PackingSearch
// (packing_search.h), which prunes far more.
//
// The canonical search of PackingSearch would be incorrect here: a piece that
// is high above the start of its group may rest on a piece that is placed
// later. Groups are therefore not placed one after another. Every two groups
// that conflict have intervals of displacements (the start of one minus the
// start of the other) at which their pieces share no byte. Each node of the
// search has decided, for some pairs, in which interval the displacement is.
// The node raises all starts to the lowest values that satisfy these decisions
// and every domain. Such lowest values exist, since each condition only
// requires one start to rise when another start rises. If no pair overlaps at
// these starts, they are the lowest plan of the node. Otherwise, the node
// branches over the intervals of a pair that overlaps. A node is pruned if
//
// - a start would rise above its highest admissible value,
// - a pair has no interval left, or
// - for a clique and an offset, the bytes that begin at or above this offset do
//   not fit between the offset and the limit.
//
// If a pair has a cost for sharing a byte, the search branches over this pair
// last: either the pair is kept apart, or the cost is paid. Plans are compared
// by cost first, then by top.
//
// Source: own; the propagation is that of disjunctive scheduling with minimum
// and maximum delays (Brucker, Hilbig and Hurink 1999).
#ifndef STOWAGE_SRC_CONSTRUCT_GROUP_SEARCH_H_
#define STOWAGE_SRC_CONSTRUCT_GROUP_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/cliques.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {

// Two pieces, given by number, and the cost that is paid if they share a byte.
struct CostlyPair {
  uint32_t first = 0;
  uint32_t second = 0;  // belongs to another group
  uint64_t cost = 0;
};

// A plan and its cost. Plans are compared by cost, then by top; lower is
// better.
struct GroupPlan {
  std::vector<Level> starts;
  Level top = kNoLevel;
  uint64_t cost = 0;
};

class GroupSearch {
 public:
  // All arguments must outlive the object. `conflicts` is the result of
  // ListConflicts.
  GroupSearch(const RigidGroups& groups,
              Span<const std::vector<uint32_t>> conflicts,
              Span<const Clique> cliques, Span<const CostlyPair> costly);

  // Searches for plans that end at or below `limit` and are better than
  // `known`, if `known` is given. Visits at most `nodes` nodes. Returns whether
  // the search is complete; if so, best() is the best plan that exists, or one
  // that is good enough (SetEnough).
  bool Run(Level limit, optional<GroupPlan> known, uint64_t nodes,
           const StopSignal& stop);

  // Makes the search stop as soon as it has found a plan that costs at most
  // `cost` and ends at or below `top`.
  void SetEnough(uint64_t cost, Level top) {
    enough_cost_ = cost;
    enough_ = top;
  }

  const optional<GroupPlan>& best() const { return best_; }
  uint64_t nodes() const { return nodes_; }  // the sum over all calls of Run

 private:
  // An interval of displacements: the start of the second group minus the start
  // of the first. Inclusive at both ends.
  struct Interval {
    Level low = 0;
    Level high = 0;
  };
  static constexpr uint32_t kUndecided = ~uint32_t{0};
  struct Pair {
    uint32_t first = 0;
    uint32_t second = 0;
    uint32_t begin = 0;  // index in intervals_ of its first interval
    uint32_t end = 0;
    bool is_costly = false;
    uint64_t cost = 0;
    // The index in intervals_ of the chosen interval, or kUndecided.
    uint32_t decided = kUndecided;
    bool is_active = true;  // the two groups must not overlap
    bool is_paid = false;
  };
  struct Bounds {
    Level low = 0;
    Level high = 0;
  };

  void MakePairs(Span<const std::vector<uint32_t>> conflicts);
  void AddPair(uint32_t first, uint32_t second,
               std::vector<std::pair<Level, Level>> blocked);
  void AddCostlyPairs(Span<const CostlyPair> costly);
  void Search(std::vector<Bounds> starts, uint64_t paid);
  Level LimitAt(uint64_t paid) const;
  bool Propagate(uint64_t paid, std::vector<Bounds>* starts);
  optional<Interval> BoundingInterval(const Pair& pair,
                                      const std::vector<Bounds>& starts) const;
  bool PushForever(const std::vector<Bounds>& starts) const;
  bool PushPair(const Pair& pair, std::vector<Bounds>* starts, bool* changed);
  bool SetLow(uint32_t group, Level low, std::vector<Bounds>* starts,
              bool* changed);
  bool SetHigh(uint32_t group, Level high, std::vector<Bounds>* starts,
               bool* changed);
  bool CliquesFit(const std::vector<Bounds>& starts, Level limit);
  Level PushOf(const Pair& pair, const std::vector<Bounds>& starts,
               uint32_t interval) const;
  bool Overlaps(const Pair& pair, const std::vector<Bounds>& starts) const;
  uint32_t ChoosePair(const std::vector<Bounds>& starts, bool costly) const;
  void BranchOver(uint32_t number, const std::vector<Bounds>& starts,
                  uint64_t paid);
  void Accept(const std::vector<Bounds>& starts, uint64_t paid);
  bool IsOver();

  const RigidGroups& groups_;
  Span<const Clique> cliques_;
  std::vector<Pair> pairs_;
  std::vector<Interval> intervals_;
  // For each group, the indices of its pairs.
  std::vector<std::vector<uint32_t>> pairs_of_;
  Level limit_ = 0;
  uint64_t enough_cost_ = 0;
  Level enough_ = -1;
  uint64_t max_nodes_ = 0;
  uint64_t nodes_ = 0;
  const StopSignal* stop_ = nullptr;
  size_t depth_ = 0;     // pairs decided
  uint64_t pushes_ = 0;  // since the signal was last checked
  bool is_complete_ = true;
  bool is_done_ = false;
  optional<GroupPlan> best_;
  std::vector<std::pair<Level, Level>> sections_;  // scratch
};

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_GROUP_SEARCH_H_
