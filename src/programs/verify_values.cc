// SPDX-License-Identifier: Apache-2.0
#include "stowage/verify_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/programs/point_writes.h"
#include "src/programs/value_state.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"

namespace stowage {
namespace {

// Follows the values along all paths until nothing changes. The facts known at
// a point only become fewer, so a fault that is found early remains a fault.
class ValueChecker {
 public:
  ValueChecker(const ProgramPoints& points,
               Span<const optional<size_t>> offsets, Span<const SlotPart> parts)
      : placed_(points, offsets, parts), before_(points.points.size(), 0) {
    // Counts the start as an edge to point 0, so point 0 is a join if any point
    // leads back to it.
    if (!before_.empty()) before_[0] = 1;
    for (const Point& point : points.points) {
      for (const uint32_t next : point.next) ++before_[next];
    }
    if (std::any_of(before_.begin(), before_.end(),
                    [](uint32_t count) { return count > 1; })) {
      live_ = LiveRuns(points);
    }
  }

  optional<ValueFault> Find();

 private:
  optional<ValueFault> Follow(uint32_t point, ValueState state);
  void Reach(uint32_t point, ValueState state);
  optional<ValueFault> Apply(uint32_t point, ValueState* state) const;
  optional<ValueFault> CheckRead(uint32_t point, SlotId slot,
                                 const ValueState& state) const;
  void FindWriter(ValueFault* fault) const;
  bool IsLive(SlotId slot, uint32_t point) const;

  const PlacedPoints placed_;
  std::vector<uint32_t> before_;  // the number of edges to each point
  // The runs during which each slot is live, if there are joins. To save time,
  // slots that are not live are removed from the state at joins. If a slot were
  // removed too early, the next read of the slot would be reported as a fault.
  std::vector<std::vector<LiveRun>> live_;
  // The points that have to be visited, and the facts that are known at each.
  std::map<uint32_t, ValueState> waiting_;
  // The joins that have been reached, and the facts that are known at each.
  std::map<uint32_t, ValueState> joins_;
};

// Sets the writer of a fault. Searches backwards from the fault, along all
// paths, for writers of the byte. Leaves the writer unset unless exactly one
// writer remains.
void ValueChecker::FindWriter(ValueFault* fault) const {
  const std::vector<Point>& points = placed_.points();
  std::vector<std::vector<uint32_t>> before(points.size());
  for (uint32_t i = 0; i < points.size(); ++i) {
    for (const uint32_t next : points[i].next) before[next].push_back(i);
  }
  std::set<std::pair<uint32_t, SlotId>> writers;
  std::vector<bool> is_seen(points.size(), false);
  std::vector<uint32_t> stack = before[fault->point];
  while (!stack.empty()) {
    const uint32_t point = stack.back();
    stack.pop_back();
    if (is_seen[point] || placed_.FindUnplaced(point)) continue;
    is_seen[point] = true;
    bool is_written = false;
    for (const SlotWrite& write : placed_.WritesOf(point)) {
      if (write.is_in_place || fault->byte < write.bytes.begin ||
          fault->byte >= write.bytes.end) {
        continue;
      }
      writers.insert({point, write.slot});
      is_written = true;
    }
    if (is_written) continue;
    stack.insert(stack.end(), before[point].begin(), before[point].end());
  }
  if (writers.size() > 1) {
    for (auto it = writers.begin(); it != writers.end();) {
      it = it->second == fault->slot ? writers.erase(it) : std::next(it);
    }
  }
  if (writers.size() != 1) return;
  fault->writer = writers.begin()->first;
  fault->writer_slot = writers.begin()->second;
}

optional<ValueFault> ValueChecker::CheckRead(uint32_t point, SlotId slot,
                                             const ValueState& state) const {
  const SlotBytes bytes = *placed_.BytesOf(slot);
  const optional<ValueName> value = state.ValueOf(slot);
  const optional<size_t> other =
      value ? state.FirstOther(bytes, *value) : bytes.begin;
  if (!other) return nullopt;
  ValueFault fault;
  fault.point = point;
  fault.slot = slot;
  fault.byte = *other;
  FindWriter(&fault);
  return fault;
}

// Finds two results that share a byte, and returns them as a fault. If the same
// value is written twice to the same place, both writes count as one result.
// values[i] is the value of writes[i].
optional<ValueFault> FindTwoResults(uint32_t point,
                                    const std::vector<SlotWrite>& writes,
                                    const std::vector<ValueName>& values) {
  std::map<std::pair<size_t, ValueName>, size_t> results;
  for (size_t i = 0; i < writes.size(); ++i) {
    results.insert({{writes[i].bytes.begin, values[i]}, i});
  }
  std::vector<size_t> order;
  order.reserve(results.size());
  for (const auto& result : results) order.push_back(result.second);
  // The results are sorted by their first bytes. As long as no results overlap,
  // the previous result has the highest end, so it suffices to check that
  // result.
  size_t last = 0;
  for (size_t k = 1; k < order.size(); ++k) {
    const SlotWrite& before = writes[order[last]];
    const SlotWrite& next = writes[order[k]];
    if (next.bytes.begin < before.bytes.end) {
      return ValueFault{ValueFault::Kind::kTwoResults,
                        point,
                        before.slot,
                        next.bytes.begin,
                        point,
                        next.slot,
                        next.slot};
    }
    last = k;
  }
  return nullopt;
}

// Checks what a point reads and writes, and applies the writes to the state.
optional<ValueFault> ValueChecker::Apply(uint32_t point,
                                         ValueState* state) const {
  if (const optional<SlotId> slot = placed_.FindUnplaced(point)) {
    ValueFault fault;
    fault.kind = ValueFault::Kind::kNoOffset;
    fault.point = point;
    fault.slot = *slot;
    return fault;
  }
  const std::vector<SlotId> reads = placed_.ReadsOf(point);
  for (const SlotId slot : reads) {
    if (optional<ValueFault> fault = CheckRead(point, slot, *state)) {
      return fault;
    }
  }
  const std::vector<SlotWrite> writes = placed_.WritesOf(point);
  if (writes.empty()) return nullopt;
  if (optional<ValueFault> fault = placed_.FindOverlap(point, reads, writes)) {
    return fault;
  }
  std::vector<ValueName> values;
  for (const SlotWrite& write : writes) {
    const optional<ValueName> taken =
        write.source ? state->ValueOf(*write.source) : nullopt;
    values.push_back(taken ? *taken : WrittenValue(point, write.slot));
  }
  if (optional<ValueFault> fault = FindTwoResults(point, writes, values)) {
    return fault;
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!writes[i].is_in_place) state->Write(writes[i].bytes, values[i]);
    state->SetValue(writes[i].slot, values[i]);
  }
  return nullopt;
}

bool ValueChecker::IsLive(SlotId slot, uint32_t point) const {
  const std::vector<LiveRun>& runs = live_[slot];
  const auto after = std::upper_bound(
      runs.begin(), runs.end(), point,
      [](uint32_t p, const LiveRun& run) { return p < run.first; });
  return after != runs.begin() && std::prev(after)->last >= point;
}

// Records that a path reaches the point in the given state.
void ValueChecker::Reach(uint32_t point, ValueState state) {
  if (before_[point] < 2) {
    waiting_[point] = std::move(state);
    return;
  }
  state.Restrict([&](SlotId slot) { return IsLive(slot, point); });
  const auto it = joins_.find(point);
  if (it == joins_.end()) {
    joins_.emplace(point, state);
    waiting_[point] = std::move(state);
  } else if (it->second.Join(state, point)) {
    waiting_[point] = it->second;
  }
}

// Follows a path up to the next place where paths split or join.
optional<ValueFault> ValueChecker::Follow(uint32_t point, ValueState state) {
  while (true) {
    if (optional<ValueFault> fault = Apply(point, &state)) return fault;
    const std::vector<uint32_t>& next = placed_.points()[point].next;
    if (next.size() != 1 || before_[next[0]] > 1) break;
    point = next[0];
  }
  const std::vector<uint32_t>& next = placed_.points()[point].next;
  for (size_t i = 0; i + 1 < next.size(); ++i) Reach(next[i], state);
  if (!next.empty()) Reach(next.back(), std::move(state));
  return nullopt;
}

optional<ValueFault> ValueChecker::Find() {
  if (placed_.points().empty()) return nullopt;
  Reach(0, ValueState());
  // Visit the lowest point first. This way, both branches are visited before
  // the points that follow the branches, and all iterations of a loop are
  // visited before the points that follow the loop.
  while (!waiting_.empty()) {
    const auto first = waiting_.begin();
    const uint32_t point = first->first;
    ValueState state = std::move(first->second);
    waiting_.erase(first);
    if (optional<ValueFault> fault = Follow(point, std::move(state))) {
      return fault;
    }
  }
  return nullopt;
}

}  // namespace

optional<ValueFault> FindValueFault(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets,
                                    Span<const SlotPart> parts) {
  return ValueChecker(points, offsets, parts).Find();
}

}  // namespace stowage
