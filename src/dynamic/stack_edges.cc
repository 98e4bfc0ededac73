// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/stack_edges.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// The set of ranks that are covered by the ranges added so far.
class CoveredRanks {
 public:
  // Adds a range. Returns whether it shares a rank with an earlier range.
  bool Add(RankRange range) {
    bool meets = false;
    auto next = ends_.upper_bound(range.begin);
    if (next != ends_.begin()) {
      const auto before = std::prev(next);
      if (before->second > range.begin) {
        meets = true;
        range = {before->first, std::max(range.end, before->second)};
        next = ends_.erase(before);
      }
    }
    while (next != ends_.end() && next->first < range.end) {
      meets = true;
      range.end = std::max(range.end, next->second);
      next = ends_.erase(next);
    }
    ends_[range.begin] = range.end;
    return meets;
  }

 private:
  btree_map<uint32_t, uint32_t> ends_;  // ends of ranges, by first rank
};

}  // namespace

std::vector<RankRange> RankRanges(Span<const ByteRecord> records) {
  std::vector<TaskId> firsts;
  firsts.reserve(records.size());
  for (const ByteRecord& record : records) firsts.push_back(record.first_task);
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  std::vector<RankRange> ranges;
  ranges.reserve(records.size());
  for (const ByteRecord& record : records) {
    const auto begin =
        std::lower_bound(firsts.begin(), firsts.end(), record.first_task);
    const auto end = std::upper_bound(begin, firsts.end(), record.last_task);
    ranges.push_back({static_cast<uint32_t>(begin - firsts.begin()),
                      static_cast<uint32_t>(end - firsts.begin())});
  }
  return ranges;
}

std::vector<uint32_t> StackSkyline::Put(uint32_t position, RankRange range) {
  std::vector<uint32_t> covered;
  auto next = segments_.lower_bound(range.begin);
  if (next != segments_.begin()) {
    const auto before = std::prev(next);
    const Segment whole = before->second;
    if (whole.end > range.begin) {
      covered.push_back(whole.position);
      before->second.end = range.begin;
      if (whole.end > range.end) {
        segments_[range.end] = {whole.end, whole.position};
      }
      next = segments_.lower_bound(range.begin);
    }
  }
  while (next != segments_.end() && next->first < range.end) {
    const Segment whole = next->second;
    covered.push_back(whole.position);
    next = segments_.erase(next);
    if (whole.end > range.end) {
      segments_[range.end] = {whole.end, whole.position};
      break;
    }
  }
  segments_[range.begin] = {range.end, position};
  std::sort(covered.begin(), covered.end());
  covered.erase(std::unique(covered.begin(), covered.end()), covered.end());
  return covered;
}

std::vector<uint32_t> StackSkyline::Seen(RankRange range, bool* is_bare) const {
  std::vector<uint32_t> seen;
  auto next = segments_.upper_bound(range.begin);
  if (next != segments_.begin()) --next;
  uint32_t covered = range.begin;
  for (; next != segments_.end() && next->first < range.end; ++next) {
    if (next->second.end <= range.begin) continue;
    *is_bare = *is_bare || next->first > covered;
    covered = next->second.end;
    seen.push_back(next->second.position);
  }
  *is_bare = *is_bare || covered < range.end;
  return seen;
}

void DropImplied(Span<const RankRange> ranges_by_position,
                 std::vector<uint32_t>* below) {
  CoveredRanks covered;
  std::vector<uint32_t> kept;
  for (auto position = below->rbegin(); position != below->rend(); ++position) {
    if (!covered.Add(ranges_by_position[*position])) kept.push_back(*position);
  }
  std::reverse(kept.begin(), kept.end());
  *below = std::move(kept);
}

}  // namespace stowage
