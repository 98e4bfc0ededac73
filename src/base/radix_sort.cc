// SPDX-License-Identifier: Apache-2.0
#include "src/base/radix_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/bits.h"
#include "src/base/sort_until.h"
#include "src/base/work_limit.h"

namespace stowage {
namespace {

// The number of bits by which one pass sorts. It is small enough that the
// counts of all values of these bits stay in the L1 cache.
constexpr int kBits = 11;
constexpr size_t kValues = size_t{1} << kBits;

// Lists shorter than this are sorted by comparisons, which takes less time than
// clearing the counts.
constexpr size_t kShort = 256;

size_t ValueAt(uint64_t number, int shift) {
  return static_cast<size_t>(number >> shift) % kValues;
}

// Calls visit(k) for each position k of a list. Returns false if the signal is
// set before all positions have been visited.
template <typename Visit>
bool VisitUntil(const StopSignal& stop, size_t count, Visit visit) {
  for (size_t begin = 0; begin < count; begin += kSortedAtOnce) {
    if (stop.IsSet()) return false;
    const size_t end = std::min(begin + kSortedAtOnce, count);
    for (size_t k = begin; k < end; ++k) visit(k);
  }
  return true;
}

// Moves the list to `to`, sorted by kBits bits of the numbers, beginning with
// bit `shift`. Returns false if the signal is set before the pass is complete.
bool SortBits(const StopSignal& stop, int shift,
              const std::vector<NumberedRecord>& list,
              std::vector<NumberedRecord>* to) {
  std::array<size_t, kValues> places = {};
  if (!VisitUntil(stop, list.size(), [&](size_t k) {
        ++places[ValueAt(list[k].number, shift)];
      })) {
    return false;
  }
  size_t sum = 0;
  for (size_t& place : places) {
    const size_t count = place;
    place = sum;
    sum += count;
  }
  return VisitUntil(stop, list.size(), [&](size_t k) {
    (*to)[places[ValueAt(list[k].number, shift)]++] = list[k];
  });
}

}  // namespace

bool RadixSort(const StopSignal& stop, std::vector<NumberedRecord>* list) {
  if (list->size() < kShort) {
    std::stable_sort(list->begin(), list->end(),
                     [](const NumberedRecord& a, const NumberedRecord& b) {
                       return a.number < b.number;
                     });
    return !stop.IsSet();
  }
  uint64_t differing = 0;
  bool is_sorted = true;
  uint64_t before = list->front().number;
  if (!VisitUntil(stop, list->size(), [&](size_t k) {
        const uint64_t number = (*list)[k].number;
        differing |= number ^ before;
        is_sorted = is_sorted && before <= number;
        before = number;
      })) {
    return false;
  }
  if (is_sorted) return true;
  std::vector<NumberedRecord> other(list->size());
  while (differing != 0) {
    const int shift = countr_zero(differing);
    if (!SortBits(stop, shift, *list, &other)) return false;
    list->swap(other);
    differing &= ~(uint64_t{kValues - 1} << shift);
  }
  return true;
}

}  // namespace stowage
