// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/reuse/energy_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

using rigid::Level;
using rigid::Piece;
using rigid::RigidGroup;

// Costs are first divided by their greatest common divisor. If the mean of the
// quotients is at most kMaxExactMean and no quotient exceeds kMaxExactCost,
// energies are exact. Otherwise, the quotients are shifted right until their
// mean is at most kMaxRoundedMean. The energy of a cost is its quotient,
// shifted or not, times kEnergyOfOne, or the quotient itself if the mean is
// above kLargeMean. Even with 2^20 edges, the energy of each edge therefore
// fits 31 bits, and the energy of all overlaps, with penalties for 2^18 hard
// edges, fits 40 bits.
constexpr uint64_t kMaxExactMean = uint64_t{1} << 12;
constexpr uint64_t kMaxExactCost = uint64_t{1} << 26;
constexpr uint64_t kMaxRoundedMean = uint64_t{1} << 6;
constexpr uint64_t kLargeMean = uint64_t{1} << 8;
constexpr int64_t kEnergyOfOne = 16;

Level CeilDiv(Level a, Level b) { return a / b + (a % b > 0 ? 1 : 0); }

Level RoundUpTo(Level level, Level multiple) {
  return CeilDiv(level, multiple) * multiple;
}

}  // namespace

EnergyGraph::EnergyGraph(const RigidGroups& groups,
                         Span<const std::vector<uint32_t>> conflicts,
                         Span<const CostlyPair> costly)
    : groups_(groups) {
  FindUnit();
  for (uint32_t b = 0; b < groups.size(); ++b) {
    const bool has_bytes = groups[b].first_piece < groups[b].end_piece;
    if (has_bytes && !groups[b].is_fixed()) movable_.push_back(b);
  }
  std::vector<Edge> edges;
  const Span<const Piece> pieces = groups.pieces();
  for (uint32_t p = 0; p < pieces.size(); ++p) {
    for (const uint32_t q : conflicts[p]) {
      if (p < q) AddEdge(pieces[p], pieces[q], false, 0, &edges);
    }
  }
  AddHoles(&edges);
  for (const CostlyPair& pair : costly) {
    AddEdge(pieces[pair.first], pieces[pair.second], true, pair.cost, &edges);
  }
  edges = Merged(std::move(edges));
  ScaleCosts(&edges);
  ListSides(edges);
}

// A plan of least cost keeps its cost if its groups are pushed down until each
// of them would overlap something new. The start of each group is then the end
// of another piece, the end of a hole, or the lowest start of its domain,
// rounded up to the alignment. The unit is a common divisor of all these
// numbers.
void EnergyGraph::FindUnit() {
  // The offset of every piece is a multiple of `step`, so ends may be rounded
  // up to multiples of `step`.
  Level step = 0;
  for (size_t b = 0; b < groups_.size(); ++b) {
    step = std::gcd(step, std::gcd(groups_[b].alignment, groups_[b].residue));
    for (const Piece& piece : groups_.PiecesOf(b)) {
      step = std::gcd(step, piece.at);
    }
  }
  step = std::max<Level>(step, 1);
  Level unit = 0;
  for (size_t b = 0; b < groups_.size(); ++b) {
    const RigidGroup& group = groups_[b];
    unit = std::gcd(unit,
                    group.is_fixed() ? group.min : RoundUpTo(group.min, step));
    for (const Piece& piece : groups_.PiecesOf(b)) {
      unit = std::gcd(unit, std::gcd(piece.at, RoundUpTo(piece.size, step)));
    }
  }
  for (const Hole& hole : groups_.holes()) {
    unit = std::gcd(unit, RoundUpTo(static_cast<Level>(hole.end), step));
  }
  unit = std::max<Level>(unit, 1);
  for (size_t b = 0; b < groups_.size(); ++b) {
    const RigidGroup& group = groups_[b];
    if (unit % group.alignment == 0 && group.residue == 0) continue;
    unit = std::gcd(unit, std::gcd(group.alignment, group.residue));
  }
  unit_ = unit;
}

Level EnergyGraph::CeilToUnits(Level bytes) const {
  return CeilDiv(bytes, unit_);
}

void EnergyGraph::AddEdge(const Piece& a, const Piece& b, bool is_soft,
                          uint64_t cost, std::vector<Edge>* edges) const {
  if (a.group > b.group) return AddEdge(b, a, is_soft, cost, edges);
  Edge edge;
  edge.first = a.group;
  edge.second = b.group;
  edge.is_soft = is_soft;
  // Because starts are multiples of the unit, the displacements [low, high) in
  // bytes correspond to the displacements [low / unit, high / unit) in units,
  // with both ends rounded up.
  edge.low = CeilToUnits(b.at - a.at - a.size + 1);
  edge.high = CeilToUnits(b.at + b.size - a.at);
  edge.cost = cost;
  edges->push_back(edge);
}

void EnergyGraph::AddHoles(std::vector<Edge>* edges) const {
  const auto ground = static_cast<uint32_t>(groups_.size());
  for (const Piece& piece : groups_.pieces()) {
    for (const Hole& hole : groups_.holes()) {
      if (!groups_.IsKeptOut(piece, hole)) continue;
      const auto begin = static_cast<Level>(hole.begin);
      const auto end = static_cast<Level>(hole.end);
      AddEdge(piece, {0, ground, begin, end - begin}, false, 0, edges);
    }
  }
}

// Merges touching hard edges between the same two groups, and merges equal soft
// edges. Drops soft edges inside hard edges, since no feasible plan pays for
// them.
std::vector<EnergyGraph::Edge> EnergyGraph::Merged(std::vector<Edge> edges) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.first, a.second, a.is_soft, a.low, a.high, a.cost) <
           std::tuple(b.first, b.second, b.is_soft, b.low, b.high, b.cost);
  });
  std::vector<Edge> merged;
  size_t of_pair = 0;  // the first merged edge of the two groups
  for (const Edge& edge : edges) {
    if (merged.empty() || merged.back().first != edge.first ||
        merged.back().second != edge.second) {
      of_pair = merged.size();
    }
    if (of_pair < merged.size() && merged.back().is_soft == edge.is_soft) {
      Edge& last = merged.back();
      if (!edge.is_soft && edge.low <= last.high) {
        last.high = std::max(last.high, edge.high);
        continue;
      }
      if (edge.is_soft && edge.low == last.low && edge.high == last.high) {
        last.cost += edge.cost;
        continue;
      }
    }
    const bool never_pays =
        edge.is_soft &&
        std::any_of(merged.begin() + static_cast<std::ptrdiff_t>(of_pair),
                    merged.end(), [&](const Edge& other) {
                      return !other.is_soft && other.low <= edge.low &&
                             edge.high <= other.high;
                    });
    if (!never_pays) merged.push_back(edge);
  }
  return merged;
}

// Replaces costs by energies.
void EnergyGraph::ScaleCosts(std::vector<Edge>* edges) {
  uint64_t divisor = 0;
  uint64_t total = 0;
  uint64_t largest = 0;
  uint64_t count = 0;
  for (const Edge& edge : *edges) {
    if (!edge.is_soft || edge.cost == 0) continue;
    divisor = std::gcd(divisor, edge.cost);
    // The sum does not overflow: see Problem::Create.
    total += edge.cost;
    largest = std::max(largest, edge.cost);
    ++count;
  }
  if (count == 0) return;
  divisor_ = divisor;
  uint64_t mean = total / divisor / count;
  int shift = 0;
  if (mean > kMaxExactMean || largest / divisor > kMaxExactCost) {
    is_exact_ = false;
    for (; mean > kMaxRoundedMean; mean /= 2) ++shift;
  }
  energy_of_one_ = mean > kLargeMean ? 1 : kEnergyOfOne;
  uint64_t sum = 0;
  for (Edge& edge : *edges) {
    if (!edge.is_soft || edge.cost == 0) continue;
    edge.cost = std::max<uint64_t>(1, (edge.cost / divisor) >> shift) *
                static_cast<uint64_t>(energy_of_one_);
    sum += edge.cost;
  }
  mean_energy_ = static_cast<int64_t>(sum / count);
}

void EnergyGraph::ListSides(const std::vector<Edge>& edges) {
  begins_.assign(size() + 2, 0);
  soft_begins_.assign(size() + 1, 0);
  for (const Edge& edge : edges) {
    for (const uint32_t group : {edge.first, edge.second}) {
      ++begins_[group + 1];
      if (!edge.is_soft) ++soft_begins_[group];
    }
  }
  for (size_t b = 0; b <= size(); ++b) {
    begins_[b + 1] += begins_[b];
    soft_begins_[b] += begins_[b];
  }
  sides_.resize(begins_.back());
  std::vector<uint32_t> next_hard(begins_.begin(), begins_.end() - 1);
  std::vector<uint32_t> next_soft = soft_begins_;
  for (const Edge& edge : edges) {
    std::vector<uint32_t>& next = edge.is_soft ? next_soft : next_hard;
    const uint32_t first = next[edge.first]++;
    const uint32_t second = next[edge.second]++;
    const auto energy = static_cast<int32_t>(edge.cost);
    sides_[first] = {edge.low, edge.high, edge.second, energy};
    sides_[second] = {1 - edge.high, 1 - edge.low, edge.first, energy};
    if (!edge.is_soft) hard_edges_.push_back({edge.first, first, second});
  }
}

EnergyGraph::Domain EnergyGraph::DomainOf(size_t group, Level limit) const {
  Domain domain;
  const RigidGroup& of = groups_[group];
  domain.stride = std::max<Level>(1, of.alignment / unit_);
  const Level bottom = CeilToUnits(of.min);
  const Level residue = of.residue / unit_;
  domain.low = bottom + ((residue - bottom) & (domain.stride - 1));
  const Level top = std::min(of.max, limit - of.extent);
  domain.high = -1;
  if (top < 0) return domain;
  domain.high = top / unit_;
  domain.high -= (domain.high - residue) & (domain.stride - 1);
  return domain;
}

std::vector<Level> EnergyGraph::ToUnits(Span<const Level> starts,
                                        Level limit) const {
  std::vector<Level> units(starts.size());
  for (size_t b = 0; b < starts.size(); ++b) {
    const Domain domain = DomainOf(b, limit);
    units[b] = starts[b] / unit_;
    units[b] -= (units[b] - domain.low) & (domain.stride - 1);
    units[b] = std::max(std::min(units[b], domain.high), domain.low);
  }
  return units;
}

std::vector<Level> EnergyGraph::ToBytes(Span<const Level> starts) const {
  std::vector<Level> bytes(size());
  for (size_t b = 0; b < size(); ++b) bytes[b] = starts[b] * unit_;
  return bytes;
}

}  // namespace stowage::optimal
