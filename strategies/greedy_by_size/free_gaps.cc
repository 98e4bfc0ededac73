// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_size/free_gaps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "src/base/containers.h"
#include "src/base/sort_until.h"
#include "stowage/base/span.h"

namespace stowage::greedy_by_size {
namespace {

// Fills the lists of a Side (free_gaps.h). `earlier(a, b)` returns whether the
// edge of record a comes before the edge of record b. `edge_is_ahead(a, b)`
// returns whether the edge of record a comes before every task of record b.
// Returns false if the signal stops the work.
template <typename Earlier, typename EdgeIsAhead>
bool SortEdges(const StopSignal& stop, size_t size, Earlier earlier,
               EdgeIsAhead edge_is_ahead, std::vector<uint32_t>* by_edge,
               std::vector<uint32_t>* position, std::vector<uint32_t>* ahead) {
  by_edge->resize(size);
  std::iota(by_edge->begin(), by_edge->end(), uint32_t{0});
  if (!SortUntil(stop, earlier, by_edge)) return false;
  for (uint32_t p = 0; p < size; ++p) (*position)[(*by_edge)[p]] = p;
  for (uint32_t record = 0; record < size; ++record) {
    if (record % kSortedAtOnce == 0 && stop.IsSet()) return false;
    const auto end = std::partition_point(
        by_edge->begin(), by_edge->end(),
        [&](uint32_t other) { return edge_is_ahead(other, record); });
    (*ahead)[record] = static_cast<uint32_t>(end - by_edge->begin());
  }
  return true;
}

}  // namespace

FreeGaps::FreeGaps(Span<const ByteRecord> records)
    : records_(records),
      object_of_(records.size()),
      time_of_(records.size()),
      forward_(records.size()),
      backward_(records.size()) {}

bool FreeGaps::Prepare(const StopSignal& stop) {
  const Span<const ByteRecord> records = records_;
  return SortEdges(
             stop, records.size(),
             [&](uint32_t a, uint32_t b) {
               const TaskId x = records[a].last_task;
               const TaskId y = records[b].last_task;
               return x != y ? x < y : a < b;
             },
             [&](uint32_t a, uint32_t b) {
               return records[a].last_task < records[b].first_task;
             },
             &forward_.by_edge, &forward_.position, &forward_.ahead) &&
         SortEdges(
             stop, records.size(),
             [&](uint32_t a, uint32_t b) {
               const TaskId x = records[a].first_task;
               const TaskId y = records[b].first_task;
               return x != y ? x > y : a < b;
             },
             [&](uint32_t a, uint32_t b) {
               return records[a].first_task > records[b].last_task;
             },
             &backward_.by_edge, &backward_.position, &backward_.ahead);
}

uint32_t FreeGaps::Reach(const Side& side, const ByteRecord* record) const {
  if (record == nullptr) return static_cast<uint32_t>(records_.size());
  return side.ahead[IndexOf(record)];
}

Gap FreeGaps::Assign(size_t record, size_t object) {
  auto& timeline = timelines_[object];
  const ByteRecord* added = &records_[record];
  const auto next = timeline.lower_bound(added->first_task);
  Gap gap;
  if (next != timeline.end()) gap.after = next->second;
  if (next != timeline.begin()) gap.before = std::prev(next)->second;
  timeline.emplace_hint(next, added->first_task, added);
  object_of_[record] = static_cast<uint32_t>(object);
  time_of_[record] = assigned_++;

  forward_.reach.Set(forward_.position[record], Reach(forward_, gap.after));
  backward_.reach.Set(backward_.position[record], Reach(backward_, gap.before));
  if (gap.before != nullptr) {
    forward_.reach.Set(forward_.position[IndexOf(gap.before)],
                       Reach(forward_, added));
  }
  if (gap.after != nullptr) {
    backward_.reach.Set(backward_.position[IndexOf(gap.after)],
                        Reach(backward_, added));
  }
  return gap;
}

Distance FreeGaps::NearestEdge(const Side& side, size_t record) const {
  const size_t p =
      side.reach.LastAbove(side.ahead[record], side.position[record]);
  if (p == kNoPosition) return kInfinite;
  return Between(records_[record], records_[side.by_edge[p]]);
}

Distance FreeGaps::NearestDistance(size_t record) const {
  return std::min(NearestEdge(forward_, record),
                  NearestEdge(backward_, record));
}

void FreeGaps::AddNearby(const Side& side, size_t record, Distance distance,
                         std::vector<Event>* events) const {
  // The reach of an assigned tensor is above 0, and that of any other record is
  // 0, so this loop visits only the assigned tensors.
  for (size_t p = side.reach.LastAbove(side.ahead[record], 0); p != kNoPosition;
       p = side.reach.LastAbove(p, 0)) {
    const size_t tensor = side.by_edge[p];
    const Distance to_tensor = Between(records_[record], records_[tensor]);
    if (to_tensor > distance) return;
    events->push_back({time_of_[tensor], object_of_[tensor], to_tensor});
  }
}

void FreeGaps::AddBlocking(size_t record, std::vector<Event>* events) const {
  std::vector<size_t> objects;
  for (const Event& event : *events) objects.push_back(event.object);
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  const ByteRecord& own = records_[record];
  for (const size_t object : objects) {
    const auto& timeline = timelines_[object];
    auto tensor = timeline.lower_bound(own.first_task);
    if (tensor != timeline.begin() &&
        Conflict(*std::prev(tensor)->second, own)) {
      --tensor;
    }
    uint32_t earliest = assigned_;
    for (; tensor != timeline.end() && Conflict(*tensor->second, own);
         ++tensor) {
      earliest = std::min(earliest, time_of_[IndexOf(tensor->second)]);
    }
    if (earliest < assigned_) events->push_back({earliest, object, kInfinite});
  }
}

// Simulates how the original strategy updates the nearest object of the record
// after each assignment. The record keeps its nearest object until a tensor of
// another object is strictly closer, or until the object is blocked. When its
// object is blocked, the record switches to the nearest of the remaining
// objects, and on ties to the one with the lowest id.
//
// The simulation ignores tensors that are farther away than `distance`. In the
// original strategy, such a tensor may make an object the nearest one for a
// while, but this does not change the result: when a tensor within `distance`
// is assigned to another object, that object becomes the nearest one; when it
// is assigned to the same object, the record keeps the object.
size_t FreeGaps::NearestObject(size_t record, Distance distance) const {
  std::vector<Event> events;
  AddNearby(forward_, record, distance, &events);
  AddNearby(backward_, record, distance, &events);
  AddBlocking(record, &events);
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.time < b.time; });
  btree_map<size_t, Distance> free;  // maps objects to distances
  btree_set<size_t> blocked;
  size_t held = 0;
  Distance nearest = kInfinite;
  for (const Event& event : events) {
    if (event.distance == kInfinite) {
      blocked.insert(event.object);
      free.erase(event.object);
      if (nearest == kInfinite || held != event.object) continue;
      nearest = kInfinite;
      for (const auto& [object, to_object] : free) {
        if (to_object < nearest) {
          nearest = to_object;
          held = object;
        }
      }
    } else if (blocked.count(event.object) == 0) {
      Distance& known =
          free.try_emplace(event.object, event.distance).first->second;
      known = std::min(known, event.distance);
      if (event.distance < nearest) {
        nearest = event.distance;
        held = event.object;
      }
    }
  }
  return held;
}

}  // namespace stowage::greedy_by_size
