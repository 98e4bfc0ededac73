// SPDX-License-Identifier: Apache-2.0
// Compares the index of holes with plain loops over all holes.
#include "src/bounds/hole_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::rigid {
namespace {

constexpr TaskId kLastTask = 40;

std::vector<Hole> DrawHoles(size_t count, size_t bytes, std::mt19937* random) {
  std::vector<Hole> holes;
  for (size_t k = 0; k < count; ++k) {
    const size_t begin = (*random)() % bytes;
    const auto first = static_cast<TaskId>((*random)() % (kLastTask + 5));
    const size_t tasks = (*random)() % 4 == 0 ? 100 : (*random)() % 6;
    holes.push_back({begin, begin + 1 + (*random)() % 9,
                     (*random)() % 8 == 0 ? 0 : first,
                     first + static_cast<TaskId>(tasks), 0});
  }
  return holes;
}

bool IsFree(const std::vector<Hole>& holes, int64_t level, int64_t size,
            TaskId first, TaskId last) {
  return std::none_of(holes.begin(), holes.end(), [&](const Hole& hole) {
    return hole.first_task <= last && first <= hole.last_task &&
           static_cast<int64_t>(hole.begin) < level + size &&
           level < static_cast<int64_t>(hole.end);
  });
}

int64_t TopByBytes(const std::vector<Hole>& holes, TaskId task, int64_t bytes) {
  int64_t top = 0;
  while (bytes > 0) bytes -= IsFree(holes, top++, 1, task, task) ? 1 : 0;
  return top;
}

TEST(HoleIndex, FindsWhatEveryHoleLeavesFree) {
  std::mt19937 random(1);
  for (const size_t count : {1u, 2u, 5u, 20u, 100u, 300u}) {
    for (const size_t bytes : {60u, 400u, 4000u}) {
      const std::vector<Hole> holes = DrawHoles(count, bytes, &random);
      const HoleIndex index(holes, 2, kLastTask, false);
      for (size_t k = 0; k < 200; ++k) {
        const auto first = static_cast<TaskId>(2 + random() % (kLastTask - 1));
        const TaskId last =
            std::min<TaskId>(kLastTask, first + random() % (k % 8 + 1));
        const auto level = static_cast<int64_t>(random() % bytes);
        const auto size = static_cast<int64_t>(1 + random() % 20);
        int64_t free = level;
        while (!IsFree(holes, free, size, first, last)) ++free;
        ASSERT_EQ(index.LowestFree(level, size, first, last), free);
        const int64_t top = TopByBytes(holes, first, size);
        ASSERT_EQ(index.TopAround(first, size), top);
        ASSERT_TRUE(index.MayEndAbove(top - 1, first, size));
      }
    }
  }
}

TEST(HoleIndex, AppliesToAllTasksOfAnOrder) {
  const std::vector<Hole> holes = {{0, 8, 3, 3, 0}, {10, 16, 9, 9, 0}};
  const HoleIndex index(holes, 0, 5, true);
  EXPECT_EQ(index.LowestFree(0, 2, 0, 0), 8);
  EXPECT_EQ(index.LowestFree(0, 3, 5, 5), 16);
  EXPECT_EQ(index.TopAround(1, 3), 17);
}

TEST(HoleIndex, KnowsHolesOutsideOfTheTasksToBeOfNoEffect) {
  const std::vector<Hole> holes = {{0, 8, 0, 2, 0}, {0, 8, 9, 12, 0}};
  const HoleIndex index(holes, 3, 8, false);
  EXPECT_TRUE(index.empty());
  EXPECT_EQ(index.LowestFree(0, 2, 3, 8), 0);
  EXPECT_EQ(index.TopAround(3, 2), 2);
  EXPECT_FALSE(index.MayEndAbove(2, 3, 2));
}

// If all holes of a task are in the same list, the bound that excludes the task
// is exact.
TEST(HoleIndex, SaysWhereATaskCannotEndAbove) {
  std::vector<Hole> holes;
  for (size_t k = 0; k < 1000; ++k) {
    holes.push_back({k * 10, k * 10 + 4, 0, 100, 0});
  }
  const HoleIndex index(holes, 0, 50, false);
  EXPECT_EQ(index.TopAround(7, 600), 1000);
  EXPECT_TRUE(index.MayEndAbove(999, 7, 600));
  EXPECT_FALSE(index.MayEndAbove(1000, 7, 600));
  EXPECT_EQ(index.RangesAt(7), 1);
  EXPECT_EQ(index.LowestFree(0, 7, 3, 9), 9994);
}

}  // namespace
}  // namespace stowage::rigid
