// SPDX-License-Identifier: Apache-2.0
#include "src/construct/local_order.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/base/bits.h"
#include "src/base/radix_sort.h"
#include "src/base/work_limit.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// A set of numbers below a bound. It consists of words of bits, and of a second
// level of bits that marks the words that are not 0. Finding the next smaller
// or larger member takes reading only a few words, no matter how far away it
// is.
class NumberSet {
 public:
  void Reset(size_t bound) {
    words_.assign(bound / kBits + 1, 0);
    used_.assign(words_.size() / kBits + 1, 0);
  }
  void Insert(uint32_t number) {
    words_[number / kBits] |= BitOf(number);
    used_[number / kBits / kBits] |= BitOf(number / kBits);
  }
  void Erase(uint32_t number) {
    uint64_t& word = words_[number / kBits];
    word &= ~BitOf(number);
    if (word == 0) used_[number / kBits / kBits] &= ~BitOf(number / kBits);
  }

  // Returns the largest member below `number`, or kNone if there is none.
  // Requires that `number` itself is not in the set.
  uint32_t Below(uint32_t number) const {
    const size_t at = number / kBits;
    uint64_t word = words_[at] & (BitOf(number) - 1);
    if (word != 0) return HighestOf(at, word);
    size_t k = at / kBits;
    uint64_t used = used_[k] & (BitOf(at) - 1);
    while (used == 0 && k > 0) used = used_[--k];
    if (used == 0) return kNone;
    const size_t below = HighestOf(k, used);
    return HighestOf(below, words_[below]);
  }

  // Returns the smallest member above `number`, or kNone if there is none.
  // Requires that `number` itself is not in the set.
  uint32_t Above(uint32_t number) const {
    const size_t at = number / kBits;
    uint64_t word = words_[at] & ~(BitOf(number) - 1);
    if (word != 0) return LowestOf(at, word);
    size_t k = at / kBits;
    uint64_t used = used_[k] & ~(BitOf(at) - 1) & ~BitOf(at);
    while (used == 0 && k + 1 < used_.size()) used = used_[++k];
    if (used == 0) return kNone;
    const size_t above = LowestOf(k, used);
    return LowestOf(above, words_[above]);
  }

 private:
  static constexpr size_t kBits = 64;

  static uint64_t BitOf(size_t number) { return uint64_t{1} << number % kBits; }
  static uint32_t HighestOf(size_t word, uint64_t bits) {
    return static_cast<uint32_t>(kBits * word + kBits - 1) -
           static_cast<uint32_t>(countl_zero(bits));
  }
  static uint32_t LowestOf(size_t word, uint64_t bits) {
    return static_cast<uint32_t>(kBits * word) +
           static_cast<uint32_t>(countr_zero(bits));
  }

  std::vector<uint64_t> words_;
  std::vector<uint64_t> used_;  // bit k says whether words_[k] is not 0
};

// Sorts one batch after another. The number of a record is its position in the
// batch.
class BatchSort {
 public:
  void Sort(Span<const StepInterval> batch) {
    by_begin_ = SortedBy(batch, [](const StepInterval& i) { return i.begin; });
    FindEarlier(batch);
    sorted_.clear();
    is_listed_.assign(batch.size(), false);
    for (const uint32_t r : by_begin_) {
      if (!is_listed_[r]) AddWithEarlier(r);
    }
  }

  const std::vector<uint32_t>& sorted() const { return sorted_; }

 private:
  template <typename NumberOf>
  static std::vector<uint32_t> SortedBy(Span<const StepInterval> batch,
                                        NumberOf number_of) {
    RecordSort sort(batch.size(), StopSignal());
    sort.By([&](uint32_t r) { return uint64_t{number_of(batch[r])}; });
    return sort.Records();
  }

  // Finds the records that must precede each record, because they conflict with
  // it and have a lower number. All records that are live at one step conflict
  // with each other. When a record begins, it is therefore enough to consider
  // its two neighbors by number among the live records: every other live record
  // must come before the lower neighbor or after the upper neighbor.
  void FindEarlier(Span<const StepInterval> batch) {
    const std::vector<uint32_t> by_end =
        SortedBy(batch, [](const StepInterval& i) { return i.end; });
    below_.resize(batch.size());
    before_.assign(batch.size(), kNone);
    next_before_.resize(batch.size());
    live_.Reset(batch.size());
    size_t ended = 0;
    for (const uint32_t r : by_begin_) {
      for (; batch[by_end[ended]].end <= batch[r].begin; ++ended) {
        live_.Erase(by_end[ended]);
      }
      below_[r] = live_.Below(r);
      const uint32_t above = live_.Above(r);
      if (above != kNone) {
        next_before_[r] = before_[above];
        before_[above] = r;
      }
      live_.Insert(r);
    }
  }

  // Returns the next of the records that must precede `record`, and removes it
  // from them. Returns kNone if no such record is left.
  uint32_t TakeEarlier(uint32_t record) {
    const uint32_t below = below_[record];
    if (below != kNone) {
      below_[record] = kNone;
      return below;
    }
    const uint32_t before = before_[record];
    if (before != kNone) before_[record] = next_before_[before];
    return before;
  }

  // Appends to sorted_ the records that must precede `record` and have not been
  // listed yet, followed by `record`.
  void AddWithEarlier(uint32_t record) {
    is_listed_[record] = true;
    path_.assign(1, record);
    while (!path_.empty()) {
      const uint32_t earlier = TakeEarlier(path_.back());
      if (earlier == kNone) {
        sorted_.push_back(path_.back());
        path_.pop_back();
      } else if (!is_listed_[earlier]) {
        is_listed_[earlier] = true;
        path_.push_back(earlier);
      }
    }
  }

  std::vector<uint32_t> sorted_;
  std::vector<uint32_t> by_begin_;
  NumberSet live_;
  // For each record, its lower neighbor at the step at which the record began.
  std::vector<uint32_t> below_;
  // For each record, the first element of a list, or kNone if the list is
  // empty. The list of a record has those records that had this record as their
  // upper neighbor when they began. The record that began last is the first in
  // the list.
  std::vector<uint32_t> before_;
  // For each record, the next record in the same list.
  std::vector<uint32_t> next_before_;
  std::vector<bool> is_listed_;  // says whether a record is in sorted_ or path_
  std::vector<uint32_t> path_;   // each record in it waits for the next one
};

}  // namespace

template <typename Index>
std::vector<Index> LocalOrder(Span<const StepInterval> intervals,
                              Span<const Index> order, size_t batch) {
  if (order.size() < batch) return {order.begin(), order.end()};
  std::vector<Index> result;
  result.reserve(order.size());
  BatchSort sort;
  std::vector<StepInterval> steps;
  while (result.size() < order.size()) {
    const Span<const Index> part = order.subspan(result.size(), batch);
    steps.clear();
    for (const Index i : part) steps.push_back(intervals[i]);
    sort.Sort(steps);
    for (const uint32_t r : sort.sorted()) result.push_back(part[r]);
  }
  return result;
}

template std::vector<uint32_t> LocalOrder(Span<const StepInterval> intervals,
                                          Span<const uint32_t> order,
                                          size_t batch);
template std::vector<size_t> LocalOrder(Span<const StepInterval> intervals,
                                        Span<const size_t> order, size_t batch);

}  // namespace stowage
