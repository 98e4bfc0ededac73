// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/antichain.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mincostflow/flow_solver.h"
#include "stowage/base/span.h"

namespace stowage::mincostflow {

// Each element has two nodes: an outgoing copy and an incoming copy. The flow
// describes a cover by chains, in which the weight of an element is the number
// of chains that contain it. A unit of flow from the outgoing copy of one
// element to the incoming copy of another means that the second element follows
// the first in one of the chains. The weight of the heaviest antichain is the
// sum of all weights minus the maximum flow. An element belongs to this
// antichain iff, in the minimum cut, its outgoing copy is on the side of the
// source and its incoming copy is on the side of the sink (Koenig).
std::vector<uint32_t> FindAntichainByFlow(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers) {
  const size_t count = weights.size();
  const size_t source = 2 * count;
  const size_t sink = source + 1;
  constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 2;
  std::vector<LimitedArc> arcs;
  for (size_t i = 0; i < count; ++i) {
    for (const uint32_t follower : followers[i]) {
      arcs.push_back({i, count + follower, kUnlimited});
    }
    arcs.push_back({count + i, sink, weights[i]});
    arcs.push_back({source, i, weights[i]});
  }
  const std::vector<bool> is_near =
      FindLeastCut(sink + 1, std::move(arcs), source, sink);
  std::vector<uint32_t> antichain;
  for (uint32_t i = 0; i < count; ++i) {
    if (weights[i] > 0 && is_near[i] && !is_near[count + i]) {
      antichain.push_back(i);
    }
  }
  return antichain;
}

}  // namespace stowage::mincostflow
