// SPDX-License-Identifier: Apache-2.0
// Tests the state of the annealing that reduces costs, its moves, and rounds.
#include "optimal/constrained/reuse/reuse_annealing.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/constrained/group_optimum.h"
#include "optimal/constrained/reuse/boltzmann.h"
#include "optimal/constrained/reuse/energy_graph.h"
#include "optimal/constrained/reuse/reuse_state.h"
#include "optimal/constrained/reuse/ruin.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/random.h"
#include "stowage/problem.h"
#include "stowage/testing/random_problems.h"

namespace stowage::optimal {
namespace {

using rigid::Level;

// Holds the groups of one problem and all other data that the annealing needs.
struct Model {
  // Returns nothing if the problem is contradictory or has no constraints.
  static std::optional<Model> Make(ProblemSpec spec) {
    auto made = Problem::Create(std::move(spec));
    if (!made.ok() || made->constraints() == nullptr) return std::nullopt;
    Model model{std::make_unique<Problem>(*std::move(made)), {}, {}, {}};
    const Problem& problem = *model.problem;
    model.groups = std::make_unique<RigidGroups>(
        *RigidGroups::Make(problem, rigid::AllRecordsOf(problem), 0));
    const rigid::Relation relation(problem);
    WorkLimit work(WorkLimit::kUnlimited);
    model.conflicts =
        *ListConflicts(*model.groups, relation, size_t{1} << 20, &work);
    for (const ApartPreference& wish : problem.constraints()->prefer_apart) {
      const auto piece_of = [&](size_t record) -> std::optional<uint32_t> {
        for (uint32_t p = 0; p < model.groups->pieces().size(); ++p) {
          if (model.groups->pieces()[p].record == record) return p;
        }
        return std::nullopt;
      };
      const auto a = piece_of(wish.first);
      const auto b = piece_of(wish.second);
      if (!a || !b) continue;
      const auto pieces = model.groups->pieces();
      if (pieces[*a].group == pieces[*b].group) continue;
      model.costly.push_back({*a, *b, wish.cost});
    }
    return model;
  }

  Level limit() const { return groups->capacity().value_or(groups->max()); }
  GroupPlan PlanAt(std::vector<Level> starts) const {
    GroupPlan plan;
    plan.top = groups->TopOf(starts);
    plan.cost = CostOf(*groups, costly, starts);
    plan.starts = std::move(starts);
    return plan;
  }

  std::unique_ptr<Problem> problem;
  std::unique_ptr<RigidGroups> groups;
  std::vector<std::vector<uint32_t>> conflicts;
  std::vector<CostlyPair> costly;
};

// Returns a random problem with constraints of all kinds except for pools. It
// has more pairs that prefer to be apart than the problems of the test kit.
ProblemSpec AnyConstraints(uint64_t seed) {
  testing::ProblemParameters parameters;
  parameters.features = parameters.features.Without({Feature::kPools});
  parameters.has_never = seed % 2 == 0;
  parameters.has_prefer_apart = true;
  ProblemSpec spec = testing::RandomProblem(seed, 4 + seed % 20, parameters);
  Random random(seed);
  spec.constraints.prefer_apart.clear();
  for (size_t a = 0; a < spec.records.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (random.Below(3) > 0) continue;
      spec.constraints.prefer_apart.push_back({a, b, 1 + random.Below(9)});
    }
  }
  return spec;
}

// Each move updates the energy and the number of overlapping hard edges. The
// test compares both with values that are recomputed from scratch.
TEST(ReuseState, KeepsTheEnergyExactInRandomMoves) {
  uint64_t feasible = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const auto model = Model::Make(AnyConstraints(seed));
    if (!model) continue;
    const EnergyGraph graph(*model->groups, model->conflicts, model->costly);
    if (graph.movable().empty()) continue;
    ReuseState state(*model->groups, graph);
    state.Reset(graph.ToUnits(std::vector<Level>(model->groups->size()),
                              model->limit()),
                model->limit(), 2000);
    ASSERT_EQ(state.packed(), state.PackedAgain());
    Random random(seed);
    for (int move = 1; move <= 1000; ++move) {
      const Temperature temperature((1 + static_cast<int64_t>(random.Below(64)))
                                    << 16);
      const auto any = [&] {
        return graph.movable()[random.Below(graph.movable().size())];
      };
      state.Place(any(), temperature, &random);
      const uint32_t a = any();
      const uint32_t b = any();
      if (a != b) state.TrySwap(a, b, temperature, &random);
      if (move % 10 == 0) state.RaisePenalties((10 << 16) / 3);
      if (move % 25 == 0) state.LowerPenalties(60000);
      ASSERT_EQ(state.packed(), state.PackedAgain());
      if (!state.is_feasible()) continue;
      ++feasible;
      const uint64_t cost =
          CostOf(*model->groups, model->costly, graph.ToBytes(state.starts()));
      ASSERT_EQ(state.energy(), graph.EnergyOf(cost));
    }
  }
  EXPECT_GT(feasible, 5000u);
}

// A move keeps all hard edges free, and updates the energy exactly. At a very
// low temperature, no move raises it.
TEST(Ruin, KeepsPlansFeasibleAndTheirEnergyExact) {
  uint64_t cheaper = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const auto model = Model::Make(AnyConstraints(seed));
    if (!model) continue;
    const EnergyGraph graph(*model->groups, model->conflicts, model->costly);
    if (graph.movable().empty()) continue;
    ReuseState state(*model->groups, graph);
    Random random(seed);
    state.Reset(graph.ToUnits(std::vector<Level>(model->groups->size()),
                              model->limit()),
                model->limit(), 2000);
    for (int sweep = 0; sweep < 200 && !state.is_feasible(); ++sweep) {
      for (const uint32_t group : graph.movable()) {
        state.Place(group, Temperature(1 << 16), &random);
      }
      state.RaisePenalties(100 << 16);
    }
    if (!state.is_feasible()) continue;
    Ruin ruin(*model->groups, graph);
    for (int move = 1; move <= 200; ++move) {
      const int64_t before = state.energy();
      const bool is_cold = move % 2 == 0;
      ruin.Step(Temperature(is_cold ? 1 : 64 << 16), 14, &state, &random);
      ASSERT_TRUE(state.is_feasible());
      ASSERT_EQ(state.packed(), state.PackedAgain());
      if (!is_cold) continue;
      ASSERT_LE(state.energy(), before);
      cheaper += state.energy() < before ? 1 : 0;
    }
    const std::vector<Level> starts = graph.ToBytes(state.starts());
    ASSERT_EQ(state.energy(),
              graph.EnergyOf(CostOf(*model->groups, model->costly, starts)));
    ASSERT_LE(model->groups->TopOf(starts), model->limit());
  }
  EXPECT_GT(cheaper, 20u);
}

TEST(ReuseState, AddsUpPartsOfPenalties) {
  // Two records of 64 bytes are live together, and both are at the bottom.
  ProblemSpec spec;
  spec.records = {{64, 0, 1}, {64, 0, 1}, {64, 3, 3}};
  spec.capacity = 192;
  spec.constraints.prefer_apart = {{0, 2, 1}};
  const auto model = Model::Make(std::move(spec));
  ASSERT_TRUE(model);
  const EnergyGraph graph(*model->groups, model->conflicts, model->costly);
  ReuseState state(*model->groups, graph);
  state.Reset({0, 0, 2}, model->limit(), 20);
  EXPECT_EQ(state.hard(), 1);
  EXPECT_EQ(state.energy(), 20);
  const int64_t third = (1 << 16) / 3 + 1;
  state.RaisePenalties(third);
  state.RaisePenalties(third);
  EXPECT_EQ(state.energy(), 20);
  state.RaisePenalties(third);
  EXPECT_EQ(state.energy(), 21);
  EXPECT_EQ(state.packed(), state.PackedAgain());
  // No matter how long an overlap lasts, its penalty grows by at most 16 * 20.
  for (int times = 0; times < 100; ++times) state.RaisePenalties(10 << 16);
  EXPECT_EQ(state.energy(), 20 + 16 * 20);
}

TEST(ReuseState, CompactsWithoutCost) {
  uint64_t compacted = 0;
  uint64_t lowered = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const auto model = Model::Make(AnyConstraints(seed));
    if (!model) continue;
    const EnergyGraph graph(*model->groups, model->conflicts, model->costly);
    ReuseState state(*model->groups, graph);
    state.Reset(graph.ToUnits(std::vector<Level>(model->groups->size()),
                              model->limit()),
                model->limit(), 2000);
    Random random(seed);
    for (int sweep = 0; sweep < 50; ++sweep) {
      for (const uint32_t group : graph.movable()) {
        state.Place(group, Temperature(16 << 16), &random);
      }
    }
    if (!state.is_feasible()) continue;
    const int64_t energy = state.energy();
    const Level top = model->groups->TopOf(graph.ToBytes(state.starts()));
    ++compacted;
    state.Compact();
    EXPECT_TRUE(state.is_feasible());
    EXPECT_LE(state.energy(), energy);
    EXPECT_EQ(state.packed(), state.PackedAgain());
    const Level low = model->groups->TopOf(graph.ToBytes(state.starts()));
    EXPECT_LE(low, top);
    lowered += low < top ? 1 : 0;
  }
  EXPECT_GT(compacted, 50u);
  EXPECT_GT(lowered, 20u);
}

// Costs that are too large for exact energies are rounded. The cost of the plan
// is nevertheless exact.
TEST(ReuseAnnealing, CountsLargeCostsExactly) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}, {8, 2, 2}};
  spec.capacity = 16;
  constexpr uint64_t kLarge = uint64_t{1} << 62;
  spec.constraints.prefer_apart = {
      {0, 1, kLarge + 1}, {1, 2, kLarge - 1}, {0, 2, 3}};
  const auto model = Model::Make(spec);
  ReuseGoal goal;
  goal.limit = 16;
  ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                           goal, 1);
  optional<GroupPlan> plan;
  EXPECT_TRUE(annealing.RunRound(2000, StopSignal(), &plan));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 3u);
}

// Returns `count` records of equal size that are live one after another. Any
// two of them prefer to be apart, and the capacity has room for `slots`
// records.
ProblemSpec Uniform(size_t count, size_t slots) {
  ProblemSpec spec;
  spec.capacity = 64 * slots;
  for (TaskId task = 0; task < count; ++task) {
    spec.records.emplace_back(64, task, task);
    for (size_t other = 0; other < task; ++other) {
      spec.constraints.prefer_apart.push_back({other, task, 1});
    }
  }
  return spec;
}

// The number of pairs within slots is smallest if the records are divided
// evenly among the slots. Source: Turán, "Eine Extremalaufgabe aus der
// Graphentheorie", 1941.
TEST(ReuseAnnealing, DividesEqualRecordsEvenly) {
  for (const auto& [count, slots, cost] :
       {std::tuple(10, 2, 20), std::tuple(10, 3, 12), std::tuple(12, 4, 12)}) {
    const auto model = Model::Make(
        Uniform(static_cast<size_t>(count), static_cast<size_t>(slots)));
    ReuseGoal goal;
    goal.limit = model->limit();
    ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                             goal, 1);
    optional<GroupPlan> plan =
        model->PlanAt(std::vector<Level>(static_cast<size_t>(count)));
    EXPECT_TRUE(annealing.RunRound(5000, StopSignal(), &plan));
    EXPECT_EQ(plan->cost, static_cast<uint64_t>(cost));
  }
}

// Returns records in 12 columns, which follow each other in time. The 24
// records of a column are live together. Each record pays for sharing bytes
// with about half of the records of the next column. Sets `starts` to a plan
// that leaves a sixty-fourth of the capacity free.
ProblemSpec Columns(std::vector<Level>* starts) {
  constexpr size_t kColumns = 12;
  constexpr size_t kRows = 24;
  constexpr Level kHeight = 4096;
  ProblemSpec spec;
  Random random(1);
  for (size_t column = 0; column < kColumns; ++column) {
    std::vector<Level> ends = {kHeight};
    for (size_t row = 1; row < kRows; ++row) {
      ends.push_back(1 + static_cast<Level>(random.Below(kHeight - 1)));
    }
    std::sort(ends.begin(), ends.end());
    Level start = 0;
    for (const Level end : ends) {
      const Level size = std::max<Level>((end - start) * 63 / 64, 1);
      spec.records.emplace_back(static_cast<uint64_t>(size),
                                static_cast<TaskId>(column),
                                static_cast<TaskId>(column));
      starts->push_back(start);
      start = end;
    }
  }
  for (size_t record = 0; record + kRows < spec.records.size(); ++record) {
    const size_t next = record - record % kRows + kRows;
    for (size_t other = next; other < next + kRows; ++other) {
      if (random.Below(2) > 0) continue;
      spec.constraints.prefer_apart.push_back({record, other, 1});
    }
  }
  spec.capacity = kHeight;
  return spec;
}

// A harder round raises the penalties of overlaps more. If all four rounds were
// only as hard as the first, all of them would end with overlaps.
TEST(ReuseAnnealing, GetsHarderUntilPlansFit) {
  std::vector<Level> starts;
  const auto model = Model::Make(Columns(&starts));
  ASSERT_TRUE(model);
  ReuseGoal goal;
  goal.limit = model->limit();
  optional<GroupPlan> plan = model->PlanAt(starts);
  const uint64_t first = plan->cost;
  ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                           goal, 1);
  for (int round = 0; round < 4; ++round) {
    annealing.RunRound(100000000, StopSignal(), &plan);
  }
  EXPECT_LT(plan->cost, first / 2);
}

// The last round uses all remaining nodes, so no round is cut off while its
// temperature is still high.
TEST(ReuseAnnealing, FitsTheLastRoundToTheNodes) {
  const auto model = Model::Make(Uniform(12, 4));
  ReuseGoal goal;
  goal.limit = model->limit();
  const auto nodes_of_first_round = [&](uint64_t nodes) {
    ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                             goal, 1);
    optional<GroupPlan> plan = model->PlanAt(std::vector<Level>(12));
    annealing.RunRound(nodes, StopSignal(), &plan);
    return annealing.nodes();
  };
  const uint64_t usual = nodes_of_first_round(1000000);
  EXPECT_LT(usual, 30000u);
  EXPECT_GE(nodes_of_first_round(50000), 49000u);
}

TEST(ReuseAnnealing, FitsTheLastRoundToTheTime) {
  const auto model = Model::Make(Uniform(40, 4));
  ReuseGoal goal;
  goal.limit = model->limit();
  ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                           goal, 1);
  optional<GroupPlan> plan = model->PlanAt(std::vector<Level>(40));
  annealing.RunRound(1000000, StopSignal(), &plan);
  const uint64_t first = annealing.nodes();
  // A second round of the usual length would use as many nodes as the first.
  StopSignal stop;
  stop.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3600);
  annealing.RunRound(2 * first, stop, &plan);
  EXPECT_GE(annealing.nodes(), 3 * first - 100);
  stop.deadline = std::chrono::steady_clock::now();
  const uint64_t before = annealing.nodes();
  annealing.RunRound(1000000, stop, &plan);
  EXPECT_LT(annealing.nodes(), before + first);
}

// Three of the four equal slots are occupied. The fourth record costs nothing
// only in the last slot.
TEST(ReuseAnnealing, CompletesAPlan) {
  const auto model = Model::Make(Uniform(4, 4));
  ReuseGoal goal;
  goal.limit = model->limit();
  ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                           goal, 1);
  optional<GroupPlan> plan;
  EXPECT_TRUE(annealing.Complete({0, 0, 128, 64}, {1}, &plan));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 0u);
  EXPECT_EQ(plan->starts, (std::vector<Level>{0, 192, 128, 64}));
  EXPECT_FALSE(annealing.Complete({0, 0, 128, 64}, {1}, &plan));
}

TEST(ReuseAnnealing, NeverLosesAPlanAndLowersTheTopAtTheLeastCost) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto model = Model::Make(AnyConstraints(seed));
    if (!model) continue;
    ReuseGoal goal;
    goal.limit = model->limit();
    optional<GroupPlan> plan;
    ReuseAnnealing annealing(*model->groups, model->conflicts, model->costly,
                             goal, seed);
    for (int round = 0; round < 4; ++round) {
      const optional<GroupPlan> before = plan;
      const uint64_t nodes = annealing.nodes();
      const bool is_better = annealing.RunRound(1000, StopSignal(), &plan);
      EXPECT_LE(annealing.nodes(), nodes + 1001);
      if (!plan) continue;
      EXPECT_EQ(plan->cost,
                CostOf(*model->groups, model->costly, plan->starts));
      EXPECT_EQ(plan->top, model->groups->TopOf(plan->starts));
      EXPECT_LE(plan->top, goal.limit);
      if (!before) continue;
      EXPECT_EQ(is_better, std::pair(plan->cost, plan->top) <
                               std::pair(before->cost, before->top));
    }
    if (!plan) continue;
    // If the cost is known to be the lowest, rounds only try to lower the top.
    goal.cost_bound = plan->cost;
    ReuseAnnealing lowering(*model->groups, model->conflicts, model->costly,
                            goal, seed);
    const GroupPlan before = *plan;
    if (!lowering.RunRound(1000, StopSignal(), &plan)) continue;
    EXPECT_LE(plan->cost, before.cost);
    EXPECT_LT(plan->top, before.top);
  }
}

}  // namespace
}  // namespace stowage::optimal
