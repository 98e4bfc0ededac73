// SPDX-License-Identifier: Apache-2.0
// Two segment trees for maximums over ranges of steps: RangeMaximum for values
// that do not change, RaisedRanges for ranges that are raised one after the
// other.
#ifndef STOWAGE_SRC_EXPLAIN_RANGE_MAXIMUM_H_
#define STOWAGE_SRC_EXPLAIN_RANGE_MAXIMUM_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stowage::views {

// Finds the largest value in any range of a list of sizes. O(n) memory.
class RangeMaximum {
 public:
  explicit RangeMaximum(const std::vector<size_t>& values)
      : count_(values.size()), nodes_(2 * values.size(), 0) {
    std::copy(values.begin(), values.end(),
              nodes_.begin() + static_cast<std::ptrdiff_t>(count_));
    for (size_t node = count_; node-- > 1;) {
      nodes_[node] = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
    }
  }

  // Returns the largest of the values [begin, end), or 0 if there are none.
  // O(log n).
  size_t Of(size_t begin, size_t end) const {
    size_t largest = 0;
    for (size_t l = begin + count_, r = end + count_; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) largest = std::max(largest, nodes_[l++]);
      if (r % 2 == 1) largest = std::max(largest, nodes_[--r]);
    }
    return largest;
  }

  // Returns the largest of all values outside [begin, end). O(log n).
  size_t OutsideOf(size_t begin, size_t end) const {
    return std::max(Of(0, begin), Of(end, count_));
  }

 private:
  size_t count_;
  std::vector<size_t> nodes_;
};

// A list of steps, each of which has a value. All values in a range of steps
// can be raised, and the largest value in a range can be found. Values are
// compared by <; every step starts at Value().
template <typename Value>
class RaisedRanges {
 public:
  explicit RaisedRanges(size_t steps) {
    while (leaves_ < steps) leaves_ *= 2;
    whole_.resize(2 * leaves_);
    best_.resize(2 * leaves_);
  }

  // Raises every step of [begin, end) to at least `value`. Requires begin <
  // end. O(log steps).
  void Raise(size_t begin, size_t end, const Value& value) {
    for (size_t l = begin + leaves_, r = end + leaves_; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) RaiseNode(l++, value);
      if (r % 2 == 1) RaiseNode(--r, value);
    }
    RaiseAncestors(begin + leaves_, value);
    RaiseAncestors(end - 1 + leaves_, value);
  }

  // Returns the largest value of a step in [begin, end). Requires begin < end.
  // O(log steps).
  Value Largest(size_t begin, size_t end) const {
    Value largest = Value();
    const auto raise = [&](const Value& value) {
      if (largest < value) largest = value;
    };
    for (size_t l = begin + leaves_, r = end + leaves_; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) raise(best_[l++]);
      if (r % 2 == 1) raise(best_[--r]);
    }
    for (size_t node = begin + leaves_; node >= 1; node /= 2) {
      raise(whole_[node]);
    }
    for (size_t node = end - 1 + leaves_; node >= 1; node /= 2) {
      raise(whole_[node]);
    }
    return largest;
  }

 private:
  void RaiseNode(size_t node, const Value& value) {
    if (whole_[node] < value) whole_[node] = value;
    if (best_[node] < value) best_[node] = value;
  }

  void RaiseAncestors(size_t leaf, const Value& value) {
    for (size_t node = leaf / 2; node >= 1; node /= 2) {
      if (best_[node] < value) best_[node] = value;
    }
  }

  size_t leaves_ = 1;
  // the value that all steps of a node were raised to
  std::vector<Value> whole_;
  std::vector<Value> best_;  // the largest value of any step of a node
};

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_RANGE_MAXIMUM_H_
