// SPDX-License-Identifier: Apache-2.0
// Sorts up to a million records by numbers. A comparison sort often has to wait
// for data of a record that is not in the cache, whereas this sort keeps the
// numbers in one array. For an order that cannot be expressed as numbers, and
// to sort a list in place, use sort_until.h.
//
// To sort records by several numbers, sort them by each number in turn,
// beginning with the least important number. This works because each sort
// preserves the order of records with equal numbers. For example, a sort by
// start followed by a sort by size orders the records by size, and records of
// the same size by start.
//
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5.
#ifndef STOWAGE_SRC_BASE_RADIX_SORT_H_
#define STOWAGE_SRC_BASE_RADIX_SORT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/sort_until.h"
#include "src/base/work_limit.h"
#include "stowage/base/span.h"

namespace stowage {

struct NumberedRecord {
  uint64_t number;
  uint32_t record;
};

// Sorts by rising numbers; records with equal numbers keep their order. Returns
// false if the signal is set before the sort is complete; the list is then
// incomplete and in an unspecified order. O(n d) time, where d is the number of
// 11-bit digits in which numbers differ; O(n) if the list is already sorted.
// Needs as much additional memory as the list.
bool RadixSort(const StopSignal& stop, std::vector<NumberedRecord>* list);

// Sorts records by one number after another. After the signal has been set,
// further sorts do nothing.
class RecordSort {
 public:
  // Starts with the records 0 to count - 1, in this order.
  RecordSort(size_t count, const StopSignal& stop) : stop_(stop) {
    list_.reserve(count);
    for (uint32_t i = 0; i < count; ++i) list_.push_back({0, i});
  }
  RecordSort(Span<const uint32_t> records, const StopSignal& stop)
      : stop_(stop) {
    list_.reserve(records.size());
    for (const uint32_t i : records) list_.push_back({0, i});
  }

  // Sorts by rising number_of(record); records with equal numbers keep their
  // order. Takes the time and memory of RadixSort.
  template <typename NumberOf>
  void By(NumberOf number_of) {
    for (size_t k = 0; is_complete_ && k < list_.size(); ++k) {
      if (k % kSortedAtOnce == 0 && stop_.IsSet()) is_complete_ = false;
      list_[k].number = number_of(list_[k].record);
    }
    is_complete_ = is_complete_ && RadixSort(stop_, &list_);
  }

  // Returns whether all sorts were completed before the signal was set.
  bool is_complete() const { return is_complete_; }

  // Returns the records in their current order, with the numbers of the last
  // sort.
  const std::vector<NumberedRecord>& list() const { return list_; }

  std::vector<uint32_t> Records() const {
    std::vector<uint32_t> records;
    records.reserve(list_.size());
    for (const NumberedRecord& entry : list_) records.push_back(entry.record);
    return records;
  }

 private:
  const StopSignal stop_;
  std::vector<NumberedRecord> list_;
  bool is_complete_ = true;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RADIX_SORT_H_
