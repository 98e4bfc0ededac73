// SPDX-License-Identifier: Apache-2.0
#include "src/construct/placing_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/base/radix_sort.h"
#include "src/base/range_tree.h"
#include "src/base/sort_until.h"
#include "src/base/str_cat.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// Returns the broader of two steps, or the earlier one if they are equally
// broad.
struct Broader {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    if (breadths[a] == breadths[b]) return std::min(a, b);
    return breadths[a] > breadths[b] ? a : b;
  }

  const size_t* breadths;  // is indexed by step
};

// Finds the broadest step of any range of steps, and the earliest such step in
// case of a tie.
class BroadestStep {
 public:
  // Requires that `breadths` is not empty and outlives the object.
  explicit BroadestStep(const std::vector<size_t>& breadths)
      : broader_{breadths.data()}, steps_(StepsOf(breadths), broader_) {}

  // Returns the broadest step of an interval. O(1) for a short interval, O(log
  // n) for a long one.
  uint32_t In(StepInterval interval) const {
    uint32_t broadest = interval.begin;
    if (interval.end - interval.begin >= kShort) {
      return steps_.Best(interval.begin, interval.end, broadest);
    }
    for (uint32_t step = interval.begin + 1; step < interval.end; ++step) {
      broadest = broader_(broadest, step);
    }
    return broadest;
  }

 private:
  static constexpr uint32_t kShort = 16;

  static std::vector<uint32_t> StepsOf(const std::vector<size_t>& breadths) {
    std::vector<uint32_t> steps(breadths.size());
    std::iota(steps.begin(), steps.end(), uint32_t{0});
    return steps;
  }

  Broader broader_;
  BestOfRange<uint32_t, Broader> steps_;
};

uint128 AreaOf(const ByteRecord& record, StepInterval interval) {
  return uint128(record.tensor_size) * (interval.end - interval.begin);
}

string_view WordFor(PlacingKey key) {
  switch (key) {
    case PlacingKey::kCongestion:
      return "congestion";
    case PlacingKey::kBroadestStep:
      return "broadest";
    case PlacingKey::kLifetime:
      return "lifetime";
    case PlacingKey::kArea:
      return "area";
    case PlacingKey::kSize:
      return "size";
    case PlacingKey::kEarliness:
      return "earliness";
    case PlacingKey::kLateness:
      return "lateness";
  }
  return "";
}

}  // namespace

std::string NameOf(Span<const PlacingKey> keys) {
  return StrJoin(keys, "-", [](std::string* out, PlacingKey key) {
    StrAppend(out, WordFor(key));
  });
}

PlacingOrders::PlacingOrders(Span<const ByteRecord> records,
                             const IntervalRanks& ranks, const StopSignal& stop)
    : records_(records), ranks_(ranks), stop_(stop) {
  if (records.empty() || stop_.IsSet()) return;
  breadths_ = StepBreadths(records, ranks);
  peak_ = static_cast<uint32_t>(
      std::max_element(breadths_.begin(), breadths_.end()) - breadths_.begin());
  if (stop_.IsSet()) return;
  const BroadestStep broadest(breadths_);
  broadest_.resize(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    if (i % kSortedAtOnce == 0 && stop_.IsSet()) return;
    broadest_[i] = broadest.In(ranks.intervals[i]);
  }
}

uint64_t PlacingOrders::NumberOf(PlacingKey key, uint32_t record) const {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  const StepInterval& interval = ranks_.intervals[record];
  switch (key) {
    case PlacingKey::kCongestion:
      return kMax - CongestionOf(record);
    case PlacingKey::kBroadestStep:
      return broadest_[record];
    case PlacingKey::kLifetime:
      return kMax - (interval.end - interval.begin);
    case PlacingKey::kArea:
      return kMax - Uint128Low64(AreaOf(records_[record], interval));
    case PlacingKey::kSize:
      return kMax - records_[record].tensor_size;
    case PlacingKey::kEarliness:
      return interval.begin;
    case PlacingKey::kLateness:
      return kMax - interval.end;
  }
  return 0;
}

bool PlacingOrders::Sort(Span<const PlacingKey> keys,
                         std::vector<uint32_t>* records) const {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  // Sorts by one key after another, the least important key first: by the
  // index, then by the last key, and so on to the first key.
  RecordSort sort(*records, stop_);
  sort.By([](uint32_t record) { return record; });
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    sort.By([&](uint32_t record) { return NumberOf(*key, record); });
    if (*key != PlacingKey::kArea) continue;
    sort.By([&](uint32_t record) {
      const StepInterval& interval = ranks_.intervals[record];
      return kMax - Uint128High64(AreaOf(records_[record], interval));
    });
  }
  if (!sort.is_complete()) return false;
  *records = sort.Records();
  return true;
}

optional<std::vector<uint32_t>> PlacingOrders::By(
    Span<const PlacingKey> keys) const {
  std::vector<uint32_t> order(records_.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  if (stop_.IsSet() || !Sort(keys, &order)) return nullopt;
  return order;
}

optional<std::vector<uint32_t>> LargestFirst(Span<const ByteRecord> records,
                                             const StopSignal& stop) {
  RecordSort sort(records.size(), stop);
  sort.By(
      [&](uint32_t record) { return ~uint64_t{records[record].tensor_size}; });
  if (!sort.is_complete()) return nullopt;
  return sort.Records();
}

}  // namespace stowage
