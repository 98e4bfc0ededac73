// SPDX-License-Identifier: Apache-2.0
// Tests conflicts, which are sets of items that do not fit a capacity together.
// For irreducible conflicts, also tests the witnesses: for each item of the
// conflict, levels at which all other items fit.
#include "optimal/exact/conflict.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimal/exact/packing.h"
#include "optimal/exact/portfolio.h"
#include "optimal/limits.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "tests/strategies/packings.h"

namespace stowage::optimal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns a description of a fault in the levels of some items of a packing, or
// an empty string if there is none. Checks all pairs of the items.
std::string FaultOf(const Packing& packing, const std::vector<uint32_t>& items,
                    const std::vector<Level>& levels, Level capacity) {
  if (levels.size() != items.size()) return "not a level for each";
  for (size_t a = 0; a < items.size(); ++a) {
    const Item& item = packing.items[items[a]];
    const bool is_in_place =
        levels[a] >= 0 && levels[a] % item.alignment == 0 &&
        levels[a] + item.size <= capacity &&
        (!item.is_fixed() || levels[a] == item.fixed_level);
    if (!is_in_place) return absl::StrCat("item ", items[a], " is misplaced");
    for (size_t b = 0; b < a; ++b) {
      const Item& other = packing.items[items[b]];
      if (Overlap(item, other) && levels[a] < levels[b] + other.size &&
          levels[b] < levels[a] + item.size) {
        return absl::StrCat("items ", items[a], " and ", items[b], " overlap");
      }
    }
  }
  return "";
}

// Returns a description of a fault in the claims of a conflict, or an empty
// string if there is none. Requires that each item has the same number as its
// record.
std::string FaultOf(const Packing& packing, const Conflict& conflict,
                    Level capacity) {
  if (!conflict.irreducible) {
    return conflict.witnesses.empty() ? "" : "rests that are not claimed";
  }
  if (conflict.witnesses.size() != conflict.records.size()) {
    return "not a rest for each";
  }
  for (size_t k = 0; k < conflict.records.size(); ++k) {
    std::vector<uint32_t> others = conflict.records;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    const std::string fault =
        FaultOf(packing, others, conflict.witnesses[k], capacity);
    if (!fault.empty()) {
      return absl::StrCat("without ", conflict.records[k], ": ", fault);
    }
  }
  return "";
}

struct ConflictCase {
  const char* name;
  uint32_t steps;
  std::vector<Item> items;  // begin, end, size, alignment, record, fixed level
  Level capacity;
  std::vector<uint32_t> records;
};

class ConflictOf : public ::testing::TestWithParam<ConflictCase> {};

TEST_P(ConflictOf, HasWhatIsNeededAndWhereTheOthersLieWithoutIt) {
  const ConflictCase& c = GetParam();
  const Packing packing = MakePacking(c.steps, c.items);
  const Conflict conflict = FindConflict(packing, c.capacity, Limits());
  EXPECT_EQ(conflict.records, c.records);
  EXPECT_TRUE(conflict.irreducible);
  EXPECT_EQ(FaultOf(packing, conflict, c.capacity), "");
}

INSTANTIATE_TEST_SUITE_P(
    Items, ConflictOf,
    ::testing::Values(
        ConflictCase{
            "ThatIsTooLargeAlone", 1, {{0, 1, 3}, {0, 1, 11}}, 10, {1}},
        ConflictCase{"TwoAtOneStep",
                     3,
                     {{0, 1, 6}, {0, 1, 6}, {0, 2, 1}, {1, 3, 3}, {2, 3, 7}},
                     10,
                     {0, 1}},
        // The first item is fixed at level 4, so the second item, whose size is
        // 5, does not fit below it.
        ConflictCase{"AFixedOne",
                     2,
                     {{0, 1, 2, 1, 0, 4}, {0, 2, 5}, {1, 2, 2}, {0, 1, 1}},
                     10,
                     {0, 1}},
        // The items need padding, which the breadth does not count.
        ConflictCase{"ThreeWithPadding",
                     1,
                     {{0, 1, 5, 8}, {0, 1, 5, 8}, {0, 1, 5, 8}},
                     20,
                     {0, 1, 2}}),
    [](const ::testing::TestParamInfo<ConflictCase>& test) {
      return test.param.name;
    });

// The items do not fit because of their padding, which the breadth does not
// count. Only a search could show which items the conflict needs, and this
// search may use no nodes.
TEST(FindConflict, KeepsAllWithoutNodes) {
  const Packing packing =
      MakePacking(1, {{0, 1, 5, 8}, {0, 1, 5, 8}, {0, 1, 5, 8}});
  Limits limits;
  limits.nodes = 0;
  const Conflict conflict = FindConflict(packing, 20, limits);
  EXPECT_THAT(conflict.records, ElementsAre(0, 1, 2));
  EXPECT_FALSE(conflict.irreducible);
  EXPECT_THAT(conflict.witnesses, IsEmpty());
  EXPECT_EQ(conflict.nodes, 0u);
}

// The memory for witnesses of irreducibility grows with the square of the
// number of items. Conflicts of more than `max_exact_items` items therefore
// have no witnesses.
TEST(FindConflict, HasNoRestsOfMoreItemsThanASearchTakes) {
  const Packing packing = MakePacking(1, {{0, 1, 6}, {0, 1, 6}, {0, 1, 6}});
  for (const size_t max : {size_t{2}, size_t{3}}) {
    Limits limits;
    limits.tuning.max_exact_items = max;
    const Conflict conflict = FindConflict(packing, 17, limits);
    EXPECT_TRUE(conflict.irreducible);
    EXPECT_EQ(conflict.witnesses.empty(), max == 2);
  }
}

// Returns a packing with few different sizes and few steps, so the items often
// fit tightly. Sometimes one item is fixed.
Packing TinyPacking() {
  const auto count = *rc::gen::inRange<size_t>(1, 10);
  const auto steps = *rc::gen::inRange<uint32_t>(1, 6);
  std::vector<Item> items(count);
  for (Item& item : items) {
    item.begin = *rc::gen::inRange<uint32_t>(0, steps);
    item.end = *rc::gen::inRange<uint32_t>(item.begin + 1, steps + 1);
    item.size = *rc::gen::inRange<Level>(1, 7);
    item.alignment = Level{1} << *rc::gen::inRange(0, 3);
  }
  if (*rc::gen::arbitrary<bool>()) {
    items[0].fixed_level = items[0].alignment * *rc::gen::inRange(0, 4);
  }
  return MakePacking(steps, std::move(items));
}

Level LeastTop(const Packing& packing) {
  Portfolio portfolio(packing, LowerBoundOf(packing), TopOfStack(packing),
                      absl::nullopt, Limits());
  while (!portfolio.closed() && portfolio.Round(1'000'000) > 0) {
  }
  RC_ASSERT(portfolio.closed());
  return portfolio.upper();
}

RC_GTEST_PROP(FindConflict, HasRestsIfAndOnlyIfItIsIrreducible, ()) {
  const Packing packing = TinyPacking();
  const Level capacity = LeastTop(packing) - *rc::gen::inRange<Level>(1, 3);
  Limits limits;
  limits.tuning.nodes_per_question = 10'000;
  if (*rc::gen::inRange(0, 4) == 0) limits.nodes = *rc::gen::inRange(0, 300);
  const Conflict conflict = FindConflict(packing, capacity, limits);
  RC_ASSERT(FaultOf(packing, conflict, capacity) == "");
}

}  // namespace
}  // namespace stowage::optimal
