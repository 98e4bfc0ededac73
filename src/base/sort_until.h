// SPDX-License-Identifier: Apache-2.0
// A sort that can be interrupted. Use it in place of std::sort for long lists:
// std::sort cannot be interrupted, so after a cancellation it would keep
// running for too long.
#ifndef STOWAGE_SRC_BASE_SORT_UNTIL_H_
#define STOWAGE_SRC_BASE_SORT_UNTIL_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/base/work_limit.h"

namespace stowage {

// The number of elements that are sorted between two checks of the signal.
// Sorting this many takes one or two milliseconds.
constexpr size_t kSortedAtOnce = size_t{1} << 14;

// Merges two sorted ranges of `from`, [begin, middle) and [middle, end), into
// positions [begin, end) of `to`. Returns false if the signal is set before the
// merge is complete; the last positions of `to` are then not written.
template <typename T, typename Less>
bool MergeUntil(const StopSignal& stop, const Less& less,
                const std::vector<T>& from, size_t begin, size_t middle,
                size_t end, std::vector<T>* to) {
  size_t left = begin;
  size_t right = middle;
  for (size_t k = begin; k < end; ++k) {
    if (k % kSortedAtOnce == 0 && stop.IsSet()) return false;
    const bool takes_right =
        left == middle || (right < end && less(from[right], from[left]));
    (*to)[k] = from[takes_right ? right++ : left++];
  }
  return true;
}

// Sorts by `less`, a strict total order. Returns false if the signal is set
// before the sort is complete; `list` may then be unsorted and may lack
// elements. O(n log n) time. A long list needs additional memory of the size of
// the list.
template <typename T, typename Less>
bool SortUntil(const StopSignal& stop, const Less& less, std::vector<T>* list) {
  const size_t count = list->size();
  for (size_t begin = 0; begin < count; begin += kSortedAtOnce) {
    if (stop.IsSet()) return false;
    std::sort(list->data() + begin,
              list->data() + std::min(begin + kSortedAtOnce, count), less);
  }
  if (count <= kSortedAtOnce) return true;
  std::vector<T> other(count);
  for (size_t width = kSortedAtOnce; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      const size_t middle = std::min(begin + width, count);
      const size_t end = std::min(begin + 2 * width, count);
      if (!MergeUntil(stop, less, *list, begin, middle, end, &other)) {
        return false;
      }
    }
    list->swap(other);
  }
  return true;
}

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_SORT_UNTIL_H_
