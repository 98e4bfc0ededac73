// SPDX-License-Identifier: Apache-2.0
// A start for each group, with the energy of all overlaps: that of the soft
// edges that pay, and a penalty for each hard edge that overlaps, which is
// allowed here. The moves of the annealing change it; they keep the energy
// exact, since it is an integer.
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
  // Returns the energy of all overlaps. Without hard edges among these it is
  // that of the costs.
  int64_t energy() const { return PackedEnergy::EnergyOf(packed_); }
  // Returns the number of hard edges that overlap.
  int64_t hard() const { return PackedEnergy::HardOf(packed_); }
  bool is_feasible() const { return hard() == 0; }
  // Returns the same as both, computed anew.
  int64_t PackedAgain() const;
  int64_t packed() const { return packed_; }

  // Moves a group to one of the places where a piece of its profile ends at a
  // higher one. Draws it with a probability in proportion to exp(-energy / T):
  // a heat bath. O(sides + starts / 64).
  void Place(uint32_t group, const Temperature& temperature, Random* random);

  // Exchanges two groups: their order if they touch, otherwise their places.
  // Keeps the exchange with the probability exp(-change / T), at most 1.
  // O(sides).
  void TrySwap(uint32_t a, uint32_t b, const Temperature& temperature,
               Random* random);

  // Raises the penalty of each hard edge that overlaps by `amount` / 2^16.
  // O(hard edges).
  void RaisePenalties(int64_t amount);
  // Multiplies what was added to the penalties of all other edges by
  // `factor` / 2^16.
  void LowerPenalties(int64_t factor);

  // Moves groups down, the lowest first, where no hard edge overlaps and they
  // do not pay more than before, in a few passes. Requires is_feasible().
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
  std::vector<Level> starts_;  // the last one is that of the ground
  std::vector<Range> ranges_;
  int64_t packed_ = 0;
  int64_t penalty_ = 0;
  std::vector<int64_t> raised_by_;  // by hard edge, times 2^16
  std::vector<uint32_t> raised_;    // the hard edges with raised penalties
  EnergyProfile profile_;
  struct Candidate {
    Level at = 0;
    int64_t packed = 0;
    int64_t up_to = 0;  // the sum of the weights up to this one
  };
  std::vector<Candidate> candidates_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_STATE_H_
