// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/cliques.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// Returns `pieces` without those that may share bytes with an earlier piece
// that is kept.
std::vector<uint32_t> KeepEarlier(const RigidGroups& groups,
                                  const Relation& relation,
                                  Span<const uint32_t> pieces) {
  const Span<const Piece> all = groups.pieces();
  std::vector<uint32_t> kept;
  // Maps the record of each kept piece to that piece, if the record has
  // partners.
  flat_hash_map<uint32_t, uint32_t> kept_pieces;
  for (const uint32_t p : pieces) {
    const uint32_t record = all[p].record;
    const Span<const uint32_t> partners = relation.NeverPartnersOf(record);
    const bool conflicts_with_all =
        std::none_of(partners.begin(), partners.end(), [&](uint32_t other) {
          const auto piece = kept_pieces.find(other);
          return piece != kept_pieces.end() &&
                 all[piece->second].group != all[p].group &&
                 !relation.Conflict(record, other);
        });
    if (!conflicts_with_all) continue;
    kept.push_back(p);
    if (!partners.empty()) kept_pieces[record] = p;
  }
  return kept;
}

// For each piece, counts the other pieces whose records are partners of its own
// record.
std::vector<size_t> CountPartners(const RigidGroups& groups,
                                  const Relation& relation,
                                  Span<const uint32_t> pieces) {
  const Span<const Piece> all = groups.pieces();
  flat_hash_set<uint32_t> records;
  for (const uint32_t p : pieces) records.insert(all[p].record);
  std::vector<size_t> counts;
  for (const uint32_t p : pieces) {
    const Span<const uint32_t> partners =
        relation.NeverPartnersOf(all[p].record);
    counts.push_back(static_cast<size_t>(std::count_if(
        partners.begin(), partners.end(),
        [&](uint32_t other) { return records.count(other) > 0; })));
  }
  return counts;
}

// Removes every piece that may share bytes with a larger piece that is kept.
// Pieces of the same size are considered either in their given order or by
// rising number of partners, whichever keeps more bytes.
void DropPermitted(const RigidGroups& groups, const Relation& relation,
                   std::vector<uint32_t>* pieces) {
  const Span<const Piece> all = groups.pieces();
  if (std::none_of(pieces->begin(), pieces->end(), [&](uint32_t p) {
        return relation.HasPermissions(all[p].record);
      })) {
    return;
  }
  std::stable_sort(pieces->begin(), pieces->end(), [&](uint32_t a, uint32_t b) {
    return all[a].size > all[b].size;
  });
  const std::vector<size_t> partners = CountPartners(groups, relation, *pieces);
  std::vector<size_t> order(pieces->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Level size_of_a = all[(*pieces)[a]].size;
    const Level size_of_b = all[(*pieces)[b]].size;
    return size_of_a != size_of_b ? size_of_a > size_of_b
                                  : partners[a] < partners[b];
  });
  std::vector<uint32_t> by_partners;
  by_partners.reserve(order.size());
  for (const size_t k : order) by_partners.push_back((*pieces)[k]);
  const auto bytes_of = [&](const std::vector<uint32_t>& kept) {
    Level bytes = 0;
    for (const uint32_t p : kept) bytes += all[p].size;
    return bytes;
  };
  std::vector<uint32_t> kept = KeepEarlier(groups, relation, *pieces);
  by_partners = KeepEarlier(groups, relation, by_partners);
  *pieces = bytes_of(by_partners) > bytes_of(kept) ? std::move(by_partners)
                                                   : std::move(kept);
}

// Returns the clique member that consists of `pieces`, which are pieces of one
// group, sorted by position.
CliqueMember MemberOf(Span<const Piece> all, Span<const uint32_t> pieces) {
  CliqueMember member;
  member.group = all[pieces.front()].group;
  member.at = all[pieces.front()].at;
  Level end = member.at;
  for (const uint32_t p : pieces) {
    const Level begin = std::max(end, all[p].at);
    end = std::max(end, all[p].at + all[p].size);
    member.bytes += end - std::min(begin, end);
  }
  return member;
}

}  // namespace

Clique CliqueOf(const RigidGroups& groups, const Relation& relation,
                std::vector<uint32_t> pieces) {
  DropPermitted(groups, relation, &pieces);
  const Span<const Piece> all = groups.pieces();
  std::sort(pieces.begin(), pieces.end(), [&](uint32_t a, uint32_t b) {
    if (all[a].group != all[b].group) return all[a].group < all[b].group;
    return all[a].at != all[b].at ? all[a].at < all[b].at : a < b;
  });
  Clique clique;
  for (size_t begin = 0; begin < pieces.size();) {
    size_t end = begin;
    while (end < pieces.size() &&
           all[pieces[end]].group == all[pieces[begin]].group) {
      clique.records.push_back(all[pieces[end++]].record);
    }
    clique.members.push_back(
        MemberOf(all, MakeConstSpan(pieces).subspan(begin, end - begin)));
    clique.bytes += clique.members.back().bytes;
    begin = end;
  }
  std::sort(clique.records.begin(), clique.records.end());
  return clique;
}

namespace {

using Visit = std::function<void(TaskId task, Span<const uint32_t> pieces)>;

// The positions at which a piece is live, half-open.
struct LiveRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t piece = 0;
};

// Calls `visit` with the set of pieces that are live at each position. Skips a
// set if the next set is a superset of it.
bool VisitRanges(std::vector<LiveRange> ranges,
                 const std::function<TaskId(uint32_t position)>& task_at,
                 const Visit& visit, WorkLimit* work) {
  std::sort(ranges.begin(), ranges.end(),
            [](const LiveRange& a, const LiveRange& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.piece < b.piece;
            });
  std::vector<LiveRange> live;
  std::vector<uint32_t> pieces;
  for (size_t next = 0; next < ranges.size();) {
    const uint32_t position = ranges[next].begin;
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](const LiveRange& range) {
                                return range.end <= position;
                              }),
               live.end());
    while (next < ranges.size() && ranges[next].begin == position) {
      live.push_back(ranges[next++]);
    }
    if (!work->Spend(live.size() + 1)) return false;
    // If no live piece ends before the next range begins, the next set is a
    // superset of this one.
    const uint32_t following = next < ranges.size()
                                   ? ranges[next].begin
                                   : std::numeric_limits<uint32_t>::max();
    if (std::none_of(live.begin(), live.end(), [&](const LiveRange& range) {
          return range.end <= following;
        })) {
      continue;
    }
    pieces.clear();
    for (const LiveRange& range : live) pieces.push_back(range.piece);
    visit(task_at(position), pieces);
  }
  return true;
}

}  // namespace

bool VisitLive(const RigidGroups& groups, const Visit& visit, WorkLimit* work) {
  const Problem& problem = groups.problem();
  const Constraints& constraints = *problem.constraints();
  std::vector<LiveRange> ranges;
  if (!constraints.order) {
    for (uint32_t p = 0; p < groups.pieces().size(); ++p) {
      const StepInterval steps =
          RanksOf(problem).intervals[groups.pieces()[p].record];
      ranges.push_back({steps.begin, steps.end, p});
    }
    return VisitRanges(
        std::move(ranges),
        [&](uint32_t step) { return RanksOf(problem).tasks[step]; }, visit,
        work);
  }
  const TaskOrder& order = *constraints.order;
  for (size_t chain = 0; chain < order.chains(); ++chain) {
    ranges.clear();
    for (uint32_t p = 0; p < groups.pieces().size(); ++p) {
      const StepInterval held = HeldOnChain(
          order, constraints.users[groups.pieces()[p].record], chain);
      if (held.begin < held.end) ranges.push_back({held.begin, held.end, p});
    }
    if (!VisitRanges(
            ranges,
            [&](uint32_t position) { return order.chain(chain)[position]; },
            visit, work)) {
      return false;
    }
  }
  return true;
}

std::vector<Clique> GrowCliques(const RigidGroups& groups,
                                const Relation& relation,
                                Span<const std::vector<uint32_t>> conflicts,
                                WorkLimit* work) {
  const Span<const Piece> pieces = groups.pieces();
  std::set<std::vector<uint32_t>> seen;
  std::vector<Clique> cliques;
  for (uint32_t p = 0; p < pieces.size(); ++p) {
    std::vector<uint32_t> others = conflicts[p];
    std::stable_sort(others.begin(), others.end(), [&](uint32_t a, uint32_t b) {
      return pieces[a].size > pieces[b].size;
    });
    std::vector<uint32_t> chosen = {p};
    for (const uint32_t other : others) {
      if (!work->Spend(chosen.size())) return cliques;
      const std::vector<uint32_t>& list = conflicts[other];
      const bool fits =
          std::all_of(chosen.begin(), chosen.end(), [&](uint32_t c) {
            return pieces[c].group == pieces[other].group ||
                   std::binary_search(list.begin(), list.end(), c);
          });
      if (fits) chosen.push_back(other);
    }
    std::sort(chosen.begin(), chosen.end());
    if (!seen.insert(chosen).second) continue;
    cliques.push_back(CliqueOf(groups, relation, std::move(chosen)));
  }
  return cliques;
}

}  // namespace stowage::rigid
