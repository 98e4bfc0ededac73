// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound of the rigid groups of one pool.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "src/base/antichain.h"
#include "src/bounds/cliques.h"
#include "stowage/base/optional.h"

namespace stowage::rigid {
namespace {

// The maximum number of visits to pieces for one bound. Each step visits every
// piece that is live at the step. If all records are live together, this many
// visits may take seconds; most problems need far fewer.
constexpr uint64_t kMaxChecksForBound = uint64_t{1} << 26;
// The maximum number of records for which a flow computes the heaviest
// antichain.
constexpr size_t kMaxInFlow = 3000;
// The maximum total number of users of all records for which a flow computes
// the heaviest antichain. All pairs of users are compared, so the time grows
// with the square of this number.
constexpr uint64_t kMaxUsers = 20000;

void Improve(Level bytes, Clique clique, BoundProof proof, GroupBound* best) {
  if (bytes <= best->bytes) return;
  *best = {bytes, std::move(clique), proof};
}

// Raises the bound to the highest of the lowest possible ends of the groups. No
// plan can be smaller, since it contains every group.
void BoundByPlaces(const RigidGroups& groups, GroupBound* best) {
  for (uint32_t b = 0; b < groups.size(); ++b) {
    const Level start = groups.LowestStart(b, 0);
    // If no start is possible, there is no plan. The strategy itself reports
    // the contradiction.
    if (start == kNoLevel) continue;
    const Span<const Piece> pieces = groups.PiecesOf(b);
    const bool is_only = start == groups[b].min && start == groups[b].max;
    Clique only;
    for (const Piece& piece : pieces) only.records.push_back(piece.record);
    std::sort(only.records.begin(), only.records.end());
    Improve(start + groups[b].extent, std::move(only),
            {is_only ? BoundProof::Kind::kOnlyPlace
                     : BoundProof::Kind::kLowestPlace,
             pieces.empty() ? BoundProof::kNoRecord : pieces.back().record},
            best);
  }
}

// Returns the kind of the proof for a bound that counts the bytes at one task.
BoundProof::Kind KindOfTask(const RigidGroups& groups) {
  using Kind = BoundProof::Kind;
  const bool has_holes = !groups.holes().empty();
  if (groups.problem().constraints()->order) {
    return has_holes ? Kind::kBytesHeldAroundHoles : Kind::kBytesHeld;
  }
  return has_holes ? Kind::kBytesLiveAroundHoles : Kind::kBytesLive;
}

void BoundByTasks(const RigidGroups& groups, const Relation& relation,
                  GroupBound* best) {
  const BoundProof::Kind kind = KindOfTask(groups);
  WorkLimit work(kMaxChecksForBound);
  VisitLive(
      groups,
      [&](TaskId task, Span<const uint32_t> pieces) {
        Level sum = 0;
        for (const uint32_t p : pieces) sum += groups.pieces()[p].size;
        if (!groups.hole_index().MayEndAbove(best->bytes, task, sum) ||
            !work.Spend(2 * groups.hole_index().RangesAt(task)) ||
            groups.TopAroundHoles(task, sum) <= best->bytes) {
          return;
        }
        Clique clique =
            CliqueOf(groups, relation, {pieces.begin(), pieces.end()});
        const Level bytes = groups.TopAroundHoles(task, clique.bytes);
        Improve(bytes, std::move(clique), {kind, task}, best);
      },
      &work);
}

void BoundByApartSets(const RigidGroups& groups, const Relation& relation,
                      GroupBound* best) {
  const Constraints& constraints = *groups.problem().constraints();
  std::vector<std::vector<uint32_t>> sets(constraints.apart.size());
  for (uint32_t p = 0; p < groups.pieces().size(); ++p) {
    for (const uint32_t s : relation.ApartSetsOf(groups.pieces()[p].record)) {
      sets[s].push_back(p);
    }
  }
  for (size_t s = 0; s < sets.size(); ++s) {
    Clique clique = CliqueOf(groups, relation, std::move(sets[s]));
    const Level bytes = groups.TopAroundHoles(nullopt, clique.bytes);
    Improve(bytes, std::move(clique), {BoundProof::Kind::kApartSet, s}, best);
  }
}

// Uses a flow to compute the weight of the heaviest antichain, and raises the
// bound to it. Does nothing unless the partial order alone determines the
// conflicts and the problem is small enough for the flow.
void BoundByAntichain(const RigidGroups& groups, const Relation& relation,
                      GroupBound* best) {
  const Constraints& constraints = *groups.problem().constraints();
  const Span<const Piece> pieces = groups.pieces();
  if (!constraints.order || !constraints.never.empty() ||
      !constraints.apart.empty() || pieces.size() > kMaxInFlow ||
      pieces.size() != groups.size()) {
    return;
  }
  uint64_t users = 0;
  for (const Piece& piece : pieces) {
    users += constraints.users[piece.record].size();
  }
  if (users > kMaxUsers) return;
  std::vector<int64_t> weights;
  std::vector<std::vector<uint32_t>> followers(pieces.size());
  const auto precedes = [&](uint32_t a, uint32_t b) {
    for (const TaskId u : constraints.users[a]) {
      for (const TaskId v : constraints.users[b]) {
        if (!constraints.order->Precedes(u, v)) return false;
      }
    }
    return true;
  };
  for (uint32_t a = 0; a < pieces.size(); ++a) {
    weights.push_back(pieces[a].size);
    for (uint32_t b = 0; b < pieces.size(); ++b) {
      if (a != b && precedes(pieces[a].record, pieces[b].record)) {
        followers[a].push_back(b);
      }
    }
  }
  auto antichain = FindHeaviestAntichain(weights, followers);
  if (!antichain) return;
  Clique clique = CliqueOf(groups, relation, *std::move(antichain));
  const Level bytes = groups.TopAroundHoles(nullopt, clique.bytes);
  const size_t count = clique.records.size();
  Improve(bytes, std::move(clique), {BoundProof::Kind::kAntichain, count},
          best);
}

}  // namespace

GroupBound FindGroupBound(const RigidGroups& groups, const Relation& relation) {
  GroupBound best;
  BoundByPlaces(groups, &best);
  BoundByTasks(groups, relation, &best);
  BoundByApartSets(groups, relation, &best);
  BoundByAntichain(groups, relation, &best);
  return best;
}

}  // namespace stowage::rigid
