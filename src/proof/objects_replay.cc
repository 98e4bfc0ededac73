// SPDX-License-Identifier: Apache-2.0
#include "src/proof/objects_replay.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <vector>

#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

// The maximum number of open splits. Each open split needs about 50 bytes, so
// the limit prevents a log from exhausting memory. No search comes close to
// this number.
constexpr size_t kMaxOpenSplits = size_t{1} << 16;

Status Refused(string_view why) { return InvalidArgumentError(why); }

}  // namespace

ObjectsReplay::ObjectsReplay(Span<const ByteRecord> records,
                             Span<const size_t> listed, size_t capacity)
    : weights_(listed.size(), 0), before_(listed.size(), 0) {
  size_t divisor = 0;
  for (const size_t i : listed) {
    sizes_.push_back(records[i].tensor_size);
    divisor = std::gcd(divisor, records[i].tensor_size);
  }
  // The total of every plan is a multiple of the divisor, because every object
  // has the size of a listed record.
  if (divisor > 0) largest_total_ = capacity / divisor * divisor;
  std::sort(sizes_.begin(), sizes_.end());
  sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  for (size_t k = 0; k < listed.size(); ++k) {
    const ByteRecord& record = records[listed[k]];
    record_ranges_.push_back({*ClassOf(record.tensor_size), sizes_.size() - 1});
    events_.push_back({record.first_task, false, k});
    events_.push_back({record.last_task, true, k});
  }
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::tie(a.task, a.is_end, a.record) <
           std::tie(b.task, b.is_end, b.record);
  });
  count_ranges_.assign(sizes_.size(), {0, listed.size()});
  prices_.resize(sizes_.size());
}

optional<size_t> ObjectsReplay::ClassOf(size_t size) const {
  const auto found = std::lower_bound(sizes_.begin(), sizes_.end(), size);
  if (found == sizes_.end() || *found != size) return nullopt;
  return static_cast<size_t>(found - sizes_.begin());
}

Status ObjectsReplay::CheckOpen() const {
  return is_proved_ ? Refused("the proof is complete; expected its end")
                    : OkStatus();
}

Status ObjectsReplay::CheckRecord(size_t record) const {
  if (Status s = CheckOpen(); !s.ok()) return s;
  if (record < weights_.size()) return OkStatus();
  return Refused(StrCat("tensor ", record, " is not listed"));
}

Status ObjectsReplay::SplitCount(size_t size, size_t count, First first) {
  if (Status s = CheckOpen(); !s.ok()) return s;
  const optional<size_t> k = ClassOf(size);
  if (!k) return Refused(StrCat("no listed tensor has ", size, " bytes"));
  Range& range = count_ranges_[*k];
  if (count < range.least || count >= range.max) {
    return Refused(StrCat("there are ", range.least, " to ", range.max,
                          " objects of at least ", size, " bytes: a split at ",
                          count, " has nothing on one side"));
  }
  return Open(&range, count, first);
}

Status ObjectsReplay::SplitRecord(size_t record, size_t size) {
  if (Status s = CheckRecord(record); !s.ok()) return s;
  const optional<size_t> k = ClassOf(size);
  if (!k) return Refused(StrCat("no listed tensor has ", size, " bytes"));
  Range& range = record_ranges_[record];
  if (*k <= range.least || *k > range.max) {
    return Refused(StrCat("the object of tensor ", record, " has ",
                          sizes_[range.least], " to ", sizes_[range.max],
                          " bytes: a split at ", size,
                          " has nothing on one side"));
  }
  return Open(&range, *k - 1, First::kUpper);
}

Status ObjectsReplay::SetWeight(size_t record, size_t weight) {
  if (Status s = CheckRecord(record); !s.ok()) return s;
  weights_[record] = weight;
  return OkStatus();
}

Status ObjectsReplay::SetPriceOfLeast(size_t size, size_t price) {
  return SetPrice(size, &Price::of_least, price);
}

Status ObjectsReplay::SetPriceOfMost(size_t size, size_t price) {
  return SetPrice(size, &Price::of_most, price);
}

Status ObjectsReplay::SetPrice(size_t size, size_t Price::*which,
                               size_t price) {
  if (Status s = CheckOpen(); !s.ok()) return s;
  const optional<size_t> k = ClassOf(size);
  if (!k) return Refused(StrCat("no listed tensor has ", size, " bytes"));
  prices_[*k].*which = price;
  return OkStatus();
}

// Splits a range of the open node and opens the half that is refuted first.
// That half inherits the weights of the node, but not its prices.
Status ObjectsReplay::Open(Range* range, size_t at, First first) {
  if (splits_.size() >= kMaxOpenSplits) return Refused("too many open splits");
  splits_.push_back({range, at, *range, first == First::kUpper});
  EnterHalf();
  return OkStatus();
}

void ObjectsReplay::EnterHalf() {
  const Split& split = splits_.back();
  *split.range = split.before;
  if (split.is_upper) {
    split.range->least = split.at + 1;
  } else {
    split.range->max = split.at;
  }
  std::fill(prices_.begin(), prices_.end(), Price());
}

// Returns the weight of the heaviest chain of records that may have class `k`,
// or nothing if the weight overflows.
optional<size_t> ObjectsReplay::HeaviestChain(size_t k) {
  // The weight of the heaviest chain of records that have ended.
  size_t heaviest = 0;
  for (const Event& event : events_) {
    const Range& range = record_ranges_[event.record];
    if (k < range.least || k > range.max) continue;
    if (!event.is_end) {
      before_[event.record] = heaviest;
      continue;
    }
    const optional<size_t> weight =
        CheckedAdd(before_[event.record], weights_[event.record]);
    if (!weight) return nullopt;
    heaviest = std::max(heaviest, *weight);
  }
  return heaviest;
}

// The signed 128-bit sums do not overflow. For n listed records, they add at
// most n weights and at most n prices, each multiplied by a limit of at most n.
// Prices and weights have 64 bits. The unsigned product of two 64-bit numbers
// fits in 128 bits.
Status ObjectsReplay::CheckClasses(size_t scale) {
  int128 prices = 0;
  for (size_t k = 0; k < sizes_.size(); ++k) {
    prices += prices_[k].of_least;
    prices -= prices_[k].of_most;
    const optional<size_t> heaviest = HeaviestChain(k);
    if (!heaviest) {
      return Refused(StrCat("the weights of the tensors in objects of ",
                            sizes_[k], " bytes overflow 64 bits"));
    }
    const int128 load = prices + *heaviest;
    if (load > 0 && uint128(load) > uint128(scale) * uint128(sizes_[k])) {
      return Refused(StrCat("the tensors in an object of ", sizes_[k],
                            " bytes weigh more than it, times the "
                            "scale"));
    }
  }
  return OkStatus();
}

// Returns the sum of all weights, plus the product of each lower limit and its
// price, minus the product of each upper limit and its price.
int128 ObjectsReplay::SumOfWeights() const {
  int128 sum = 0;
  for (const size_t weight : weights_) sum += weight;
  for (size_t k = 0; k < sizes_.size(); ++k) {
    const Range& range = count_ranges_[k];
    sum += int128(prices_[k].of_least) * int128(range.least);
    sum -= int128(prices_[k].of_most) * int128(range.max);
  }
  return sum;
}

Status ObjectsReplay::Refute(size_t scale) {
  if (Status s = CheckOpen(); !s.ok()) return s;
  if (scale == 0) return Refused("the scale of the weights is 0");
  if (Status s = CheckClasses(scale); !s.ok()) return s;
  const int128 sum = SumOfWeights();
  if (sum <= 0 || uint128(sum) <= uint128(scale) * uint128(largest_total_)) {
    return Refused(StrCat("the weights leave a plan of ", largest_total_,
                          " bytes, which is within the capacity"));
  }
  Close();
  return OkStatus();
}

// Closes the open node, and every split for which both halves are now refuted.
// Opens the next half that remains to be refuted.
void ObjectsReplay::Close() {
  while (!splits_.empty() && splits_.back().is_last) {
    *splits_.back().range = splits_.back().before;
    splits_.pop_back();
  }
  is_proved_ = splits_.empty();
  if (is_proved_) return;
  splits_.back().is_last = true;
  splits_.back().is_upper = !splits_.back().is_upper;
  EnterHalf();
}

}  // namespace stowage::certificate
