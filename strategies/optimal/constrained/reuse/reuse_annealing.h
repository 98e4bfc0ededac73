// SPDX-License-Identifier: Apache-2.0
// Lowers the cost of a plan in which pairs pay for sharing bytes, by annealing
// in the space of starts. Use the annealing if costs depend on offsets. The
// annealing proves no bound; for few groups, use GroupSearch (group_search.h),
// which is complete.
//
// There are two kinds of rounds. A round of ruins moves several groups at a
// time (Ruin), and forbids overlaps. It finds cheap plans soon where groups
// block each other, but large problems with little room profit more from long
// rounds of annealing. Both are therefore tried with equal effort until one of
// them is clearly better.
//
// A round of annealing starts at its best plan, melts it at a high temperature
// and cools it down. Each step removes one group and puts it back where it
// costs little, after weighing all its possible starts at once
// (ReuseState::Place). Forbidden overlaps are allowed, but at a penalty, which
// grows for pairs that overlap for long. Penalties are low at first, so that
// groups can move through each other, and rise until nothing overlaps at the
// end of the round. How fast they rise depends on the results of the earlier
// rounds. Each round is twice as long as the round before. Without a deadline,
// lengths depend only on the number of groups, so the same number of placements
// yields the same plan on every machine. The last round before a deadline is
// planned to fill the remaining time, because a round that is stopped while it
// is hot is wasted.
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
#include "optimal/constrained/reuse/ruin.h"
#include "src/base/work_limit.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/group_search.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

using rigid::GroupPlan;

// Describes the plans that the annealing searches for.
struct ReuseGoal {
  rigid::Level limit = 0;   // plans end here or below
  rigid::Level bound = 0;   // no plan ends lower
  uint64_t cost_bound = 0;  // no plan costs less
  bool is_tight = false;    // `bound` leaves little room below `limit`
};

class ReuseAnnealing {
 public:
  // Requires that `conflicts` is the result of ListConflicts. `groups` and
  // `costly` must outlive this object.
  ReuseAnnealing(const RigidGroups& groups,
                 Span<const std::vector<uint32_t>> conflicts,
                 const std::vector<CostlyPair>& costly, const ReuseGoal& goal,
                 uint64_t seed);

  // Runs one round with at most `nodes` placements. Starts from `plan`, or with
  // all groups at the bottom if there is no plan. If `plan` already has the
  // least cost that `goal` allows, looks for a lower top at the same cost. If a
  // better plan is found, replaces `plan` by it and returns true.
  bool RunRound(uint64_t nodes, const StopSignal& stop,
                optional<GroupPlan>* plan);

  // Places the groups `others`, one after the other, where they cost the least.
  // All other groups stay at `starts`. If the result is better than `plan`,
  // replaces `plan` by it and returns true.
  bool Complete(const std::vector<rigid::Level>& starts,
                Span<const uint32_t> others, optional<GroupPlan>* plan);

  uint64_t nodes() const { return nodes_; }  // placements in all rounds
  // Returns a text that names the round and the sweep in which the latest
  // improvement was found.
  const std::string& found_by() const { return found_by_; }

 private:
  using Level = rigid::Level;

  // The modes of a round: Anneal or MoveSeveral.
  enum Mode : size_t { kAnneal, kRuin };

  struct Schedule {
    uint64_t sweeps = 0;
    int64_t hot = 0;   // the first temperature, in energy times 2^16
    int64_t cool = 0;  // the last temperature, in the same unit
    int64_t penalty = 0;
    int64_t raise = 0;  // the least raise after a sweep, times 2^16

    // Returns the part of the round that remains before a sweep, times 2^10.
    int64_t LeftAt(uint64_t sweep) const;
    // Returns the temperature of a sweep. It falls faster than linearly but
    // slower than exponentially, so most of the time is spent at temperatures
    // at which costs fall.
    int64_t TemperatureAt(uint64_t sweep) const;
    // Returns the raise of the penalties of the `hard` overlaps after a sweep,
    // times 2^16. The raise is up to 10 times larger if there are too many
    // overlaps for this time of the round: half of the groups may overlap at
    // first, and none at the end.
    int64_t RaiseAfter(uint64_t sweep, int64_t hard, int64_t groups) const;
  };

  Schedule ScheduleOf() const;
  Mode NextMode();
  void EndRound();
  void AdaptHardness(uint64_t feasible_from, uint64_t sweeps);
  uint64_t PlacementsOf() const;
  void Begin(const optional<GroupPlan>& plan, int64_t penalty);
  void Anneal(const Schedule& schedule);
  void MoveSeveral(const Schedule& schedule);
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
  Ruin ruin_;
  Random random_;
  std::vector<uint32_t> order_;  // the groups in the order of a sweep
  // The hardness of forbidden overlaps, times 1024. Rounds with a low hardness
  // find cheaper plans, but sometimes find no feasible plan at all.
  int64_t hardness_ = 0;
  Mode mode_ = kAnneal;       // of the last round
  Mode main_mode_ = kAnneal;  // has found the better plan, or is tried first
  bool is_decided_ = false;   // the main mode is clearly better
  bool is_second_ = false;    // the other mode has the next round of this level
  bool is_better_ = false;    // the last round found a better plan
  bool is_aside_ = false;     // the last round was not in the main mode
  // The plans with which each mode continues while the modes are compared.
  std::array<optional<GroupPlan>, 2> own_;
  // The number of lengths that rounds have had. Each is twice the one before.
  uint64_t level_ = 0;
  uint64_t round_ = 0;
  uint64_t sweep_ = 0;
  uint64_t nodes_ = 0;
  struct Spent {
    uint64_t nodes = 0;
    int64_t ns = 0;
  };
  std::array<Spent, 2> spent_;  // in all rounds, by mode
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
