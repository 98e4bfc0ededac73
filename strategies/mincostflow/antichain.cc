// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/antichain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mincostflow/flow_solver.h"
#include "stowage/base/span.h"

namespace stowage::mincostflow {
namespace {

// Returns, for each element, the followers that do not also follow another
// follower of the element. O(count * followers) in words of 64 bits.
std::vector<std::vector<uint32_t>> NextFollowers(
    Span<const std::vector<uint32_t>> followers) {
  const size_t count = followers.size();
  const size_t words = (count + 63) / 64;
  std::vector<uint64_t> follows(count * words);  // bit b of row a: b follows a
  for (size_t a = 0; a < count; ++a) {
    for (const uint32_t b : followers[a]) {
      follows[a * words + b / 64] |= uint64_t{1} << (b % 64);
    }
  }
  // If c follows b, it has fewer followers than b. The followers of an element
  // are therefore visited by decreasing number of their own followers.
  std::vector<std::vector<uint32_t>> next(count);
  std::vector<uint64_t> passed(words);
  for (size_t a = 0; a < count; ++a) {
    std::vector<uint32_t> order = followers[a];
    std::sort(order.begin(), order.end(), [&](uint32_t b, uint32_t c) {
      return followers[b].size() != followers[c].size()
                 ? followers[b].size() > followers[c].size()
                 : b < c;
    });
    passed.assign(words, 0);
    for (const uint32_t b : order) {
      if ((passed[b / 64] >> (b % 64) & 1) != 0) continue;
      next[a].push_back(b);
      for (size_t w = 0; w < words; ++w) passed[w] |= follows[b * words + w];
    }
  }
  return next;
}

}  // namespace

// Each element has two nodes: an outgoing copy and an incoming copy. The flow
// describes a cover by chains, in which the weight of an element is the number
// of chains that contain it. A unit of flow from the outgoing copy of one
// element to the incoming copy of another means that the second element follows
// the first in one of the chains. If the flow continues to the outgoing copy of
// the second element, the chain skips this element. Arcs to the next followers
// therefore suffice, and there are far fewer of them. The weight of the
// heaviest antichain is the sum of all weights minus the maximum flow. An
// element belongs to this antichain iff, in the minimum cut, its outgoing copy
// is on the side of the source and its incoming copy is on the side of the sink
// (Koenig).
std::vector<uint32_t> FindAntichainByFlow(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers) {
  const size_t count = weights.size();
  const size_t source = 2 * count;
  const size_t sink = source + 1;
  constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 2;
  const std::vector<std::vector<uint32_t>> next = NextFollowers(followers);
  std::vector<LimitedArc> arcs;
  for (size_t i = 0; i < count; ++i) {
    for (const uint32_t follower : next[i]) {
      arcs.push_back({i, count + follower, kUnlimited});
    }
    if (!next[i].empty()) arcs.push_back({count + i, i, kUnlimited});
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
