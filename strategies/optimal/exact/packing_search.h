// SPDX-License-Identifier: Apache-2.0
// Decides whether a packing fits a capacity, by exhaustive search. To find the
// smallest capacity, use Portfolio (portfolio.h), which runs many searches.
//
// Any packing can be pushed down until each item rests on level 0, on a fixed
// item or on another item. Its items can then be listed by rising level, with
// ties in a given order. The search builds such lists, so levels never fall
// along a list. In a node, each unplaced item has only one possible level, its
// lowest feasible level (`lowest_`). This is the lowest level that is above all
// placed items that overlap the item in time, and that avoids the fixed items.
// (If the item were placed higher, it could sink to that level without touching
// any later item of the list, since the later items start at least as high.) An
// item that the list has passed without placing it can be placed only after
// another item has raised its lowest feasible level. A node is given up when
//
//   - no item that can still be placed under some passed item can raise that
//     item: the passed item could then have been placed where it was passed, or
//   - for some step and some level, the room between the level and the capacity
//     is too small for the remaining items that are live at the step and cannot
//     be below the level.
//
// The root is also given up if the items of a step do not fit with the padding
// that their alignments require (TallestStep).
//
// Two arguments bound how low an item can be. First, a passed item is at or
// above the lowest top of the items that can be placed under it: the items that
// are not passed yet, and the passed items that were raised before. Second, one
// of the remaining items at a step is the lowest there, and all others are
// above it. If the others do not fit above an item, this item is not the
// lowest. It is then at or above the lowest top of the items that can be the
// lowest there ("not first" in scheduling).
//
// If no unplaced item crosses a border between two steps, the two sides of the
// border are searched separately. Each side may re-sort its items, because the
// order of items with the same level is free as long as none of them has been
// placed or passed. The search keeps its state, so it can be resumed later. It
// does not allocate memory per node.
//
// Source: the canonical order is that of MiniMalloc (Moffitt, "MiniMalloc: A
// Lightweight Memory Allocator for Hardware-Accelerated Machine Learning",
// 2023); the bounds are those of one-machine scheduling with heads (Carlier,
// 1982; Carlier and Pinson, 1989, for items that cannot be first), with steps
// as machines.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_PACKING_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_PACKING_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/search_observer.h"
#include "optimal/exact/step_levels.h"
#include "src/base/int128.h"
#include "src/base/work_limit.h"

namespace stowage::optimal {

// Determines which of two items with the same lowest feasible level is placed
// first.
struct SearchOrder {
  // All items except the fixed ones, each once. The earlier of two items is
  // placed first.
  std::vector<uint32_t> items;
  // If true, the item with the higher load is placed first, and `items` breaks
  // ties. The load of an item is the largest sum of remaining sizes at any of
  // its steps, computed when the part of the search that contains the item is
  // split off.
  bool by_load = false;
};

// Returns an upper bound of all levels and sums that a search stores by step.
// O(items + steps).
Level MaxAtStep(const Packing& packing, Level capacity);

class PackingSearch {
 public:
  enum class State {
    kOpen,       // there is more to search
    kFits,       // levels() is a packing
    kExhausted,  // it is proved that there is no packing
  };

  // Requires that all fixed items end within the capacity. The packing must
  // outlive the search.
  PackingSearch(const Packing& packing, SearchOrder order, Level capacity);

  // Searches at most `nodes` further nodes, or until `work` is used up. Each
  // visited item counts as one unit of work. O(items * their steps) per node in
  // the worst case.
  State Run(uint64_t nodes, WorkLimit* work);

  // Makes the search report each node to `observer`, which must outlive the
  // search. Must be called before Run.
  void Observe(SearchObserver* observer) { observer_ = observer; }

  State state() const { return state_; }
  uint64_t nodes() const { return nodes_; }
  // Returns a measure of progress: the smallest unplaced area (sum of sizes
  // times steps) in any node that was not given up at once.
  uint128 least_left() const { return least_left_; }
  Level capacity() const { return capacity_; }
  const SearchOrder& order() const { return order_; }

  // Returns, for each step, the number of nodes that were given up because of
  // this step since the last call. A high number means that it is hard to find
  // room at the step.
  std::vector<uint64_t> TakeFailures();

  // Returns the level of every item of the packing. Requires state() kFits.
  std::vector<Level> levels() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // The unplaced items of a node, and the range of their steps. Within the
  // search, an item is identified by its number, which is its index in the
  // order.
  struct Rest {
    uint32_t first_step = 0;
    uint32_t last_step = 0;  // is one past the last step
    // A range of lists_, sorted by lowest feasible level and then by rank.
    size_t list_begin = 0;
    size_t list_end = 0;
    Level level = kUnplaced;  // the level of the item that was placed last
    // One more than the rank of the item placed last. An item has been passed
    // iff its pair of level and rank is less than (level, rank).
    uint32_t rank = 0;
    // The index of the frame that was split into this part and others, or
    // kNone.
    uint32_t split = kNone;
    uint32_t pending = kNone;  // the index in parts_ of the part to search next

    size_t count() const { return list_end - list_begin; }
  };

  // The lengths of the stacks before a node added to them.
  struct Marks {
    size_t lowest_levels = 0;
    size_t lists = 0;
    size_t parts = 0;
    size_t ranks = 0;
  };

  // A node of the search.
  struct Frame {
    Rest rest;
    uint32_t placed = kNone;  // the item that was placed to open this node
    Marks marks;
    size_t next = 0;  // the index in lists_ of the next candidate
    Level limit = 0;  // candidates lie below this level
    bool entered = false;
  };

  void LinkEqualItems();
  void Step();
  // Evaluates the node on top. Returns false if the node is given up.
  bool Enter();
  uint32_t FindLowestTop(const Rest& rest) const;
  // Returns whether the item was the only unplaced item across some border.
  bool FreesBorder(const Extent& item) const;
  void AddCrossing(const Extent& item);
  void RemoveCrossing(const Extent& item);
  bool SplitsUp();
  void FindStretches(const Rest& rest);
  void PushParts();
  void PushPart(uint32_t part);
  // Ranks the items of `rest` by load, and resets the rank up to which items
  // have been passed.
  void RankByLoad(Rest* rest);
  void PushFrame(const Rest& rest, uint32_t placed, const Marks& marks);
  Marks MarkStacks() const;
  size_t CountPassed(const Rest& rest) const;
  bool RaisePassed(const Frame& frame);
  Level RaisedLevel(uint32_t number) const;
  void SortPassed(size_t from);
  bool Settle(size_t index);
  bool FailStuck(uint32_t number);
  bool RaiseBlocked(const Frame& frame);
  void FindLowestTops(const Rest& rest);
  bool FitsAbove(const Frame& frame);
  bool FitsAligned();
  // Places the next candidate of the node on top. Returns false if there is no
  // further candidate.
  bool PlaceNext();
  bool IsCandidate(uint32_t number) const;
  bool Place(uint32_t number);
  bool ListWithout(const Rest& parent, uint32_t number, Rest* child);
  // ReportStuck, ReportFull and ReportBlocked report to the observer why the
  // node on top is given up, and return false. ReportPart reports which part is
  // searched next.
  bool ReportStuck(uint32_t number) const;
  bool ReportFull(const Extent& item, Level level) const;
  bool ReportBlocked(const Extent& item, Level level) const;
  void ReportPart(const Rest& part) const;
  // Gives up the node on top.
  void Fail();
  void Pop();

  bool Before(uint32_t a, uint32_t b) const {
    return lowest_[a] != lowest_[b] ? lowest_[a] < lowest_[b]
                                    : ranks_[a] < ranks_[b];
  }

  const Packing& packing_;
  const Obstacles obstacles_;
  const Level capacity_;
  const SearchOrder order_;
  std::vector<Item> items_;  // is indexed by number
  // The extents of items_, in a compact form for the inner loops.
  std::vector<Extent> extents_;
  // The previous item with equal extent and alignment, or kNone; by item.
  std::vector<uint32_t> equal_before_;
  std::vector<Level> lowest_;     // the lowest feasible level of each item
  std::vector<uint32_t> ranks_;   // the rank of each item within its part
  std::vector<Level> placed_at_;  // the level of each item, or kUnplaced
  // The number of unplaced items that are live on both sides of the border
  // before each step.
  std::vector<uint32_t> crossing_;
  // The numbers that the search needs at each step. The remaining size is
  // maintained from node to node. The other numbers are recomputed in each
  // node: the lowest level and the lowest top that are still possible at the
  // step, and the size above a level.
  StepLevels by_step_;

  std::vector<Frame> frames_;
  std::vector<Rest> parts_;
  std::vector<uint32_t> lists_;
  std::vector<std::pair<uint32_t, Level>> old_lowest_;
  std::vector<std::pair<uint32_t, uint32_t>> old_ranks_;

  // The following members are scratch memory for a single node.

  // A level that each item is known to be at or above.
  std::vector<Level> raised_;
  // The passed items, and the items that RaiseBlocked adds because their
  // `raised_` is above their lowest feasible level. Sorted by raised_.
  std::vector<uint32_t> raised_items_;
  // The indices in lists_ of the items that cannot be the lowest at some of
  // their steps.
  std::vector<size_t> blocked_;
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> ends_;
  std::vector<std::pair<uint32_t, uint32_t>> stretches_;
  std::vector<Level> load_;
  std::vector<uint32_t> lifted_;
  std::vector<uint32_t> kept_;

  SearchObserver* observer_ = nullptr;
  std::vector<uint64_t> failures_;  // is indexed by step

  State state_ = State::kOpen;
  uint64_t nodes_ = 0;
  // The unplaced area (sizes times steps) of the node on top.
  uint128 left_ = 0;
  uint128 least_left_ = Uint128Max();
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_PACKING_SEARCH_H_
