// The exact core: does a packing fit a capacity?
//
// Any packing can be pushed down until each item rests on the floor or on
// another, and then listed by level. So the search only lists items with rising
// levels, ties in a given order, and each has one possible level in a node: its
// floor. An item that the list has passed without placing it can be placed only
// after something has raised its floor. A node is given up when
//
//   - something passed is out of reach of all that could still get under it, so
//     that it would have fitted where it was passed, or
//   - for some step and some level, what is still to come at that step and not
//     below that level is more than fits between it and the capacity. The level
//     of an item that was passed is at least the lowest top that can get under
//     it.
//
// Where no unplaced item crosses a border between steps, both sides are
// searched on their own. The search keeps its state, so that it can go on
// later; it allocates nothing per node.
//
// Source: the canonical order is that of MiniMalloc (Moffitt, "MiniMalloc: A
// Lightweight Memory Allocator for Hardware-Accelerated Machine Learning",
// 2023); the bounds are those of one-machine scheduling with heads (Carlier,
// 1982), with steps as machines.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_PACKING_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_PACKING_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/packing.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

class PackingSearch {
 public:
  enum class State {
    kOpen,       // there is more to search
    kFits,       // levels() is a packing
    kExhausted,  // proved: there is none
  };

  // `order` has every item once; of two with the same floor, the earlier is
  // placed first. The packing must outlive the search.
  PackingSearch(const Packing& packing, std::vector<uint32_t> order,
                Level capacity);

  // Searches at most so many nodes more, or until `work` ends; one unit of it
  // is an item looked at. O(items * their steps) for a node at worst.
  State Run(uint64_t nodes, WorkLimit* work);

  State state() const { return state_; }
  uint64_t nodes() const { return nodes_; }
  Level capacity() const { return capacity_; }

  // The level of every item of the packing, when state() is kFits.
  std::vector<Level> levels() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr Level kUnplaced = -1;

  // Items are called by their number in the order from here on.
  struct Local {
    uint32_t begin;
    uint32_t end;
    Level size;
    Level alignment;
    uint32_t twin;  // the last one before it that is just the same, or kNone
  };

  // A node of the search: items lists_[list_begin, list_end) are unplaced, by
  // floor, ties by number.
  struct Frame {
    uint32_t first_step;
    uint32_t last_step;  // one past
    size_t list_begin;
    size_t list_end;
    size_t next;       // in lists_: the next candidate
    Level limit;       // candidates begin below it
    Level level;       // of the item that was placed last, and its number: what
    uint32_t number;   // comes before these has been passed
    uint32_t placed;   // what was placed to get here, or kNone
    uint32_t split;    // the frame whose part this begins, or kNone
    uint32_t pending;  // the next of parts_ to be searched after this one
    size_t floors_mark;
    size_t lists_mark;
    size_t parts_mark;
    bool entered;
  };

  struct Part {
    uint32_t first_step;
    uint32_t last_step;
    size_t list_begin;
    size_t list_end;
    uint32_t split;
    uint32_t next;
    Level level;
    uint32_t number;
  };

  void Step();
  // Looks at the node on top; false if it is given up.
  bool Enter();
  bool SplitsUp();
  void PushPart(uint32_t part);
  size_t CountPassed(const Frame& frame) const;
  bool RaisePassed(const Frame& frame, size_t passed);
  bool FitsAbove(const Frame& frame, size_t passed);
  // Places the next candidate of the node on top; false if there is none.
  bool PlaceNext();
  bool IsCandidate(uint32_t number) const;
  bool Place(uint32_t number);
  bool ListWithout(const Frame& parent, uint32_t number, Frame* child);
  // Gives up the node on top.
  void Fail();
  void Pop();

  bool Overlap(uint32_t a, uint32_t b) const {
    return items_[a].begin < items_[b].end && items_[b].begin < items_[a].end;
  }
  bool Before(uint32_t a, uint32_t b) const {
    return floors_[a] != floors_[b] ? floors_[a] < floors_[b] : a < b;
  }

  Level capacity_;
  std::vector<uint32_t> order_;
  std::vector<Local> items_;
  std::vector<Level> floors_;     // the lowest possible level, by item
  std::vector<Level> placed_at_;  // or kUnplaced
  std::vector<Level> remaining_;  // bytes still to place, by step

  std::vector<Frame> frames_;
  std::vector<Part> parts_;
  std::vector<uint32_t> lists_;
  std::vector<std::pair<uint32_t, Level>> old_floors_;

  // Scratch of one node.
  std::vector<Level> lowest_floor_;  // by step, of what can still come there
  std::vector<Level> lowest_top_;
  std::vector<Level> above_;
  std::vector<Level> raised_;  // of the passed items, by item
  std::vector<uint32_t> passed_;
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> ends_;
  std::vector<std::pair<uint32_t, uint32_t>> stretches_;
  std::vector<uint32_t> lifted_;
  std::vector<uint32_t> kept_;

  State state_ = State::kOpen;
  uint64_t nodes_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_PACKING_SEARCH_H_
