// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/reuse/reuse_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "src/base/bits.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

using rigid::Level;

constexpr uint32_t kNobody = ~uint32_t{0};
// The start of a removed group. It is so low that the group overlaps nothing.
constexpr Level kFarBelow = -(Level{1} << 61);
// The maximum raise of a penalty, as a multiple of its initial value.
constexpr int64_t kMaxRaise = 16;
// The maximum number of passes over all groups in which groups are pushed down.
constexpr int kMaxPasses = 8;

}  // namespace

ReuseState::ReuseState(const RigidGroups& groups, const EnergyGraph& graph)
    : groups_(groups),
      graph_(graph),
      sides_(graph.sides()),
      raised_by_(graph.hard_edges().size()) {}

void ReuseState::Reset(const std::vector<Level>& starts, Level limit,
                       int64_t penalty) {
  starts_ = starts;
  starts_.push_back(0);
  ranges_.resize(graph_.size());
  for (uint32_t b = 0; b < graph_.size(); ++b) {
    const EnergyGraph::Domain domain = graph_.DomainOf(b, limit);
    Range& range = ranges_[b];
    range.low = domain.low;
    range.shift = countr_zero(static_cast<uint64_t>(domain.stride));
    range.count = domain.high < domain.low
                      ? 0
                      : ((domain.high - domain.low) >> range.shift) + 1;
    range.extent = (groups_[b].extent + graph_.unit() - 1) / graph_.unit();
  }
  for (const uint32_t b : graph_.movable()) starts_[b] = Snapped(b, starts_[b]);
  penalty_ = penalty;
  for (const EnergyGraph::HardEdge& edge : graph_.hard_edges()) {
    sides_[edge.first].energy = static_cast<int32_t>(penalty);
    sides_[edge.second].energy = static_cast<int32_t>(penalty);
  }
  std::fill(raised_by_.begin(), raised_by_.end(), 0);
  raised_.clear();
  packed_ = PackedAgain();
}

// Returns the packed energy of the edges of a group, except edges to the group
// `except`.
int64_t ReuseState::PackedOf(uint32_t group, uint32_t except) const {
  int64_t packed = 0;
  const size_t first = graph_.FirstSideOf(group);
  const size_t soft = first + graph_.HardSidesOf(group).size();
  const size_t end = graph_.FirstSideOf(group + 1);
  for (size_t s = first; s < end; ++s) {
    const Side& side = sides_[s];
    if (side.other == except ||
        !Overlaps(side, starts_[group], starts_[side.other])) {
      continue;
    }
    packed += side.energy + (s < soft ? PackedEnergy::kOneHard : 0);
  }
  return packed;
}

int64_t ReuseState::PackedAgain() const {
  int64_t twice = 0;
  for (uint32_t b = 0; b <= graph_.size(); ++b) twice += PackedOf(b, kNobody);
  return twice / 2;
}

Level ReuseState::Snapped(uint32_t group, Level start) const {
  const Range& range = ranges_[group];
  const Level steps = (start - range.low) >> range.shift;
  const Level most = std::max<Level>(range.count, 1) - 1;
  return range.low + (std::min(std::max<Level>(steps, 0), most) << range.shift);
}

// Returns the energy of a group at each start of its range.
Span<const EnergyProfile::Piece> ReuseState::ProfileOf(uint32_t group) {
  const Range& range = ranges_[group];
  const Side* const first = sides_.data() + graph_.FirstSideOf(group);
  const Side* const soft = first + graph_.HardSidesOf(group).size();
  const Side* const end = soft + graph_.SoftSidesOf(group).size();
  const Level* const starts = starts_.data();
  // Converts displacements to multiples of the stride, rounded up.
  const int shift = range.shift;
  const Level shift_by = (Level{1} << shift) - 1 - range.low;
  const auto add_all = [=](const auto& add) {
    const auto add_sides = [=](const Side* side, const Side* last,
                               int64_t more) {
      for (; side != last; ++side) {
        const Level base = starts[side->other] + shift_by;
        add((base + side->low) >> shift, (base + side->high) >> shift,
            side->energy + more);
      }
    };
    add_sides(first, soft, PackedEnergy::kOneHard);
    add_sides(soft, end, 0);
  };
  return profile_.Sum(range.count, static_cast<size_t>(end - first), add_all);
}

void ReuseState::Place(uint32_t group, const Temperature& temperature,
                       Random* random) {
  const Range& range = ranges_[group];
  if (range.count <= 1) return;
  const Span<const EnergyProfile::Piece> pieces = ProfileOf(group);
  const size_t count = pieces.size() - 1;  // the last one is empty
  const Level old = (starts_[group] - range.low) >> range.shift;
  int64_t old_packed = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t k = 0; k < count; ++k) {
    const int64_t packed = pieces[k].packed;
    least = std::min(least, PackedEnergy::EnergyOf(packed));
    old_packed = pieces[k].begin <= old ? packed : old_packed;
  }
  const int64_t most = least + temperature.cutoff();
  if (candidates_.size() < 2 * count) candidates_.resize(2 * count);
  Candidate* candidate = candidates_.data();
  int64_t total = 0;
  for (size_t k = 0; k < count; ++k) {
    const int64_t energy = PackedEnergy::EnergyOf(pieces[k].packed);
    if (energy > most) continue;
    const Level begin = pieces[k].begin;
    const Level last = pieces[k + 1].begin - 1;
    const bool falls =
        k == 0 || PackedEnergy::EnergyOf(pieces[k - 1].packed) > energy;
    const bool rises =
        k + 1 == count || PackedEnergy::EnergyOf(pieces[k + 1].packed) > energy;
    const int64_t weight = temperature.Weight(energy - least);
    if (falls) {
      total += weight;
      *candidate++ = {begin, pieces[k].packed, total};
    }
    if (rises && !(falls && begin == last)) {
      total += weight;
      *candidate++ = {last, pieces[k].packed, total};
    }
  }
  const auto drawn =
      static_cast<int64_t>(random->Below(static_cast<uint64_t>(total)));
  candidate = candidates_.data();
  while (candidate->up_to <= drawn) ++candidate;
  starts_[group] = range.low + (candidate->at << range.shift);
  packed_ += candidate->packed - old_packed;
}

void ReuseState::Remove(uint32_t group) {
  packed_ -= PackedOf(group, kNobody);
  starts_[group] = kFarBelow;
}

bool ReuseState::PutBack(uint32_t group, bool is_random, Random* random) {
  const Range& range = ranges_[group];
  const Span<const EnergyProfile::Piece> pieces = ProfileOf(group);
  const EnergyProfile::Piece* best = nullptr;
  for (size_t k = 0; k + 1 < pieces.size(); ++k) {
    const EnergyProfile::Piece& piece = pieces[k];
    if (piece.packed >= PackedEnergy::kOneHard) continue;
    const bool is_better = best == nullptr || piece.packed < best->packed;
    if (!is_random) {
      if (is_better) best = &piece;
      continue;
    }
    const bool is_tried =
        is_better || (piece.packed == best->packed && random->Below(8) == 0);
    if (!is_tried || (best != nullptr && random->Below(5) == 0)) continue;
    best = &piece;
  }
  if (best == nullptr) return false;
  const bool is_at_end = is_random && random->Below(2) == 0;
  const Level at = is_at_end ? best[1].begin - 1 : best->begin;
  starts_[group] = range.low + (at << range.shift);
  packed_ += best->packed;
  return true;
}

void ReuseState::TrySwap(uint32_t a, uint32_t b, const Temperature& temperature,
                         Random* random) {
  const Level start_of_a = starts_[a];
  const Level start_of_b = starts_[b];
  const Level size_of_a = ranges_[a].extent;
  const Level size_of_b = ranges_[b].extent;
  const int64_t before = PackedOf(a, kNobody) + PackedOf(b, a);
  if (start_of_a + size_of_a == start_of_b) {
    starts_[b] = Snapped(b, start_of_a);
    starts_[a] = Snapped(a, starts_[b] + size_of_b);
  } else if (start_of_b + size_of_b == start_of_a) {
    starts_[a] = Snapped(a, start_of_b);
    starts_[b] = Snapped(b, starts_[a] + size_of_a);
  } else {
    const bool by_top = random->Below(2) == 0;
    const Level shift = by_top ? size_of_b - size_of_a : 0;
    starts_[a] = Snapped(a, start_of_b + shift);
    starts_[b] = Snapped(b, start_of_a - shift);
  }
  const int64_t after = PackedOf(a, kNobody) + PackedOf(b, a);
  const int64_t change =
      PackedEnergy::EnergyOf(after) - PackedEnergy::EnergyOf(before);
  const auto drawn =
      static_cast<int64_t>(random->Below(ExponentialTable::kOne));
  if (change > 0 && drawn >= temperature.Weight(change)) {
    starts_[a] = start_of_a;
    starts_[b] = start_of_b;
    return;
  }
  packed_ += after - before;
}

// Sets the total raise of the penalty of an edge, times 2^16. Returns the
// change of the penalty.
int64_t ReuseState::SetRaise(uint32_t e, int64_t raised) {
  const EnergyGraph::HardEdge& edge = graph_.hard_edges()[e];
  Side& side = sides_[edge.first];
  const int64_t energy = penalty_ + (raised >> 16);
  const int64_t change = energy - side.energy;
  raised_by_[e] = raised;
  side.energy = static_cast<int32_t>(energy);
  sides_[edge.second].energy = side.energy;
  return change;
}

bool ReuseState::IsOverlapping(const EnergyGraph::HardEdge& edge) const {
  const Side& side = sides_[edge.first];
  return Overlaps(side, starts_[edge.group], starts_[side.other]);
}

void ReuseState::RaisePenalties(int64_t amount) {
  for (uint32_t e = 0; e < graph_.hard_edges().size(); ++e) {
    if (!IsOverlapping(graph_.hard_edges()[e])) continue;
    if (raised_by_[e] == 0) raised_.push_back(e);
    packed_ += SetRaise(
        e, std::min(raised_by_[e] + amount, (kMaxRaise * penalty_) << 16));
  }
}

void ReuseState::LowerPenalties(int64_t factor) {
  size_t kept = 0;
  for (const uint32_t e : raised_) {
    if (!IsOverlapping(graph_.hard_edges()[e])) {
      const int64_t raised = raised_by_[e] * factor >> 16;
      SetRaise(e, raised >> 16 == 0 ? 0 : raised);
      if (raised_by_[e] == 0) continue;
    }
    raised_[kept++] = e;
  }
  raised_.resize(kept);
}

void ReuseState::Compact() {
  std::vector<uint32_t> order = graph_.movable();
  bool has_moved = true;
  for (int pass = 0; has_moved && pass < kMaxPasses; ++pass) {
    has_moved = false;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return starts_[a] < starts_[b];
    });
    for (const uint32_t group : order) {
      if (ranges_[group].count <= 1) continue;
      const int64_t old_packed = PackedOf(group, kNobody);
      for (const EnergyProfile::Piece& piece : ProfileOf(group)) {
        // No hard edge overlaps now. A piece with at most the current packed
        // energy therefore has no hard overlap either, and costs at most as
        // much. The empty last piece is above the group, so it moves nothing.
        if (piece.packed > old_packed) continue;
        const Level start =
            ranges_[group].low + (piece.begin << ranges_[group].shift);
        if (start < starts_[group]) {
          starts_[group] = start;
          packed_ += piece.packed - old_packed;
          has_moved = true;
        }
        break;
      }
    }
  }
}

}  // namespace stowage::optimal
