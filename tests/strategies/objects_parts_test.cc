// SPDX-License-Identifier: Apache-2.0
// Tests the parts of the search for shared objects: the kernel, the bounds that
// are computed with integers, and the plans made from size classes.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimal/objects/chain_weights.h"
#include "optimal/objects/class_model.h"
#include "optimal/objects/class_plan.h"
#include "optimal/objects/class_program.h"
#include "optimal/objects/objects_bands.h"
#include "optimal/objects/objects_kernel.h"
#include "optimal/objects/objects_tree.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/linear_program.h"
#include "stowage/base/random.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/verify.h"
#include "tests/strategies/optimal_inputs.h"
#include "tests/support/real_data.h"

namespace stowage::optimal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Items {
  std::vector<ObjectItem> items;
  uint32_t steps = 0;
};

Items ItemsOf(const Records& records) {
  const IntervalRanks ranks = RankIntervals(records);
  Items items;
  items.steps = static_cast<uint32_t>(ranks.tasks.size());
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].tensor_size == 0) continue;
    items.items.push_back({records[i].tensor_size, ranks.intervals[i]});
  }
  return items;
}

ObjectsKernel KernelOf(const Records& records) {
  const Items items = ItemsOf(records);
  return FindKernel(items.items, items.steps, StopSignal());
}

// The small record is never live together with the large records, so it can
// always share the object of one of them.
TEST(ObjectsKernel, DropsWhatAlwaysFindsAnObject) {
  EXPECT_THAT(KernelOf({{8, 0, 0}, {8, 0, 0}, {4, 2, 2}}).kept,
              ElementsAre(0, 1));
  // Here, the only other object holds a record that conflicts with the small
  // record, so the small record is kept.
  EXPECT_THAT(KernelOf({{8, 0, 0}, {4, 0, 0}}).dropped, IsEmpty());
}

TEST(ObjectsKernel, OfNothingIsEmpty) {
  const ObjectsKernel kernel = FindKernel({}, 0, StopSignal());
  EXPECT_THAT(kernel.kept, IsEmpty());
  EXPECT_THAT(kernel.dropped, IsEmpty());
}

TEST(ObjectsKernel, IsWhatItsSignalLeavesIt) {
  const std::atomic<bool> cancelled{true};
  StopSignal stop;
  stop.cancelled = &cancelled;
  const Items items = ItemsOf({{8, 0, 0}, {8, 0, 0}, {4, 2, 2}});
  const ObjectsKernel kernel = FindKernel(items.items, items.steps, stop);
  EXPECT_THAT(kernel.kept, ElementsAre(0, 1, 2));
}

// Returns the least sum of object sizes. For each item from `index` on, tries
// every existing object and a new one.
size_t LeastSum(const std::vector<ObjectItem>& items,
                std::vector<std::vector<size_t>>* objects, size_t index) {
  if (index == items.size()) {
    size_t sum = 0;
    for (const auto& object : *objects) {
      size_t size = 0;
      for (const size_t i : object) size = std::max(size, items[i].size);
      sum += size;
    }
    return sum;
  }
  objects->push_back({index});
  size_t least = LeastSum(items, objects, index + 1);
  objects->pop_back();
  for (size_t k = 0; k < objects->size(); ++k) {
    if (std::any_of((*objects)[k].begin(), (*objects)[k].end(), [&](size_t i) {
          return items[i].life.begin < items[index].life.end &&
                 items[index].life.begin < items[i].life.end;
        })) {
      continue;
    }
    (*objects)[k].push_back(index);
    least = std::min(least, LeastSum(items, objects, index + 1));
    (*objects)[k].pop_back();
  }
  return least;
}

size_t LeastSum(const std::vector<ObjectItem>& items) {
  std::vector<std::vector<size_t>> objects;
  return LeastSum(items, &objects, 0);
}

TEST(ObjectsKernel, HasTheOptimumOfAllAndLiftsItsPlans) {
  Random random(3);
  size_t dropped = 0;
  for (int round = 0; round < 2000; ++round) {
    Records records = TinyRecords(&random, 8);
    records.erase(std::remove_if(records.begin(), records.end(),
                                 [](const ByteRecord& record) {
                                   return record.tensor_size == 0;
                                 }),
                  records.end());
    const Items items = ItemsOf(records);
    const ObjectsKernel kernel =
        FindKernel(items.items, items.steps, StopSignal());
    ASSERT_EQ(kernel.kept.size() + kernel.dropped.size(), records.size());
    dropped += kernel.dropped.size();
    std::vector<ObjectItem> kept;
    for (const uint32_t i : kernel.kept) kept.push_back(items.items[i]);
    ASSERT_EQ(LeastSum(kept), LeastSum(items.items)) << "round " << round;
    // Any plan is suitable. This plan assigns each kept item to a separate
    // object.
    ObjectsAssignment<size_t> plan;
    plan.object_ids.resize(records.size());
    for (const uint32_t i : kernel.kept) {
      plan.object_ids[i] = plan.object_sizes.size();
      plan.object_sizes.push_back(items.items[i].size);
    }
    const size_t total = TotalSize(plan).value();
    ASSERT_TRUE(LiftPlan(items.items, kernel, StopSignal(), &plan));
    const auto violation = FindViolation(absl::MakeConstSpan(records), plan);
    ASSERT_FALSE(violation) << Describe(*violation);
    ASSERT_EQ(TotalSize(plan).value(), total);
  }
  EXPECT_GT(dropped, 1000u);
}

size_t KeptOf(const std::string& path) {
  const absl::StatusOr<ProblemFile> trace = ReadProblemFile(path);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? KernelOf(trace->problem.records).kept.size() : 0;
}

TEST(ObjectsKernel, OfNetworksIsSmall) {
  const std::string folder = STOWAGE_SOURCE_DIR "/data/traces/";
  EXPECT_EQ(KeptOf(folder + "inception_v3.csv"), 74u);
  EXPECT_EQ(KeptOf(folder + "mobilenet_v2_int8.csv"), 23u);
}

TEST(ObjectsKernel, OfRecordedTracesIsSmall) {
  const auto folder = support::RealDataFolder("STOWAGE_TRACES");
  if (!folder) GTEST_SKIP() << "STOWAGE_TRACES is not set";
  EXPECT_EQ(KeptOf(*folder + "/models/inception_v3_w025_299_f32_synthetic.csv"),
            74u);
  EXPECT_EQ(KeptOf(*folder + "/models/mobilenet_v2_1.0_224_u8.csv"), 23u);
  EXPECT_EQ(KeptOf(*folder + "/suites/tiny_bert.csv"), 800u);
}

ClassModel ModelOf(const Records& records) {
  const Items items = ItemsOf(records);
  std::vector<uint32_t> all(items.items.size());
  std::iota(all.begin(), all.end(), uint32_t{0});
  return BuildClassModel(items.items, all);
}

// Returns these records:
//
//   task      0    1    2
//   a         [24]
//   b         [=====8]
//   c              [8=====]
//   d                   [24]
const Records& FourRecords() {
  static const auto* const records =
      new Records{{24, 0, 0}, {8, 0, 1}, {8, 1, 2}, {24, 2, 2}};
  return *records;
}

TEST(ClassModel, HasSizesAndLargestCliques) {
  const ClassModel model = ModelOf(FourRecords());
  EXPECT_THAT(model.sizes, ElementsAre(8, 24));
  EXPECT_THAT(model.cliques, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2),
                                         ElementsAre(2, 3)));
  EXPECT_EQ(model.lives[2].begin, 1u);
  EXPECT_EQ(model.lives[2].end, 3u);
  // A step has no clique of its own if all items that are live at the step are
  // also live together at another step.
  EXPECT_EQ(
      ModelOf({{1, 0, 9}, {1, 1, 1}, {1, 2, 2}, {1, 2, 3}}).cliques.size(), 2u);
}

TEST(ClassPlan, CostsTheDepthOfEachClass) {
  const ClassModel model = ModelOf(FourRecords());
  const ObjectsAssignment<size_t> plan =
      ObjectsOf(model, std::vector<uint32_t>{1, 0, 0, 1});
  EXPECT_THAT(plan.object_ids, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(plan.object_sizes, ElementsAre(24, 8, 8));
}

// No other item uses the large object while the second small item is live, so
// this item is moved to the large object.
TEST(ClassPlan, RaisesItemsToFreeObjects) {
  const ClassModel model = ModelOf({{9, 0, 0}, {2, 0, 1}, {2, 1, 1}});
  std::vector<uint32_t> classes = {1, 0, 0};
  RaiseToFreeObjects(model, &classes);
  EXPECT_THAT(classes, ElementsAre(1, 0, 1));
}

ClassNode RootOf(const ClassModel& model) { return {model.ranges, {}, true}; }

TEST(ChainBound, ProvesWhatPricesClaim) {
  const ClassModel model = ModelOf(FourRecords());
  const ChainBound bound =
      BestBoundOfPrices(model, RootOf(model), {{16, 8, 8, 8}, {}});
  EXPECT_EQ(bound.bytes, 40u);
  EXPECT_EQ(bound.scale, 1u);
  EXPECT_THAT(bound.weights, ElementsAre(16, 8, 8, 8));
}

// The prices differ from the exact prices by rounding errors in the last bits.
TEST(ChainBound, ForgivesTheErrorsOfFloatingPoint) {
  const ClassModel model = ModelOf(FourRecords());
  const ChainBound bound = BestBoundOfPrices(
      model, RootOf(model), {{15.9999999999, 8.0000000001, 8, 8}, {}});
  EXPECT_EQ(bound.bytes, 40u);
}

// With sizes near 2^60, the weights have no room for fractions of a byte.
// Prices that are slightly too high must not lower the bound by much. An
// earlier version lost half of the bound to such prices.
TEST(ChainBound, ForgivesTheErrorsOfLargeSizes) {
  constexpr size_t kLarge = size_t{1} << 56;
  Records records = FourRecords();
  for (TensorUsageRecord<size_t>& record : records) {
    record.tensor_size *= kLarge;
  }
  const ClassModel model = ModelOf(records);
  ClassPrices prices;
  for (const double price : {16, 8, 8, 8}) {
    prices.items.push_back(price * static_cast<double>(kLarge) * (1 + 1e-12));
  }
  const ChainBound bound = BestBoundOfPrices(model, RootOf(model), prices);
  EXPECT_EQ(bound.bytes, 40 * kLarge);
  EXPECT_EQ(bound.scale, 1u);
}

TEST(ChainBound, ProvesNothingByPricesThatAreNone) {
  const ClassModel model = ModelOf(FourRecords());
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double max = std::numeric_limits<double>::infinity();
  for (const double price : {0.0, -1.0, none, -max}) {
    EXPECT_EQ(BestBoundOfPrices(model, RootOf(model),
                                {{price, price, price, price}, {}})
                  .bytes,
              0u);
  }
}

// No prices give a bound above the optimum.
TEST(ChainBound, IsNeverAboveTheOptimum) {
  Random random(5);
  for (int round = 0; round < 3000; ++round) {
    const Items items = ItemsOf(TinyRecords(&random, 7));
    if (items.items.empty()) continue;
    std::vector<uint32_t> all(items.items.size());
    std::iota(all.begin(), all.end(), uint32_t{0});
    const ClassModel model = BuildClassModel(items.items, all);
    ClassPrices prices;
    for (const ObjectItem& item : items.items) {
      prices.items.push_back(static_cast<double>(item.size) *
                             static_cast<double>(random.Below(1000)) / 500);
    }
    ASSERT_LE(BestBoundOfPrices(model, RootOf(model), prices).bytes,
              LeastSum(items.items))
        << "round " << round;
  }
}

// There are 15 records with a weight of 2^60 and one record with a weight of 1,
// so the sum of all weights is nearly 2^64.
TEST(ChainBound, DoesNotOverflow) {
  const size_t large = size_t{1} << 60;
  Records records = {{1, 0, 20}};
  for (size_t k = 0; k < 15; ++k) records.emplace_back(large, k, k + 1);
  const ClassModel model = ModelOf(records);
  ClassPrices prices;
  prices.items.assign(records.size(), 1e30);
  const ChainBound bound = BestBoundOfPrices(model, RootOf(model), prices);
  EXPECT_LE(bound.bytes, 2 * large + 1);
  // This model has a single record, whose size is the largest size_t.
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  const ClassModel all = ModelOf({{kAll, 0, 1}});
  EXPECT_EQ(BestBoundOfPrices(all, RootOf(all), {{1e30}, {}}).bytes, kAll);
}

TEST(ClassProgram, RelaxesToTheOptimumOfFourRecords) {
  const ClassModel model = ModelOf(FourRecords());
  std::unique_ptr<LinearProgram> program = CreateLinearProgram();
  if (program == nullptr) GTEST_SKIP() << "no solver is linked";
  ClassProgram relaxation(model, std::move(program));
  uint64_t pivots = 1000;
  EXPECT_EQ(relaxation.Solve(RootOf(model), 41, StopSignal(), &pivots),
            ClassProgram::Outcome::kOptimal);
  EXPECT_EQ(relaxation.bound(), 40u);
  EXPECT_LT(pivots, 1000u);
  // There is no plan in a node that allows at most two objects in total.
  ClassNode node = RootOf(model);
  node.is_root = false;
  node.counts = {{0, 0, 2}};
  EXPECT_EQ(relaxation.Solve(node, 41, StopSignal(), &pivots),
            ClassProgram::Outcome::kPruned);
  EXPECT_GT(relaxation.bound(), 40u);
  // In a node without small objects, two large objects are needed, because b
  // and c cannot be in one object.
  node.counts.clear();
  node.ranges = {{1, 2}, {1, 2}, {1, 2}, {1, 2}};
  EXPECT_EQ(relaxation.Solve(node, 100, StopSignal(), &pivots),
            ClassProgram::Outcome::kOptimal);
  EXPECT_EQ(relaxation.bound(), 48u);
}

// The relaxation is stopped in two ways: by a cancellation before it begins,
// and by having no pivots left.
TEST(ClassProgram, ProvesWhatItHasWhenItIsStopped) {
  const ClassModel model = ModelOf(FourRecords());
  std::unique_ptr<LinearProgram> program = CreateLinearProgram();
  if (program == nullptr) GTEST_SKIP() << "no solver is linked";
  ClassProgram relaxation(model, std::move(program));
  const std::atomic<bool> cancelled{true};
  StopSignal stop;
  stop.cancelled = &cancelled;
  uint64_t pivots = 1000;
  EXPECT_EQ(relaxation.Solve(RootOf(model), 41, stop, &pivots),
            ClassProgram::Outcome::kStopped);
  EXPECT_EQ(pivots, 1000u);
  pivots = 0;
  EXPECT_EQ(relaxation.Solve(RootOf(model), 41, StopSignal(), &pivots),
            ClassProgram::Outcome::kStopped);
  EXPECT_LE(relaxation.bound(), 40u);
}

TEST(ObjectsTree, FindsTheLeastOfTinyInputs) {
  Random random(11);
  for (int round = 0; round < 1000; ++round) {
    const Items items = ItemsOf(TinyRecords(&random, 7));
    if (items.items.empty()) continue;
    const StopSignal stop;
    uint64_t nodes = 1000000;
    size_t least = 0;
    KernelLimits options;
    options.limit = std::numeric_limits<size_t>::max();
    options.stop = &stop;
    options.nodes_left = &nodes;
    options.on_plan = [&](const ObjectsAssignment<size_t>& plan, size_t total,
                          absl::string_view /*found_by*/) {
      EXPECT_EQ(TotalSize(plan).value(), total);
      least = total;
      return false;
    };
    ASSERT_TRUE(ObjectsTree(items.items, items.steps, {}, options).Run());
    ASSERT_EQ(least, LeastSum(items.items)) << "round " << round;
  }
}

double SumOf(const std::vector<double>& prices) {
  return std::accumulate(prices.begin(), prices.end(), 0.0);
}

// The positional maximums of the four records are 24 and 8.
TEST(PositionalPrices, SumToThePositionalMaximums) {
  const Items items = ItemsOf(FourRecords());
  const auto sum_to = [&](size_t level) {
    return SumOf(
        PositionalPrices(items.items, items.steps, level, StopSignal()));
  };
  EXPECT_EQ(sum_to(24), 32);
  EXPECT_EQ(sum_to(10), 18);
  EXPECT_EQ(sum_to(0), 0);
}

// The random records have more distinct sizes than the first level of the
// computation considers.
TEST(BoundByBands, IsNeverBelowThePositionalMaximumsNorAboveAPlan) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    Records records;
    for (size_t k = 0; k < 1500; ++k) {
      const size_t begin = random.Below(1500);
      const size_t end = begin + random.Below(8);
      records.emplace_back(100 * (1 + random.Below(100)), begin, end);
    }
    const Items items = ItemsOf(records);
    const StopSignal stop;
    uint64_t nodes = 2000;
    size_t best = 0;
    BandsOptions options;
    options.max_shares = 40000;
    options.stop = &stop;
    options.nodes_left = &nodes;
    options.on_bound = [&](const ChainBound& bound,
                           absl::Span<const uint32_t> some) {
      EXPECT_EQ(bound.weights.size(), some.size());
      EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
      best = std::max(best, bound.bytes);
      return true;
    };
    BoundByBands(items.items, items.steps, options);
    EXPECT_GE(best, ObjectsLowerBound(records));
    const Problem problem = Problem::Create([&] {
                              ProblemSpec spec;
                              spec.kind = PlanKind::kObjects;
                              spec.records = records;
                              return spec;
                            }())
                                .value();
    EXPECT_LE(best, Solve(problem, "greedy_best").value().total_size);
  }
}

}  // namespace
}  // namespace stowage::optimal
