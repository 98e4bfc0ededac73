// SPDX-License-Identifier: Apache-2.0
// Tests MINCOSTFLOW. The minimum cost of its flow is unique, but many plans
// have this cost.
#include "mincostflow/mincostflow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mincostflow/likely_arcs.h"
#include "mincostflow/network.h"
#include "mincostflow/optimal_flow.h"
#include "rapidcheck/gtest.h"
#include "src/model/execution_order.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/verify.h"
#include "tests/support/vectors.h"

namespace stowage::mincostflow {
namespace {

using Records = std::vector<TensorUsageRecord<size_t>>;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr size_t kGiant = size_t{1} << 62;

absl::StatusOr<Solution> Solve(const Records& records) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  spec.records = records;
  return Create()->Solve(*Problem::Create(spec), SolveOptions());
}

ObjectsAssignment<size_t> PlanOf(const Records& records) {
  const auto solution = Solve(records);
  EXPECT_TRUE(solution.ok()) << solution.status();
  if (!solution.ok()) return {};
  const ObjectsAssignment<size_t>& plan = *solution->objects();
  const auto violation = FindViolation(records, plan);
  EXPECT_FALSE(violation) << Describe(*violation);
  return plan;
}

// Returns the cost of a plan as counted by the flow. The first tensor of an
// object costs its size. Each later tensor costs the number of bytes by which
// it exceeds the previous tensor of the object.
size_t CostOf(const Records& records, const std::vector<size_t>& object_ids) {
  std::vector<size_t> last_size(records.size(), 0);
  size_t cost = 0;
  for (const size_t i : ExecutionOrder<size_t>(absl::MakeConstSpan(records))) {
    size_t& last = last_size[object_ids[i]];
    const size_t size = records[i].tensor_size;
    cost += size > last ? size - last : 0;
    last = size;
  }
  return cost;
}

// Returns the lowest cost of all plans. For each record, tries to reuse the
// memory of each record that ended before it. Requires at most ten records.
size_t LeastCost(const Records& records, const std::vector<size_t>& order,
                 size_t position = 0, size_t taken = 0) {
  if (position == order.size()) return 0;
  const auto& record = records[order[position]];
  size_t least =
      record.tensor_size + LeastCost(records, order, position + 1, taken);
  for (size_t k = 0; k < records.size(); ++k) {
    const bool is_taken = (taken >> k & 1) != 0;
    if (is_taken || records[k].last_task >= record.first_task) continue;
    const size_t size = records[k].tensor_size;
    const size_t more =
        record.tensor_size > size ? record.tensor_size - size : 0;
    least = std::min(least, more + LeastCost(records, order, position + 1,
                                             taken | size_t{1} << k));
  }
  return least;
}

rc::Gen<Records> GenRecords(size_t max_count, size_t max_size, size_t tasks) {
  const auto record = rc::gen::map(
      rc::gen::tuple(rc::gen::inRange<size_t>(0, max_size + 1),
                     rc::gen::inRange<size_t>(0, tasks),
                     rc::gen::inRange<size_t>(0, 4)),
      [](const std::tuple<size_t, size_t, size_t>& t) {
        return TensorUsageRecord<size_t>(std::get<0>(t), std::get<1>(t),
                                         std::get<1>(t) + std::get<2>(t));
      });
  return rc::gen::mapcat(rc::gen::inRange<size_t>(0, max_count + 1),
                         [record](size_t count) {
                           return rc::gen::container<Records>(count, record);
                         });
}

// Returns records that are the same in every run, for tests with more records
// than RapidCheck can shrink.
Records ManyRecords(size_t count, size_t distinct_sizes, size_t longest) {
  uint64_t state = 1;
  const auto next = [&state](size_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % limit;
  };
  Records records;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = 64 * (1 + next(distinct_sizes));
    records.emplace_back(size, i, i + next(longest));
  }
  return records;
}

// Returns records of one size, each of which conflicts with the next.
Records Chain(size_t count) {
  Records records;
  for (size_t i = 0; i < count; ++i) records.emplace_back(8, i, i + 1);
  return records;
}

struct KnownCase {
  std::string name;
  Records records;
  std::vector<size_t> object_ids;
  std::vector<size_t> object_sizes;
};

class KnownPlan : public ::testing::TestWithParam<KnownCase> {};

TEST_P(KnownPlan, IsFound) {
  const ObjectsAssignment<size_t> plan = PlanOf(GetParam().records);
  EXPECT_THAT(plan.object_ids, ElementsAreArray(GetParam().object_ids));
  EXPECT_THAT(plan.object_sizes, ElementsAreArray(GetParam().object_sizes));
}

INSTANTIATE_TEST_SUITE_P(
    MinCostFlow, KnownPlan,
    ::testing::Values(
        KnownCase{"Nothing", {}, {}, {}},
        KnownCase{"One", {{5, 3, 3}}, {0}, {5}},
        KnownCase{"TouchingAtOneTaskIsConflict",
                  {{5, 0, 1}, {5, 1, 2}},
                  {0, 1},
                  {5, 5}},
        KnownCase{"ReuseAfterTheLastTask", {{5, 0, 1}, {7, 2, 3}}, {0, 0}, {7}},
        // A planner that visits the tensors in order would give the object of 5
        // bytes to the tensor of 4 bytes. The tensor of 6 bytes would then
        // enlarge the object of 3 bytes by 3.
        KnownCase{"TheLaterAndLargerGetsTheLarger",
                  {{5, 0, 0}, {3, 0, 0}, {4, 1, 3}, {6, 2, 3}},
                  {0, 1, 1, 0},
                  {6, 4}},
        KnownCase{"SizeZeroIsOrdinary",
                  {{0, 0, 0}, {8, 0, 1}, {0, 1, 1}},
                  {0, 1, 0},
                  {0, 8}},
        KnownCase{"UnsortedNumberedByFirstUse",
                  {{9, 4, 5}, {9, 0, 1}, {2, 0, 4}},
                  {0, 0, 1},
                  {9, 2}},
        KnownCase{"BeyondSigned32Bits",
                  {{3000000000, 0, 0}, {2900000000, 1, 1}, {3100000000, 2, 2}},
                  {0, 0, 0},
                  {3100000000}},
        KnownCase{"LastTaskOf64Bits",
                  {{1, 0, 0}, {1, 1, std::numeric_limits<size_t>::max()}},
                  {0, 0},
                  {1}},
        KnownCase{"SizesThatFill64Bits",
                  {{kGiant, 0, 1},
                   {2 * kGiant + 5, 1, 2},
                   {kGiant - 9, 2, 3},
                   {1, 3, 4}},
                  {0, 1, 0, 1},
                  {kGiant, 2 * kGiant + 5}},
        KnownCase{"TheLargestSizeThereIs",
                  {{std::numeric_limits<size_t>::max() - 1, 0, 1}, {1, 2, 3}},
                  {0, 0},
                  {std::numeric_limits<size_t>::max() - 1}}),
    [](const auto& test) { return test.param.name; });

TEST(MinCostFlow, CostsWhatTheOriginalCostsAndIsNoLargerInSum) {
  size_t ours_in_sum = 0;
  size_t theirs_in_sum = 0;
  size_t count = 0;
  for (const support::Vector& vector : support::LoadVectors()) {
    if (!vector.sorted || !vector.expected.contains("MINCOSTFLOW")) continue;
    SCOPED_TRACE(vector.name);
    const auto theirs =
        support::ObjectsIn<size_t>(vector.expected.at("MINCOSTFLOW"));
    const ObjectsAssignment<size_t> ours = PlanOf(vector.records);
    EXPECT_EQ(CostOf(vector.records, ours.object_ids),
              CostOf(vector.records, theirs.object_ids));
    ours_in_sum += *TotalSize(ours);
    theirs_in_sum += *TotalSize(theirs);
    ++count;
  }
  EXPECT_GT(count, 200);
  EXPECT_LE(ours_in_sum, theirs_in_sum);
}

RC_GTEST_PROP(MinCostFlow, CostsTheLeastOfAllPlans, ()) {
  const size_t max_size = *rc::gen::element<size_t>(2, 9, 1000);
  const Records records = *GenRecords(7, max_size, 12);
  RC_ASSERT(
      CostOf(records, PlanOf(records).object_ids) ==
      LeastCost(records, ExecutionOrder<size_t>(absl::MakeConstSpan(records))));
}

RC_GTEST_PROP(MinCostFlow, TotalIsBetweenBoundAndCost, ()) {
  const Records records = *GenRecords(60, 50, 40);
  const ObjectsAssignment<size_t> plan = PlanOf(records);
  const size_t total = *TotalSize(plan);
  RC_ASSERT(total >= ObjectsLowerBound(records));
  RC_ASSERT(total <= CostOf(records, plan.object_ids));
}

RC_GTEST_PROP(MinCostFlow, PermutedRecordsCostTheSame, ()) {
  const Records records = *GenRecords(40, 50, 30);
  Records permuted = records;
  for (size_t i = permuted.size(); i > 1; --i) {
    std::swap(permuted[i - 1], permuted[*rc::gen::inRange<size_t>(0, i)]);
  }
  RC_ASSERT(CostOf(permuted, PlanOf(permuted).object_ids) ==
            CostOf(records, PlanOf(records).object_ids));
}

TEST(MinCostFlow, PermutedRecordsWithoutTiesGetThePermutedPlan) {
  Records records;
  for (size_t i = 0; i < 200; ++i) {
    // No two records start at the same task, and no two end at the same task.
    records.emplace_back(i * 37 % 101, 10 * i, 10 * i + i * 7 % 8 * 10 + i % 9);
  }
  const ObjectsAssignment<size_t> plan = PlanOf(records);
  std::vector<size_t> want(plan.object_ids.rbegin(), plan.object_ids.rend());
  std::reverse(records.begin(), records.end());
  EXPECT_THAT(PlanOf(records).object_ids, ElementsAreArray(want));
}

TEST(MinCostFlow, ScaledSizesGetTheScaledPlan) {
  // With the larger factors, the sizes exceed 2^31 and 2^40. With the largest
  // factor, their sum exceeds 2^63.
  const Records records = ManyRecords(400, 30, 20);
  const ObjectsAssignment<size_t> plan = PlanOf(records);
  for (const size_t factor :
       {size_t{3}, size_t{1} << 21, size_t{1} << 33, size_t{1} << 44}) {
    SCOPED_TRACE(factor);
    Records scaled = records;
    for (auto& record : scaled) record.tensor_size *= factor;
    ASSERT_TRUE(CheckUsageRecords(scaled).ok());
    const ObjectsAssignment<size_t> scaled_plan = PlanOf(scaled);
    EXPECT_THAT(scaled_plan.object_ids, ElementsAreArray(plan.object_ids));
    EXPECT_EQ(*TotalSize(scaled_plan), factor * *TotalSize(plan));
  }
}

TEST(MinCostFlow, WithoutReuseEveryTensorIsBought) {
  Records records;
  for (size_t i = 0; i < 500; ++i) records.emplace_back(i, i, 1000);
  const ObjectsAssignment<size_t> plan = PlanOf(records);
  EXPECT_EQ(plan.object_sizes.size(), records.size());
  EXPECT_EQ(*TotalSize(plan), NaiveSize(records));
}

struct CertificateCase {
  std::string name;
  Records records;
};

class Certificate : public ::testing::TestWithParam<CertificateCase> {};

// Checks by duality that the prices of the nodes prove the lowest cost, so the
// test does not have to trust a solver. Between any two nodes, the difference
// of the prices is at most the cost of passing memory from one to the other.
// The cost of the plan equals the sum of the prices of all starts minus the sum
// of the prices of all ends.
TEST_P(Certificate, ProvesTheCost) {
  const Records& records = GetParam().records;
  const Network network = BuildNetwork(records);
  const absl::StatusOr<OptimalFlow> flow = FindOptimalFlow(network);
  ASSERT_TRUE(flow.ok()) << flow.status();
  Cost proved = 0;
  for (size_t head = 0; head < network.nodes.size(); ++head) {
    const Node& node = network.nodes[head];
    const Cost price = flow->prices[head];
    ASSERT_TRUE(price >= 0);
    if (node.start_count() > 0) {
      ASSERT_TRUE(price <= static_cast<Cost>(network.SizeOf(head)));
    }
    proved += price * (static_cast<Cost>(node.start_count()) -
                       static_cast<Cost>(node.end_count()));
    if (node.next != kNone) {
      ASSERT_TRUE(flow->prices[node.next] <= price);
    }
    if (node.start_count() == 0) continue;
    for (size_t tail = 0; tail < network.EndOfTurn(head); ++tail) {
      const auto cost = static_cast<Cost>(network.CostOf({tail, head}));
      ASSERT_TRUE(price <= flow->prices[tail] + cost) << tail << "->" << head;
    }
  }
  EXPECT_TRUE(proved ==
              static_cast<Cost>(CostOf(records, PlanOf(records).object_ids)));
}

INSTANTIATE_TEST_SUITE_P(
    MinCostFlow, Certificate,
    ::testing::Values(
        // These nodes fill more than two windows.
        CertificateCase{"LongAndNarrow", ManyRecords(4000, 40, 12)},
        CertificateCase{"Wide", ManyRecords(3000, 60, 1500)},
        CertificateCase{"AllSizesDiffer", ManyRecords(1500, 1000000, 30)},
        CertificateCase{"OneSize", ManyRecords(1000, 1, 30)},
        // All records have the same size, so no window contains an arc between
        // different sizes.
        CertificateCase{"OneSizeInWindows", Chain(6000)}),
    [](const auto& test) { return test.param.name; });

// Four tensors have ended when two tensors of size 10 start. Likely arcs lead
// to both starts from all four ends, because one of the starts uses the nearest
// sizes and the other start needs the next nearest ones.
TEST(LikelyArcs, ComeFromTheNearestSizeClassesInOrderAndOnce) {
  const Records records = {{9, 0, 0},  {11, 0, 0}, {12, 0, 0},
                           {13, 0, 0}, {10, 1, 1}, {10, 1, 1}};
  std::vector<std::pair<size_t, size_t>> arcs;
  for (const Arc& arc : FindLikelyArcs(BuildNetwork(records))) {
    arcs.emplace_back(arc.tail, arc.head);
  }
  // Nodes 0 to 3 are the starts of sizes 9, 11, 12 and 13. Nodes 4 to 8 belong
  // to task 1: the end of 9, the starts of 10, and the ends of 11, 12 and 13.
  const std::vector<std::pair<size_t, size_t>> expected = {
      {1, 0}, {0, 1}, {2, 1}, {0, 2}, {1, 2}, {3, 2},
      {1, 3}, {2, 3}, {4, 5}, {6, 5}, {7, 5}, {8, 5}};
  EXPECT_EQ(arcs, expected);
}

TEST(MinCostFlow, SamePlanEveryTime) {
  const Records records = ManyRecords(1000, 40, 25);
  EXPECT_EQ(PlanOf(records).object_ids, PlanOf(records).object_ids);
}

TEST(MinCostFlow, OffsetsAreTheObjectsOneAfterTheOther) {
  const Records records = {{10, 0, 0}, {7, 0, 0}, {8, 1, 1}};
  OffsetsAssignment plan;
  ASSERT_TRUE(AssignOffsetsToTensors(records, MemoryStrategy::MINCOSTFLOW,
                                     &plan, /*base_addr_align_bytes=*/8)
                  .ok());
  EXPECT_THAT(plan.offsets, ElementsAre(0, 16, 0));
  EXPECT_EQ(plan.total_size, 23);
}

TEST(MinCostFlow, RefusesAReallocationGraph) {
  const UsageGraph graph(1);
  OffsetsAssignment plan;
  EXPECT_EQ(AssignOffsetsToTensors({{10, 0, 0}}, MemoryStrategy::MINCOSTFLOW,
                                   &plan, 1, &graph)
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST(MinCostFlow, RefusesAtOnceWhatWouldTakeMinutes) {
  const auto plan = Solve(ManyRecords(300000, 1000, 50));
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("300000 records"));
}

}  // namespace
}  // namespace stowage::mincostflow
