// SPDX-License-Identifier: Apache-2.0
#include "src/construct/place_by_density.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_items.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage::rigid {
namespace {

using ::testing::ElementsAre;

// A record that may be in the pool "fast", of 12 bytes, at no cost, or in the
// pool "slow", without a capacity, at `cost`.
struct Row {
  size_t size;
  TaskId first;
  TaskId last;
  uint64_t cost;
};

ProblemSpec SpecOf(const std::vector<Row>& rows) {
  ProblemSpec spec;
  spec.constraints.pools = {{"fast", 12}, {"slow", nullopt}};
  for (const Row& row : rows) {
    spec.records.emplace_back(row.size, row.first, row.last);
    spec.constraints.choices.push_back({{0, 0}, {1, row.cost}});
  }
  return spec;
}

optional<PlacedItems> Place(const ProblemSpec& spec) {
  const Problem problem = *Problem::Create(spec);
  return PlaceByDensity(problem, Relation(problem), PoolItemsOf(problem),
                        StopSignal());
}

struct PlacingCase {
  const char* name;
  std::vector<Row> rows;
  std::vector<uint32_t> pools;
  std::vector<Level> starts;
};

class PlaceByDensityTest : public ::testing::TestWithParam<PlacingCase> {};

TEST_P(PlaceByDensityTest, SelectsPoolsAndPlaces) {
  const auto placed = Place(SpecOf(GetParam().rows));
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(placed->pools, GetParam().pools);
  EXPECT_EQ(placed->starts, GetParam().starts);
  uint64_t cost = 0;
  for (size_t i = 0; i < placed->pools.size(); ++i) {
    if (placed->pools[i] == 1) cost += GetParam().rows[i].cost;
  }
  EXPECT_EQ(placed->cost, cost);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PlaceByDensityTest,
    ::testing::Values(
        PlacingCase{"Nothing", {}, {}, {}},
        PlacingCase{"TheDearestStaysInTheFastPool",
                    {{8, 0, 1, 100}, {8, 0, 1, 900}},
                    {1, 0},
                    {0, 0}},
        PlacingCase{"EqualRecordsAreTakenInOrder",
                    {{8, 0, 1, 100}, {8, 0, 1, 100}},
                    {0, 1},
                    {0, 0}},
        // At the tasks of the last record, bytes [0, 4) and [7, 9) are free.
        PlacingCase{"TheTightestGapIsUsed",
                    {{4, 0, 1, 8000},
                     {3, 0, 3, 10800},
                     {2, 0, 1, 3200},
                     {3, 0, 3, 8400},
                     {2, 2, 3, 4}},
                    {0, 0, 0, 0, 0},
                    {0, 4, 7, 9, 7}},
        // Per byte, the second record costs more than the first.
        PlacingCase{"LargeRecordsMayComeFirst",
                    {{12, 0, 0, 100}, {4, 0, 0, 40}},
                    {0, 1},
                    {0, 0}},
        // 12 bytes are live at each task, but no gap has room for the last one.
        PlacingCase{
            "BytesThatAreNotTogetherAreNoRoom",
            {{4, 0, 1, 1000}, {4, 0, 3, 1840}, {4, 0, 1, 800}, {8, 2, 3, 10}},
            {0, 0, 0, 1},
            {0, 4, 8, 0}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(PlaceByDensityTest, FixedRecordsComeFirst) {
  ProblemSpec spec = SpecOf({{8, 0, 1, 900}, {8, 0, 1, 100}});
  spec.fixed_offsets = {nullopt, 4};
  const auto placed = Place(spec);
  ASSERT_TRUE(placed.has_value());
  EXPECT_THAT(placed->pools, ElementsAre(1, 0));
  EXPECT_THAT(placed->starts, ElementsAre(0, 4));
}

TEST(PlaceByDensityTest, GroupsAreOneItem) {
  ProblemSpec spec = SpecOf({{4, 0, 1, 50}, {4, 2, 3, 50}, {8, 0, 3, 10}});
  spec.constraints.places.resize(3);
  spec.constraints.places[0] = {0, nullopt, 0, 4};
  spec.constraints.places[1] = {0, nullopt, 0, 0};
  const auto placed = Place(spec);
  ASSERT_TRUE(placed.has_value());
  // The record of 8 bytes would have to be above byte 8 at its first tasks.
  EXPECT_EQ(placed->pools.size(), 2U);
  EXPECT_EQ(placed->cost, 10U);
}

TEST(PlaceByDensityTest, ACapacityMayBeAsLargeAsAnyNumber) {
  for (const size_t capacity : {size_t{1} << 60, ~size_t{0}}) {
    ProblemSpec spec = SpecOf({{8, 0, 1, 100}, {8, 0, 1, 100}});
    spec.constraints.pools[0].capacity = capacity;
    const auto placed = Place(spec);
    ASSERT_TRUE(placed.has_value());
    EXPECT_THAT(placed->pools, ElementsAre(0, 0));
    EXPECT_THAT(placed->starts, ElementsAre(0, 8));
  }
}

// Each of 3,000 records conflicts with all others, so there are more than 2^22
// conflicts.
TEST(PlaceByDensityTest, ReturnsNothingIfTheWorkWouldTakeTooLong) {
  ProblemSpec spec = SpecOf(std::vector<Row>(3000, Row{1, 0, 1, 100}));
  spec.constraints.pools[0].capacity = 3000;
  EXPECT_FALSE(Place(spec).has_value());
}

TEST(PlaceByDensityTest, ReturnsNothingIfNoPoolHasRoom) {
  ProblemSpec spec = SpecOf({{8, 0, 1, 0}, {8, 0, 1, 0}});
  spec.constraints.choices = {{{0, 0}}, {{0, 0}}};
  EXPECT_FALSE(Place(spec).has_value());
}

TEST(PlaceByDensityTest, ApartSetsAreNotSupported) {
  ProblemSpec spec = SpecOf({{4, 0, 0, 1}, {4, 2, 2, 1}});
  spec.constraints.apart = {{0, 1}};
  EXPECT_FALSE(Place(spec).has_value());
}

}  // namespace
}  // namespace stowage::rigid
