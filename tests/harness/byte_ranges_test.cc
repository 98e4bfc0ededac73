// SPDX-License-Identifier: Apache-2.0
#include "src/harness/byte_ranges.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/checks.h"

namespace stowage::harness {
namespace {

constexpr size_t kSize = 40;

std::vector<ByteRange> AnyRanges() {
  const auto drawn =
      *rc::gen::container<std::vector<std::pair<size_t, size_t>>>(rc::gen::pair(
          rc::gen::inRange<size_t>(0, kSize), rc::gen::inRange<size_t>(0, 12)));
  std::vector<ByteRange> ranges;
  for (const auto& [begin, bytes] : drawn) {
    ranges.push_back({begin, begin + bytes});
  }
  return ranges;
}

std::vector<bool> BytesOf(const std::vector<ByteRange>& ranges) {
  std::vector<bool> bytes(kSize);
  for (const ByteRange& range : ranges) {
    for (size_t i = range.begin; i < range.end && i < kSize; ++i) {
      bytes[i] = true;
    }
  }
  return bytes;
}

// Returns whether the ranges are sorted, do not touch each other, and are
// within [0, kSize).
bool IsSet(const std::vector<ByteRange>& ranges) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin >= ranges[i].end || ranges[i].end > kSize) return false;
    if (i > 0 && ranges[i - 1].end >= ranges[i].begin) return false;
  }
  return true;
}

RC_GTEST_PROP(UnionOf, HasTheBytesOfAll, ()) {
  const std::vector<ByteRange> ranges = AnyRanges();
  const std::vector<ByteRange> result = UnionOf(ranges, kSize);
  RC_ASSERT(IsSet(result));
  RC_ASSERT(BytesOf(result) == BytesOf(ranges));
}

RC_GTEST_PROP(Without, HasTheBytesOfOneOnly, ()) {
  const std::vector<ByteRange> from = UnionOf(AnyRanges(), kSize);
  const std::vector<ByteRange> taken = UnionOf(AnyRanges(), kSize);
  const std::vector<ByteRange> result = Without(from, taken);
  std::vector<bool> expected = BytesOf(from);
  for (size_t i = 0; i < kSize; ++i) {
    expected[i] = expected[i] && !BytesOf(taken)[i];
  }
  RC_ASSERT(IsSet(result));
  RC_ASSERT(BytesOf(result) == expected);
}

}  // namespace
}  // namespace stowage::harness
