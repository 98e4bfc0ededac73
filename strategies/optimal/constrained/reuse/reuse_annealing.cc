// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/reuse/reuse_annealing.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "optimal/constrained/group_optimum.h"
#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "src/model/watch.h"

namespace stowage::optimal {
namespace {

using rigid::Level;

// The first round has kFirstPlacements placements or kFirstSweeps sweeps,
// whichever is more. Each further round is twice as long as the round before.
constexpr uint64_t kFirstPlacements = 20000;
constexpr uint64_t kFirstSweeps = 32;  // at least
// Temperatures, in thousandths of the mean energy of a soft edge. A round
// begins at kWarm or kHot and ends at kCool.
constexpr int64_t kWarm = 500;
constexpr int64_t kHot = 800;
constexpr int64_t kThousand = 1000;
constexpr int64_t kCool = 50;
// The usual hardness. The hardness is a factor for the penalties of forbidden
// overlaps, times 1024, so the usual factor is 1.
constexpr int64_t kUsual = 1024;
// The hardness of the first round, which is short, is kHard if no plan is known
// or if few plans fit, and kFirst otherwise. In later rounds, the hardness is
// adapted within kLeastHard and kMostHard.
constexpr int64_t kFirst = 2 * kUsual;
constexpr int64_t kHard = 8 * kUsual;
constexpr int64_t kLeastHard = kUsual * 3 / 10;
constexpr int64_t kMostHard = 20 * kUsual;
// The initial penalty of a round: at the usual hardness, kPenalty times the
// mean energy; at any hardness, at most kMaxPenalties times as much.
constexpr int64_t kPenalty = 2;
constexpr int64_t kMaxPenalties = 6;
// At the usual hardness, the minimum raise of a penalty after a sweep is a
// tenth of the mean energy in a round of kUsualSweeps sweeps, and more in a
// round of fewer sweeps.
constexpr uint64_t kUsualSweeps = 16000;
// A swap is tried after one in this number of placements, on average.
constexpr uint64_t kPlacementsPerSwap = 50;
// Penalties are lowered at regular intervals, at most kLowerings times in a
// round, such that they halve in three tenths of the round.
constexpr uint64_t kLowerings = 512;
// ln(2) * 2^16.
constexpr int64_t kLogOfTwo = 45426;
// The amount of work between two checks of the signal.
constexpr uint64_t kWorkPerPoll = uint64_t{1} << 13;
// The work of a move, in addition to 1 for each side of the moved group.
constexpr uint64_t kWorkPerMove = 32;
// The modes are compared for at least kLevelsOfBoth levels. A mode is clearly
// better if the other one costs more by a kClearlyBetter-th. A round in the
// other mode then has only a kPartAside-th of the usual length.
constexpr uint64_t kLevelsOfBoth = 2;
constexpr uint64_t kClearlyBetter = 8;
constexpr uint64_t kPartAside = 8;
// The number of levels after which the length of rounds no longer grows.
constexpr uint64_t kMaxGrowth = 24;
// If the remaining nodes or time are not enough for this number of rounds of
// the planned length, the next round is the last one and uses everything that
// remains.
constexpr uint64_t kRoundsAhead = 3;
// The percentage of the remaining time that is planned for the last round. The
// rest is a reserve, because the estimate may be wrong.
constexpr uint64_t kPartOfLastRound = 95;

bool IsCheaper(const GroupPlan& a, const GroupPlan& b) {
  return std::pair(a.cost, a.top) < std::pair(b.cost, b.top);
}

// Returns the nanoseconds until `time`, or 0 if `time` has passed.
int64_t NanosecondsUntil(std::chrono::steady_clock::time_point time) {
  const auto left = time - std::chrono::steady_clock::now();
  return std::max<int64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(left).count(), 0);
}

// Returns the square root of `value`, rounded down. O(log value).
uint64_t SquareRoot(uint64_t value) {
  uint64_t root = value;
  for (uint64_t next = value / 2 + 1; next < root;) {
    root = next;
    next = (root + value / root) / 2;
  }
  return root;
}

// Returns the factor, times 2^16, such that `times` multiplications by this
// factor halve a number.
int64_t HalvingFactor(int64_t times) {
  const int64_t log = kLogOfTwo / std::max<int64_t>(times, 1);
  return (int64_t{1} << 16) - log + ((log * log) >> 17);
}

}  // namespace

ReuseAnnealing::ReuseAnnealing(const RigidGroups& groups,
                               Span<const std::vector<uint32_t>> conflicts,
                               const std::vector<CostlyPair>& costly,
                               const ReuseGoal& goal, uint64_t seed)
    : groups_(groups),
      costly_(costly),
      goal_(goal),
      graph_(groups, conflicts, costly),
      state_(groups, graph_),
      ruin_(groups, graph_),
      random_(seed),
      order_(graph_.movable()) {}

int64_t ReuseAnnealing::Schedule::LeftAt(uint64_t sweep) const {
  return static_cast<int64_t>(((sweeps - sweep) << 10) / sweeps);
}

int64_t ReuseAnnealing::Schedule::TemperatureAt(uint64_t sweep) const {
  const int64_t left = LeftAt(sweep);
  const int64_t square = left * left >> 10;
  return cool + ((hot - cool) * (left + square) >> 11);
}

int64_t ReuseAnnealing::Schedule::RaiseAfter(uint64_t sweep, int64_t hard,
                                             int64_t groups) const {
  // The remaining part of the round, without its last twentieth, times 2^10.
  const int64_t early = std::max<int64_t>(LeftAt(sweep) - 51, 20);
  const int64_t sixteenths = (hard << 25) / (groups * early * early);
  return raise * std::min<int64_t>(std::max<int64_t>(sixteenths, 16), 160) >> 4;
}

// Returns the number of placements of a round. The last round uses all
// remaining nodes or time, so that it is finished, and thus cold, when the
// limit is reached.
uint64_t ReuseAnnealing::PlacementsOf() const {
  uint64_t placements = std::max(kFirstPlacements, kFirstSweeps * order_.size())
                        << std::min(level_, kMaxGrowth);
  if (is_aside_) placements /= kPartAside;
  uint64_t left = max_nodes_ - nodes_;
  const Spent& spent = spent_[spent_[mode_].ns > 0 ? mode_ : 1 - mode_];
  if (stop_->deadline && spent.ns > 0) {
    const auto left_ns =
        static_cast<uint64_t>(NanosecondsUntil(*stop_->deadline));
    const uint128 in_time =
        uint128(left_ns) * spent.nodes / static_cast<uint64_t>(spent.ns);
    left =
        Uint128Low64(std::min(uint128(left), in_time * kPartOfLastRound / 100));
  }
  return left / kRoundsAhead < placements ? std::max<uint64_t>(left, 1)
                                          : placements;
}

ReuseAnnealing::Schedule ReuseAnnealing::ScheduleOf() const {
  const int64_t mean = graph_.mean_energy();
  const uint64_t placements = PlacementsOf();
  Schedule schedule;
  schedule.sweeps = (placements + order_.size() - 1) / order_.size();
  schedule.hot = (level_ % 4 < 2 ? kWarm : kHot) * 65536 * mean / kThousand;
  schedule.cool = kCool * 65536 * mean / kThousand;
  schedule.penalty =
      kPenalty * mean * std::min(hardness_, kMaxPenalties * kUsual) / kUsual;
  const auto root =
      static_cast<int64_t>(SquareRoot((kUsualSweeps << 20) / schedule.sweeps));
  schedule.raise = mean * 64 * hardness_ / kUsual * root / 10;
  return schedule;
}

bool ReuseAnnealing::RunRound(uint64_t nodes, const StopSignal& stop,
                              optional<GroupPlan>* plan) {
  if (order_.empty() || nodes == 0) return false;
  const auto begin = std::chrono::steady_clock::now();
  max_nodes_ = nodes_ + std::min(nodes, ~nodes_);
  stop_ = &stop;
  is_over_ = false;
  if (round_ == 0) {
    hardness_ = goal_.is_tight || !*plan ? kHard : kFirst;
    main_mode_ = goal_.is_tight || !*plan ? kAnneal : kRuin;
  }
  mode_ = NextMode();
  optional<GroupPlan>& own = own_[mode_];
  if (is_decided_ || !own) own = *plan;
  const Schedule schedule = ScheduleOf();
  ++round_;
  Begin(own, schedule.penalty);
  const bool is_lower = limit_ < goal_.limit;
  const uint64_t nodes_before = nodes_;
  if (!state_.is_feasible()) mode_ = kAnneal;
  if (mode_ == kRuin) {
    MoveSeveral(schedule);
  } else {
    Anneal(schedule);
  }
  KeepBest(&own);
  is_better_ = own && (!*plan || IsCheaper(*own, **plan));
  if (is_better_) *plan = own;
  if (is_lower) steps_ = is_better_ ? 1 : steps_ + 1;
  EndRound();
  spent_[mode_].nodes += nodes_ - nodes_before;
  spent_[mode_].ns += NanosecondsSince(begin);
  return is_better_;
}

// Returns the mode of the next round. Both modes have a round at each level,
// and continue with their own plans, until one of them is clearly better. This
// is the main mode from then on; the other mode is used only for a short round
// after the main mode has not found a better plan.
ReuseAnnealing::Mode ReuseAnnealing::NextMode() {
  const auto other = static_cast<Mode>(1 - main_mode_);
  if (!is_decided_) {
    is_second_ = !is_second_;
    return is_second_ ? main_mode_ : other;
  }
  is_aside_ = !is_better_ && !is_aside_;
  return is_aside_ ? other : main_mode_;
}

// Compares the modes at the end of a level, and begins the next level.
void ReuseAnnealing::EndRound() {
  if (is_aside_ || (!is_decided_ && is_second_)) return;
  ++level_;
  if (is_decided_) return;
  const auto other = static_cast<Mode>(1 - main_mode_);
  if (!own_[other]) return;
  if (!own_[main_mode_] || IsCheaper(*own_[other], *own_[main_mode_])) {
    main_mode_ = other;
  }
  const auto& worse = own_[1 - main_mode_];
  const uint64_t least = own_[main_mode_]->cost;
  is_decided_ = level_ >= kLevelsOfBoth &&
                (!worse || worse->cost - least > least / kClearlyBetter);
}

// Melts and cools the state.
void ReuseAnnealing::Anneal(const Schedule& schedule) {
  const uint64_t period = (schedule.sweeps + kLowerings - 1) / kLowerings;
  const int64_t factor =
      HalvingFactor(static_cast<int64_t>(3 * schedule.sweeps / period / 10));
  uint64_t feasible_from = schedule.sweeps;  // the first feasible sweep
  for (sweep_ = 0; sweep_ < schedule.sweeps && !IsOver(); ++sweep_) {
    Sweep(Temperature(schedule.TemperatureAt(sweep_)));
    if (state_.is_feasible()) {
      feasible_from = std::min(feasible_from, sweep_);
    } else {
      state_.RaisePenalties(schedule.RaiseAfter(
          sweep_, state_.hard(), static_cast<int64_t>(order_.size())));
    }
    if (sweep_ % period == 0) state_.LowerPenalties(factor);
  }
  if (sweep_ == schedule.sweeps) AdaptHardness(feasible_from, schedule.sweeps);
}

// Moves several groups at a time, at a temperature that halves in each tenth of
// the round. Nothing overlaps at any time.
void ReuseAnnealing::MoveSeveral(const Schedule& schedule) {
  const uint64_t begin = nodes_;
  const uint64_t count = schedule.sweeps * order_.size();
  const int64_t hot = std::max(graph_.mean_energy(), state_.energy() / 50)
                      << 16;
  while (nodes_ - begin < count && !IsOver()) {
    const uint64_t tenths = 10 * (nodes_ - begin) / count;
    const auto rest =
        static_cast<int64_t>(10 * (nodes_ - begin) % count * 1024 / count);
    sweep_ = (nodes_ - begin) / order_.size();
    const int64_t temperature = (hot >> tenths) * (2048 - rest) >> 11;
    ruin_.Step(Temperature(std::max<int64_t>(temperature, 1)),
               max_nodes_ - nodes_, &state_, &random_);
    for (const uint32_t group : ruin_.removed()) CountMove(group);
    if (ruin_.removed().empty()) {
      ++nodes_;
      work_ += kWorkPerMove;
    }
  }
}

// Raises the hardness if no state of this round was feasible. Lowers the
// hardness if the first feasible state came long before the end of the round.
void ReuseAnnealing::AdaptHardness(uint64_t feasible_from, uint64_t sweeps) {
  if (feasible_from == sweeps) {
    hardness_ = std::min(hardness_ * 13 / 10, kMostHard);
  } else if (feasible_from < sweeps / 5 * 3) {
    hardness_ = std::max(hardness_ * 7 / 10, kLeastHard);
  }
}

bool ReuseAnnealing::Complete(const std::vector<Level>& starts,
                              Span<const uint32_t> others,
                              optional<GroupPlan>* plan) {
  limit_ = goal_.limit;
  state_.Reset(graph_.ToUnits(starts, limit_), limit_, graph_.mean_energy());
  // At the lowest temperature, the heat bath gives weight only to the least
  // energy.
  for (const uint32_t group : others) {
    state_.Place(group, Temperature(1), &random_);
    ++nodes_;
  }
  best_.clear();
  if (!state_.is_feasible()) return false;
  best_ = state_.starts();
  best_.pop_back();  // drops the start of the ground
  return KeepBest(plan);
}

// Sets the initial state of a round and the goal of the round.
void ReuseAnnealing::Begin(const optional<GroupPlan>& plan, int64_t penalty) {
  limit_ = goal_.limit;
  best_.clear();
  best_energy_ = std::numeric_limits<int64_t>::max();
  enough_ = graph_.EnergyOf(goal_.cost_bound);
  const std::vector<Level> starts = graph_.ToUnits(
      plan ? plan->starts : std::vector<Level>(groups_.size()), limit_);
  state_.Reset(starts, limit_, penalty);
  if (!plan) return;
  if (state_.is_feasible()) best_energy_ = state_.energy();
  if (plan->cost > goal_.cost_bound) return;
  // The plan already has the least cost, so only a plan of the same cost with a
  // lower top is better. Tries large steps towards the bound first.
  if (state_.is_feasible()) enough_ = std::max(enough_, state_.energy());
  best_energy_ = std::numeric_limits<int64_t>::max();
  limit_ = plan->top - std::max<Level>(1, (plan->top - goal_.bound) >>
                                              std::min(steps_, 60));
  state_.Reset(starts, limit_, penalty);
}

void ReuseAnnealing::Sweep(const Temperature& temperature) {
  for (size_t k = order_.size(); k > 1; --k) {
    std::swap(order_[k - 1], order_[random_.Below(k)]);
  }
  for (const uint32_t group : order_) {
    if (IsOver()) return;
    state_.Place(group, temperature, &random_);
    CountMove(group);
    if (random_.Below(kPlacementsPerSwap) == 0 && !IsOver()) Swap(temperature);
  }
}

// Exchanges a random group with a group that conflicts with it.
void ReuseAnnealing::Swap(const Temperature& temperature) {
  const uint32_t group = order_[random_.Below(order_.size())];
  const auto sides = graph_.HardSidesOf(group);
  if (sides.empty()) return;
  const uint32_t other = sides[random_.Below(sides.size())].other;
  if (other == graph_.size() || groups_[other].is_fixed()) return;
  state_.TrySwap(group, other, temperature, &random_);
  CountMove(group);
}

// Counts a move of the group, and stores the state if it is the best one so
// far.
void ReuseAnnealing::CountMove(uint32_t group) {
  ++nodes_;
  work_ += kWorkPerMove + graph_.HardSidesOf(group).size() +
           graph_.SoftSidesOf(group).size();
  if (!state_.is_feasible() || state_.energy() >= best_energy_) return;
  best_energy_ = state_.energy();
  best_ = state_.starts();
  best_.pop_back();  // drops the start of the ground
  best_sweep_ = sweep_;
  if (best_energy_ <= enough_) is_over_ = true;
}

bool ReuseAnnealing::IsOver() {
  if (nodes_ >= max_nodes_) is_over_ = true;
  if (work_ >= kWorkPerPoll) {
    work_ = 0;
    is_over_ = is_over_ || stop_->IsSet();
  }
  return is_over_;
}

// Compacts the best state of this round. Replaces the plan by the result if the
// result is better, and returns whether it has done so.
bool ReuseAnnealing::KeepBest(optional<GroupPlan>* plan) {
  if (best_.empty()) return false;
  state_.Reset(best_, limit_, graph_.mean_energy());
  state_.Compact();
  GroupPlan found;
  found.starts = graph_.ToBytes(state_.starts());
  found.top = groups_.TopOf(found.starts);
  found.cost = CostOf(groups_, costly_, found.starts);
  if (found.top > goal_.limit) return false;
  if (*plan && !IsCheaper(found, **plan)) return false;
  *plan = std::move(found);
  found_by_ = StrCat(mode_ == kRuin ? "ruin and recreate" : "reuse annealing",
                     " (round ", round_, ", sweep ", best_sweep_ + 1, ")");
  return true;
}

}  // namespace stowage::optimal
