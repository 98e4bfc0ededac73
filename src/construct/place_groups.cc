// SPDX-License-Identifier: Apache-2.0
#include "src/construct/place_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/construct/lowest_offsets.h"
#include "src/construct/waiting_heap.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// Stores the fixed groups, around which a bottom-left pass places the other
// groups.
class FixedGroups {
 public:
  FixedGroups(const RigidGroups& groups, const Relation& relation)
      : groups_(groups), relation_(relation) {
    for (const Piece& piece : groups.pieces()) {
      if (groups[piece.group].is_fixed()) pieces_.push_back(piece);
    }
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [&](const Piece& a, const Piece& b) {
                       return LowOf(a) + a.size < LowOf(b) + b.size;
                     });
    lows_.resize(pieces_.size());
    Level least = kNoLevel;
    for (size_t k = pieces_.size(); k-- > 0;) {
      least = std::min(least, LowOf(pieces_[k]));
      lows_[k] = least;
    }
  }

  // Returns the lowest start at or above `level` at which the group overlaps no
  // fixed group. Returns kNoLevel if there is no such start, or if `work` ends
  // first.
  Level LowestStart(size_t group, Level level, WorkLimit* work) const {
    Level start = groups_.LowestStart(group, level);
    for (bool is_free = pieces_.empty(); !is_free && start != kNoLevel;) {
      is_free = true;
      for (const Piece& piece : groups_.PiecesOf(group)) {
        const Level free = FreeFrom(piece, start + piece.at, work);
        if (free == kNoLevel) return kNoLevel;
        if (free == start + piece.at) continue;
        start = groups_.LowestStart(group, free - piece.at);
        is_free = false;
        break;
      }
    }
    return start;
  }

 private:
  // Returns the highest end of the fixed pieces that `piece` would overlap if
  // it began at `begin`, or `begin` if it would overlap no fixed piece.
  Level FreeFrom(const Piece& piece, Level begin, WorkLimit* work) const {
    Level free = begin;
    const auto first = std::partition_point(
        pieces_.begin(), pieces_.end(),
        [&](const Piece& fixed) { return LowOf(fixed) + fixed.size <= begin; });
    for (auto k = static_cast<size_t>(first - pieces_.begin());
         k < pieces_.size() && lows_[k] < begin + piece.size; ++k) {
      if (!work->Spend(1)) return kNoLevel;
      const Piece& fixed = pieces_[k];
      const Level low = LowOf(fixed);
      if (low >= begin + piece.size || low + fixed.size <= begin ||
          !relation_.Conflict(piece.record, fixed.record)) {
        continue;
      }
      free = std::max(free, low + fixed.size);
    }
    return free;
  }

  Level LowOf(const Piece& fixed) const {
    return groups_[fixed.group].min + fixed.at;
  }

  const RigidGroups& groups_;
  const Relation& relation_;
  std::vector<Piece> pieces_;  // is sorted by end
  // lows_[k] is the lowest beginning of piece k and all later pieces.
  std::vector<Level> lows_;
};

// Places groups one after another, each as low as possible without sharing a
// byte with a placed group that conflicts with it.
class LowestPlacing {
 public:
  LowestPlacing(const RigidGroups& groups,
                Span<const std::vector<uint32_t>> conflicts,
                std::vector<Level>* starts)
      : groups_(groups), conflicts_(conflicts), starts_(*starts) {}

  // Returns the lowest free start of the group, or kNoLevel if there is no such
  // start or if `work` ends first.
  Level FindStart(uint32_t group, WorkLimit* work) {
    blocked_.clear();
    const RigidGroup& moved = groups_[group];
    for (uint32_t p = moved.first_piece; p < moved.end_piece; ++p) {
      const Piece& piece = groups_.pieces()[p];
      for (const uint32_t q : conflicts_[p]) {
        const Piece& other = groups_.pieces()[q];
        const Level start = starts_[other.group];
        if (start == kUnplaced) continue;
        const Level begin = start + other.at;
        blocked_.emplace_back(begin - piece.at - piece.size,
                              begin + other.size - piece.at);
      }
      if (!work->Spend(conflicts_[p].size() + 1)) return kNoLevel;
    }
    std::sort(blocked_.begin(), blocked_.end());
    Level start = groups_.LowestStart(group, 0);
    Level passed = 0;  // one past the last start known to be blocked
    for (const auto& [low, high] : blocked_) {
      if (start == kNoLevel) return kNoLevel;
      if (low >= start) break;
      passed = std::max(passed, high);
      if (passed > start) start = groups_.LowestStart(group, passed);
    }
    return start;
  }

  void PlaceAt(uint32_t group, Level start) { starts_[group] = start; }

 private:
  const RigidGroups& groups_;
  Span<const std::vector<uint32_t>> conflicts_;
  std::vector<Level>& starts_;
  std::vector<std::pair<Level, Level>> blocked_;  // open intervals of starts
};

}  // namespace

bool FixedGroupsFit(const RigidGroups& groups, const Relation& relation) {
  std::vector<std::pair<Level, const Piece*>> fixed;  // is sorted by first byte
  for (uint32_t b = 0; b < groups.size(); ++b) {
    if (!groups[b].is_fixed()) continue;
    if (groups.LowestStart(b, 0) == kNoLevel) return false;
    for (const Piece& piece : groups.PiecesOf(b)) {
      fixed.emplace_back(groups[b].min + piece.at, &piece);
    }
  }
  std::sort(fixed.begin(), fixed.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : a.second->record < b.second->record;
  });
  // Visits the pieces in the order of their first bytes. A piece shares bytes
  // with an earlier piece if the earlier piece ends above the first byte of the
  // piece.
  LowestOffsets lowest_offsets(groups, relation);
  for (size_t k = 0; k < fixed.size(); ++k) {
    const auto& [begin, piece] = fixed[k];
    if (lowest_offsets.LowestOf(*piece) > begin) {
      // Pieces of the same group may overlap, so compares only with other
      // groups.
      if (groups.PiecesOf(piece->group).size() == 1) return false;
      for (size_t m = 0; m < k; ++m) {
        const auto& [lower, other] = fixed[m];
        if (other->group != piece->group && lower + other->size > begin &&
            relation.Conflict(piece->record, other->record)) {
          return false;
        }
      }
    }
    lowest_offsets.RaisePiece(*piece, begin + piece->size);
  }
  return true;
}

optional<std::vector<Level>> PlaceGroupsBottomLeft(const RigidGroups& groups,
                                                   const Relation& relation,
                                                   Span<const uint32_t> order,
                                                   Level limit,
                                                   WorkLimit* work) {
  LowestOffsets lowest_offsets(groups, relation);
  const FixedGroups fixed(groups, relation);
  std::vector<Level> starts(groups.size(), 0);
  std::vector<uint32_t> movable;
  for (const uint32_t group : order) {
    starts[group] = groups[group].min;
    if (!groups[group].is_fixed()) movable.push_back(group);
  }
  WaitingHeap<Level> waiting(movable);
  // With a partial order, each check of a group visits every chain and costs
  // one unit of work per chain.
  const auto& tasks = groups.problem().constraints()->order;
  const uint64_t checks = tasks ? std::max<size_t>(tasks->chains(), 1) : 1;
  while (!waiting.empty()) {
    waiting.VisitNext([&](uint32_t group) { lowest_offsets.Prefetch(group); });
    const auto [level, rank, group] = waiting.least();
    const Level lowest = lowest_offsets.LowestStart(group);
    if (!work->Spend(checks * lowest_offsets.TakeChecks())) {
      return nullopt;
    }
    const Level start = fixed.LowestStart(group, lowest, work);
    // The extent of the group is read only if it matters.
    if (start == kNoLevel || (start + groups.max_extent() >= limit &&
                              start + groups[group].extent >= limit)) {
      return nullopt;
    }
    if (start > level) {
      waiting.RaiseLeast(start);
      continue;
    }
    waiting.RemoveLeast();
    starts[group] = start;
    lowest_offsets.Raise(group, start);
  }
  return starts;
}

std::vector<uint32_t> LimitedFirst(const RigidGroups& groups,
                                   Span<const uint32_t> order) {
  std::vector<uint32_t> limited_first(order.begin(), order.end());
  std::stable_sort(limited_first.begin(), limited_first.end(),
                   [&](uint32_t a, uint32_t b) {
                     const bool is_fixed_a = groups[a].is_fixed();
                     const bool is_fixed_b = groups[b].is_fixed();
                     if (is_fixed_a != is_fixed_b) return is_fixed_a;
                     return groups[a].max < groups[b].max;
                   });
  return limited_first;
}

size_t PlaceInOrder(const RigidGroups& groups,
                    Span<const std::vector<uint32_t>> conflicts,
                    Span<const uint32_t> order, Level limit, WorkLimit* work,
                    std::vector<Level>* starts) {
  LowestPlacing placing(groups, conflicts, starts);
  for (size_t k = 0; k < order.size(); ++k) {
    const Level start = placing.FindStart(order[k], work);
    if (start == kNoLevel || start + groups[order[k]].extent >= limit) return k;
    placing.PlaceAt(order[k], start);
  }
  return order.size();
}

optional<std::vector<Level>> PlaceGroupsLowest(
    const RigidGroups& groups, Span<const std::vector<uint32_t>> conflicts,
    Span<const uint32_t> order, Level limit, WorkLimit* work) {
  std::vector<Level> starts(groups.size(), kUnplaced);
  const std::vector<uint32_t> limited_first = LimitedFirst(groups, order);
  if (PlaceInOrder(groups, conflicts, limited_first, limit, work, &starts) <
      limited_first.size()) {
    return nullopt;
  }
  return starts;
}

}  // namespace stowage::rigid
