// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/reuse_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/int128.h"

namespace stowage::reuse {
namespace {

// A size or alignment above this limit could overflow when it is rounded up.
constexpr uint64_t kMaxBytes = uint64_t{1} << 60;

uint64_t RoundUp(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

uint64_t RoundDown(uint64_t bytes, uint64_t alignment) {
  return bytes & ~(alignment - 1);
}

}  // namespace

optional<uint64_t> LeastOverlap(uint64_t sum, uint64_t room) {
  const uint64_t full = sum / room;
  if (full == 0) return 0;
  const uint128 overlap =
      uint128(room) * (full - 1) * full / 2 + uint128(sum % room) * full;
  if (Uint128High64(overlap) > 0) return nullopt;
  return Uint128Low64(overlap);
}

ReuseGraph ReuseGraph::Make(const Problem& problem,
                            const rigid::Relation& relation,
                            Span<const uint32_t> records, uint32_t pool,
                            WorkLimit* work) {
  ReuseGraph graph(problem, relation);
  const Constraints& constraints = *problem.constraints();
  graph.capacity_ = constraints.pools.empty()
                        ? problem.capacity()
                        : constraints.pools[pool].capacity;
  if (!graph.capacity_ || *graph.capacity_ >= kMaxBytes) return graph;
  graph.SelectRecords(records);
  graph.AddPairs();
  if (graph.pairs_.empty() || !graph.AddConflicts(work)) {
    graph.pairs_.clear();
    return graph;
  }
  graph.AddObstacles(pool);
  return graph;
}

void ReuseGraph::SelectRecords(Span<const uint32_t> records) {
  std::vector<bool> pays(problem_.size(), false);
  for (const ApartPreference& wish : problem_.constraints()->prefer_apart) {
    pays[wish.first] = true;
    pays[wish.second] = true;
  }
  const auto size_of = [this](uint32_t record) {
    return problem_.records()[record].tensor_size;
  };
  for (const uint32_t i : records) {
    if (size_of(i) > 0 && size_of(i) < kMaxBytes &&
        problem_.alignments().Of(i) < kMaxBytes) {
      records_.push_back(i);
    }
  }
  if (records_.size() <= kMaxNodes) return;
  std::stable_sort(records_.begin(), records_.end(),
                   [&](uint32_t a, uint32_t b) {
                     if (pays[a] != pays[b]) return bool{pays[a]};
                     return size_of(a) > size_of(b);
                   });
  records_.resize(kMaxNodes);
}

// Adds the pairs that pay. Leaves out two kinds of pairs: those that must not
// share a byte, and those within one group, since their cost is the same in
// every plan (CostWithinGroups).
void ReuseGraph::AddPairs() {
  const Constraints& constraints = *problem_.constraints();
  flat_hash_map<size_t, uint32_t> node_of;
  for (uint32_t node = 0; node < size(); ++node) {
    node_of[records_[node]] = node;
  }
  const auto group_of = [&](size_t record) {
    return constraints.places.empty() ? kNoGroup
                                      : constraints.places[record].group;
  };
  pair_of_.assign(size() * size(), kNoPair);
  is_related_.assign(size() * size(), false);
  for (const ApartPreference& wish : constraints.prefer_apart) {
    const auto first = node_of.find(wish.first);
    const auto second = node_of.find(wish.second);
    if (wish.cost == 0 || first == node_of.end() || second == node_of.end() ||
        (group_of(wish.first) != kNoGroup &&
         group_of(wish.first) == group_of(wish.second)) ||
        relation_.Conflict(static_cast<uint32_t>(wish.first),
                           static_cast<uint32_t>(wish.second))) {
      continue;
    }
    const uint32_t a = std::min(first->second, second->second);
    const uint32_t b = std::max(first->second, second->second);
    const auto number = static_cast<uint32_t>(pairs_.size());
    pairs_.push_back({a, b, wish.cost});
    pair_of_[a * size() + b] = pair_of_[b * size() + a] = number;
    is_related_[a * size() + b] = is_related_[b * size() + a] = true;
  }
}

bool ReuseGraph::AddConflicts(WorkLimit* work) {
  // With a partial order, a comparison takes longer and counts as 16 units.
  const uint64_t units = problem_.constraints()->order ? 16 : 1;
  for (uint32_t a = 0; a < size(); ++a) {
    if (!work->Spend(units * (size() - a))) return false;
    for (uint32_t b = a + 1; b < size(); ++b) {
      if (!relation_.Conflict(records_[a], records_[b])) continue;
      is_related_[a * size() + b] = is_related_[b * size() + a] = true;
    }
  }
  return true;
}

void ReuseGraph::AddObstacles(uint32_t pool) {
  const Constraints& constraints = *problem_.constraints();
  for (const Hole& hole : constraints.holes) {
    if (hole.pool != pool || hole.end >= kMaxBytes) continue;
    // With a partial order, every hole applies at all tasks.
    const bool is_forever = constraints.order.has_value();
    obstacles_.push_back(
        {hole.begin, hole.end, kNoNode, is_forever ? 0 : hole.first_task,
         is_forever ? std::numeric_limits<TaskId>::max() : hole.last_task});
  }
  for (uint32_t node = 0; node < size(); ++node) {
    const auto fixed = problem_.fixed_offset(records_[node]);
    if (!fixed || *fixed >= kMaxBytes) continue;
    obstacles_.push_back(
        {*fixed, *fixed + problem_.records()[records_[node]].tensor_size, node,
         0, 0});
  }
  std::stable_sort(
      obstacles_.begin(), obstacles_.end(),
      [](const Obstacle& a, const Obstacle& b) { return a.begin < b.begin; });
}

// Returns whether all of the nodes must avoid the bytes of the obstacle.
bool ReuseGraph::IsInWayOf(const Obstacle& obstacle,
                           Span<const uint32_t> nodes) const {
  return std::all_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
    if (obstacle.node != kNoNode) {
      return AreRelated(obstacle.node, node) &&
             PairOf(obstacle.node, node) == kNoPair;
    }
    const ByteRecord& record = problem_.records()[records_[node]];
    return record.first_task <= obstacle.last_task &&
           obstacle.first_task <= record.last_task;
  });
}

ReuseGraph::Room ReuseGraph::RoomOf(Span<const uint32_t> nodes) const {
  uint64_t grid = kMaxBytes;
  for (const uint32_t node : nodes) {
    grid = std::min<uint64_t>(grid, problem_.alignments().Of(records_[node]));
  }
  Room room;
  for (const uint32_t node : nodes) {
    const uint64_t size = problem_.records()[records_[node]].tensor_size;
    room.sizes.push_back(RoundUp(size, grid));
  }
  // Returns the highest end that any single node can have if it ends at or
  // below `limit`, rounded up to the grid.
  const auto highest_end = [&](uint64_t limit) {
    uint64_t highest = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
      const uint64_t size = problem_.records()[records_[nodes[k]]].tensor_size;
      if (size > limit) continue;
      highest =
          std::max(highest, RoundDown(limit - size, grid) + room.sizes[k]);
    }
    return highest;
  };
  const uint64_t top = highest_end(*capacity_);
  room.bytes = top;
  uint64_t counted = 0;  // all bytes below are counted
  for (const Obstacle& obstacle : obstacles_) {
    if (!IsInWayOf(obstacle, nodes)) continue;
    const uint64_t begin = std::max(counted, highest_end(obstacle.begin));
    const uint64_t end = std::min(top, RoundUp(obstacle.end, grid));
    if (begin >= end) continue;
    room.bytes -= end - begin;
    counted = end;
  }
  return room;
}

optional<CostlyClique> ReuseGraph::CliqueOf(std::vector<uint32_t> nodes) const {
  std::sort(nodes.begin(), nodes.end());
  CostlyClique clique;
  const Room room = RoomOf(nodes);
  if (room.bytes == 0) return nullopt;
  uint128 sum = 0;
  for (const uint64_t size : room.sizes) sum += size;
  if (Uint128High64(sum) > 0) return nullopt;
  const auto overlap = LeastOverlap(Uint128Low64(sum), room.bytes);
  if (!overlap || *overlap == 0) return nullopt;
  clique.overlap = *overlap;
  uint128 all = 0;
  for (size_t k = 0; k < nodes.size(); ++k) {
    for (size_t m = k + 1; m < nodes.size(); ++m) {
      const uint32_t pair = PairOf(nodes[k], nodes[m]);
      if (pair == kNoPair) continue;
      const uint64_t bytes =
          std::min({room.sizes[k], room.sizes[m], clique.overlap});
      clique.shares.push_back({pair, bytes});
      all += bytes;
    }
  }
  if (all < uint128(clique.overlap)) return nullopt;
  clique.nodes = std::move(nodes);
  return clique;
}

}  // namespace stowage::reuse
