// SPDX-License-Identifier: Apache-2.0
// Moves several groups of a plan at once: removes a few related groups, and
// puts them back one after the other, each at its cheapest free start. Such a
// move changes plans in which no single group has a better start. To move
// single groups through each other, use ReuseState::Place.
//
// Source: G. Schrimpf et al., "Record breaking optimization results using the
// ruin and recreate principle" (2000).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_RUIN_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_RUIN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/constrained/reuse/boltzmann.h"
#include "optimal/constrained/reuse/energy_graph.h"
#include "optimal/constrained/reuse/reuse_state.h"
#include "stowage/base/random.h"

namespace stowage::optimal {

class Ruin {
 public:
  // The graph must outlive the object.
  Ruin(const RigidGroups& groups, const EnergyGraph& graph);

  // Makes one move of at most `most` groups, and keeps it with the probability
  // min(1, exp(-change / T)). Requires that `most` is positive and that no hard
  // edge of the state overlaps, and keeps it so. O(sides of the moved groups).
  void Step(const Temperature& temperature, uint64_t most, ReuseState* state,
            Random* random);

  // Returns the groups that the last step removed.
  const std::vector<uint32_t>& removed() const { return removed_; }

 private:
  using Level = rigid::Level;

  void Choose(uint64_t most, const ReuseState& state, Random* random);
  void Add(uint32_t group, const ReuseState& state);

  const EnergyGraph& graph_;
  std::vector<Level> sizes_;  // by group: the sum of the sizes of its pieces
  std::vector<uint32_t> removed_;
  std::vector<Level> starts_;  // of the removed groups, before the step
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_RUIN_H_
