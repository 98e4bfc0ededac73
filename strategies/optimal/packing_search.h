// SPDX-License-Identifier: Apache-2.0
// Decides whether a packing fits a capacity, by exhaustive search. To find the
// smallest capacity, use Portfolio (portfolio.h), which runs many of these.
//
// Any packing can be pushed down until each item rests on the floor, on a fixed
// item or on another item, and then listed by level. So the search lists items
// with rising levels, ties in a given order, and each has one possible level in
// a node: its floor, the lowest place above all it overlaps in time that was
// placed, around the fixed items. (Were it placed higher than that, it could
// sink there without touching what comes later in the list, which begins no
// lower than the item did.) An item that the list has passed without placing it
// can be placed only after something has raised its floor. A node is given up
// when
//
//   - something passed is out of reach of all that could still get under it, so
//     that it would have fitted where it was passed, or
//   - for some step and some level, what is still to come at that step and not
//     below that level is more than fits between it and the capacity. The level
//     of an item that was passed is at least the lowest top that can get under
//     it, be it of an item not passed yet or of a passed one raised before; and
//     what has too much beside it to be the lowest at a step lies above the
//     lowest top of what can be that ("not first" in scheduling).
//
// Where no unplaced item crosses a border between steps, both sides are
// searched on their own, and each may sort its items anew: ties are free to
// choose as long as all items of a level are still to come. The search keeps
// its state, so that it can go on later; it allocates nothing per node.
//
// Source: the canonical order is that of MiniMalloc (Moffitt, "MiniMalloc: A
// Lightweight Memory Allocator for Hardware-Accelerated Machine Learning",
// 2023); the bounds are those of one-machine scheduling with heads (Carlier,
// 1982; Carlier and Pinson, 1989, for what cannot be first), with steps as
// machines.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_PACKING_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_PACKING_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "optimal/packing.h"
#include "optimal/search_observer.h"
#include "optimal/step_levels.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

// Which of two items with the same floor is placed first.
struct SearchOrder {
  // Every item once that is not fixed: the earlier.
  std::vector<uint32_t> items;
  // Before that, the one with the highest load: the largest sum of sizes still
  // to place at one of its steps, as it was when the item's part was split off.
  bool by_load = false;
};

// At least as much as any level or sum that a search counts at a step. O(items
// + steps).
Level MostAtStep(const Packing& packing, Level capacity);

class PackingSearch {
 public:
  enum class State {
    kOpen,       // there is more to search
    kFits,       // levels() is a packing
    kExhausted,  // proved: there is none
  };

  // Requires a capacity that all fixed items end within. The packing must
  // outlive the search.
  PackingSearch(const Packing& packing, SearchOrder order, Level capacity);

  // Searches at most so many nodes more, or until `work` ends; one unit of it
  // is an item looked at. O(items * their steps) for a node at worst.
  State Run(uint64_t nodes, WorkLimit* work);

  // Reports each node to `observer`, which must outlive the search. Call it
  // before Run.
  void Observe(SearchObserver* observer) { observer_ = observer; }

  State state() const { return state_; }
  uint64_t nodes() const { return nodes_; }
  // The least that was left to place in a node that was not given up at once,
  // as the sum of sizes times steps: how far the search has got.
  absl::uint128 least_left() const { return least_left_; }
  Level capacity() const { return capacity_; }
  const SearchOrder& order() const { return order_; }

  // How many nodes were given up for what is left at each step, since the last
  // call: where it is hard to find room.
  std::vector<uint64_t> TakeFailures();

  // The level of every item of the packing, when state() is kFits.
  std::vector<Level> levels() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Unplaced items and the steps that they are in. Items are called by their
  // number in the order.
  struct Rest {
    uint32_t first_step = 0;
    uint32_t last_step = 0;  // one past
    size_t list_begin = 0;   // in lists_: by floor, ties by rank
    size_t list_end = 0;
    Level level = kUnplaced;   // of the item that was placed last, and one more
    uint32_t rank = 0;         // than its rank: what comes before is passed
    uint32_t split = kNone;    // the frame whose part this is, or kNone
    uint32_t pending = kNone;  // the next of parts_ to be searched after it

    size_t count() const { return list_end - list_begin; }
  };

  // How long the stacks were that a node adds to.
  struct Marks {
    size_t floors = 0;
    size_t lists = 0;
    size_t parts = 0;
    size_t ranks = 0;
  };

  // A node of the search.
  struct Frame {
    Rest rest;
    uint32_t placed = kNone;  // what was placed to get here
    Marks marks;
    size_t next = 0;  // in lists_: the next candidate
    Level limit = 0;  // candidates begin below it
    bool entered = false;
  };

  void LinkEqualItems();
  void Step();
  // Looks at the node on top; false if it is given up.
  bool Enter();
  uint32_t FindLowestTop(const Rest& rest) const;
  // Whether nothing unplaced crosses a border that the item has crossed.
  bool FreesBorder(const Extent& item) const;
  void AddCrossing(const Extent& item);
  void RemoveCrossing(const Extent& item);
  bool SplitsUp();
  void FindStretches(const Rest& rest);
  void PushParts();
  void PushPart(uint32_t part);
  // Ranks the items anew and forgets the rank that they were passed by.
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
  // Places the next candidate of the node on top; false if there is none.
  bool PlaceNext();
  bool IsCandidate(uint32_t number) const;
  bool Place(uint32_t number);
  bool ListWithout(const Rest& parent, uint32_t number, Rest* child);
  // For the observer: why the node on top is given up, which return false, and
  // the part that is to be searched next.
  bool ReportStuck(uint32_t number) const;
  bool ReportFull(const Extent& item, Level level) const;
  bool ReportBlocked(const Extent& item, Level level) const;
  void ReportPart(const Rest& part) const;
  // Gives up the node on top.
  void Fail();
  void Pop();

  bool Before(uint32_t a, uint32_t b) const {
    return floors_[a] != floors_[b] ? floors_[a] < floors_[b]
                                    : ranks_[a] < ranks_[b];
  }

  const Packing& packing_;
  const Obstacles obstacles_;
  const Level capacity_;
  const SearchOrder order_;
  std::vector<Item> items_;      // by number
  std::vector<Extent> extents_;  // theirs, closer together for the loops
  std::vector<uint32_t>
      equal_before_;           // the last one before that is the same, or kNone
  std::vector<Level> floors_;  // the lowest possible level, by item
  std::vector<uint32_t> ranks_;   // in the part that an item is in
  std::vector<Level> placed_at_;  // or kUnplaced
  // Unplaced items that are live on both sides, by the step after the border.
  std::vector<uint32_t> crossing_;
  // What remains by step and, as scratch of one node, how low something can
  // still come there and what lies above a level.
  StepLevels by_step_;

  std::vector<Frame> frames_;
  std::vector<Rest> parts_;
  std::vector<uint32_t> lists_;
  std::vector<std::pair<uint32_t, Level>> old_floors_;
  std::vector<std::pair<uint32_t, uint32_t>> old_ranks_;

  // Scratch of one node.
  std::vector<Level> raised_;  // the lowest level now known, by item
  // The items passed so far, then others whose level was raised above their
  // floor, sorted by raised_.
  std::vector<uint32_t> raised_items_;
  std::vector<size_t> blocked_;  // in lists_: not the lowest at all their steps
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> ends_;
  std::vector<std::pair<uint32_t, uint32_t>> stretches_;
  std::vector<Level> load_;
  std::vector<uint32_t> lifted_;
  std::vector<uint32_t> kept_;

  SearchObserver* observer_ = nullptr;
  std::vector<uint64_t> failures_;  // by step

  State state_ = State::kOpen;
  uint64_t nodes_ = 0;
  absl::uint128 left_ = 0;  // of the node on top, sizes times steps
  absl::uint128 least_left_ = absl::Uint128Max();
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_PACKING_SEARCH_H_
