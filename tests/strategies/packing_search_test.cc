// SPDX-License-Identifier: Apache-2.0
// Compares the exact search of OPTIMAL with an exhaustive search, also for
// packings with fixed items. Also compares the search with itself under
// different orders of the items.
#include "optimal/exact/packing_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/exact/packing.h"
#include "optimal/exact/search_observer.h"
#include "optimal/exact/step_rows.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "stowage/base/random.h"

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

// Returns whether the items from `index` on fit, given the levels of the items
// before `index`. Tries every level of every item.
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

// Returns a random packing. The fixed items are added first, so that each of
// them can be kept from overlapping another fixed item.
Packing TinyPacking(Random* random, size_t max_fixed) {
  Packing packing;
  packing.steps = static_cast<uint32_t>(2 + random->Below(4));
  const auto sizes = static_cast<Level>(2 + random->Below(4));
  for (size_t k = random->Below(max_fixed + 1); k > 0; --k) {
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
      ASSERT_LE(TallestStep(packing).height, capacity);
    }
  }
}

TEST(PackingSearch, AgreesWithExhaustiveSearch) {
  Random random(1);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const Packing packing = TinyPacking(&random, /*max_fixed=*/0);
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
    const Packing packing = TinyPacking(&random, /*max_fixed=*/4);
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
  // The test is meaningful only if a search was needed to show that some
  // packings do not fit.
  EXPECT_GT(above_bound, 50);
}

// Returns a packing that fits in only one way: a, b and c are at the bottom, x
// is on b, j on x, i on j, and z on c. Item i is not live together with x but
// is nevertheless above it, because j is between them. Suppose that the search
// places x after deciding not to place i and j yet. Then x must raise the
// lowest feasible level of j, and j must raise the lowest feasible level of i.
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
      MakeItem(1, 3, 10),     // lies on top of b, x and j, and of c and z
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

// The items are cut from a rectangle, and some of them are fixed at the places
// where they were cut. The items therefore fit, and the search must not claim
// the opposite in any order.
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

// Records all events that a search reports. Levels are divided by `unit` and
// rounded up.
class Recorder : public SearchObserver {
 public:
  explicit Recorder(Level unit) : unit_(unit) {}

  void OnPlaced(uint32_t record) override { Add('p', record, 0); }
  void OnExhausted() override { Add('e', 0, 0); }
  void OnPart(uint32_t record, uint32_t split) override {
    Add('s', record, split);
  }
  void OnFull(uint32_t step, Level level) override {
    Add('f', step, (level + unit_ - 1) / unit_);
  }
  void OnStuck(uint32_t record) override { Add('u', record, 0); }

  void Add(char what, uint64_t where, Level level) {
    seen_.emplace_back(what, where, level);
  }
  using Seen = std::vector<std::tuple<char, uint64_t, Level>>;
  const Seen& seen() const { return seen_; }

 private:
  Level unit_;
  Seen seen_;
};

// Returns the events and the result of a search. Levels are divided by `unit`.
Recorder::Seen Follow(const Packing& packing, const SearchOrder& order,
                      Level capacity, Level unit) {
  Recorder recorder(unit);
  PackingSearch search(packing, order, capacity);
  search.Observe(&recorder);
  WorkLimit work(WorkLimit::kUnlimited);
  const State state = search.Run(3000, &work);
  recorder.Add('n', search.nodes(), static_cast<Level>(state));
  for (const uint64_t failures : search.TakeFailures()) {
    recorder.Add('t', failures, 0);
  }
  if (state == State::kFits) {
    for (const Level level : search.levels()) {
      recorder.Add('l', 0, level / unit);
    }
  }
  return recorder.seen();
}

Packing Scale(Packing packing, Level factor) {
  for (Item& item : packing.items) {
    item.size *= factor;
    item.alignment *= factor;
    if (item.is_fixed()) item.fixed_level *= factor;
  }
  return packing;
}

// Only the first item crosses the border in the middle. Once this item is
// placed, the search splits into the items to the left and to the right of the
// border.
TEST(PackingSearch, SplitsUpWhereNothingUnplacedCrossesABorder) {
  Packing packing;
  packing.steps = 4;
  packing.items = {MakeItem(0, 4, 4), MakeItem(0, 2, 1), MakeItem(0, 1, 2),
                   MakeItem(2, 4, 1), MakeItem(3, 4, 3)};
  const Recorder::Seen seen =
      Follow(packing, {{0, 1, 2, 3, 4}, false}, /*capacity=*/8, /*unit=*/1);
  const auto count = [&](char what) {
    return std::count_if(seen.begin(), seen.end(), [&](const auto& event) {
      return std::get<0>(event) == what;
    });
  };
  EXPECT_EQ(count('s'), 2);
  EXPECT_EQ(count('p'), 5);
}

// Returns a packing that often has several times as many steps as the search
// handles at once. Fixed items are at the places that they would get in the
// order of the items.
Packing LongPacking(Random* random) {
  Packing packing;
  packing.steps = static_cast<uint32_t>(1 + random->Below(60));
  const auto longest = 1 + random->Below(packing.steps);
  for (size_t k = 3 + random->Below(24); k > 0; --k) {
    const auto begin = static_cast<uint32_t>(random->Below(packing.steps));
    const uint64_t max = std::min<uint64_t>(longest, packing.steps - begin);
    const auto end = begin + 1 + static_cast<uint32_t>(random->Below(max));
    const auto size = static_cast<Level>(1 + random->Below(30));
    const auto alignment =
        static_cast<Level>(random->Below(3) == 0 ? 1 + random->Below(12) : 1);
    packing.items.push_back(MakeItem(begin, end, size, alignment));
    packing.items.back().record = static_cast<uint32_t>(k);
  }
  if (random->Below(2) == 0) return packing;
  for (Item& item : packing.items) {
    if (random->Below(4) != 0) continue;
    const auto from = static_cast<Level>(random->Below(20));
    item.fixed_level = Obstacles(packing).LowestPlace(item, from);
  }
  return packing;
}

// Searches the same packing three times: with levels that fit in 16 bits, with
// the levels multiplied by the largest factor with which they still fit in 16
// bits, and with the levels multiplied by 2^20, for which the search has to use
// 64 bits. All three searches must report the same events.
RC_GTEST_PROP(PackingSearch, HighLevelsAreSearchedAsLowOnes, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  const Packing packing = LongPacking(&random);
  SearchOrder order;
  order.items = MovableItems(packing);
  order.by_load = random.Below(2) == 0;
  for (size_t k = order.items.size(); k > 1; --k) {
    std::swap(order.items[k - 1], order.items[random.Below(k)]);
  }
  Level end = 0;
  for (const Item& item : packing.items) {
    if (item.is_fixed()) end = std::max(end, item.fixed_level + item.size);
  }
  // If the capacity is below the lower bound, the items do not fit.
  const Level capacity = std::max(
      end, LowerBoundOf(packing) - 2 + static_cast<Level>(random.Below(12)));
  const Level max = MaxAtStep(packing, capacity);
  RC_PRE(max <= kMaxNarrow);
  const Level full = kMaxNarrow / max;
  constexpr Level kFactor = Level{1} << 20;
  const auto wide =
      Follow(Scale(packing, kFactor), order, capacity * kFactor, kFactor);
  RC_ASSERT(MaxAtStep(Scale(packing, full), capacity * full) <= kMaxNarrow);
  RC_ASSERT(Follow(packing, order, capacity, 1) == wide);
  RC_ASSERT(Follow(Scale(packing, full), order, capacity * full, full) == wide);
}

TEST(TallestStep, PadsEachItemButTheTopmost) {
  struct Case {
    const char* name;
    std::vector<Item> items;
    Level height;
    uint32_t step;
  };
  const std::vector<Case> cases = {
      {"none is aligned", {MakeItem(0, 1, 3), MakeItem(0, 1, 3)}, 0, 0},
      {"one is not aligned",
       {MakeItem(0, 1, 3, 4), MakeItem(0, 1, 3, 4), MakeItem(0, 1, 4)},
       0,
       0},
      {"the one that is padded the most is the topmost",
       {MakeItem(0, 1, 1, 4), MakeItem(0, 1, 3, 4), MakeItem(0, 1, 4, 4)},
       9,
       0},
      {"all are padded to the least alignment",
       {MakeItem(0, 1, 5, 4), MakeItem(0, 1, 5, 8)},
       13,
       0},
      {"the largest padding ends before the step",
       {MakeItem(0, 2, 3, 4), MakeItem(0, 1, 1, 4), MakeItem(1, 2, 3, 4)},
       7,
       1},
      {"fixed items", {MakeItem(0, 1, 3, 4), MakeItem(0, 1, 3, 4, 8)}, 0, 0},
      {"fixed items at another step",
       {MakeItem(0, 2, 3, 4), MakeItem(1, 2, 3, 4, 8)},
       3,
       0},
      {"no padding", {MakeItem(0, 1, 4, 4), MakeItem(0, 1, 8, 4)}, 0, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Packing packing;
    packing.steps = 2;
    packing.items = c.items;
    const StepHeight tallest = TallestStep(packing);
    EXPECT_EQ(tallest.height, c.height);
    EXPECT_EQ(tallest.step, c.step);
  }
}

TEST(LowerBoundOf, KnowsWhereFixedItemsEndAndWhatTheyLeave) {
  Packing packing;
  packing.steps = 2;
  packing.items = {MakeItem(0, 1, 4, 1, 10)};
  EXPECT_EQ(LowerBoundOf(packing), 14);
  // This item fits below the fixed item.
  packing.items.push_back(MakeItem(0, 1, 10));
  EXPECT_EQ(LowerBoundOf(packing), 14);
  // The first two items use up the room below the fixed item, so the last item
  // must be above it.
  packing.items.push_back(MakeItem(0, 1, 1));
  EXPECT_EQ(LowerBoundOf(packing), 15);
  // The second item is too large for the room below the fixed item.
  packing.items = {MakeItem(0, 1, 4, 1, 10), MakeItem(0, 2, 11)};
  EXPECT_EQ(LowerBoundOf(packing), 25);
}

}  // namespace
}  // namespace stowage::optimal
