// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/stack_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// The half-open range of first tasks at which a record is live, by their ranks.
// Two records conflict if and only if their ranges share a rank: the one that
// begins later begins while the other one is live.
struct RankRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

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

// The records that can be seen from above a stack, each at the ranks where no
// later record lies on it.
class Skyline {
 public:
  // Puts the record at `position` on the stack, and returns the positions that
  // could be seen at its ranks before, in rising order.
  std::vector<uint32_t> Put(uint32_t position, RankRange range) {
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

 private:
  struct Segment {
    uint32_t end = 0;
    uint32_t position = 0;
  };
  btree_map<uint32_t, Segment> segments_;  // by their first rank
};

// Ranks that some range has covered.
class CoveredRanks {
 public:
  // Adds a range, and returns whether it shares a rank with an earlier one.
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
  btree_map<uint32_t, uint32_t> ends_;  // of ranges, by their first rank
};

// Removes the positions whose record lies below that of a later one.
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

Status CheckOrder(size_t records, Span<const size_t> order) {
  if (order.size() != records) {
    return InvalidArgumentError(StrCat("an order of ", order.size(),
                                       " records; expected all ", records));
  }
  std::vector<bool> seen(records, false);
  for (const size_t record : order) {
    if (record >= records || seen[record]) {
      return InvalidArgumentError(
          StrCat("record ", record,
                 record < records ? " twice in the order; expected each once"
                                  : " in the order, which is not there"));
    }
    seen[record] = true;
  }
  return OkStatus();
}

}  // namespace

StatusOr<StackPlan> StackPlan::Create(const ProblemSpec& problem,
                                      std::vector<size_t> order) {
  return Create(problem.records, AlignmentsOf(problem), std::move(order));
}

StatusOr<StackPlan> StackPlan::Create(Span<const ByteRecord> records,
                                      const Alignments& alignments,
                                      std::vector<size_t> order) {
  if (Status s = CheckOrder(records.size(), order); !s.ok()) return s;
  if (Status s = alignments.Check(records.size()); !s.ok()) return s;
  StackPlan plan;
  plan.order_ = std::move(order);
  plan.alignments_.reserve(records.size());
  for (size_t record = 0; record < records.size(); ++record) {
    plan.alignments_.push_back(alignments.Of(record));
  }
  const std::vector<RankRange> ranges = RankRanges(records);
  std::vector<RankRange> by_position;
  by_position.reserve(records.size());
  Skyline skyline;
  for (const size_t record : plan.order_) {
    const auto position = static_cast<uint32_t>(by_position.size());
    std::vector<uint32_t> below = skyline.Put(position, ranges[record]);
    DropImplied(by_position, &below);
    plan.below_.insert(plan.below_.end(), below.begin(), below.end());
    plan.ends_.push_back(plan.below_.size());
    by_position.push_back(ranges[record]);
  }
  return plan;
}

StatusOr<size_t> StackPlan::Offsets(Span<const size_t> sizes,
                                    Span<size_t> offsets) const {
  size_t height = 0;
  size_t edge = 0;
  for (size_t position = 0; position < order_.size(); ++position) {
    size_t bottom = 0;
    for (; edge < ends_[position + 1]; ++edge) {
      const size_t below = order_[below_[edge]];
      bottom = std::max(bottom, offsets[below] + sizes[below]);
    }
    const size_t record = order_[position];
    const optional<size_t> offset = CheckedAlignUp(bottom, alignments_[record]);
    const optional<size_t> end =
        offset ? CheckedAdd(*offset, sizes[record]) : nullopt;
    if (!end) {
      return OutOfRangeError(
          StrCat("record ", record, ": it would end beyond 2^64 - 1"));
    }
    offsets[record] = *offset;
    height = std::max(height, *end);
  }
  return height;
}

}  // namespace stowage
