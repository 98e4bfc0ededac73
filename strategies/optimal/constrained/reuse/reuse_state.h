// SPDX-License-Identifier: Apache-2.0
// Keeps a start for each group, and the energy of all overlaps. The energy is
// the sum of the energies of all soft edges that overlap, plus a penalty for
// each hard edge that overlaps, since the annealing allows such overlaps. The
// energy is an integer, so it stays exact however many moves the annealing
// makes.
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

  // The graph and the groups must outlive this object. Reset must be called
  // before any other function.
  ReuseState(const RigidGroups& groups, const EnergyGraph& graph);

  // Sets all starts, in units, and the penalty of every hard edge. Moves down
  // groups that would end above `limit` bytes. O(edges).
  void Reset(const std::vector<Level>& starts, Level limit, int64_t penalty);

  const std::vector<Level>& starts() const { return starts_; }
  // Returns the energy of all overlaps. If no hard edge overlaps, this is the
  // energy that corresponds to the cost of the plan.
  int64_t energy() const { return PackedEnergy::EnergyOf(packed_); }
  // Returns the number of hard edges that overlap.
  int64_t hard() const { return PackedEnergy::HardOf(packed_); }
  bool is_feasible() const { return hard() == 0; }
  // packed() returns energy() and hard() in one number (PackedEnergy).
  // PackedAgain recomputes this number from the starts.
  int64_t PackedAgain() const;
  int64_t packed() const { return packed_; }

  // Moves a group to the first or the last start of a piece of its profile. The
  // first start of a piece is a candidate if the previous piece has a higher
  // energy or does not exist, and the last start is a candidate if the same
  // holds for the next piece. Samples one of the candidates with a probability
  // proportional to exp(-energy / T), as in a heat bath. O(sides + starts /
  // 64).
  void Place(uint32_t group, const Temperature& temperature, Random* random);

  // Exchanges the order of two groups if they touch, and their places
  // otherwise. Keeps the exchange with the probability min(1, exp(-change /
  // T)). O(sides).
  void TrySwap(uint32_t a, uint32_t b, const Temperature& temperature,
               Random* random);

  // Returns whether a group has several starts. A fixed group does not.
  bool CanMove(uint32_t group) const { return ranges_[group].count > 1; }
  // Removes a group, which then overlaps nothing. All functions but these must
  // not be called before the group is back. O(sides).
  void Remove(uint32_t group);
  // Puts a removed group back at the lowest start of the least energy, if there
  // is a start at which no hard edge overlaps; returns false otherwise. If
  // `is_random`, may choose another start of low energy. O(sides + starts /
  // 64).
  bool PutBack(uint32_t group, bool is_random, Random* random);
  // Undo removals: Restore sets the start of each removed group, and SetPacked
  // the value that packed() had before.
  void Restore(uint32_t group, Level start) { starts_[group] = start; }
  void SetPacked(int64_t packed) { packed_ = packed; }

  // Raises the penalty of each hard edge that overlaps by `amount` / 2^16.
  // O(hard edges).
  void RaisePenalties(int64_t amount);
  // Multiplies the raise of each penalty, that is, the amount that was added to
  // it, by `factor` / 2^16. Affects only hard edges that do not overlap.
  void LowerPenalties(int64_t factor);

  // Moves groups down in a few passes, the lowest groups first. No move causes
  // an overlap of a hard edge or makes the group pay more. Requires
  // is_feasible().
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
