// SPDX-License-Identifier: Apache-2.0
// Stores a number for each step, and loops over ranges of steps. WideRow can
// hold any level, and NarrowRow is faster; StepLevels (step_levels.h) chooses
// between them. For numbers that are not used in such loops, use a vector of
// Level.
//
// Both classes have the same functions on the steps in [begin, end), which are
// O(end - begin) and do nothing if begin is not less than end. A narrow row
// holds numbers up to kMaxNarrow, and kMaxLevel, in blocks of eight. A block is
// always loaded and stored as a whole, since a load that does not match a
// preceding store has to wait until the store is finished. A loop therefore
// visits all blocks that contain any step of the range. In the first and the
// last block, `outside` marks the lanes that the loop must skip.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_STEP_ROWS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_STEP_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

// The largest number in a narrow row. The next larger number represents
// kMaxLevel.
constexpr Level kMaxNarrow = std::numeric_limits<int16_t>::max() - 1;

// A pair of values, one from each of two rows.
using LevelPair = std::pair<Level, Level>;

class WideRow {
 public:
  void Assign(uint32_t steps, Level level) { levels_.assign(steps, level); }
  Level At(uint32_t step) const { return levels_[step]; }

  void Fill(uint32_t begin, uint32_t end, Level level) {
    for (uint32_t s = begin; s < end; ++s) levels_[s] = level;
  }

  // Adds `size` to each number. Requires that no result is negative.
  void Add(uint32_t begin, uint32_t end, Level size) {
    for (uint32_t s = begin; s < end; ++s) levels_[s] += size;
  }

  // Adds `size` to each number, as Add does. Returns true if any result exceeds
  // `room`.
  bool AddAndCompare(uint32_t begin, uint32_t end, Level size, Level room) {
    Level max = 0;
    for (uint32_t s = begin; s < end; ++s) {
      levels_[s] += size;
      max = std::max(max, levels_[s]);
    }
    return max > room;
  }

  bool IsAnyAbove(uint32_t begin, uint32_t end, Level room) const {
    for (uint32_t s = begin; s < end; ++s) {
      if (levels_[s] > room) return true;
    }
    return false;
  }

  // Returns the largest number, or 0 if there are no steps.
  Level Most(uint32_t begin, uint32_t end) const {
    Level max = 0;
    for (uint32_t s = begin; s < end; ++s) max = std::max(max, levels_[s]);
    return max;
  }

  // Returns the smallest number of this row and the smallest number of `other`,
  // or kMaxLevel for both if there are no steps.
  LevelPair Least(const WideRow& other, uint32_t begin, uint32_t end) const {
    LevelPair least = {kMaxLevel, kMaxLevel};
    for (uint32_t s = begin; s < end; ++s) {
      least.first = std::min(least.first, levels_[s]);
      least.second = std::min(least.second, other.levels_[s]);
    }
    return least;
  }

  // Lowers the numbers of this row to at most levels.first, and those of the
  // other row to at most levels.second.
  void Lower(WideRow* other, uint32_t begin, uint32_t end, LevelPair levels) {
    for (uint32_t s = begin; s < end; ++s) {
      levels_[s] = std::min(levels_[s], levels.first);
      other->levels_[s] = std::min(other->levels_[s], levels.second);
    }
  }

  // Lowers the numbers of this row to at most `level`, but only at steps where
  // `load` is at most `room`. Returns true if `load` exceeds `room` at any
  // other step of the range.
  bool LowerWhereFits(const WideRow& load, Level room, uint32_t begin,
                      uint32_t end, Level level) {
    bool blocks = false;
    for (uint32_t s = begin; s < end; ++s) {
      const bool is_blocked = load.levels_[s] > room;
      blocks |= is_blocked;
      levels_[s] = std::min(levels_[s], is_blocked ? kMaxLevel : level);
    }
    return blocks;
  }

  // Returns the largest number at the steps where `load` exceeds `room`, or 0
  // if there are no such steps.
  Level MaxWhereBlocked(const WideRow& load, Level room, uint32_t begin,
                        uint32_t end) const {
    Level max = 0;
    for (uint32_t s = begin; s < end; ++s) {
      if (load.levels_[s] > room) max = std::max(max, levels_[s]);
    }
    return max;
  }

 private:
  std::vector<Level> levels_;
};

class NarrowRow {
 public:
  void Assign(uint32_t steps, Level level) {
    blocks_.assign((size_t{steps} + kLanes - 1) / kLanes, {Every(Of(level))});
  }
  Level At(uint32_t step) const {
    return LevelOf(blocks_[step / kLanes].lanes[step % kLanes]);
  }

  void Fill(uint32_t begin, uint32_t end, Level level) {
    const Lanes number = Every(Of(level));
    ForBlocks(begin, end, [&](Lanes* lanes, Lanes outside) {
      *lanes = outside == 0 ? number : *lanes;
    });
  }

  void Add(uint32_t begin, uint32_t end, Level size) {
    const Lanes number = Every(Of(size));
    ForBlocks(begin, end, [&](Lanes* lanes, Lanes outside) {
      *lanes += number & (outside == 0);
    });
  }

  bool AddAndCompare(uint32_t begin, uint32_t end, Level size, Level room) {
    const Lanes number = Every(Of(size));
    const Lanes max = Every(Of(room));
    Lanes above = {};
    ForBlocks(begin, end, [&](Lanes* lanes, Lanes outside) {
      const Lanes inside = outside == 0;
      *lanes += number & inside;
      above |= (*lanes > max) & inside;
    });
    return IsAny(above);
  }

  bool IsAnyAbove(uint32_t begin, uint32_t end, Level room) const {
    const Lanes max = Every(Of(room));
    Lanes above = {};
    ForBlocks(begin, end, [&](const Lanes* lanes, Lanes outside) {
      above |= (*lanes > max) & (outside == 0);
    });
    return IsAny(above);
  }

  Level Most(uint32_t begin, uint32_t end) const {
    Lanes max = {};
    ForBlocks(begin, end, [&](const Lanes* lanes, Lanes outside) {
      max = Larger(max, *lanes & (outside == 0));
    });
    return LevelOf(LargestOf(max));
  }

  LevelPair Least(const NarrowRow& other, uint32_t begin, uint32_t end) const {
    Lanes first = Every(kTop);
    Lanes second = first;
    const Block* others = other.blocks_.data() + begin / kLanes;
    ForBlocks(begin, end, [&](const Lanes* lanes, Lanes outside) {
      first = Smaller(first, *lanes | outside);
      second = Smaller(second, (others++)->lanes | outside);
    });
    return {LevelOf(SmallestOf(first)), LevelOf(SmallestOf(second))};
  }

  void Lower(NarrowRow* other, uint32_t begin, uint32_t end, LevelPair levels) {
    const Lanes first = Every(Of(levels.first));
    const Lanes second = Every(Of(levels.second));
    Block* others = other->blocks_.data() + begin / kLanes;
    ForBlocks(begin, end, [&](Lanes* lanes, Lanes outside) {
      *lanes = Smaller(*lanes, first | outside);
      others->lanes = Smaller(others->lanes, second | outside);
      ++others;
    });
  }

  bool LowerWhereFits(const NarrowRow& load, Level room, uint32_t begin,
                      uint32_t end, Level level) {
    const Lanes number = Every(Of(level));
    const Lanes max = Every(Of(room));
    Lanes blocks = {};
    const Block* loads = load.blocks_.data() + begin / kLanes;
    ForBlocks(begin, end, [&](Lanes* lanes, Lanes outside) {
      const Lanes is_blocked = (loads++)->lanes > max;
      blocks |= is_blocked & (outside == 0);
      *lanes = Smaller(*lanes, number | outside | (is_blocked & kTop));
    });
    return IsAny(blocks);
  }

  Level MaxWhereBlocked(const NarrowRow& load, Level room, uint32_t begin,
                        uint32_t end) const {
    const Lanes fits = Every(Of(room));
    Lanes max = {};
    const Block* loads = load.blocks_.data() + begin / kLanes;
    ForBlocks(begin, end, [&](const Lanes* lanes, Lanes outside) {
      const Lanes is_blocked = (loads++)->lanes > fits;
      max = Larger(max, *lanes & is_blocked & (outside == 0));
    });
    return LevelOf(LargestOf(max));
  }

 private:
  // Uses vector extensions of GCC and Clang, since neither compiler vectorizes
  // all of these loops.
  using Lanes = int16_t __attribute__((vector_size(16)));
  struct Block {
    Lanes lanes;
  };
  static constexpr uint32_t kLanes = 8;
  static constexpr int16_t kTop = std::numeric_limits<int16_t>::max();
  // The values of `outside`, which mark the lanes to skip, are loaded from
  // these arrays. The position of a load determines the lanes. The value for a
  // first block consists of eight successive numbers of kBefore, which mark the
  // lanes before the first step of the range; that for a last block, of eight
  // numbers of kAfter, which mark the lanes after the last step.
  static constexpr int16_t kBefore[2 * kLanes] = {
      kTop, kTop, kTop, kTop, kTop, kTop, kTop, kTop, 0, 0, 0, 0, 0, 0, 0, 0};
  static constexpr int16_t kAfter[2 * kLanes] = {
      0, 0, 0, 0, 0, 0, 0, 0, kTop, kTop, kTop, kTop, kTop, kTop, kTop, kTop};

  static int16_t Of(Level level) {
    return static_cast<int16_t>(std::min<Level>(level, kTop));
  }
  static Level LevelOf(int16_t number) {
    return number == kTop ? kMaxLevel : Level{number};
  }
  static Lanes Every(int16_t number) { return number - Lanes{}; }
  static Lanes Load(const int16_t* numbers) {
    Lanes lanes;
    std::memcpy(&lanes, numbers, sizeof(lanes));
    return lanes;
  }
  static Lanes Smaller(Lanes a, Lanes b) { return a < b ? a : b; }
  static Lanes Larger(Lanes a, Lanes b) { return a > b ? a : b; }
  static bool IsAny(Lanes mask) {
    uint64_t halves[2];
    std::memcpy(halves, &mask, sizeof(mask));
    return (halves[0] | halves[1]) != 0;
  }
  static int16_t SmallestOf(Lanes a) {
    a = Smaller(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    a = Smaller(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5));
    return std::min(a[0], a[1]);
  }
  static int16_t LargestOf(Lanes a) {
    a = Larger(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    a = Larger(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5));
    return std::max(a[0], a[1]);
  }

  // Calls `loop` for each block. `outside` is kTop in the lanes to skip, and 0
  // in all others.
  template <typename Blocks, typename Loop>
  static void LoopOver(Blocks* blocks, uint32_t begin, uint32_t end,
                       const Loop& loop) {
    if (begin >= end) return;
    uint32_t b = begin / kLanes;
    const uint32_t last = (end - 1) / kLanes;
    Lanes outside = Load(kBefore + kLanes - begin % kLanes);
    const Lanes after = Load(kAfter + kLanes - 1 - (end - 1) % kLanes);
    if (b < last) {
      loop(&blocks[b].lanes, outside);
      for (++b; b < last; ++b) loop(&blocks[b].lanes, Lanes{});
      outside = Lanes{};
    }
    loop(&blocks[last].lanes, outside | after);
  }
  template <typename Loop>
  void ForBlocks(uint32_t begin, uint32_t end, const Loop& loop) {
    LoopOver(blocks_.data(), begin, end, loop);
  }
  template <typename Loop>
  void ForBlocks(uint32_t begin, uint32_t end, const Loop& loop) const {
    LoopOver(blocks_.data(), begin, end, loop);
  }

  std::vector<Block> blocks_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_STEP_ROWS_H_
