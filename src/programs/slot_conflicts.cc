// SPDX-License-Identifier: Apache-2.0
#include "src/programs/slot_conflicts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"

namespace stowage {
namespace {

bool Contains(const std::vector<SlotId>& slots, SlotId slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

bool Covers(const std::vector<LiveRun>& runs, uint32_t point) {
  const auto after = std::upper_bound(
      runs.begin(), runs.end(), point,
      [](uint32_t p, const LiveRun& run) { return p < run.first; });
  return after != runs.begin() && std::prev(after)->last >= point;
}

}  // namespace

bool CopiesTo(const Point& point, SlotId destination, SlotId source) {
  for (const SlotCopy& copy : point.copies) {
    if (copy.destination == destination) return copy.source == source;
  }
  for (const SlotInPlace& in_place : point.in_place) {
    if (in_place.is_view && in_place.output == destination &&
        in_place.input == source) {
      return true;
    }
  }
  return false;
}

bool ComputesInPlace(const Point& point, SlotId output, SlotId input) {
  for (const SlotInPlace& in_place : point.in_place) {
    if (in_place.output == output && in_place.input == input) return true;
  }
  return false;
}

bool SlotConflictFinder::IsLiveAfter(SlotId slot, uint32_t point) const {
  for (const uint32_t next : points_.points[point].next) {
    if (!Covers(runs_[slot], next)) continue;
    const Point& after = points_.points[next];
    if (Contains(after.reads, slot) || !Contains(after.writes, slot)) {
      return true;
    }
  }
  return false;
}

bool SlotConflictFinder::IsUsedOrLiveAfter(SlotId slot, uint32_t point) const {
  return Contains(points_.points[point].reads, slot) ||
         Contains(points_.points[point].writes, slot) ||
         IsLiveAfter(slot, point);
}

bool SlotConflictFinder::OverwritesAny(SlotId written, SlotId other) const {
  for (const SlotUse& use : uses_.Of(written)) {
    if (!use.is_write || !Covers(runs_[other], use.point)) continue;
    const Point& point = points_.points[use.point];
    if (CopiesTo(point, written, other)) continue;
    if (ComputesInPlace(point, written, other)
            ? Contains(point.writes, other) || IsLiveAfter(other, use.point)
            : IsUsedOrLiveAfter(other, use.point)) {
      return true;
    }
  }
  return false;
}

std::vector<std::pair<SlotId, SlotId>> SlotConflicts(
    const ProgramPoints& points) {
  const std::vector<std::vector<LiveRun>> runs = LiveRuns(points);
  const SlotConflictFinder finder(points, runs);
  // begins[p] lists the slots with a run that begins at point p, and ends[p]
  // lists the slots with a run that ends at point p (inclusive).
  std::vector<std::vector<SlotId>> begins(points.points.size());
  std::vector<std::vector<SlotId>> ends(points.points.size());
  for (SlotId slot = 0; slot < runs.size(); ++slot) {
    for (const LiveRun& run : runs[slot]) {
      begins[run.first].push_back(slot);
      ends[run.last].push_back(slot);
    }
  }
  std::vector<std::pair<SlotId, SlotId>> conflicts;
  std::vector<SlotId> active;
  for (size_t p = 0; p < points.points.size(); ++p) {
    active.insert(active.end(), begins[p].begin(), begins[p].end());
    std::vector<SlotId> written = points.points[p].writes;
    std::sort(written.begin(), written.end());
    for (const SlotId slot : written) {
      for (const SlotId other : active) {
        if (slot == other || !finder.Conflict(slot, other)) continue;
        conflicts.emplace_back(std::min(slot, other), std::max(slot, other));
      }
    }
    for (const SlotId slot : ends[p]) {
      active.erase(std::find(active.begin(), active.end(), slot));
    }
  }
  std::sort(conflicts.begin(), conflicts.end());
  conflicts.erase(std::unique(conflicts.begin(), conflicts.end()),
                  conflicts.end());
  return conflicts;
}

}  // namespace stowage
