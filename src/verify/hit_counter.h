// SPDX-License-Identifier: Apache-2.0
// Counts the hits (footprint.h) between one footprint and a set of others. Only
// the verifier needs these counts.
#ifndef STOWAGE_SRC_VERIFY_HIT_COUNTER_H_
#define STOWAGE_SRC_VERIFY_HIT_COUNTER_H_

#include <cstddef>
#include <vector>

#include "src/verify/footprint.h"

namespace stowage {

// A list of numbers that supports changes of single numbers and sums of
// prefixes. Implemented as a Fenwick tree. Every function is O(log length).
class PrefixSums {
 public:
  explicit PrefixSums(size_t length) : sums_(length + 1, 0) {}

  // Adds `number` to the number at position `at`, modulo 2^64.
  void Add(size_t at, size_t number) {
    for (size_t i = at + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i] += number;
    }
  }
  // Returns the sum of the numbers before `end`.
  size_t SumBefore(size_t end) const {
    size_t sum = 0;
    for (size_t i = end; i > 0; i -= i & (~i + 1)) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<size_t> sums_;
};

// Counts the hits between a footprint and a set of other footprints. Every
// function is O((points + ranges) * log length).
class HitCounter {
 public:
  // Creates an empty set of footprints on an axis of `length` points.
  explicit HitCounter(size_t length) : points_(length), ranges_(length + 1) {}

  void Add(const Footprint& footprint) { Change(footprint, 1); }
  void Remove(const Footprint& footprint) { Change(footprint, ~size_t{0}); }

  // Returns the number of hits between the footprint and the footprints in the
  // set.
  size_t Count(const Footprint& footprint) const {
    size_t hits = 0;
    for (const auto& [begin, end] : footprint.ranges) {
      hits += points_.SumBefore(end) - points_.SumBefore(begin);
    }
    for (const size_t point : footprint.points) {
      hits += ranges_.SumBefore(point + 1);
    }
    return hits;
  }

 private:
  void Change(const Footprint& footprint, size_t one) {
    for (const size_t point : footprint.points) points_.Add(point, one);
    for (const auto& [begin, end] : footprint.ranges) {
      ranges_.Add(begin, one);
      ranges_.Add(end, ~one + 1);
    }
  }

  PrefixSums points_;
  PrefixSums ranges_;  // has +1 where a range begins, and -1 at its end
};

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_HIT_COUNTER_H_
