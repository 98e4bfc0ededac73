// SPDX-License-Identifier: Apache-2.0
#include "src/base/radix_sort.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/base/random.h"

namespace stowage {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

std::vector<std::pair<uint64_t, uint32_t>> PairsOf(
    const std::vector<NumberedRecord>& list) {
  std::vector<std::pair<uint64_t, uint32_t>> pairs;
  pairs.reserve(list.size());
  for (const NumberedRecord& entry : list) {
    pairs.emplace_back(entry.number, entry.record);
  }
  return pairs;
}

// Returns a list of `count` records, numbered 0, 1, 2, ..., each with a random
// number in which only bits of `mask` are set.
std::vector<NumberedRecord> RandomList(size_t count, uint64_t mask,
                                       uint64_t seed) {
  Random random(seed);
  std::vector<NumberedRecord> list;
  for (uint32_t k = 0; k < count; ++k) {
    list.push_back({random.Next() & mask, k});
  }
  return list;
}

RC_GTEST_PROP(RadixSort, SortsAsAStableSort, ()) {
  // Short lists are sorted by std::stable_sort, and long ones by groups of
  // bits.
  const auto count = *rc::gen::oneOf(rc::gen::inRange<size_t>(0, 600),
                                     rc::gen::inRange<size_t>(30000, 40000));
  const auto mask =
      *rc::gen::oneOf(rc::gen::arbitrary<uint64_t>(),
                      rc::gen::elementOf(std::vector<uint64_t>{
                          0, 1, 0x7ff, 0x800, 0xfff, 1u << 20, kMax >> 1,
                          kMax - kMax / 2, kMax - 0x7ff, kMax}));
  std::vector<NumberedRecord> list =
      RandomList(count, mask, *rc::gen::arbitrary<uint64_t>());
  std::vector<NumberedRecord> want = list;
  std::stable_sort(want.begin(), want.end(),
                   [](const NumberedRecord& a, const NumberedRecord& b) {
                     return a.number < b.number;
                   });
  RC_ASSERT(RadixSort(StopSignal(), &list));
  RC_ASSERT(PairsOf(list) == PairsOf(want));
}

// The extremes differ in every bit, and occur in the list in both orders.
TEST(RadixSort, SortsTheLargestNumbers) {
  std::vector<NumberedRecord> list;
  std::vector<std::pair<uint64_t, uint32_t>> want;
  constexpr uint32_t kCount = 300;
  for (uint32_t k = 0; k < kCount; ++k) list.push_back({kMax - k, k});
  list.push_back({0, kCount});
  list.push_back({kMax, kCount + 1});
  want.emplace_back(0, kCount);
  for (uint32_t k = kCount; k-- > 0;) want.emplace_back(kMax - k, k);
  want.emplace_back(kMax, kCount + 1);
  EXPECT_TRUE(RadixSort(StopSignal(), &list));
  EXPECT_EQ(PairsOf(list), want);
}

// The sort checks the signal before each step of its work, and does no further
// step once the signal is set. The test counts the checks instead of measuring
// time.
TEST(RadixSort, LooksAtTheSignalAllTheTime) {
  constexpr size_t kSteps = 16;
  const std::vector<NumberedRecord> unsorted =
      RandomList(kSteps * kSortedAtOnce, kMax, /*seed=*/1);
  size_t looks = 0;
  size_t allowed = kMax;
  const std::function<bool()> is_unwanted = [&] { return ++looks > allowed; };
  StopSignal stop;
  stop.is_unwanted = &is_unwanted;
  std::vector<NumberedRecord> list = unsorted;
  EXPECT_TRUE(RadixSort(stop, &list));
  const size_t all = looks;
  // The sort visits the list once to find the bits that differ, and twice for
  // each of the 6 groups of bits: to count the values, and to move the records.
  EXPECT_EQ(all, (1 + 2 * 6) * kSteps);
  for (const size_t at : {size_t{0}, size_t{1}, all / 2, all - 1}) {
    looks = 0;
    allowed = at;
    list = unsorted;
    EXPECT_FALSE(RadixSort(stop, &list)) << at;
    EXPECT_EQ(looks, at + 1);
  }
}

TEST(RecordSort, SortsByOneNumberAfterAnother) {
  const std::vector<uint64_t> sizes = {5, 9, 5, 9, 1};
  const std::vector<uint64_t> starts = {3, 2, 1, 2, 0};
  RecordSort sort(sizes.size(), StopSignal());
  sort.By([&](uint32_t i) { return starts[i]; });
  sort.By([&](uint32_t i) { return ~sizes[i]; });
  EXPECT_TRUE(sort.is_complete());
  EXPECT_EQ(sort.Records(), (std::vector<uint32_t>{1, 3, 2, 0, 4}));
}

TEST(RecordSort, SortsNothingOnceTheSignalIsSet) {
  std::atomic<bool> cancelled = true;
  StopSignal stop;
  stop.cancelled = &cancelled;
  RecordSort sort(std::vector<uint32_t>{2, 1}, stop);
  sort.By([](uint32_t i) { return uint64_t{i}; });
  cancelled = false;
  EXPECT_FALSE(sort.is_complete());
  sort.By([](uint32_t i) { return uint64_t{i}; });
  EXPECT_FALSE(sort.is_complete());
  EXPECT_EQ(sort.Records(), (std::vector<uint32_t>{2, 1}));
}

}  // namespace
}  // namespace stowage
