// SPDX-License-Identifier: Apache-2.0
// Keeps a start for each group, and the energy of all overlaps. The energy is
// the sum of the energies of all soft edges that overlap, and of a penalty for
// each hard edge that overlaps. The annealing allows such hard overlaps. The
// moves of the annealing keep the energy exact, since it is an integer.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_STATE_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_STATE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/constrained/reuse/boltzmann.h"
#include "optimal/constrained/reuse/energy_graph.h"
#include "optimal/constrained/reuse/energy_profile.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

class ReuseState {
 public:
  using Level = rigid::Level;

  // The graph and the groups must outlive the object. Call Reset before
  // anything else.
  ReuseState(const RigidGroups& groups, const EnergyGraph& graph);

  // Sets all starts, in units, and the penalty of each hard edge. Groups that
  // would end above `limit` bytes are moved down. O(edges).
  void Reset(const std::vector<Level>& starts, Level limit, int64_t penalty);

  const std::vector<Level>& starts() const { return starts_; }
  // Returns the energy of all overlaps. If no hard edge overlaps, this is the
  // energy of the costs.
  int64_t energy() const { return PackedEnergy::EnergyOf(packed_); }
  // Returns the number of hard edges that overlap.
  int64_t hard() const { return PackedEnergy::HardOf(packed_); }
  bool is_feasible() const { return hard() == 0; }
  // packed() returns energy() and hard() in one number (PackedEnergy).
  // PackedAgain computes this number anew from the starts.
  int64_t PackedAgain() const;
  int64_t packed() const { return packed_; }

  // Moves a group to the first or the last start of a piece of its profile. The
  // first start is a candidate if the piece before has a higher energy or does
  // not exist. The last start is a candidate if the same holds for the piece
  // after. One of the candidates is sampled with a probability in proportion to
  // exp(-energy / T), which is a heat bath. O(sides + starts / 64).
  void Place(uint32_t group, const Temperature& temperature, Random* random);

  // Exchanges two groups: their order if they touch, otherwise their places.
  // Keeps the exchange with the probability min(1, exp(-change / T)). O(sides).
  void TrySwap(uint32_t a, uint32_t b, const Temperature& temperature,
               Random* random);

  // For each hard edge that overlaps, raises the penalty by `amount` / 2^16.
  // O(hard edges).
  void RaisePenalties(int64_t amount);
  // For each hard edge that does not overlap, multiplies the amount that was
  // added to its penalty by `factor` / 2^16.
  void LowerPenalties(int64_t factor);

  // Moves groups down, the lowest first, in a few passes. A move causes no
  // overlap of a hard edge, and the group does not pay more than before.
  // Requires is_feasible().
  void Compact();

 private:
  using Side = EnergyGraph::Side;
  struct Range {
    Level low = 0;
    Level count = 0;  // starts low, low + stride, ...; 0 or less for none
    int shift = 0;    // the stride is 1 << shift
    Level extent = 0;
  };

  Span<const EnergyProfile::Piece> ProfileOf(uint32_t group);
  int64_t PackedOf(uint32_t group, uint32_t except) const;
  Level Snapped(uint32_t group, Level start) const;
  int64_t SetRaise(uint32_t e, int64_t raised);
  bool IsOverlapping(const EnergyGraph::HardEdge& edge) const;
  static bool Overlaps(const Side& side, Level start, Level other) {
    return side.low <= start - other && start - other < side.high;
  }

  const RigidGroups& groups_;
  const EnergyGraph& graph_;
  std::vector<Side> sides_;    // with the penalties of hard edges
  std::vector<Level> starts_;  // the last start is that of the ground
  std::vector<Range> ranges_;
  int64_t packed_ = 0;
  int64_t penalty_ = 0;
  std::vector<int64_t> raised_by_;  // by hard edge, times 2^16
  std::vector<uint32_t> raised_;    // the hard edges with raised penalties
  EnergyProfile profile_;
  struct Candidate {
    Level at = 0;
    int64_t packed = 0;
    int64_t up_to = 0;  // the sum of the weights up to this candidate
  };
  std::vector<Candidate> candidates_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_STATE_H_
