// What every strategy must do, whichever there are: those in the tree, those
// added by a folder outside it, and those yet to come.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/properties.h"
#include "stowage/trace.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using Records = std::vector<ByteRecord>;

struct Request {
  std::string strategy;
  PlanKind kind;
};

// Every strategy with every kind of plan that it makes.
std::vector<Request> AllRequests() {
  std::vector<Request> requests;
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (info.features.objects) {
      requests.push_back({info.name, PlanKind::kObjects});
    }
    if (info.features.offsets) {
      requests.push_back({info.name, PlanKind::kOffsets});
    }
  }
  return requests;
}

PlanOptions OptionsFor(const Request& request) {
  PlanOptions options;
  options.strategy = request.strategy;
  options.kind = request.kind;
  // A deadline would make plans depend on the machine.
  options.search.node_budget = 2000;
  return options;
}

PlanResult PlanOrFail(const Records& records, const PlanOptions& options) {
  const absl::StatusOr<PlanResult> plan = Plan(records, options);
  if (!plan.ok()) RC_FAIL(options.strategy + ": " + plan.status().ToString());
  return *plan;
}

RC_GTEST_PROP(Conformance, PlansAreSafeAndKnowHowGoodTheyAre, ()) {
  const Records records = *testing::AnyRecords();
  const auto alignments = *testing::AlignmentLists(records.size());
  for (const Request& request : AllRequests()) {
    PlanOptions options = OptionsFor(request);
    options.alignments = absl::MakeConstSpan(alignments);
    const PlanResult plan = PlanOrFail(records, options);
    const absl::Status status =
        request.kind == PlanKind::kOffsets
            ? testing::CheckPlan(records, plan.offsets, options.alignments)
            : testing::CheckPlan(records, plan.objects);
    if (!status.ok()) RC_FAIL(request.strategy + ": " + status.ToString());
    RC_ASSERT(plan.total_size >= plan.lower_bound);
    RC_ASSERT(plan.naive_size == NaiveSize(records));
    RC_ASSERT((plan.status == PlanStatus::kOptimal) ==
              (plan.total_size == plan.lower_bound));
  }
}

// No strategy wastes more than the alignment costs.
RC_GTEST_PROP(Conformance, NoPlanIsLargerThanNoSharing, ()) {
  const Records records = *testing::AnyRecords();
  for (const Request& request : AllRequests()) {
    const PlanResult plan = PlanOrFail(records, OptionsFor(request));
    RC_ASSERT(plan.total_size <= plan.naive_size);
  }
}

RC_GTEST_PROP(Conformance, TheSamePlanEveryTime, ()) {
  const Records records = *testing::AnyRecords();
  for (const Request& request : AllRequests()) {
    const PlanResult once = PlanOrFail(records, OptionsFor(request));
    const PlanResult again = PlanOrFail(records, OptionsFor(request));
    RC_ASSERT(testing::SamePlan(once.offsets, again.offsets));
    RC_ASSERT(testing::SamePlan(once.objects, again.objects));
  }
}

RC_GTEST_PROP(Conformance, ScaledSizesGiveTheScaledPlan, ()) {
  const Records records = *testing::NetworkRecords();
  const size_t factor = *rc::gen::inRange<size_t>(2, 1000);
  Records scaled = records;
  for (ByteRecord& record : scaled) record.tensor_size *= factor;
  for (const Request& request : AllRequests()) {
    PlanResult want = PlanOrFail(records, OptionsFor(request));
    for (size_t& offset : want.offsets.offsets) offset *= factor;
    want.offsets.total_size *= factor;
    for (size_t& size : want.objects.object_sizes) size *= factor;
    const PlanResult plan = PlanOrFail(scaled, OptionsFor(request));
    RC_ASSERT(testing::SamePlan(plan.offsets, want.offsets));
    RC_ASSERT(testing::SamePlan(plan.objects, want.objects));
  }
}

// Moving the whole network in time changes nothing.
RC_GTEST_PROP(Conformance, ShiftedTasksGiveTheSamePlan, ()) {
  const Records records = *testing::NetworkRecords();
  const TaskId shift = *rc::gen::inRange<TaskId>(1, TaskId{1} << 60);
  Records shifted = records;
  for (ByteRecord& record : shifted) {
    record.first_task += shift;
    record.last_task += shift;
  }
  for (const Request& request : AllRequests()) {
    const PlanResult want = PlanOrFail(records, OptionsFor(request));
    const PlanResult plan = PlanOrFail(shifted, OptionsFor(request));
    RC_ASSERT(testing::SamePlan(plan.offsets, want.offsets));
    RC_ASSERT(testing::SamePlan(plan.objects, want.objects));
  }
}

// Records of which no two begin together or have the same size.
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
    if (!strategy.info().features.order_independent) continue;
    const PlanResult want = PlanOrFail(records, OptionsFor(request));
    const PlanResult plan = PlanOrFail(permuted, OptionsFor(request));
    RC_ASSERT(plan.total_size == want.total_size);
    for (size_t k = 0; k < from.size(); ++k) {
      if (request.kind == PlanKind::kOffsets) {
        RC_ASSERT(plan.offsets.offsets[k] == want.offsets.offsets[from[k]]);
      } else {
        RC_ASSERT(plan.objects.object_ids[k] ==
                  want.objects.object_ids[from[k]]);
      }
    }
  }
}

template <typename TensorSizeT>
void CheckExtents(bool StrategyFeatures::*feature) {
  const auto records = *testing::ExtentRecords<TensorSizeT>();
  for (const Strategy* strategy : AllStrategies()) {
    if (!(strategy->info().features.*feature)) continue;
    const auto plan =
        strategy->PlanObjects(absl::MakeConstSpan(records), StrategyOptions());
    if (!plan.ok()) RC_FAIL(plan.status().ToString());
    const absl::Status status =
        testing::CheckPlan(absl::MakeConstSpan(records), *plan);
    if (!status.ok()) {
      RC_FAIL(strategy->info().name + ": " + status.ToString());
    }
  }
}

RC_GTEST_PROP(Conformance, PlansOfTwoDimensionsAreSafe, ()) {
  CheckExtents<uint2>(&StrategyFeatures::extents);
}
RC_GTEST_PROP(Conformance, PlansOfThreeDimensionsAreSafe, ()) {
  CheckExtents<uint3>(&StrategyFeatures::extents);
}
RC_GTEST_PROP(Conformance, PlansOfShapesAreSafe, ()) {
  CheckExtents<BHWC>(&StrategyFeatures::bhwc);
}

TEST(Conformance, NoRecordsAreNoBytes) {
  for (const Request& request : AllRequests()) {
    const auto plan = Plan(Records(), OptionsFor(request));
    ASSERT_TRUE(plan.ok()) << request.strategy << ": " << plan.status();
    EXPECT_EQ(plan->total_size, 0u);
    EXPECT_EQ(plan->status, PlanStatus::kOptimal);
  }
}

// No number is left beyond it that could stand for a plan that there is not.
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
  const absl::StatusOr<Trace> trace = ReadTraceCsv(path);
  ASSERT_TRUE(trace.ok()) << trace.status();
  for (const Request& request : AllRequests()) {
    PlanOptions options = OptionsFor(request);
    options.alignments = trace->alignment();
    const auto plan = Plan(trace->records, options);
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
