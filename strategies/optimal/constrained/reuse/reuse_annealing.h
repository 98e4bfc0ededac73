// SPDX-License-Identifier: Apache-2.0
// Lowers the cost of a plan in which pairs pay for sharing bytes, by annealing
// in the space of starts. Use the annealing if costs depend on places. The
// annealing proves no bound; for few groups, use GroupSearch (group_search.h),
// which is complete.
//
// A round starts at the incumbent, melts it at a high temperature and cools it
// down. Each step takes out one group and puts it back where it costs little,
// after weighing all its places at once (ReuseState::Place). Forbidden overlaps
// are allowed for a penalty, and the penalty grows for pairs that overlap for
// long. Penalties are low at first, so that groups can move through each other,
// and rise until nothing overlaps at the end of the round. How the earlier
// rounds ended determines how fast penalties rise. Each round is twice as long
// as the round before. Without a deadline, lengths depend only on the number of
// groups, so the same number of placements gives the same plan on every
// machine. The last round before a deadline is as long as the remaining time,
// since a round that ends hot is lost.
//
// Source: own. The heat bath is that of Creutz, "Monte Carlo study of quantized
// SU(2) gauge theory", 1980; the penalties of pairs are those of Morris, "The
// breakout method for escaping from local minima", 1993.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_ANNEALING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_ANNEALING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "optimal/constrained/reuse/energy_graph.h"
#include "optimal/constrained/reuse/reuse_state.h"
#include "src/base/work_limit.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/group_search.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

using rigid::GroupPlan;

// Describes the plans that the annealing looks for.
struct ReuseGoal {
  rigid::Level limit = 0;   // plans end here or below
  rigid::Level bound = 0;   // no plan ends lower
  uint64_t cost_bound = 0;  // no plan costs less
  bool is_tight = false;    // `bound` leaves little room below `limit`
};

class ReuseAnnealing {
 public:
  // `groups` and `costly` must outlive the object. `conflicts` is the result of
  // ListConflicts.
  ReuseAnnealing(const RigidGroups& groups,
                 Span<const std::vector<uint32_t>> conflicts,
                 const std::vector<CostlyPair>& costly, const ReuseGoal& goal,
                 uint64_t seed);

  // Anneals once with at most `nodes` placements. Starts from `plan` or, if
  // there is no plan, with all groups at the bottom. Replaces the plan if a
  // better one is found, and returns whether it has done so. If the plan has
  // the least cost that `goal` allows, looks for a lower top at this cost.
  bool RunRound(uint64_t nodes, const StopSignal& stop,
                optional<GroupPlan>* plan);

  // Places `others` one after the other where they cost the least, while all
  // other groups stay at `starts`. Replaces the plan if the result is a better
  // one, and returns whether it has done so.
  bool Complete(const std::vector<rigid::Level>& starts,
                Span<const uint32_t> others, optional<GroupPlan>* plan);

  uint64_t nodes() const { return nodes_; }  // placements in all rounds
  // Returns a text that names the round and the sweep in which the last better
  // plan was found.
  const std::string& found_by() const { return found_by_; }

 private:
  using Level = rigid::Level;

  struct Schedule {
    uint64_t sweeps = 0;
    int64_t hot = 0;   // the first temperature, in energy times 2^16
    int64_t cool = 0;  // the last temperature, in the same unit
    int64_t penalty = 0;
    int64_t raise = 0;  // the least raise after a sweep, times 2^16

    // Returns the part of the round that is left before a sweep, times 2^10.
    int64_t LeftAt(uint64_t sweep) const;
    // Returns the temperature of a sweep. The temperature falls faster than in
    // proportion to the remaining part of the round and slower than
    // exponentially: most of the time goes to temperatures at which costs fall.
    int64_t TemperatureAt(uint64_t sweep) const;
    // Returns by how much the penalties of the `hard` overlaps are raised after
    // a sweep, times 2^16. The raise is up to 10 times larger if there are too
    // many overlaps: half of the groups may overlap at first, and none at the
    // end.
    int64_t RaiseAfter(uint64_t sweep, int64_t hard, int64_t groups) const;
  };

  Schedule ScheduleOf(uint64_t round) const;
  void AdaptHardness(uint64_t feasible_from, uint64_t sweeps);
  uint64_t PlacementsOf(uint64_t round) const;
  void Begin(const optional<GroupPlan>& plan, int64_t penalty);
  void Sweep(const Temperature& temperature);
  void Swap(const Temperature& temperature);
  void CountMove(uint32_t group);
  bool IsOver();
  bool KeepBest(optional<GroupPlan>* plan);

  const RigidGroups& groups_;
  const std::vector<CostlyPair>& costly_;
  const ReuseGoal goal_;
  const EnergyGraph graph_;
  ReuseState state_;
  Random random_;
  std::vector<uint32_t> order_;  // the groups in the order of a sweep
  // The hardness of forbidden overlaps, times 1024. Rounds of low hardness find
  // cheaper plans, but sometimes no feasible plan.
  int64_t hardness_ = 0;
  uint64_t round_ = 0;
  uint64_t sweep_ = 0;
  uint64_t nodes_ = 0;
  int64_t spent_ns_ = 0;  // in all rounds
  uint64_t max_nodes_ = 0;
  uint64_t work_ = 0;  // since the signal was last checked
  const StopSignal* stop_ = nullptr;
  bool is_over_ = false;
  Level limit_ = 0;     // of this round
  int steps_ = 1;       // the limit falls by 2^-steps_ of the way to the bound
  int64_t enough_ = 0;  // an energy at which the round ends
  int64_t best_energy_ = 0;  // of the best state of this round
  std::vector<Level> best_;  // its starts in units; empty if there is none
  uint64_t best_sweep_ = 0;
  std::string found_by_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_REUSE_ANNEALING_H_
