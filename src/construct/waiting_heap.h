// SPDX-License-Identifier: Apache-2.0
// The queue of a bottom-left pass, which places the item with the lowest
// possible start next. For a queue of items that are only added and removed,
// use std::priority_queue.
#ifndef STOWAGE_SRC_CONSTRUCT_WAITING_HEAP_H_
#define STOWAGE_SRC_CONSTRUCT_WAITING_HEAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"

namespace stowage {

// A heap for uses in which the start of the least entry is raised far more
// often than the entry is removed. It has four children per entry, and moves an
// entry only as far as necessary.
template <typename Start>
class WaitingHeap {
 public:
  struct Entry {
    Start start;    // a lower bound of the start of the item
    uint32_t rank;  // the rank of the item in the placing order
    uint32_t item;

    bool operator<(const Entry& other) const {
      return start != other.start ? start < other.start : rank < other.rank;
    }
  };

  // Creates a heap of the items in `order`, each with the start 0. O(n), since
  // a sorted list is already a heap.
  explicit WaitingHeap(Span<const uint32_t> order) {
    entries_.reserve(order.size());
    for (uint32_t rank = 0; rank < order.size(); ++rank) {
      entries_.push_back({Start(), rank, order[rank]});
    }
  }

  bool empty() const { return entries_.empty(); }
  const Entry& least() const { return entries_.front(); }

  // Calls visit(item) for the items of which one is the least after the present
  // one. A pass spends most of its time waiting for the data of the next item,
  // unless it prefetches them.
  template <typename Visit>
  void VisitNext(Visit visit) const {
    const size_t end = std::min(kFanOut + 1, entries_.size());
    for (size_t child = 1; child < end; ++child) visit(entries_[child].item);
  }

  // Raises the start of the least entry. O(log n).
  void RaiseLeast(Start start) {
    Entry entry = least();
    entry.start = start;
    ReplaceLeast(entry);
  }

  // O(log n).
  void RemoveLeast() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) ReplaceLeast(last);
  }

 private:
  static constexpr size_t kFanOut = 4;

  void ReplaceLeast(const Entry& entry) {
    size_t hole = 0;
    while (true) {
      const size_t first = hole * kFanOut + 1;
      if (first >= entries_.size()) break;
      const size_t end = std::min(first + kFanOut, entries_.size());
      size_t least = first;
      for (size_t child = first + 1; child < end; ++child) {
        if (entries_[child] < entries_[least]) least = child;
      }
      if (!(entries_[least] < entry)) break;
      entries_[hole] = entries_[least];
      hole = least;
    }
    entries_[hole] = entry;
  }

  std::vector<Entry> entries_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_WAITING_HEAP_H_
