// SPDX-License-Identifier: Apache-2.0
// Compares OPTIMAL with an exhaustive search, and with itself on different
// numbers of threads. Also tests OPTIMAL on inputs that were designed to break
// it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/strategies/optimal_inputs.h"
#include "tests/support/hard_records.h"
#include "tests/support/plan_request.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::HardRecords;
using support::Plan;
using support::PlanRequest;

// Returns the smallest total size over all orders in which the records are
// placed as low as possible. Pushing down the records of any plan results in
// the plan of one of these orders.
size_t LeastTotal(const Records& records, const Alignments& alignments) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  size_t least = std::numeric_limits<size_t>::max();
  do {
    std::vector<size_t> top(records.size(), 0);
    size_t total = 0;
    for (size_t k = 0; k < order.size() && total < least; ++k) {
      const ByteRecord& record = records[order[k]];
      size_t floor = 0;
      for (size_t j = 0; j < k; ++j) {
        if (records[order[j]].tensor_size == 0) continue;
        if (Conflict(record, records[order[j]])) {
          floor = std::max(floor, top[order[j]]);
        }
      }
      if (record.tensor_size == 0) continue;
      top[order[k]] =
          AlignUp(floor, alignments.Of(order[k])) + record.tensor_size;
      total = std::max(total, top[order[k]]);
    }
    least = std::min(least, total);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(Optimal, IsTheLeastOfAllPlansOfTinyInputs) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const Records records = TinyRecords(&random, 6);
    const auto plan = Plan(records, ByNodes(100000));
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->status, SolutionStatus::kOptimal) << "round " << round;
    ASSERT_EQ(plan->total_size, LeastTotal(records, Alignments()))
        << "round " << round;
    ASSERT_EQ(plan->lower_bound, plan->total_size);
  }
}

std::vector<size_t> TinyAlignments(Random* random, size_t count) {
  std::vector<size_t> each;
  for (size_t i = 0; i < count; ++i) {
    each.push_back(size_t{1} << random->Below(4));
  }
  return each;
}

TEST(Optimal, IsTheLeastOfAllAlignedPlansOfTinyInputs) {
  Random random(2);
  size_t above_bound = 0;
  for (int round = 0; round < 2000; ++round) {
    const Records records = TinyRecords(&random, 5);
    const auto each = TinyAlignments(&random, records.size());
    PlanRequest options = ByNodes(100000);
    options.alignments = Alignments(each);
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->status, SolutionStatus::kOptimal) << "round " << round;
    ASSERT_EQ(plan->total_size, LeastTotal(records, options.alignments))
        << "round " << round;
    if (plan->total_size == OffsetsLowerBound(records)) continue;
    ++above_bound;
    ASSERT_TRUE(plan->bound_proof.kind == BoundProof::Kind::kSearch);
    ASSERT_GT(plan->nodes, 0u);
  }
  // The test is meaningful only if many bounds above the simple bound were
  // proved.
  EXPECT_GT(above_bound, 100u);
}

// The sizes are not multiples of the alignment of malloc, as in real programs.
// The padding at the task with the most bytes immediately proves the bound.
TEST(Optimal, ProvesBoundsByPadding) {
  Records records;
  for (size_t i = 0; i < 3000; ++i) records.push_back({24, i, 3000 + i});
  PlanRequest options = ByNodes(100000);
  options.alignments = Alignments(16);
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
  EXPECT_EQ(plan->total_size, size_t{3000} * 32 - 8);
  EXPECT_EQ(plan->bound_proof.kind, BoundProof::Kind::kSearch);
}

// The first record fits by itself, and the last three would fit without
// padding.
TEST(Optimal, NamesRecordsThatPaddingKeepsFromFitting) {
  const Records records = {{5, 0, 0}, {20, 1, 1}, {20, 1, 1}, {8, 1, 1}};
  PlanRequest options = ByNodes(100000);
  options.alignments = Alignments(16);
  options.capacity = 59;
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kInfeasible);
  EXPECT_EQ(plan->conflict, (std::vector<size_t>{1, 2, 3}));
  EXPECT_TRUE(plan->conflict_is_irreducible);
  EXPECT_EQ(plan->lower_bound, 60U);
}

TEST(Optimal, DecidesEveryCapacityOfTinyInputs) {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    const Records records = TinyRecords(&random, 6);
    const size_t least = LeastTotal(records, Alignments());
    for (size_t capacity = least - std::min<size_t>(least, 2);
         capacity <= least + 1; ++capacity) {
      PlanRequest options = ByNodes(100000);
      options.capacity = capacity;
      const auto plan = Plan(records, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      if (capacity < least) {
        ASSERT_EQ(plan->status, SolutionStatus::kInfeasible);
      } else {
        ASSERT_TRUE(plan->status == SolutionStatus::kOptimal ||
                    plan->status == SolutionStatus::kFeasible)
            << SolutionStatusName(plan->status) << ", round " << round;
        ASSERT_LE(plan->total_size, capacity);
      }
    }
  }
}

// Returns the smallest total size of the records with the given indices.
size_t LeastOf(const Records& records, const std::vector<size_t>& alignments,
               const std::vector<size_t>& indices) {
  Records chosen;
  std::vector<size_t> each;
  for (const size_t i : indices) {
    chosen.push_back(records[i]);
    each.push_back(alignments[i]);
  }
  return LeastTotal(chosen, Alignments(each));
}

// Returns a description of a fault that makes a plan of the records with the
// given indices unsafe, or an empty string if there is none.
std::string FaultOf(const Records& records,
                    const std::vector<size_t>& alignments,
                    const std::vector<size_t>& indices,
                    const OffsetsAssignment& plan) {
  Records chosen;
  std::vector<size_t> each;
  for (const size_t i : indices) {
    chosen.push_back(records[i]);
    each.push_back(alignments[i]);
  }
  const auto violation = FindViolation(chosen, plan, Alignments(each));
  return violation ? Describe(*violation) : "";
}

TEST(Optimal, NamesRecordsThatCannotFitTogether) {
  Random random(4);
  size_t searched = 0;
  size_t irreducible = 0;
  size_t shown = 0;
  for (int round = 0; round < 1000; ++round) {
    const Records records = TinyRecords(&random, 6);
    const auto each = TinyAlignments(&random, records.size());
    PlanRequest options = ByNodes(100000);
    options.alignments = Alignments(each);
    const size_t least = LeastTotal(records, options.alignments);
    if (least == 0) continue;
    options.capacity = least - 1;
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->status, SolutionStatus::kInfeasible);
    const std::vector<size_t>& conflict = plan->conflict;
    ASSERT_FALSE(conflict.empty());
    ASSERT_GE(LeastOf(records, each, conflict), least);
    if (plan->bound_proof.kind == BoundProof::Kind::kSearch) ++searched;
    const bool is_shown = !plan->conflict_witnesses.empty();
    ASSERT_LE(is_shown, plan->conflict_is_irreducible);
    // If a search found that the conflict is irreducible, there are witnesses.
    if (plan->bound_proof.kind == BoundProof::Kind::kSearch) {
      ASSERT_EQ(is_shown, plan->conflict_is_irreducible);
    }
    if (!plan->conflict_is_irreducible) continue;
    ++irreducible;
    for (size_t k = 0; k < conflict.size(); ++k) {
      std::vector<size_t> rest = conflict;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      ASSERT_LT(LeastOf(records, each, rest), least) << "round " << round;
      if (!is_shown) continue;
      ++shown;
      ASSERT_EQ(plan->conflict_witnesses.size(), conflict.size());
      ASSERT_EQ(FaultOf(records, each, rest,
                        {plan->conflict_witnesses[k], *options.capacity}),
                "");
    }
  }
  EXPECT_GT(searched, 50u);
  EXPECT_GT(irreducible, 50u);
  EXPECT_GT(shown, 100u);
}

TEST(Optimal, OneRecordMoreNeverLowersTheOptimum) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    Records records = TinyRecords(&random, 12);
    size_t before = 0;
    while (!records.empty()) {
      const auto plan = Plan(records, ByNodes(1000000));
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_EQ(plan->status, SolutionStatus::kOptimal);
      if (before > 0) {
        ASSERT_LE(plan->total_size, before);
      }
      before = plan->total_size;
      records.pop_back();
    }
  }
}

TEST(Optimal, PacksWithoutAHoleWhatWasCutFromOnePiece) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto plan = Plan(HardRecords(seed, 40), ByNodes(500000));
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->status, SolutionStatus::kOptimal) << "seed " << seed;
    EXPECT_EQ(plan->total_size, support::kHardOptimum);
  }
}

TEST(Optimal, WithANodeBudgetIsTheSameOnAnyNumberOfThreads) {
  constexpr uint64_t kNodes = support::Sampled(60000);
  for (const size_t count : {size_t{80}, size_t{400}}) {
    const Records records = HardRecords(8, count);
    PlanRequest options = ByNodes(kNodes);
    const auto one = Plan(records, options);
    ASSERT_TRUE(one.ok()) << one.status();
    // Checks that the budget stops the search of 400 records.
    if (count == 400) {
      ASSERT_GT(one->nodes, kNodes * 9 / 10);
    }
    for (const size_t threads : {size_t{2}, size_t{5}}) {
      options.search.threads = threads;
      const auto several = Plan(records, options);
      ASSERT_TRUE(several.ok()) << several.status();
      EXPECT_EQ(several->offsets()->offsets, one->offsets()->offsets);
      EXPECT_EQ(several->lower_bound, one->lower_bound);
      EXPECT_EQ(several->nodes, one->nodes);
    }
  }
}

TEST(Optimal, EndsWhenItIsCancelled) {
  const Records records = HardRecords(8, 400);
  support::TestObserver observer([](const SearchProgress&) { return false; });
  PlanRequest options = ByNodes(std::numeric_limits<uint64_t>::max());
  options.search.observer = &observer;
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_GE(plan->total_size, plan->lower_bound);
}

// The test allows seconds, because tests run on busy machines. A benchmark
// measures how long after the deadline the search stops.
TEST(Optimal, EndsAfterItsDeadline) {
  PlanRequest options;
  options.strategy = "optimal";
  options.search.time_limit_ns =
      absl::ToInt64Nanoseconds(absl::Milliseconds(100));
  const auto plan = Plan(HardRecords(8, 400), options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kFeasible);
  EXPECT_LT(absl::Nanoseconds(plan->time_ns), absl::Seconds(5));
}

struct BadInput {
  std::string name;
  Records records;
};

std::vector<BadInput> BadInputs() {
  constexpr size_t kMany = 100000;
  std::vector<BadInput> inputs = {
      {"nothing", {}},
      {"no bytes", Records(1000, {0, 0, 9})},
      {"identical", Records(kMany, {7, 3, 5})},
      {"a byte and 2^60", {}},
      {"one for ever", {{100, 0, 2 * kMany}}},
      {"all conflict", {}},
  };
  for (size_t i = 0; i < 40; ++i) {
    inputs[3].records.push_back(
        {i % 3 == 0 ? size_t{1} << 58 : 1, i / 4, i / 4 + i % 5});
  }
  for (size_t i = 0; i < kMany; ++i) {
    inputs[4].records.push_back({1 + i % 13, 2 * i, 2 * i + 1});
    inputs[5].records.push_back({1 + i % 5, i, kMany});
  }
  return inputs;
}

TEST(Optimal, IsHonestAboutBadInputs) {
  for (const BadInput& input : BadInputs()) {
    SCOPED_TRACE(input.name);
    for (const absl::Duration deadline :
         {absl::ZeroDuration(), absl::Milliseconds(20)}) {
      PlanRequest options;
      options.strategy = "optimal";
      options.search.time_limit_ns = absl::ToInt64Nanoseconds(deadline);
      const auto plan = Plan(input.records, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_LE(plan->lower_bound, plan->total_size);
      EXPECT_EQ(plan->status == SolutionStatus::kOptimal,
                plan->lower_bound == plan->total_size);
    }
    for (const size_t capacity : {size_t{0}, size_t{1}}) {
      PlanRequest options;
      options.strategy = "optimal";
      options.search.time_limit_ns = 0;
      options.capacity = capacity;
      const auto plan = Plan(input.records, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->status, NaiveSize(input.records) == 0
                                  ? SolutionStatus::kOptimal
                                  : SolutionStatus::kInfeasible);
    }
  }
}

TEST(Optimal, KnowsWhenItDoesNotKnow) {
  // With a budget of 0 nodes, the search finds neither a plan nor a proof.
  const Records records = HardRecords(9, 200);
  PlanRequest options = ByNodes(0);
  const auto best = Plan(records, options);
  ASSERT_TRUE(best.ok()) << best.status();
  ASSERT_EQ(best->status, SolutionStatus::kFeasible);
  options.capacity = best->lower_bound;
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kTimeLimit);
  EXPECT_FALSE(plan->has_plan());
}

// With a capacity, the search does not stop at the first plan within the
// capacity.
TEST(Optimal, GoesOnToTheOptimumWithinACapacity) {
  const auto trace =
      ReadProblemFile(STOWAGE_SOURCE_DIR "/data/traces/lstm.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  PlanRequest options = ByNodes(100000);
  options.capacity = size_t{1} << 20;
  const auto plan = Plan(trace->problem.records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
  EXPECT_EQ(plan->total_size, 32768u);
}

// The search first looks for a plan within the capacity and then for smaller
// plans.
TEST(Optimal, GoesOnFromTheFirstPlanWithinACapacity) {
  int searched = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Records records = HardRecords(seed, 60);
    PlanRequest options = ByNodes(0);
    const auto constructed = Plan(records, options);
    ASSERT_TRUE(constructed.ok()) << constructed.status();
    if (constructed->total_size <= support::kHardOptimum + 1) continue;
    ++searched;
    options = ByNodes(500000);
    options.capacity = constructed->total_size - 1;
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->status, SolutionStatus::kOptimal) << "seed " << seed;
    EXPECT_EQ(plan->total_size, support::kHardOptimum);
    options.search.decide = true;
    const auto first = Plan(records, options);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_LE(first->total_size, *options.capacity);
    EXPECT_LE(first->nodes, plan->nodes);
  }
  EXPECT_GE(searched, 3);
}

TEST(Optimal, DecidesByWhatIsConstructedIfThatFits) {
  const Records records = HardRecords(8, 400);
  PlanRequest options = ByNodes(1000000);
  options.capacity = NaiveSize(records);
  options.search.decide = true;
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kFeasible);
  EXPECT_EQ(plan->nodes, 0u);
}

// A conflict is minimized by further searches, which count toward the node
// budget and stop when it is exhausted. The three large records do not fit
// because of their padding, which the breadth does not count.
TEST(Optimal, EndsAConflictWithItsNodes) {
  const Records records = {{5, 0, 0}, {5, 0, 0}, {5, 0, 0}, {1, 0, 2},
                           {1, 0, 3}, {1, 0, 4}, {1, 0, 5}, {1, 0, 6}};
  const std::vector<size_t> each = {8, 8, 8, 1, 1, 1, 1, 1};
  for (const uint64_t nodes : {uint64_t{42}, uint64_t{1000}}) {
    PlanRequest options = ByNodes(nodes);
    options.alignments = Alignments(each);
    options.capacity = 20;
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->status, SolutionStatus::kInfeasible);
    EXPECT_EQ(plan->conflict_is_irreducible, nodes == 1000);
    EXPECT_EQ(plan->conflict.size(), nodes == 1000 ? 3u : 8u);
  }
}

TEST(Optimal, SolvesWithDefaultOptions) {
  const auto strategy = FindStrategy("optimal");
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    ProblemSpec spec;
    spec.kind = kind;
    spec.records = Records{{8, 0, 1}, {8, 1, 2}, {8, 2, 3}};
    const auto problem = Problem::Create(std::move(spec));
    ASSERT_TRUE(problem.ok()) << problem.status();
    const auto solution = (*strategy)->Solve(*problem, SolveOptions());
    ASSERT_TRUE(solution.ok()) << solution.status();
    EXPECT_TRUE(solution->has_plan());
    EXPECT_EQ(solution->lower_bound, 16u);
  }
}

TEST(Optimal, ProvesRecordedTraces) {
  const auto folder = support::RealDataFolder("STOWAGE_TRACES");
  if (!folder) GTEST_SKIP() << "STOWAGE_TRACES is not set";
  for (const char* file :
       {"suites/B.1048576.csv", "suites/E.1048576.csv", "suites/H.1048576.csv",
        "suites/K.1048576.csv", "suites/G_1.csv", "suites/pangu_2.6B.csv",
        "suites/S_1.csv", "scaling/dnn_10000.csv"}) {
    const auto trace = ReadProblemFile(*folder + "/" + file);
    ASSERT_TRUE(trace.ok()) << trace.status();
    PlanRequest options = ByNodes(2000000);
    options.search.threads = 0;
    const auto plan = Plan(trace->problem.records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->status, SolutionStatus::kOptimal) << file;
    EXPECT_EQ(plan->total_size, OffsetsLowerBound(trace->problem.records))
        << file;
  }
}

}  // namespace
}  // namespace stowage
