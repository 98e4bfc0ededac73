// SPDX-License-Identifier: Apache-2.0
#include "src/core/local_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/core/radix_sort.h"
#include "src/core/work_limit.h"

namespace stowage {
namespace {

// Pairs of a batch that conflict, for each record: more take longer to look at
// than they gain, and smaller batches have fewer.
constexpr size_t kPairsOfRecord = 32;

// How often a batch is halved: in smaller ones few records are close in time.
constexpr size_t kHalvings = 5;

// Sorts one batch after another; records are their places in the batch.
class BatchSort {
 public:
  // Returns false if too many conflict.
  bool Sort(absl::Span<const StepInterval> batch) {
    RecordSort sort(batch.size(), StopSignal());
    sort.By([&](uint32_t r) { return uint64_t{batch[r].begin}; });
    by_begin_ = sort.Records();
    if (!FindPairs(batch)) return false;
    ListEarlier(batch.size());
    sorted_.clear();
    is_listed_.assign(batch.size(), false);
    for (const uint32_t r : by_begin_) {
      if (!is_listed_[r]) AddWithEarlier(r);
    }
    return true;
  }

  const std::vector<uint32_t>& sorted() const { return sorted_; }

 private:
  struct Pair {
    uint32_t early;  // in the order
    uint32_t late;
  };

  bool FindPairs(absl::Span<const StepInterval> batch) {
    pairs_.clear();
    live_.clear();
    for (const uint32_t r : by_begin_) {
      size_t count = 0;
      for (const uint32_t other : live_) {
        if (batch[other].end <= batch[r].begin) continue;
        live_[count++] = other;
        pairs_.push_back({std::min(r, other), std::max(r, other)});
      }
      live_.resize(count);
      live_.push_back(r);
      if (pairs_.size() > kPairsOfRecord * batch.size()) return false;
    }
    return true;
  }

  // For each record those that conflict and come before it.
  void ListEarlier(size_t records) {
    ends_.assign(records + 1, 0);
    for (const Pair& pair : pairs_) ++ends_[pair.late + 1];
    for (size_t r = 0; r < records; ++r) ends_[r + 1] += ends_[r];
    next_.assign(ends_.begin(), ends_.end() - 1);
    ends_.erase(ends_.begin());
    earlier_.resize(pairs_.size());
    for (const Pair& pair : pairs_) earlier_[next_[pair.late]++] = pair.early;
    for (size_t r = 0; r < records; ++r) next_[r] = r == 0 ? 0 : ends_[r - 1];
  }

  // Appends a record, after those of `earlier_` that are not listed yet.
  void AddWithEarlier(uint32_t record) {
    is_listed_[record] = true;
    path_.assign(1, record);
    while (!path_.empty()) {
      const uint32_t r = path_.back();
      while (next_[r] < ends_[r] && is_listed_[earlier_[next_[r]]]) ++next_[r];
      if (next_[r] == ends_[r]) {
        sorted_.push_back(r);
        path_.pop_back();
      } else {
        path_.push_back(earlier_[next_[r]]);
        is_listed_[path_.back()] = true;
      }
    }
  }

  std::vector<uint32_t> sorted_;
  std::vector<uint32_t> by_begin_;
  std::vector<uint32_t> live_;
  std::vector<Pair> pairs_;
  std::vector<uint32_t> earlier_;  // of all records, one after the other
  std::vector<size_t> next_;       // by record: which of them to look at next
  std::vector<size_t> ends_;       // by record: where those of others begin
  std::vector<bool> is_listed_;    // in sorted_ or path_
  std::vector<uint32_t> path_;     // each waits for the next
};

}  // namespace

template <typename Index>
std::vector<Index> LocalOrder(absl::Span<const StepInterval> intervals,
                              absl::Span<const Index> order, size_t batch) {
  std::vector<Index> result;
  result.reserve(order.size());
  const size_t smallest = std::max<size_t>(batch >> kHalvings, 1);
  const bool is_short = order.size() < batch;
  BatchSort sort;
  std::vector<StepInterval> steps;
  while (result.size() < order.size()) {
    const absl::Span<const Index> rest = order.subspan(result.size());
    if (batch < smallest || is_short) {
      result.insert(result.end(), rest.begin(), rest.end());
      break;
    }
    const absl::Span<const Index> part = rest.subspan(0, batch);
    steps.clear();
    for (const Index i : part) steps.push_back(intervals[i]);
    if (!sort.Sort(steps)) {
      batch /= 2;
      continue;
    }
    for (const uint32_t r : sort.sorted()) result.push_back(part[r]);
  }
  return result;
}

template std::vector<uint32_t> LocalOrder(
    absl::Span<const StepInterval> intervals, absl::Span<const uint32_t> order,
    size_t batch);
template std::vector<size_t> LocalOrder(
    absl::Span<const StepInterval> intervals, absl::Span<const size_t> order,
    size_t batch);

}  // namespace stowage
