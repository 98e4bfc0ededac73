// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/spill_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// The maximum number of candidates, the maximum cost per byte, and the maximum
// number of bytes. Within these limits, the cost of a path fits in 64 bits, and
// the cost of a flow fits in 128 bits.
constexpr size_t kMaxCandidates = size_t{1} << 14;
constexpr uint64_t kMaxCostOfByte = uint64_t{1} << 31;
constexpr uint64_t kMaxBytesToSpill = uint64_t{1} << 60;

// Returns the cost per byte in units of 2^-scale. Rounds up, so that a
// candidate never pays less than its cost.
uint128 CostOfByte(const SpillCandidate& candidate, int scale) {
  const uint128 cost = uint128(*candidate.cost) << std::max(scale, 0);
  const uint128 bytes = uint128(candidate.bytes) << std::max(-scale, 0);
  return (cost + bytes - 1) / bytes;
}

// Returns the finest scale at which the cost per byte of every candidate is
// within kMaxCostOfByte.
int ScaleOf(Span<const SpillCandidate> candidates) {
  int scale = 63;
  for (const SpillCandidate& candidate : candidates) {
    if (!candidate.cost || candidate.bytes == 0) continue;
    while (CostOfByte(candidate, scale) > kMaxCostOfByte) --scale;
  }
  return scale;
}

class SpillFlow {
 public:
  SpillFlow(Span<const SpillCandidate> candidates, uint64_t capacity, int scale)
      : capacity_(capacity) {
    for (const SpillCandidate& candidate : candidates) {
      steps_.push_back(candidate.begin);
      steps_.push_back(candidate.end);
    }
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    arcs_of_.resize(steps_.size());
    for (size_t v = 0; v + 1 < steps_.size(); ++v) {
      AddArc(v, v + 1, capacity, 0);
    }
    AddCandidates(candidates, scale);
    FindFirstPotentials();
  }

  // Returns the maximum cost that can be saved by keeping candidates in the
  // pool, in units of the scale. Candidates that must stay are not counted. The
  // result is negative if the candidates that must stay do not fit. If `work`
  // ends early, the result may exceed the maximum. Returns nullopt if `work`
  // ends before the candidates that must stay are in the flow.
  optional<int128> Earn(WorkLimit* work) {
    uint64_t left = capacity_;
    int128 cost = 0;
    while (left > 0) {
      const int64_t cost_of_path = potentials_.back() - potentials_.front();
      if (cost_of_path >= 0) break;
      if (!FindPath(work)) {
        // The work has ended. No later path saves more per byte than this one,
        // so the cost of this path bounds what the remaining bytes save.
        if (cost_of_path <= -cost_to_stay_) return nullopt;
        cost += int128(cost_of_path) * left;
        break;
      }
      const int64_t shortest = potentials_.back() - potentials_.front();
      if (shortest >= 0) break;
      const uint64_t pushed = PushAlongPath(left);
      left -= pushed;
      cost += int128(shortest) * pushed;
    }
    return -cost - int128(cost_to_stay_) * bytes_that_stay_;
  }

 private:
  struct Arc {
    size_t from = 0;
    size_t to = 0;
    uint64_t room = 0;
    int64_t cost = 0;
  };

  // Adds an arc and, next to it, its reverse arc.
  void AddArc(size_t from, size_t to, uint64_t room, int64_t cost) {
    arcs_of_[from].push_back(arcs_.size());
    arcs_.push_back({from, to, room, cost});
    arcs_of_[to].push_back(arcs_.size());
    arcs_.push_back({to, from, 0, -cost});
  }

  void AddCandidates(Span<const SpillCandidate> candidates, int scale) {
    cost_to_stay_ = 1;
    for (const SpillCandidate& candidate : candidates) {
      if (candidate.cost) {
        cost_to_stay_ += static_cast<int64_t>(CostOfByte(candidate, scale));
      }
    }
    const auto node_of = [this](uint32_t step) {
      return static_cast<size_t>(
          std::lower_bound(steps_.begin(), steps_.end(), step) -
          steps_.begin());
    };
    for (const SpillCandidate& candidate : candidates) {
      if (!candidate.cost) bytes_that_stay_ += candidate.bytes;
      AddArc(node_of(candidate.begin), node_of(candidate.end), candidate.bytes,
             candidate.cost
                 ? -static_cast<int64_t>(CostOfByte(candidate, scale))
                 : -cost_to_stay_);
    }
  }

  // Sets the potentials of all nodes before the first path is searched. All
  // arcs with capacity lead to later steps, so one pass in the order of the
  // steps is enough.
  void FindFirstPotentials() {
    potentials_.assign(steps_.size(), 0);
    std::vector<bool> is_reached(steps_.size(), false);
    is_reached[0] = true;
    for (size_t v = 0; v < steps_.size(); ++v) {
      for (const size_t a : arcs_of_[v]) {
        const Arc& arc = arcs_[a];
        if (arc.room == 0) continue;
        const int64_t potential = potentials_[v] + arc.cost;
        if (!is_reached[arc.to] || potential < potentials_[arc.to]) {
          potentials_[arc.to] = potential;
          is_reached[arc.to] = true;
        }
      }
    }
  }

  // Finds the shortest path by Dijkstra's algorithm on reduced costs, and adds
  // the distances to the potentials. Returns false if `work` ends first.
  bool FindPath(WorkLimit* work) {
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> distances(steps_.size(), kFar);
    distances[0] = 0;
    arc_to_.assign(steps_.size(), 0);
    using Entry = std::pair<int64_t, size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
    next.emplace(0, 0);
    while (!next.empty()) {
      const auto [distance, v] = next.top();
      next.pop();
      if (distance > distances[v]) continue;
      if (!work->Spend(arcs_of_[v].size())) return false;
      for (const size_t a : arcs_of_[v]) {
        const Arc& arc = arcs_[a];
        if (arc.room == 0) continue;
        const int64_t there =
            distance + arc.cost + potentials_[v] - potentials_[arc.to];
        if (there >= distances[arc.to]) continue;
        distances[arc.to] = there;
        arc_to_[arc.to] = a;
        next.emplace(there, arc.to);
      }
    }
    for (size_t v = 0; v < steps_.size(); ++v) potentials_[v] += distances[v];
    return true;
  }

  uint64_t PushAlongPath(uint64_t max) {
    for (size_t v = steps_.size() - 1; v != 0; v = arcs_[arc_to_[v]].from) {
      max = std::min(max, arcs_[arc_to_[v]].room);
    }
    for (size_t v = steps_.size() - 1; v != 0; v = arcs_[arc_to_[v]].from) {
      arcs_[arc_to_[v]].room -= max;
      arcs_[arc_to_[v] ^ 1U].room += max;
    }
    return max;
  }

  const uint64_t capacity_;
  std::vector<uint32_t> steps_;  // one node for each
  std::vector<Arc> arcs_;
  std::vector<std::vector<size_t>> arcs_of_;
  std::vector<int64_t> potentials_;
  std::vector<size_t> arc_to_;  // by node: the last arc of the shortest path
  // The cost per byte of the candidates that must stay: more than the sum of
  // all other costs per byte.
  int64_t cost_to_stay_ = 0;
  int128 bytes_that_stay_ = 0;
};

bool HoldAll(Span<const SpillCandidate> candidates, uint64_t capacity) {
  std::vector<std::pair<uint32_t, const SpillCandidate*>> begins;
  std::vector<std::pair<uint32_t, const SpillCandidate*>> ends;
  for (const SpillCandidate& candidate : candidates) {
    begins.emplace_back(candidate.begin, &candidate);
    ends.emplace_back(candidate.end, &candidate);
  }
  const auto by_step = [](const auto& a, const auto& b) {
    return a.first < b.first;
  };
  std::sort(begins.begin(), begins.end(), by_step);
  std::sort(ends.begin(), ends.end(), by_step);
  uint64_t live = 0;
  size_t ended = 0;
  for (const auto& [step, candidate] : begins) {
    for (; ends[ended].first <= step; ++ended) {
      live -= ends[ended].second->bytes;
    }
    live += candidate->bytes;
    if (live > capacity) return false;
  }
  return true;
}

}  // namespace

uint64_t BoundSpill(Span<const SpillCandidate> candidates, uint64_t capacity,
                    WorkLimit* work) {
  if (candidates.size() > kMaxCandidates) return 0;
  std::vector<SpillCandidate> there;
  uint128 bytes = 0;
  uint128 cost = 0;
  for (const SpillCandidate& candidate : candidates) {
    if (candidate.bytes == 0 || candidate.begin >= candidate.end) continue;
    there.push_back(candidate);
    bytes += candidate.bytes;
    cost += candidate.cost.value_or(0);
  }
  if (bytes >= kMaxBytesToSpill || HoldAll(there, capacity)) return 0;
  const int scale = ScaleOf(there);
  const optional<int128> earned =
      SpillFlow(there, std::min(capacity, static_cast<uint64_t>(bytes)), scale)
          .Earn(work);
  if (!earned || *earned < 0) return 0;
  // Rounds the saved cost down to a whole number. With a negative scale, one
  // unit is a cost of more than 1, and no rounding is needed.
  const auto in_scale = static_cast<uint128>(*earned);
  const uint128 kept = scale >= 0 ? in_scale >> scale : in_scale << -scale;
  if (kept >= cost) return 0;
  const uint128 spilled = cost - kept;
  return static_cast<uint64_t>(
      std::min<uint128>(spilled, std::numeric_limits<uint64_t>::max()));
}

}  // namespace stowage::rigid
