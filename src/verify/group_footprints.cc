// SPDX-License-Identifier: Apache-2.0
#include "src/verify/group_footprints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"

namespace stowage {

GroupFootprints::GroupFootprints(const Constraints& constraints,
                                 Span<const size_t> records,
                                 const Footprints& footprints) {
  const std::vector<RecordPlace>& places = constraints.places;
  if (places.empty()) return;
  const auto group_of = [&](size_t item) {
    return places[records[item]].group;
  };
  std::vector<size_t> members;
  for (size_t item = 0; item < records.size(); ++item) {
    if (group_of(item) != kNoGroup) members.push_back(item);
  }
  std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
    return group_of(a) < group_of(b);
  });
  axes_.resize(records.size());
  for (size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    while (end < members.size() &&
           group_of(members[end]) == group_of(members[begin])) {
      ++end;
    }
    if (end - begin == 1) continue;
    AddAxis(MakeConstSpan(members).subspan(begin, end - begin), footprints);
  }
}

void GroupFootprints::AddAxis(Span<const size_t> items,
                              const Footprints& footprints) {
  const size_t begin = points_.size();
  Footprint footprint;
  for (const size_t item : items) {
    footprints.Read(item, &footprint);
    points_.insert(points_.end(), footprint.points.begin(),
                   footprint.points.end());
  }
  const auto first = points_.begin() + static_cast<ptrdiff_t>(begin);
  std::sort(first, points_.end());
  points_.erase(std::unique(first, points_.end()), points_.end());
  for (const size_t item : items) axes_[item] = {begin, points_.size()};
}

void GroupFootprints::Project(size_t item, const Footprint& footprint,
                              Footprint* projected) const {
  projected->points.clear();
  projected->ranges.clear();
  const auto begin =
      points_.begin() + static_cast<ptrdiff_t>(axes_[item].first);
  const auto end = points_.begin() + static_cast<ptrdiff_t>(axes_[item].second);
  const auto project = [&](size_t point) {
    return static_cast<size_t>(std::lower_bound(begin, end, point) -
                               points_.begin());
  };
  for (const size_t point : footprint.points) {
    projected->points.push_back(project(point));
  }
  for (const auto& range : footprint.ranges) {
    projected->ranges.emplace_back(project(range.first), project(range.second));
  }
}

}  // namespace stowage
