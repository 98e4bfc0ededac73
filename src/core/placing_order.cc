// SPDX-License-Identifier: Apache-2.0
#include "src/core/placing_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// The largest breadth of any stretch of steps.
class BreadthTree {
 public:
  explicit BreadthTree(const std::vector<size_t>& breadths)
      : steps_(breadths.size()), largest_(2 * steps_) {
    std::copy(breadths.begin(), breadths.end(),
              largest_.begin() + static_cast<ptrdiff_t>(steps_));
    for (size_t node = steps_; node-- > 1;) {
      largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]);
    }
  }

  size_t Largest(StepInterval interval) const {
    size_t largest = 0;
    size_t left = interval.begin + steps_;
    size_t right = interval.end + steps_;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) largest = std::max(largest, largest_[left++]);
      if (right % 2 == 1) largest = std::max(largest, largest_[--right]);
    }
    return largest;
  }

 private:
  size_t steps_;
  std::vector<size_t> largest_;
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
                             const IntervalRanks& ranks)
    : records_(records), ranks_(ranks) {
  if (records.empty()) return;
  const std::vector<size_t> breadths = StepBreadths(records, ranks);
  peak_ = static_cast<uint32_t>(
      std::max_element(breadths.begin(), breadths.end()) - breadths.begin());
  const BreadthTree tree(breadths);
  congestion_.reserve(records.size());
  for (const StepInterval interval : ranks.intervals) {
    congestion_.push_back(tree.Largest(interval));
  }
}

int PlacingOrders::Compare(PlacingKey key, uint32_t a, uint32_t b) const {
  const StepInterval& x = ranks_.intervals[a];
  const StepInterval& y = ranks_.intervals[b];
  switch (key) {
    case PlacingKey::kCongestion:
      return Decreasing(congestion_[a], congestion_[b]);
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

void PlacingOrders::Sort(absl::Span<const PlacingKey> keys,
                         std::vector<uint32_t>* records) const {
  std::sort(records->begin(), records->end(), [&](uint32_t a, uint32_t b) {
    for (const PlacingKey key : keys) {
      const int order = Compare(key, a, b);
      if (order != 0) return order < 0;
    }
    return a < b;
  });
}

std::vector<uint32_t> PlacingOrders::By(
    absl::Span<const PlacingKey> keys) const {
  std::vector<uint32_t> order(records_.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  Sort(keys, &order);
  return order;
}

}  // namespace stowage
