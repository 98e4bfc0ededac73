// SPDX-License-Identifier: Apache-2.0
// The exact core of OPTIMAL: its answers against exhaustive search, around
// fixed items too, and against itself in other orders.
#include "optimal/packing_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/packing.h"
#include "src/core/random.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {
namespace {

using State = PackingSearch::State;

Item MakeItem(uint32_t begin, uint32_t end, Level size, Level alignment = 1,
              Level fixed_level = kUnplaced) {
  Item item;
  item.begin = begin;
  item.end = end;
  item.size = size;
  item.alignment = alignment;
  item.fixed_level = fixed_level;
  return item;
}

std::vector<uint32_t> MovableItems(const Packing& packing) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    if (!packing.items[i].is_fixed()) order.push_back(i);
  }
  return order;
}

bool IsPlaced(const Packing& packing, const std::vector<Level>& levels,
              size_t count, Level capacity) {
  const Item& last = packing.items[count];
  if (levels[count] + last.size > capacity) return false;
  if (levels[count] % last.alignment != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    const Item& item = packing.items[i];
    if (Overlap(item, last) && levels[i] < levels[count] + last.size &&
        levels[count] < levels[i] + item.size) {
      return false;
    }
  }
  return true;
}

bool IsPacking(const Packing& packing, const std::vector<Level>& levels,
               Level capacity) {
  for (size_t i = 0; i < levels.size(); ++i) {
    const Item& item = packing.items[i];
    if (levels[i] < 0 || !IsPlaced(packing, levels, i, capacity)) return false;
    if (item.is_fixed() && levels[i] != item.fixed_level) return false;
  }
  return true;
}

// Tries every level of every item from `index` on: knows no canonical order.
bool Fits(const Packing& packing, Level capacity, size_t index,
          std::vector<Level>* levels) {
  if (index == packing.items.size()) return true;
  const Item& item = packing.items[index];
  const Level first = item.is_fixed() ? item.fixed_level : 0;
  const Level last = item.is_fixed() ? item.fixed_level : capacity;
  for (Level level = first; level <= last; ++level) {
    (*levels)[index] = level;
    if (IsPlaced(packing, *levels, index, capacity) &&
        Fits(packing, capacity, index + 1, levels)) {
      return true;
    }
  }
  return false;
}

void AddRandomItem(Random* random, Level sizes, bool is_fixed,
                   Packing* packing) {
  const auto begin = static_cast<uint32_t>(random->Below(packing->steps));
  const auto life =
      static_cast<uint32_t>(1 + random->Below(packing->steps - begin));
  Item item = MakeItem(
      begin, begin + life,
      static_cast<Level>(1 + random->Below(static_cast<uint64_t>(sizes))),
      Level{1} << random->Below(3));
  if (is_fixed) {
    item.fixed_level = static_cast<Level>(random->Below(3)) * item.alignment;
    for (const Item& other : packing->items) {
      if (Overlap(item, other) &&
          item.fixed_level < other.fixed_level + other.size &&
          other.fixed_level < item.fixed_level + item.size) {
        return;
      }
    }
  }
  packing->items.push_back(item);
}

// Fixed items come first, so that they do not overlap each other.
Packing TinyPacking(Random* random, size_t most_fixed) {
  Packing packing;
  packing.steps = static_cast<uint32_t>(2 + random->Below(4));
  const auto sizes = static_cast<Level>(2 + random->Below(4));
  for (size_t k = random->Below(most_fixed + 1); k > 0; --k) {
    AddRandomItem(random, sizes, /*is_fixed=*/true, &packing);
  }
  for (size_t k = 2 + random->Below(5); k > 0; --k) {
    AddRandomItem(random, sizes, /*is_fixed=*/false, &packing);
  }
  return packing;
}

void ExpectTruth(const Packing& packing, Level capacity, bool fits,
                 Random* random) {
  std::vector<uint32_t> order = MovableItems(packing);
  for (size_t k = order.size(); k > 1; --k) {
    std::swap(order[k - 1], order[random->Below(k)]);
  }
  for (const bool by_load : {false, true}) {
    PackingSearch search(packing, {order, by_load}, capacity);
    WorkLimit work(WorkLimit::kUnlimited);
    const State state = search.Run(1000000, &work);
    ASSERT_EQ(state, fits ? State::kFits : State::kExhausted)
        << "capacity " << capacity << (by_load ? ", by load" : "");
    if (fits) {
      ASSERT_TRUE(IsPacking(packing, search.levels(), capacity));
    }
  }
}

TEST(PackingSearch, AgreesWithExhaustiveSearch) {
  Random random(1);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const Packing packing = TinyPacking(&random, /*most_fixed=*/0);
    std::vector<Level> levels(packing.items.size());
    bool fits = false;
    for (Level capacity = LowerBoundOf(packing); !fits; ++capacity) {
      fits = Fits(packing, capacity, 0, &levels);
      ExpectTruth(packing, capacity, fits, &random);
    }
  }
}

TEST(PackingSearch, AgreesWithExhaustiveSearchAroundFixedItems) {
  Random random(2);
  int above_bound = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Packing packing = TinyPacking(&random, /*most_fixed=*/4);
    const Level bound = LowerBoundOf(packing);
    std::vector<Level> levels(packing.items.size());
    if (bound > 0) {
      ASSERT_FALSE(Fits(packing, bound - 1, 0, &levels)) << "bound " << bound;
    }
    bool fits = false;
    for (Level capacity = bound; !fits; ++capacity) {
      fits = Fits(packing, capacity, 0, &levels);
      ExpectTruth(packing, capacity, fits, &random);
      if (!fits) ++above_bound;
    }
  }
  // Or no infeasibility would have been proved by search.
  EXPECT_GT(above_bound, 50);
}

// i can lie only on j, which can lie only on x, which does not overlap i: what
// was passed must be raised through what else was passed. Only one arrangement
// fits: a, b and c at the bottom; x on b, j on x, i on j; z on c.
Packing Staircase() {
  Packing packing;
  packing.steps = 3;
  packing.items = {
      MakeItem(0, 1, 3),      // a
      MakeItem(1, 2, 4, 8),   // b
      MakeItem(2, 3, 4, 32),  // c
      MakeItem(0, 2, 2),      // j
      MakeItem(2, 3, 3, 4),   // z
      MakeItem(1, 2, 1, 4),   // x
      MakeItem(0, 1, 10),     // i
      MakeItem(1, 3, 10),     // on top of b, x, j and of c, z
  };
  return packing;
}

TEST(PackingSearch, RaisesPassedItemsThroughEachOther) {
  const Packing packing = Staircase();
  std::vector<uint32_t> order = MovableItems(packing);
  size_t fits = 0;
  size_t orders = 0;
  do {
    for (const bool by_load : {false, true}) {
      PackingSearch search(packing, {order, by_load}, 17);
      WorkLimit work(WorkLimit::kUnlimited);
      ++orders;
      if (search.Run(100000, &work) == State::kFits) ++fits;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(fits, orders);
}

// Pieces of a rectangle, some of them fixed where they were cut: there is a
// packing, so that no order may deny it.
TEST(PackingSearch, NeverDeniesWhatWasCutFromOnePiece) {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    constexpr Level kCapacity = 16;
    Packing packing;
    packing.steps = 6;
    packing.items = {MakeItem(0, 6, kCapacity, 1, 0)};
    for (int cut = 0; cut < 60 && packing.items.size() < 14; ++cut) {
      Item& piece = packing.items[random.Below(packing.items.size())];
      Item rest = piece;
      if (random.Below(2) == 0 && piece.end - piece.begin > 1) {
        piece.end = rest.begin =
            piece.begin + 1 +
            static_cast<uint32_t>(random.Below(piece.end - piece.begin - 1));
      } else if (piece.size > 1) {
        piece.size = 1 + static_cast<Level>(random.Below(
                             static_cast<uint64_t>(piece.size) - 1));
        rest.fixed_level += piece.size;
        rest.size -= piece.size;
      } else {
        continue;
      }
      packing.items.push_back(rest);
    }
    for (Item& item : packing.items) {
      if (random.Below(4) != 0) item.fixed_level = kUnplaced;
    }
    ASSERT_LE(LowerBoundOf(packing), kCapacity);
    ExpectTruth(packing, kCapacity, /*fits=*/true, &random);
  }
}

TEST(LowerBoundOf, KnowsWhereFixedItemsEndAndWhatTheyLeave) {
  Packing packing;
  packing.steps = 2;
  packing.items = {MakeItem(0, 1, 4, 1, 10)};
  EXPECT_EQ(LowerBoundOf(packing), 14);
  // Below the fixed one there is room.
  packing.items.push_back(MakeItem(0, 1, 10));
  EXPECT_EQ(LowerBoundOf(packing), 14);
  // No longer: the rest lies above it.
  packing.items.push_back(MakeItem(0, 1, 1));
  EXPECT_EQ(LowerBoundOf(packing), 15);
  // Too long for the room below it.
  packing.items = {MakeItem(0, 1, 4, 1, 10), MakeItem(0, 2, 11)};
  EXPECT_EQ(LowerBoundOf(packing), 25);
}

}  // namespace
}  // namespace stowage::optimal
