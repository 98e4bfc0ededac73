// SPDX-License-Identifier: Apache-2.0
#include "src/verify/footprint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/task_order.h"

namespace stowage {
namespace {

size_t CountPointsIn(const Footprint& of_points, const Footprint& of_ranges) {
  const std::vector<size_t>& points = of_points.points;
  return static_cast<size_t>(std::count_if(
      points.begin(), points.end(),
      [&](size_t point) { return HasInRange(of_ranges, point); }));
}

}  // namespace

bool HasInRange(const Footprint& footprint, size_t point) {
  // `next - 1` is the last range that begins at or before the point.
  const auto& ranges = footprint.ranges;
  const auto next = std::upper_bound(
      ranges.begin(), ranges.end(), point,
      [](size_t p, const auto& range) { return p < range.first; });
  return next != ranges.begin() && point < (next - 1)->second;
}

size_t CountHits(const Footprint& a, const Footprint& b) {
  return CountPointsIn(a, b) + CountPointsIn(b, a);
}

Footprints::Footprints(Span<const ByteRecord> all,
                       const Constraints& constraints,
                       Span<const size_t> records)
    : all_(all), constraints_(constraints), records_(records) {
  const auto& order = constraints.order;
  if (!order) {
    RankFirstTasks();
    return;
  }
  for (size_t c = 0; c < order->chains(); ++c) {
    chain_begins_.push_back(length_);
    length_ += order->chain(c).size();
  }
}

void Footprints::RankFirstTasks() {
  const auto& holes = constraints_.holes;
  std::vector<TaskId> firsts;
  firsts.reserve(records_.size() + holes.size());
  for (const size_t i : records_) {
    firsts.push_back(all_[i].first_task);
  }
  for (const Hole& hole : holes) firsts.push_back(hole.first_task);
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  length_ = firsts.size();

  ranges_.reserve(records_.size() + holes.size());
  const auto add = [&](TaskId first, TaskId last) {
    const auto begin = std::lower_bound(firsts.begin(), firsts.end(), first);
    const auto end = std::upper_bound(begin, firsts.end(), last);
    ranges_.emplace_back(static_cast<uint32_t>(begin - firsts.begin()),
                         static_cast<uint32_t>(end - firsts.begin()));
  };
  for (const size_t i : records_) {
    add(all_[i].first_task, all_[i].last_task);
  }
  for (const Hole& hole : holes) add(hole.first_task, hole.last_task);
}

void Footprints::Read(size_t item, Footprint* footprint) const {
  footprint->points.clear();
  footprint->ranges.clear();
  if (!ranges_.empty()) {
    footprint->points.push_back(ranges_[item].first);
    footprint->ranges.emplace_back(ranges_[item]);
  } else if (item < records_.size()) {
    ReadUsers(records_[item], footprint);
  } else {  // a hole exists at all times
    footprint->ranges.emplace_back(0, length_);
  }
}

void Footprints::ReadUsers(size_t record, Footprint* footprint) const {
  const TaskOrder& order = *constraints_.order;
  const Span<const TaskId> users = constraints_.users[record];
  for (const TaskId user : users) {
    footprint->points.push_back(chain_begins_[order.chain_of(user)] +
                                order.position_of(user));
  }
  for (size_t c = 0; c < order.chains(); ++c) {
    uint32_t begin = std::numeric_limits<uint32_t>::max();
    uint32_t end = 0;
    for (const TaskId user : users) {
      begin = std::min(begin, order.CountBefore(user, c));
      end = std::max(end, order.FirstAfter(user, c));
    }
    if (begin >= end) continue;
    footprint->ranges.emplace_back(chain_begins_[c] + begin,
                                   chain_begins_[c] + end);
  }
}

}  // namespace stowage
