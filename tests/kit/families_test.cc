// SPDX-License-Identifier: Apache-2.0
// Tests that all instances of a family have the properties stated in the
// description of the family, for all seeds and parameters.
#include "stowage/testing/families.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/specs.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using support::FailsWith;
using support::IsOk;
using support::Plan;
using support::PlanRequest;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kSeeds = 50;

// Calls `check` with instances of many sizes, with and without alignments.
void ForEachInstance(Family family,
                     const std::function<void(const ProblemSpec&)>& check) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Parameters parameters;
    if (seed % 2 == 1) parameters.max_alignment = 256;
    check(RandomInstance(family, seed, seed % 25, parameters));
  }
}

// Returns the number of instances for which `is` returns true.
size_t Count(Family family, const std::function<bool(const ProblemSpec&)>& is) {
  size_t count = 0;
  ForEachInstance(family, [&](const ProblemSpec& instance) {
    if (is(instance)) ++count;
  });
  return count;
}

TEST(AllFamiliesTest, AreInTheOrderOfTheirNumbers) {
  std::set<std::string> names;
  size_t index = 0;
  for (const FamilyInfo& info : AllFamilies()) {
    EXPECT_EQ(static_cast<size_t>(info.family), index++);
    EXPECT_EQ(&InfoOf(info.family), &info);
    EXPECT_EQ(info.name, absl::AsciiStrToLower(info.name));
    EXPECT_FALSE(info.sentence.empty()) << info.name;
    EXPECT_TRUE(names.emplace(info.name).second) << info.name;
    EXPECT_THAT(FindFamily(info.name), IsOk());
    EXPECT_EQ(*FindFamily(info.name), info.family);
  }
  EXPECT_EQ(index, 32);
}

TEST(AllFamiliesTest, AreListedWhereOneIsNotFound) {
  EXPECT_THAT(
      FindFamily("chain"),
      FailsWith(absl::StatusCode::kNotFound,
                StartsWith("no family is called \"chain\"; expected one of "
                           "chains, branches, residual, ")));
}

TEST(AllFamiliesTest, HoldOfTheirStrategies) {
  for (const FamilyInfo& info : AllFamilies()) {
    SCOPED_TRACE(info.name);
    size_t unsorted = 0;
    size_t unplannable = 0;
    size_t aligned = 0;
    ForEachInstance(info.family, [&](const ProblemSpec& instance) {
      EXPECT_FALSE(
          absl::IsInvalidArgument(CheckUsageRecords(instance.records)));
      const auto& records = instance.records;
      if (!std::is_sorted(records.begin(), records.end(), BeginsBefore())) {
        ++unsorted;
      }
      if (!IsPlannable(instance)) ++unplannable;
      if (!instance.alignments.empty()) {
        ++aligned;
        EXPECT_EQ(instance.alignments.size(), records.size());
        EXPECT_THAT(AlignmentsOf(instance).Check(records.size()), IsOk());
      }
    });
    EXPECT_EQ(unsorted == 0, info.in_execution_order);
    EXPECT_EQ(unplannable == 0, info.is_plannable);
    EXPECT_EQ(aligned == 0, info.family == Family::kTightPackings);
    EXPECT_TRUE(RandomRecords(info.family, 1, 0).empty());
    EXPECT_FALSE(RandomRecords(info.family, 1, 1).empty());
  }
}

TEST(AllFamiliesTest, GrowWithTheNumberOfSamples) {
  for (const FamilyInfo& info : AllFamilies()) {
    EXPECT_GT(RandomRecords(info.family, 7, 60).size(),
              RandomRecords(info.family, 7, 12).size())
        << info.name;
  }
}

TEST(AllFamiliesTest, TakeAnyNumbersForSamples) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  const std::vector<Sample> samples(30, {kMax, kMax, kMax, kMax, kMax});
  Parameters parameters;
  parameters.max_alignment = 4096;
  for (const FamilyInfo& info : AllFamilies()) {
    const ProblemSpec instance = FromSamples(info.family, samples, parameters);
    EXPECT_FALSE(absl::IsInvalidArgument(CheckUsageRecords(instance.records)))
        << info.name;
    EXPECT_FALSE(instance.records.empty()) << info.name;
  }
}

TEST(AllFamiliesTest, TakeAnyParameters) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  for (const Parameters& parameters :
       {Parameters{0, 0, 0, 0, 1},
        Parameters{kMax, kMax, kMax, kMax, size_t{1} << 32}}) {
    for (const FamilyInfo& info : AllFamilies()) {
      const ProblemSpec instance =
          RandomInstance(info.family, 3, 20, parameters);
      EXPECT_FALSE(absl::IsInvalidArgument(CheckUsageRecords(instance.records)))
          << info.name;
      EXPECT_EQ(IsPlannable(instance),
                info.is_plannable || instance.records.empty())
          << info.name;
    }
  }
}

TEST(AllFamiliesTest, ZeroesAreTheSimplestRecords) {
  for (const FamilyInfo& info : AllFamilies()) {
    const ProblemSpec instance =
        FromSamples(info.family, std::vector<Sample>(1));
    EXPECT_LE(instance.records.front().first_task, 1) << info.name;
    EXPECT_LE(instance.records.front().last_task, 9) << info.name;
  }
}

// Returns the number of conflicts of a trace, counted by a plain loop over all
// pairs.
size_t Conflicts(const ByteRecords& records) {
  size_t count = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Conflict(records[i], records[j])) ++count;
    }
  }
  return count;
}

TEST(FamiliesTest, OnePerTaskHasNoConflict) {
  ForEachInstance(Family::kOnePerTask, [](const ProblemSpec& instance) {
    EXPECT_EQ(Conflicts(instance.records), 0);
  });
}

TEST(FamiliesTest, ChainsConflictWithTheirNeighbours) {
  ForEachInstance(Family::kChains, [](const ProblemSpec& instance) {
    const size_t count = instance.records.size();
    EXPECT_EQ(Conflicts(instance.records), count == 0 ? 0 : count - 1);
  });
}

// Returns whether the instance has both kinds of neighbors: a record that ends
// at the task at which another record begins, and a record that ends one task
// before another record begins.
bool Touches(const ProblemSpec& instance) {
  bool touches = false;
  bool follows = false;
  for (const ByteRecord& a : instance.records) {
    for (const ByteRecord& b : instance.records) {
      if (&a == &b) continue;
      touches = touches || a.last_task == b.first_task;
      follows = follows || a.last_task + 1 == b.first_task;
    }
  }
  return touches && follows;
}

template <typename Key>
size_t Distinct(const ProblemSpec& instance, Key key) {
  std::set<decltype(key(instance.records[0]))> keys;
  for (const ByteRecord& record : instance.records) keys.insert(key(record));
  return keys.size();
}

size_t DistinctSizes(const ProblemSpec& instance) {
  return Distinct(instance, [](const ByteRecord& r) { return r.tensor_size; });
}

size_t DistinctIntervals(const ProblemSpec& instance) {
  return Distinct(instance, [](const ByteRecord& r) {
    return std::make_pair(r.first_task, r.last_task);
  });
}

TEST(FamiliesTest, HaveTheirProperties) {
  const auto any_size = [](const std::function<bool(size_t)>& is) {
    return [is](const ProblemSpec& instance) {
      return std::any_of(
          instance.records.begin(), instance.records.end(),
          [&](const ByteRecord& record) { return is(record.tensor_size); });
    };
  };
  const auto is_large = [](const ProblemSpec& instance) {
    return instance.records.size() > 4;
  };
  const struct {
    const char* name;
    Family family;
    std::function<bool(const ProblemSpec&)> is;
    size_t at_least;  // of kSeeds instances
  } cases[] = {
      {"touching", Family::kTouchingIntervals, &Touches, 35},
      {"four intervals", Family::kIdenticalIntervals,
       [](const ProblemSpec& i) { return DistinctIntervals(i) <= 4; }, kSeeds},
      {"one size", Family::kEqualSizes,
       [](const ProblemSpec& i) { return DistinctSizes(i) <= 1; }, kSeeds},
      {"nearly one size", Family::kNearlyEqualSizes,
       [&](const ProblemSpec& i) {
         return is_large(i) && DistinctSizes(i) > 1 && DistinctSizes(i) <= 3;
       },
       35},
      {"ties", Family::kFewSizes,
       [&](const ProblemSpec& i) {
         return is_large(i) && DistinctSizes(i) < i.records.size();
       },
       35},
      {"no bytes", Family::kZeroSizes,
       any_size([](size_t s) { return s == 0; }), 40},
      {"sums that a double rounds", Family::kDoublePrecision,
       [](const ProblemSpec& instance) {
         size_t sum = 0;
         for (const ByteRecord& record : instance.records) {
           sum += record.tensor_size;
         }
         return sum > size_t{1} << 53 && sum < size_t{1} << 63;
       },
       35},
      {"more than 32 bits", Family::kHugeSizes,
       any_size([](size_t s) { return s >> 32 != 0; }), 45},
      {"32 bits and one", Family::kEdgeSizes,
       any_size([](size_t s) { return s == (size_t{1} << 32) + 1; }), 10},
      {"a power of two of 32 bits less one", Family::kEdgeSizes,
       any_size([](size_t s) { return s == (size_t{1} << 31) - 1; }), 10},
      {"sums that wrap", Family::kOverflowingSizes,
       [](const ProblemSpec& i) { return !IsPlannable(i); }, 40},
      {"tasks beyond 32 bits", Family::kFarTasks,
       [](const ProblemSpec& i) {
         return std::any_of(
             i.records.begin(), i.records.end(),
             [](const ByteRecord& r) { return r.last_task >> 32 != 0; });
       },
       40},
      {"a size one above its alignment", Family::kAlignmentTraps,
       [](const ProblemSpec& i) {
         for (size_t k = 0; k < i.records.size(); ++k) {
           const size_t alignment = i.alignments[k];
           if (alignment > 1 && i.records[k].tensor_size % alignment == 1) {
             return true;
           }
         }
         return false;
       },
       30},
      {"skips", Family::kUNets,
       [&](const ProblemSpec& i) {
         return is_large(i) && i.records[0].last_task + 1 == i.records.size();
       },
       35},
  };
  for (const auto& c : cases) {
    EXPECT_GE(Count(c.family, c.is), c.at_least) << c.name;
  }
}

TEST(FamiliesTest, PowersOfTwoAreThat) {
  ForEachInstance(Family::kPowersOfTwo, [](const ProblemSpec& instance) {
    for (const ByteRecord& record : instance.records) {
      EXPECT_TRUE(IsValidAlignment(record.tensor_size));
      EXPECT_LE(record.tensor_size, Parameters().max_size);
    }
  });
}

TEST(FamiliesTest, PermutedRecordsAreThoseOfANetwork) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ByteRecords sorted = RandomRecords(Family::kPermuted, seed, 10);
    ByteRecords network = RandomRecords(Family::kNetworks, seed, 10);
    const auto less = [](const ByteRecord& a, const ByteRecord& b) {
      return std::make_tuple(a.first_task, a.last_task, a.tensor_size) <
             std::make_tuple(b.first_task, b.last_task, b.tensor_size);
    };
    std::sort(sorted.begin(), sorted.end(), less);
    std::sort(network.begin(), network.end(), less);
    ASSERT_EQ(sorted.size(), network.size());
    for (size_t i = 0; i < sorted.size(); ++i) {
      EXPECT_FALSE(less(sorted[i], network[i]) || less(network[i], sorted[i]));
    }
  }
}

// At every task, the sizes of the live records add up to the optimum.
TEST(TightPackingsTest, AreFullAtEveryTask) {
  size_t pieces = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const ProblemSpec instance =
        RandomInstance(Family::kTightPackings, seed, 1 + seed % 25);
    EXPECT_EQ(OffsetsLowerBound(instance.records), Parameters().max_size);
    for (const TaskBreadth& breadth : TaskBreadths(instance.records)) {
      EXPECT_EQ(breadth.breadth, Parameters().max_size);
    }
    pieces += instance.records.size();
  }
  EXPECT_GT(pieces, 13 * kSeeds);
}

TEST(TightPackingsTest, HaveAPlanOfTheOptimum) {
  PlanRequest options;
  options.strategy = "optimal";
  options.search.node_budget = 200000;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Parameters parameters;
    parameters.max_size = 100;
    const ProblemSpec instance =
        RandomInstance(Family::kTightPackings, seed, 4 + seed % 6, parameters);
    const auto plan = Plan(instance.records, options);
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(plan->total_size, parameters.max_size) << seed;
  }
}

// Returns the size of the strategy's plan as a percentage of the optimum.
size_t Percent(const std::string& strategy, const ProblemSpec& instance) {
  PlanRequest options;
  options.strategy = strategy;
  const auto plan = Plan(instance.records, options);
  if (!plan.ok()) return 0;
  return plan->total_size * 100 / OffsetsLowerBound(instance.records);
}

TEST(WorstFamiliesTest, AreBadForTheirStrategyAndNotForTheOptimum) {
  const struct {
    Family family;
    const char* strategy;
    size_t percent;  // the plan's least size in percent of the optimum
  } cases[] = {
      {Family::kWorstOfNaive, "naive", 400},
      {Family::kWorstOfEquality, "equality", 390},
      {Family::kWorstOfGreedyInOrder, "greedy_in_order", 570},
      {Family::kWorstOfGreedyByBreadth, "greedy_by_breadth", 260},
      {Family::kWorstOfGreedyBySize, "greedy_by_size", 210},
      {Family::kWorstOfGreedyBest, "greedy_best", 160},
      {Family::kWorstOfMinCostFlow, "mincostflow", 290},
  };
  for (const auto& c : cases) {
    // An instance may repeat the same bad pattern several times, and the plan
    // is then as bad as with a single pattern.
    Parameters parameters;
    parameters.max_size = 1;
    for (const size_t size : {size_t{1}, size_t{2}, size_t{10}}) {
      const ProblemSpec instance =
          RandomInstance(c.family, 1, size, parameters);
      EXPECT_GE(Percent(c.strategy, instance), c.percent) << c.strategy;
      EXPECT_EQ(Percent("optimal", instance), 100) << c.strategy;
    }
  }
}

// A file of the kit leaves out everything that the rows of CSV cannot express,
// such as a capacity.
TEST(ToFileTest, HasNothingThatRowsCannotHave) {
  ProblemSpec spec;
  spec.records = {{16, 0, 1}};
  spec.capacity = 1 << 20;
  spec.groups_are_optional = true;
  EXPECT_THAT(FormatProblemCsv(ToFile(spec)), IsOk());
}

TEST(ToFileTest, CanBeWrittenAndRead) {
  ProblemSpec instance;
  instance.records = {{16, 0, 1}, {8, 1, 2}};
  instance.alignments = {4, 1};
  const auto csv = FormatProblemCsv(ToFile(instance));
  ASSERT_THAT(csv, IsOk());
  EXPECT_THAT(*csv, HasSubstr("t1,1,3,8,1"));
  const auto read = ParseProblemCsv(*csv, "instance.csv");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->problem.names, (std::vector<std::string>{"t0", "t1"}));
  EXPECT_EQ(read->problem.alignments, instance.alignments);
  ASSERT_EQ(read->problem.records.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->problem.records[i].tensor_size,
              instance.records[i].tensor_size);
    EXPECT_EQ(read->problem.records[i].first_task,
              instance.records[i].first_task);
    EXPECT_EQ(read->problem.records[i].last_task,
              instance.records[i].last_task);
  }
}

TEST(IsPlannableTest, IsThatEveryPlannerMustPlan) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  const struct {
    const char* name;
    ByteRecords records;
    std::vector<size_t> alignments;
    bool want;
  } cases[] = {
      {"nothing", {}, {}, true},
      {"all there is", {{kMax, 0, 0}}, {}, true},
      {"a byte more", {{kMax, 0, 0}, {1, 5, 5}}, {}, false},
      {"padding", {{kMax - 2, 0, 0}}, {4}, false},
      {"padding that fits", {{kMax - 3, 0, 0}}, {4}, true},
      {"backward", {{1, 1, 0}}, {}, false},
      {"alignment 3", {{1, 0, 0}}, {3}, false},
  };
  for (const auto& c : cases) {
    ProblemSpec spec;
    spec.records = c.records;
    spec.alignments = c.alignments;
    EXPECT_EQ(IsPlannable(spec), c.want) << c.name;
  }
}

// A problem with constraints is plannable if it has a plan and no limit, such
// as a `max`, that could make the plan hard to find.
TEST(IsPlannableTest, IsThatConstraintsHaveAPlan) {
  ProblemSpec spec = SpecOf(ByteRecords{{8, 0, 1}, {8, 1, 2}});
  spec.fixed_offsets = {4, absl::nullopt};
  EXPECT_TRUE(IsPlannable(spec));
  spec.constraints.places.resize(2);
  spec.constraints.places[1].min = 100;
  EXPECT_TRUE(IsPlannable(spec));
  spec.constraints.places[1].max = 1000;
  EXPECT_FALSE(IsPlannable(spec));
  spec.constraints.places.clear();
  spec.fixed_offsets[1] = 8;
  EXPECT_FALSE(IsPlannable(spec));
}

}  // namespace
}  // namespace stowage::testing
