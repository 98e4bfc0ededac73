// SPDX-License-Identifier: Apache-2.0
#include "src/views/trace_lanes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

// A priority queue with the smallest element on top.
template <typename T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;

// The last task at which a record or lane is in use, and the record or lane.
using LaneEnd = std::pair<TaskId, size_t>;

// Chooses records such that at most `max` of them are live at any task. Visits
// the records of `order`, and whenever more than `max` of the chosen records
// are live, drops the smallest. Returns, for each record of `order`, whether it
// was kept. Requires that `order` is sorted by first task.
std::vector<bool> KeepLargest(absl::Span<const ByteRecord> records,
                              const std::vector<size_t>& order, size_t max) {
  std::vector<bool> is_kept(order.size(), true);
  // Compares two records, given by their positions in `order`. If too many
  // records are live, the smallest of them in this comparison is dropped.
  const auto less_worth = [&](size_t a, size_t b) {
    const size_t size_a = records[order[a]].tensor_size;
    const size_t size_b = records[order[b]].tensor_size;
    return size_a != size_b ? size_a < size_b : order[a] > order[b];
  };
  std::set<size_t, decltype(less_worth)> live(less_worth);
  LeastFirst<LaneEnd> ends;
  for (size_t k = 0; k < order.size(); ++k) {
    const ByteRecord& record = records[order[k]];
    while (!ends.empty() && ends.top().first < record.first_task) {
      live.erase(ends.top().second);
      ends.pop();
    }
    live.insert(k);
    ends.push({record.last_task, k});
    if (live.size() > max) {
      is_kept[*live.begin()] = false;
      live.erase(live.begin());
    }
  }
  return is_kept;
}

// Puts each record into the first lane that is free at its first task.
std::vector<std::vector<size_t>> FillLanes(absl::Span<const ByteRecord> records,
                                           const std::vector<size_t>& order) {
  std::vector<std::vector<size_t>> lanes;
  LeastFirst<size_t> free;
  LeastFirst<LaneEnd> busy;
  for (const size_t i : order) {
    while (!busy.empty() && busy.top().first < records[i].first_task) {
      free.push(busy.top().second);
      busy.pop();
    }
    if (free.empty()) {
      free.push(lanes.size());
      lanes.emplace_back();
    }
    const size_t lane = free.top();
    free.pop();
    lanes[lane].push_back(i);
    busy.push({records[i].last_task, lane});
  }
  return lanes;
}

void AddLanes(const PlanView& plan, std::vector<size_t> subset, size_t max,
              const std::string& name, TraceLanes* lanes) {
  TraceLaneGroup& group = lanes->groups.back();
  std::vector<std::vector<size_t>> filled =
      ColourLanes(plan.problem.records, std::move(subset), max, &lanes->hidden);
  for (size_t k = 0; k < filled.size(); ++k) {
    // The first lane of an object needs no number. An object has more than one
    // lane only if it is unsafe, or if tensors of a group share it.
    const std::string number = plan.kind == PlanKind::kOffsets
                                   ? absl::StrCat(" ", k + 1)
                               : k == 0 ? ""
                                        : absl::StrCat(" (", k + 1, ")");
    group.lanes.push_back({absl::StrCat(name, number), std::move(filled[k])});
  }
}

// Returns the records of each band.
std::vector<std::vector<size_t>> RecordsByBand(const PlanView& plan) {
  const ProblemSpec& problem = plan.problem;
  std::vector<std::vector<size_t>> subsets(plan.bands.size());
  // The bands of objects are in the order of the first use of each object.
  absl::flat_hash_map<size_t, size_t> objects;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const size_t band =
        plan.kind == PlanKind::kObjects
            ? objects.try_emplace(plan.plan.objects[i], objects.size())
                  .first->second
            : size_t{plan.plan.chosen_pools[i]};
    subsets[band].push_back(i);
  }
  return subsets;
}

// Returns, for each band, whether it is among the `max` largest bands. Among
// bands of equal size, prefers the first ones.
std::vector<bool> KeepLargestBands(const std::vector<Band>& bands, size_t max) {
  std::vector<size_t> order(bands.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return bands[a].size > bands[b].size;
  });
  std::vector<bool> is_kept(bands.size(), false);
  for (size_t k = 0; k < std::min(max, order.size()); ++k) {
    is_kept[order[k]] = true;
  }
  return is_kept;
}

// Adds a group with one or more tracks for each of the largest objects.
void AddObjects(const PlanView& plan, size_t max, TraceLanes* lanes) {
  std::vector<std::vector<size_t>> subsets = RecordsByBand(plan);
  const std::vector<bool> is_kept = KeepLargestBands(plan.bands, max);
  lanes->groups.push_back({"objects", {}});
  for (size_t band = 0; band < subsets.size(); ++band) {
    if (is_kept[band]) {
      AddLanes(plan, std::move(subsets[band]),
               std::numeric_limits<size_t>::max(), plan.bands[band].name,
               lanes);
    } else {
      lanes->hidden.insert(lanes->hidden.end(), subsets[band].begin(),
                           subsets[band].end());
    }
  }
}

}  // namespace

std::vector<std::vector<size_t>> ColourLanes(
    absl::Span<const ByteRecord> records, std::vector<size_t> subset,
    size_t max, std::vector<size_t>* hidden) {
  std::sort(subset.begin(), subset.end(), [&](size_t a, size_t b) {
    return std::make_pair(records[a].first_task, a) <
           std::make_pair(records[b].first_task, b);
  });
  const std::vector<bool> is_kept = KeepLargest(records, subset, max);
  std::vector<size_t> kept;
  for (size_t k = 0; k < subset.size(); ++k) {
    (is_kept[k] ? &kept : hidden)->push_back(subset[k]);
  }
  return FillLanes(records, kept);
}

TraceLanes LanesOf(const PlanView& plan, size_t max) {
  TraceLanes lanes;
  if (plan.bands.empty()) {
    std::vector<size_t> all(plan.problem.records.size());
    std::iota(all.begin(), all.end(), size_t{0});
    lanes.groups.push_back({"arena", {}});
    AddLanes(plan, std::move(all), max, "lane", &lanes);
  } else if (plan.kind == PlanKind::kObjects) {
    AddObjects(plan, max, &lanes);
  } else {
    std::vector<std::vector<size_t>> subsets = RecordsByBand(plan);
    for (size_t band = 0; band < subsets.size(); ++band) {
      const std::string& name = plan.bands[band].name;
      lanes.groups.push_back({name, {}});
      AddLanes(plan, std::move(subsets[band]), max, absl::StrCat(name, " lane"),
               &lanes);
    }
  }
  std::sort(lanes.hidden.begin(), lanes.hidden.end());
  return lanes;
}

}  // namespace stowage::views
