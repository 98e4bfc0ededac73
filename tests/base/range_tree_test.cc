// SPDX-License-Identifier: Apache-2.0
// Compares the trees of range_tree.h with plain lists.
#include "src/base/range_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace stowage {
namespace {

using Range = std::pair<size_t, size_t>;  // [first, second), not empty

Range AnyRange(size_t positions) {
  const auto begin = *rc::gen::inRange<size_t>(0, positions);
  return {begin, *rc::gen::inRange<size_t>(begin + 1, positions + 1)};
}

template <typename T>
T HighestOf(const std::vector<T>& values, Range range) {
  return *std::max_element(
      values.begin() + static_cast<ptrdiff_t>(range.first),
      values.begin() + static_cast<ptrdiff_t>(range.second));
}

RC_GTEST_PROP(RangeHeights, KnowsTheHighestEdgeOfEveryInterval, ()) {
  const auto steps = *rc::gen::inRange<size_t>(1, 40);
  RangeHeights<size_t> tree(steps);
  RaisedRanges<size_t> raised(steps);
  std::vector<size_t> edges(steps, 0);
  for (int k = 0; k < 60; ++k) {
    const Range range = AnyRange(steps);
    const size_t highest = HighestOf(edges, range);
    RC_ASSERT(tree.Highest(range.first, range.second) == highest);
    // `top` may be below the highest step of the range. Steps above `top` do
    // not change.
    const size_t top = highest - std::min<size_t>(highest, 4) +
                       *rc::gen::inRange<size_t>(0, 9);
    for (size_t s = range.first; s < range.second; ++s) {
      edges[s] = std::max(edges[s], top);
    }
    tree.Raise(range.first, range.second, top);
    raised.Raise(range.first, range.second, top);
    RC_ASSERT(raised.At(range.first) == edges[range.first]);
    RC_ASSERT(raised.At(range.second - 1) == edges[range.second - 1]);
  }
}

RC_GTEST_PROP(RangeCounts, KnowTheGreatestCount, ()) {
  const auto steps = *rc::gen::inRange<size_t>(1, 40);
  RangeCounts tree(steps);
  std::vector<int64_t> sums(steps, 0);
  std::vector<std::pair<Range, int64_t>> added;
  for (int k = 0; k < 60; ++k) {
    auto change = std::make_pair(AnyRange(steps), int64_t{1});
    if (!added.empty() && *rc::gen::inRange(0, 3) == 0) {
      change = {added.back().first, -added.back().second};
      added.pop_back();
    } else {
      added.push_back(change);
    }
    const auto [range, count] = change;
    for (size_t s = range.first; s < range.second; ++s) sums[s] += count;
    tree.Add(range.first, range.second, count);
    RC_ASSERT(tree.greatest() == HighestOf(sums, {0, steps}));
    const Range part = AnyRange(steps);
    RC_ASSERT(tree.GreatestIn(part.first, part.second) ==
              HighestOf(sums, part));
  }
}

RC_GTEST_PROP(BestOfRange, KnowsTheLargestOfEveryRange, ()) {
  const auto size = *rc::gen::inRange<size_t>(1, 40);
  std::vector<uint32_t> values(size);
  for (uint32_t& value : values) value = *rc::gen::inRange<uint32_t>(0, 9);
  BestOfRange<uint32_t> tree(values);
  for (int k = 0; k < 60; ++k) {
    const auto [begin, end] = AnyRange(size);
    RC_ASSERT(tree.Best(begin, end) == HighestOf(values, {begin, end}));
    RC_ASSERT(tree.Best(begin, begin, 7) == 7u);
    const auto bound = *rc::gen::inRange<uint32_t>(0, 9);
    size_t last = begin;
    while (last > 0 && values[last - 1] <= bound) --last;
    RC_ASSERT(tree.LastAbove(begin, bound) ==
              (last == 0 ? kNoPosition : last - 1));
    const auto value = *rc::gen::inRange<uint32_t>(0, 9);
    if (*rc::gen::inRange(0, 2) == 0) {
      values[begin] = value;
      tree.Set(begin, value);
    } else {
      values[begin] = std::max(values[begin], value);
      tree.Raise(begin, value);
    }
    RC_ASSERT(tree.Get(begin) == values[begin]);
  }
}

struct EarliestLargest {
  size_t operator()(size_t a, size_t b) const {
    if (values[a] == values[b]) return std::min(a, b);
    return values[a] > values[b] ? a : b;
  }

  const size_t* values;
};

RC_GTEST_PROP(BestOfRange, KnowsThePositionThatAnOrderPutsFirst, ()) {
  const auto size = *rc::gen::inRange<size_t>(1, 40);
  std::vector<size_t> values(size);
  for (size_t& value : values) value = *rc::gen::inRange<size_t>(0, 9);
  std::vector<size_t> positions(size);
  std::iota(positions.begin(), positions.end(), size_t{0});
  const BestOfRange<size_t, EarliestLargest> tree(positions, {values.data()});
  for (int k = 0; k < 20; ++k) {
    const auto [begin, end] = AnyRange(size);
    const auto largest =
        std::max_element(values.begin() + static_cast<ptrdiff_t>(begin),
                         values.begin() + static_cast<ptrdiff_t>(end));
    RC_ASSERT(tree.Best(begin, end, begin) ==
              static_cast<size_t>(largest - values.begin()));
  }
}

}  // namespace
}  // namespace stowage
