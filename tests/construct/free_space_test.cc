// SPDX-License-Identifier: Apache-2.0
// Compares the free stretches that FreeSpace finds in an arena with those found
// by a plain loop over all placed records.
#include "src/construct/free_space.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/sort_until.h"

namespace stowage {
namespace {

constexpr size_t kAnything = std::numeric_limits<size_t>::max();

struct Placed {
  StepInterval steps;
  Stretch bytes;
};

using Stretches = std::vector<std::pair<size_t, size_t>>;

// Returns the stretches of at least `size` bytes that are free during
// `interval`. The last stretch begins above all records of the interval and is
// unlimited.
Stretches PlainFree(const std::vector<Placed>& placed, StepInterval interval,
                    size_t size) {
  std::vector<Stretch> in_use;
  for (const Placed& other : placed) {
    if (other.steps.begin < interval.end && interval.begin < other.steps.end) {
      in_use.push_back(other.bytes);
    }
  }
  std::sort(
      in_use.begin(), in_use.end(),
      [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  Stretches free;
  size_t top = 0;
  for (const Stretch& bytes : in_use) {
    if (bytes.begin >= top + size) free.emplace_back(top, bytes.begin);
    top = std::max(top, bytes.end);
  }
  free.emplace_back(top, top);
  return free;
}

Stretches FreeOf(FreeSpace* space, StepInterval interval, size_t size) {
  Stretches free;
  const size_t top =
      space->VisitFree(interval, size, [&](const Stretch& stretch) {
        free.emplace_back(stretch.begin, stretch.end);
        return kAnything;
      });
  free.emplace_back(top, top);
  return free;
}

// Returns an interval of at most 2^(log - 1) steps.
StepInterval AnyInterval(uint32_t steps, int log) {
  const auto begin = *rc::gen::inRange<uint32_t>(0, steps);
  const auto longest =
      std::min(steps - begin, uint32_t{1} << *rc::gen::inRange(0, log));
  return {begin, begin + *rc::gen::inRange<uint32_t>(1, longest + 1)};
}
// Returns an interval of many steps.
StepInterval LongInterval(uint32_t steps) {
  return {*rc::gen::inRange<uint32_t>(0, steps / 3 + 1),
          *rc::gen::inRange<uint32_t>(steps / 2 + 1, steps + 1)};
}

RC_GTEST_PROP(FreeSpace, IsWhatNoRecordTakes, ()) {
  const auto steps = *rc::gen::inRange<uint32_t>(1, 400);
  const auto count = *rc::gen::inRange<size_t>(1, 250);
  // Varies the sizes and the distances between steps, because the lists store
  // small distances in 16 bits, and offsets as 32-bit distances from the first
  // offset of a chunk.
  const auto stride = *rc::gen::element<uint32_t>(1, 1000);
  const auto unit = size_t{1} << *rc::gen::element(0, 29, 50);
  // In half of the tests, records have many different lengths. In the other
  // half, most records are short, and a few are so long that they cover most
  // columns entirely.
  const bool has_long = *rc::gen::arbitrary<bool>();
  const auto log = has_long ? *rc::gen::element(1, 2, 3) : 9;
  std::vector<StepInterval> intervals;
  for (size_t i = 0; i < count; ++i) {
    const StepInterval interval =
        has_long && i % 32 == 0 ? LongInterval(steps) : AnyInterval(steps, log);
    intervals.push_back({interval.begin * stride, interval.end * stride});
  }
  FreeSpace space(intervals, *rc::gen::element<uint64_t>(1, 4, 512));
  std::vector<Placed> placed;
  for (const StepInterval interval : intervals) {
    const size_t size = *rc::gen::inRange<size_t>(1, 9) * unit;
    const Stretches free = PlainFree(placed, interval, size);
    RC_ASSERT(FreeOf(&space, interval, size) == free);
    const size_t gap = *rc::gen::inRange<size_t>(0, free.size());
    // The offset need not be aligned. If the record begins above the start of
    // the gap, the bytes between the start and the record stay free.
    const size_t offset =
        free[gap].first +
        (gap + 1 == free.size() ? *rc::gen::inRange<size_t>(0, 3) * unit : 0);
    placed.push_back({interval, {offset, offset + size}});
    space.Occupy(interval, {offset, offset + size});
  }
}

// A few records are so long that they cover wide columns entirely. They are in
// the lists of these columns, and must be found there.
TEST(FreeSpace, KnowsOfLongRecordsAmongShortOnes) {
  constexpr uint32_t kSteps = 515;  // no wide column ends at this step
  struct Case {
    const char* name;
    uint32_t apart;  // distance between the starts of medium records
  };
  // In the first case, all borders of columns have lists. In the second case,
  // only the borders in the middle of wide columns do.
  for (const Case& some :
       {Case{"ManyOfSomeSteps", 4}, {"FewOfSomeSteps", 61}}) {
    SCOPED_TRACE(some.name);
    std::vector<StepInterval> intervals;
    for (uint32_t k = 0; k < kSteps; ++k) {
      intervals.push_back({k, k + 1});
      if (k % 128 == 0) intervals.push_back({k / 2, kSteps - k / 4});
      if (k % some.apart == 0) {
        intervals.push_back({k, std::min(k + 2 + k % 5, kSteps)});
      }
    }
    FreeSpace space(intervals, /*begun_in_column=*/1);
    std::vector<Placed> placed;
    for (const StepInterval interval : intervals) {
      const size_t size = 1 + 7 * placed.size() % 5;
      const Stretches free = PlainFree(placed, interval, size);
      ASSERT_EQ(FreeOf(&space, interval, size), free) << placed.size();
      // Most records have a gap below them, and some touch the record below.
      const size_t begin = free.back().first + placed.size() % 3;
      placed.push_back({interval, {begin, begin + size}});
      space.Occupy(interval, {begin, begin + size});
    }
    // Queries all kinds of intervals after all records have been placed.
    for (uint32_t begin = 0; begin < kSteps; begin += 3) {
      for (const uint32_t steps : {1u, 2u, 3u, 7u, 20u, 200u}) {
        const StepInterval interval = {begin, std::min(begin + steps, kSteps)};
        ASSERT_EQ(FreeOf(&space, interval, 1), PlainFree(placed, interval, 1))
            << begin << " up to " << interval.end;
      }
    }
  }
}

TEST(FreeSpace, TakesRecordsOfNearlyAllBytes) {
  constexpr size_t kHalf = size_t{1} << 63;
  // Each of the first two records is in a single column. The last record
  // crosses a border between columns.
  const std::vector<StepInterval> intervals = {{0, 1}, {3, 4}, {0, 4}};
  FreeSpace space(intervals, /*begun_in_column=*/1);
  for (const StepInterval interval : intervals) {
    SCOPED_TRACE(interval.begin);
    const bool is_last = interval.end - interval.begin > 1;
    space.Occupy(interval, {is_last ? kHalf : 5, is_last ? kAnything : kHalf});
  }
  for (const StepInterval interval : intervals) {
    EXPECT_EQ(FreeOf(&space, interval, 2),
              (Stretches{{0, 5}, {kAnything, kAnything}}));
  }
}

TEST(FreeSpace, EndsWhenTheVisitorSaysSo) {
  FreeSpace space(std::vector<StepInterval>{{0, 2}, {1, 3}, {0, 3}});
  space.Occupy({0, 2}, {4, 6});
  space.Occupy({1, 3}, {9, 10});
  size_t calls = 0;
  const size_t top = space.VisitFree({0, 3}, 1, [&](const Stretch&) {
    ++calls;
    return size_t{1};
  });
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(top, 0u);
  EXPECT_EQ(
      space.VisitFree({2, 3}, 1, [](const Stretch&) { return kAnything; }),
      10u);
}

TEST(SortUntil, SortsListsOfAnyLength) {
  for (const size_t count :
       {size_t{0}, size_t{1}, kSortedAtOnce, kSortedAtOnce + 1,
        3 * kSortedAtOnce, 5 * kSortedAtOnce - 7}) {
    std::vector<uint32_t> list(count);
    for (size_t k = 0; k < count; ++k) {
      list[k] = static_cast<uint32_t>(k * 2654435761u);
    }
    std::vector<uint32_t> want = list;
    std::sort(want.begin(), want.end());
    EXPECT_TRUE(SortUntil(StopSignal(), std::less<uint32_t>(), &list));
    EXPECT_EQ(list, want) << count;
  }
}

// The sort must stop soon after the signal is set. The test counts the
// comparisons after this point instead of measuring time.
TEST(SortUntil, LooksAtTheSignalAllTheTime) {
  constexpr size_t kCount = 64 * kSortedAtOnce;
  std::vector<uint32_t> list(kCount);
  for (size_t k = 0; k < kCount; ++k) {
    list[k] = static_cast<uint32_t>(k * 2654435761u);
  }
  const std::vector<uint32_t> unsorted = list;
  size_t all = 0;
  EXPECT_TRUE(SortUntil(
      StopSignal(), [&](uint32_t a, uint32_t b) { return ++all, a < b; },
      &list));
  for (const size_t part : {size_t{1}, size_t{10}, size_t{19}}) {
    std::atomic<bool> cancelled = false;
    StopSignal stop;
    stop.cancelled = &cancelled;
    size_t left = all * part / 20;
    size_t after = 0;
    const auto less = [&](uint32_t a, uint32_t b) {
      if (left > 0) --left;
      if (left == 0) {
        cancelled = true;
        ++after;
      }
      return a < b;
    };
    list = unsorted;
    EXPECT_FALSE(SortUntil(stop, less, &list));
    EXPECT_LT(after, 32 * kSortedAtOnce);
  }
}

}  // namespace
}  // namespace stowage
