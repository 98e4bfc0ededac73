// SPDX-License-Identifier: Apache-2.0
#include "src/core/placing_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/sort_until.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// The broadest step of any stretch, the earliest on ties.
class BroadestStep {
 public:
  // `breadths` must outlive the object.
  explicit BroadestStep(const std::vector<size_t>& breadths)
      : breadths_(breadths), best_(2 * breadths.size()) {
    const size_t steps = breadths_.size();
    std::iota(best_.begin() + static_cast<ptrdiff_t>(steps), best_.end(),
              uint32_t{0});
    for (size_t node = steps; node-- > 1;) {
      best_[node] = Broader(best_[2 * node], best_[2 * node + 1]);
    }
  }

  // O(1) for a short interval, O(log n) for a long one.
  uint32_t In(StepInterval interval) const {
    uint32_t broadest = interval.begin;
    if (interval.end - interval.begin < kShort) {
      for (uint32_t step = interval.begin + 1; step < interval.end; ++step) {
        broadest = Broader(broadest, step);
      }
      return broadest;
    }
    size_t first = interval.begin + breadths_.size();
    size_t last = interval.end + breadths_.size();
    for (; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) broadest = Broader(broadest, best_[first++]);
      if (last % 2 == 1) broadest = Broader(broadest, best_[--last]);
    }
    return broadest;
  }

 private:
  static constexpr uint32_t kShort = 16;

  uint32_t Broader(uint32_t a, uint32_t b) const {
    if (breadths_[a] == breadths_[b]) return std::min(a, b);
    return breadths_[a] > breadths_[b] ? a : b;
  }

  const std::vector<size_t>& breadths_;  // by step
  std::vector<uint32_t> best_;  // of node k, whose children are 2k and 2k + 1
};

absl::uint128 AreaOf(const ByteRecord& record, StepInterval interval) {
  return absl::uint128(record.tensor_size) * (interval.end - interval.begin);
}

template <typename T>
int Decreasing(const T& a, const T& b) {
  if (a == b) return 0;
  return a > b ? -1 : 1;
}

absl::string_view WordFor(PlacingKey key) {
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

std::string NameOf(absl::Span<const PlacingKey> keys) {
  return absl::StrJoin(keys, "-", [](std::string* out, PlacingKey key) {
    absl::StrAppend(out, WordFor(key));
  });
}

PlacingOrders::PlacingOrders(absl::Span<const ByteRecord> records,
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

int PlacingOrders::Compare(PlacingKey key, uint32_t a, uint32_t b) const {
  const StepInterval& x = ranks_.intervals[a];
  const StepInterval& y = ranks_.intervals[b];
  switch (key) {
    case PlacingKey::kCongestion:
      return Decreasing(CongestionOf(a), CongestionOf(b));
    case PlacingKey::kBroadestStep:
      return Decreasing(broadest_[b], broadest_[a]);
    case PlacingKey::kLifetime:
      return Decreasing(x.end - x.begin, y.end - y.begin);
    case PlacingKey::kArea:
      return Decreasing(AreaOf(records_[a], x), AreaOf(records_[b], y));
    case PlacingKey::kSize:
      return Decreasing(records_[a].tensor_size, records_[b].tensor_size);
    case PlacingKey::kEarliness:
      return Decreasing(y.begin, x.begin);
    case PlacingKey::kLateness:
      return Decreasing(x.end, y.end);
  }
  return 0;
}

uint64_t PlacingOrders::LeadingBits(PlacingKey key, uint32_t record) const {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const StepInterval& interval = ranks_.intervals[record];
  switch (key) {
    case PlacingKey::kCongestion:
      return CongestionOf(record);
    case PlacingKey::kBroadestStep:
      return kMost - broadest_[record];
    case PlacingKey::kLifetime:
      return interval.end - interval.begin;
    case PlacingKey::kArea:
      return static_cast<uint64_t>(
          std::min(AreaOf(records_[record], interval), absl::uint128(kMost)));
    case PlacingKey::kSize:
      return records_[record].tensor_size;
    case PlacingKey::kEarliness:
      return kMost - interval.begin;
    case PlacingKey::kLateness:
      return interval.end;
  }
  return 0;
}

bool PlacingOrders::Sort(absl::Span<const PlacingKey> keys,
                         std::vector<uint32_t>* records) const {
  // Beside the record, so that few comparisons leave the list.
  struct Keyed {
    uint64_t bits;
    uint32_t record;
  };
  std::vector<Keyed> list(records->size());
  for (size_t k = 0; k < list.size(); ++k) {
    if (k % kSortedAtOnce == 0 && stop_.IsSet()) return false;
    const uint32_t record = (*records)[k];
    list[k] = {keys.empty() ? 0 : LeadingBits(keys.front(), record), record};
  }
  const auto comes_before = [&](const Keyed& a, const Keyed& b) {
    if (a.bits != b.bits) return a.bits > b.bits;
    for (const PlacingKey key : keys) {
      const int order = Compare(key, a.record, b.record);
      if (order != 0) return order < 0;
    }
    return a.record < b.record;
  };
  if (!SortUntil(stop_, comes_before, &list)) return false;
  for (size_t k = 0; k < list.size(); ++k) (*records)[k] = list[k].record;
  return true;
}

absl::optional<std::vector<uint32_t>> PlacingOrders::By(
    absl::Span<const PlacingKey> keys) const {
  std::vector<uint32_t> order(records_.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  if (stop_.IsSet() || !Sort(keys, &order)) return absl::nullopt;
  return order;
}

}  // namespace stowage
