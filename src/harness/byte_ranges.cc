// SPDX-License-Identifier: Apache-2.0
#include "src/harness/byte_ranges.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stowage/harness/checks.h"

namespace stowage::harness {

std::vector<ByteRange> UnionOf(std::vector<ByteRange> ranges, size_t size) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
            });
  std::vector<ByteRange> result;
  for (ByteRange range : ranges) {
    range.end = std::min(range.end, size);
    if (range.begin >= range.end) continue;
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

std::vector<ByteRange> Without(const std::vector<ByteRange>& from,
                               const std::vector<ByteRange>& taken) {
  std::vector<ByteRange> result;
  size_t next = 0;
  for (const ByteRange& range : from) {
    size_t begin = range.begin;
    while (next < taken.size() && taken[next].end <= begin) ++next;
    for (size_t i = next; i < taken.size() && taken[i].begin < range.end; ++i) {
      if (taken[i].begin > begin) result.push_back({begin, taken[i].begin});
      begin = taken[i].end;
    }
    if (begin < range.end) result.push_back({begin, range.end});
  }
  return result;
}

}  // namespace stowage::harness
