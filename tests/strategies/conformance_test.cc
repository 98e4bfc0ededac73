// SPDX-License-Identifier: Apache-2.0
// Tests the requirements for every strategy: the strategies of this project,
// those that a folder outside the project adds, and future ones.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/properties.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/plan_request.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;

using Records = std::vector<ByteRecord>;

struct Request {
  std::string strategy;
  PlanKind kind;
};

// Returns every strategy with each kind of plan that it makes.
std::vector<Request> AllRequests() {
  std::vector<Request> requests;
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (info.features.Has(Feature::kObjects)) {
      requests.push_back({info.name, PlanKind::kObjects});
    }
    if (info.features.Has(Feature::kOffsets)) {
      requests.push_back({info.name, PlanKind::kOffsets});
    }
  }
  return requests;
}

PlanRequest OptionsFor(const Request& request) {
  PlanRequest options;
  options.strategy = request.strategy;
  options.kind = request.kind;
  // With a time limit, plans would depend on the machine.
  options.search.node_budget = 2000;
  return options;
}

Solution PlanOrFail(const Records& records, const PlanRequest& options) {
  const absl::StatusOr<Solution> plan = Plan(records, options);
  if (!plan.ok()) RC_FAIL(options.strategy + ": " + plan.status().ToString());
  return *plan;
}

RC_GTEST_PROP(Conformance, PlansAreSafeAndKnowHowGoodTheyAre, ()) {
  const Records records = *testing::AnyRecords();
  const auto alignments = *testing::AlignmentLists(records.size());
  for (const Request& request : AllRequests()) {
    PlanRequest options = OptionsFor(request);
    options.alignments = Alignments(alignments);
    const Solution plan = PlanOrFail(records, options);
    const absl::Status status =
        request.kind == PlanKind::kOffsets
            ? testing::CheckPlan(records, *plan.offsets(), options.alignments)
            : testing::CheckPlan(records, *plan.objects());
    if (!status.ok()) RC_FAIL(request.strategy + ": " + status.ToString());
    RC_ASSERT(plan.total_size >= plan.lower_bound);
    RC_ASSERT((plan.status == SolutionStatus::kOptimal) ==
              (plan.total_size == plan.lower_bound));
  }
}

// No plan is larger than a plan without sharing. The records are not aligned,
// because padding could make a plan larger.
RC_GTEST_PROP(Conformance, NoPlanIsLargerThanNoSharing, ()) {
  const Records records = *testing::AnyRecords();
  for (const Request& request : AllRequests()) {
    const Solution plan = PlanOrFail(records, OptionsFor(request));
    RC_ASSERT(plan.total_size <= NaiveSize(records));
  }
}

// Returns whether two solutions of one kind have the same plan.
bool AreSame(const Solution& a, const Solution& b) {
  return a.offsets() != nullptr ? testing::SamePlan(*a.offsets(), *b.offsets())
                                : testing::SamePlan(*a.objects(), *b.objects());
}

Solution Scaled(const Solution& solution, size_t factor) {
  if (solution.offsets() != nullptr) {
    OffsetsAssignment plan = *solution.offsets();
    for (size_t& offset : plan.offsets) offset *= factor;
    plan.total_size *= factor;
    return plan;
  }
  ObjectsAssignment<size_t> plan = *solution.objects();
  for (size_t& size : plan.object_sizes) size *= factor;
  return plan;
}

RC_GTEST_PROP(Conformance, TheSamePlanEveryTime, ()) {
  const Records records = *testing::AnyRecords();
  for (const Request& request : AllRequests()) {
    const Solution once = PlanOrFail(records, OptionsFor(request));
    const Solution again = PlanOrFail(records, OptionsFor(request));
    RC_ASSERT(AreSame(once, again));
  }
}

RC_GTEST_PROP(Conformance, ScaledSizesGiveTheScaledPlan, ()) {
  const Records records = *testing::NetworkRecords();
  const size_t factor = *rc::gen::inRange<size_t>(2, 1000);
  Records scaled = records;
  for (ByteRecord& record : scaled) record.tensor_size *= factor;
  for (const Request& request : AllRequests()) {
    const Solution want =
        Scaled(PlanOrFail(records, OptionsFor(request)), factor);
    const Solution plan = PlanOrFail(scaled, OptionsFor(request));
    RC_ASSERT(AreSame(plan, want));
  }
}

// If the whole network is shifted in time, the plan stays the same.
RC_GTEST_PROP(Conformance, ShiftedTasksGiveTheSamePlan, ()) {
  const Records records = *testing::NetworkRecords();
  const TaskId shift = *rc::gen::inRange<TaskId>(1, TaskId{1} << 60);
  Records shifted = records;
  for (ByteRecord& record : shifted) {
    record.first_task += shift;
    record.last_task += shift;
  }
  for (const Request& request : AllRequests()) {
    const Solution want = PlanOrFail(records, OptionsFor(request));
    const Solution plan = PlanOrFail(shifted, OptionsFor(request));
    RC_ASSERT(AreSame(plan, want));
  }
}

// Returns records of which no two begin at the same task or have the same size.
rc::Gen<Records> RecordsWithoutTies() {
  return rc::gen::map(testing::AnyRecords(), [](Records records) {
    for (size_t i = 0; i < records.size(); ++i) {
      ByteRecord& record = records[i];
      const TaskId length =
          std::min<TaskId>(record.last_task - record.first_task, 1000);
      record.first_task = (record.first_task % 1000) * records.size() + i;
      record.last_task = record.first_task + length * records.size();
      record.tensor_size = (record.tensor_size % 1000) * records.size() + i;
    }
    return records;
  });
}

RC_GTEST_PROP(Conformance, PermutedRecordsGiveThePermutedPlan, ()) {
  const Records records = *RecordsWithoutTies();
  std::vector<size_t> from(records.size());
  std::iota(from.begin(), from.end(), size_t{0});
  const auto keys = *rc::gen::container<std::vector<size_t>>(
      records.size(), rc::gen::arbitrary<size_t>());
  std::sort(from.begin(), from.end(), [&](size_t a, size_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  Records permuted;
  for (const size_t i : from) permuted.push_back(records[i]);
  for (const Request& request : AllRequests()) {
    const Strategy& strategy = **FindStrategy(request.strategy);
    if (!strategy.info().is_order_independent) continue;
    const Solution want = PlanOrFail(records, OptionsFor(request));
    const Solution plan = PlanOrFail(permuted, OptionsFor(request));
    RC_ASSERT(plan.total_size == want.total_size);
    for (size_t k = 0; k < from.size(); ++k) {
      if (request.kind == PlanKind::kOffsets) {
        RC_ASSERT(plan.offsets()->offsets[k] ==
                  want.offsets()->offsets[from[k]]);
      } else {
        RC_ASSERT(plan.objects()->object_ids[k] ==
                  want.objects()->object_ids[from[k]]);
      }
    }
  }
}

// Checks the plans of all strategies for records whose sizes have one type.
// Only the strategies in `names` support this type.
template <typename TensorSizeT>
void CheckExtents(const std::set<std::string>& names) {
  const auto records = *testing::ExtentRecords<TensorSizeT>();
  for (const Strategy* strategy : AllStrategies()) {
    const std::string& name = strategy->info().name;
    const auto objects = strategy->AssignExtents(absl::MakeConstSpan(records));
    RC_ASSERT(absl::IsUnimplemented(objects.status()) ==
              (names.count(name) == 0));
    if (absl::IsUnimplemented(objects.status())) continue;
    if (!objects.ok()) RC_FAIL(objects.status().ToString());
    const absl::Status status =
        testing::CheckPlan(absl::MakeConstSpan(records),
                           std::get<ObjectsAssignment<TensorSizeT>>(*objects));
    if (!status.ok()) RC_FAIL(name + ": " + status.ToString());
  }
}

RC_GTEST_PROP(Conformance, PlansOfTwoDimensionsAreSafe, ()) {
  CheckExtents<uint2>({"equality", "greedy_in_order", "naive"});
}
RC_GTEST_PROP(Conformance, PlansOfThreeDimensionsAreSafe, ()) {
  CheckExtents<uint3>({"equality", "greedy_in_order", "naive"});
}
RC_GTEST_PROP(Conformance, PlansOfShapesAreSafe, ()) {
  CheckExtents<BHWC>({"equality", "naive"});
}

TEST(Conformance, NoRecordsAreNoBytes) {
  for (const Request& request : AllRequests()) {
    const auto plan = Plan(Records(), OptionsFor(request));
    ASSERT_TRUE(plan.ok()) << request.strategy << ": " << plan.status();
    EXPECT_EQ(plan->total_size, 0u);
    EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
  }
}

// The total size of these plans is the largest size_t. A strategy that uses
// this number to indicate that it has no plan fails this test.
TEST(Conformance, RecordsMayTakeAllBytesThatCanBeCounted) {
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  const Records one = {{kAll, 0, 1}};
  const Records two = {{kAll - 7, 0, 1}, {7, 1, 2}};
  for (const Records& records : {one, two}) {
    for (const Request& request : AllRequests()) {
      const auto plan = Plan(records, OptionsFor(request));
      ASSERT_TRUE(plan.ok()) << request.strategy << ": " << plan.status();
      EXPECT_EQ(plan->total_size, kAll) << request.strategy;
    }
  }
}

TEST(Conformance, EveryStrategySaysWhatItIs) {
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    SCOPED_TRACE(info.name);
    EXPECT_FALSE(info.summary.empty());
    EXPECT_FALSE(info.complexity.empty());
    EXPECT_FALSE(info.source.empty());
  }
}

void PlanWithAll(const std::string& path) {
  const absl::StatusOr<ProblemFile> trace =
      ReadProblemFile(path, {{}, {ModelFormat()}});
  ASSERT_TRUE(trace.ok()) << trace.status();
  for (const Request& request : AllRequests()) {
    PlanRequest options = OptionsFor(request);
    options.alignments = AlignmentsOf(trace->problem);
    const auto plan = Plan(trace->problem.records, options);
    EXPECT_TRUE(plan.ok()) << path << ": " << plan.status();
  }
}

TEST(Conformance, EveryShippedTraceHasAPlanOfEveryStrategy) {
  const auto paths = support::FilesIn(STOWAGE_SOURCE_DIR "/data/traces", "csv");
  ASSERT_GE(paths.size(), 12u);
  for (const std::string& path : paths) PlanWithAll(path);
}

TEST(Conformance, EveryRealModelHasAPlanOfEveryStrategy) {
  const auto folder = support::RealDataFolder("STOWAGE_MODELS");
  if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  const auto paths = support::FilesIn(*folder, ".tflite");
  ASSERT_FALSE(paths.empty()) << *folder;
  for (const std::string& path : paths) PlanWithAll(path);
}

}  // namespace
}  // namespace stowage
