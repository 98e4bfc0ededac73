// SPDX-License-Identifier: Apache-2.0
#include "src/construct/placing_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/random.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

constexpr PlacingKey kKeys[] = {
    PlacingKey::kCongestion, PlacingKey::kBroadestStep, PlacingKey::kLifetime,
    PlacingKey::kArea,       PlacingKey::kSize,         PlacingKey::kEarliness,
    PlacingKey::kLateness};

// Returns random records. A few of them have about 2^60 bytes, such that areas
// exceed 2^64 but breadths do not.
std::vector<ByteRecord> RandomRecords(size_t count, TaskId tasks,
                                      uint64_t seed) {
  Random random(seed);
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = random.Below(tasks);
    const size_t size = random.Below(4) == 0 && i < 8
                            ? (size_t{1} << 60) + random.Below(3)
                            : random.Below(5);
    records.emplace_back(size, first, first + random.Below(tasks / 2 + 1));
  }
  return records;
}

// Returns the value of a key for a record, computed from the definition of the
// key. Records with larger values come first.
absl::uint128 ValueOf(PlacingKey key, const ByteRecord& record,
                      StepInterval steps, const std::vector<size_t>& breadths) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  const auto begin = breadths.begin() + steps.begin;
  const auto broadest = std::max_element(begin, breadths.begin() + steps.end);
  switch (key) {
    case PlacingKey::kCongestion:
      return *broadest;
    case PlacingKey::kBroadestStep:
      return kMax - static_cast<uint64_t>(broadest - breadths.begin());
    case PlacingKey::kLifetime:
      return steps.end - steps.begin;
    case PlacingKey::kArea:
      return absl::uint128(record.tensor_size) * (steps.end - steps.begin);
    case PlacingKey::kSize:
      return record.tensor_size;
    case PlacingKey::kEarliness:
      return kMax - steps.begin;
    case PlacingKey::kLateness:
      return steps.end;
  }
  return 0;
}

RC_GTEST_PROP(PlacingOrders, SortAsTheirKeysSay, ()) {
  const auto records = RandomRecords(*rc::gen::inRange<size_t>(1, 400),
                                     *rc::gen::inRange<TaskId>(1, 60),
                                     *rc::gen::arbitrary<uint64_t>());
  const IntervalRanks ranks = RankIntervals(records);
  const std::vector<size_t> breadths = StepBreadths(records, ranks);
  const PlacingOrders orders(records, ranks);
  const std::vector<PlacingKey> keys = {
      *rc::gen::elementOf(
          std::vector<PlacingKey>(std::begin(kKeys), std::end(kKeys))),
      *rc::gen::elementOf(
          std::vector<PlacingKey>(std::begin(kKeys), std::end(kKeys)))};
  std::vector<uint32_t> want(records.size());
  std::iota(want.begin(), want.end(), uint32_t{0});
  std::stable_sort(want.begin(), want.end(), [&](uint32_t a, uint32_t b) {
    for (const PlacingKey key : keys) {
      const auto x = ValueOf(key, records[a], ranks.intervals[a], breadths);
      const auto y = ValueOf(key, records[b], ranks.intervals[b], breadths);
      if (x != y) return x > y;
    }
    return false;
  });
  RC_ASSERT(*orders.By(keys) == want);
  // A subset of the records, in any order, can be sorted as well.
  std::vector<uint32_t> some;
  for (uint32_t i = 0; i < records.size(); i += 2) some.push_back(i);
  std::reverse(some.begin(), some.end());
  RC_ASSERT(orders.Sort(keys, &some));
  want.erase(std::remove_if(want.begin(), want.end(),
                            [](uint32_t i) { return i % 2 == 1; }),
             want.end());
  RC_ASSERT(some == want);
}

RC_GTEST_PROP(LargestFirst, IsTheOrderBySize, ()) {
  const auto records = RandomRecords(*rc::gen::inRange<size_t>(0, 400), 50,
                                     *rc::gen::arbitrary<uint64_t>());
  const IntervalRanks ranks = RankIntervals(records);
  RC_ASSERT(*LargestFirst(records, {}) ==
            *PlacingOrders(records, ranks).By({PlacingKey::kSize}));
}

}  // namespace
}  // namespace stowage
