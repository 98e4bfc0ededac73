// SPDX-License-Identifier: Apache-2.0
// Tests that the rows of a diff add up exactly, to the byte, for any two plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_records.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

using testing::ByteRecords;

constexpr MemoryStrategy kPlanners[] = {
    MemoryStrategy::NAIVE, MemoryStrategy::GREEDY_IN_ORDER,
    MemoryStrategy::GREEDY_BY_BREADTH, MemoryStrategy::GREEDY_BY_SIZE};

// Returns a safe plan of the records with objects or with offsets, made by a
// random strategy.
ProblemFile PlanOf(const ByteRecords& records,
                   const std::vector<std::string>& ids, bool has_objects,
                   std::mt19937_64* random) {
  ProblemFile trace;
  trace.problem.records = records;
  trace.problem.names = ids;
  const MemoryStrategy strategy = kPlanners[(*random)() % 4];
  if (has_objects) {
    ObjectsAssignment<size_t> plan;
    EXPECT_TRUE(AssignObjectsToTensors(records, strategy, &plan).ok());
    trace.plan.objects = plan.object_ids;
  } else {
    OffsetsAssignment plan;
    EXPECT_TRUE(AssignOffsetsToTensors(records, strategy, &plan).ok());
    trace.plan.offsets = plan.offsets;
  }
  return trace;
}

// Removes and renames some records, and changes the sizes or lifetimes of
// others.
void ChangeSome(std::mt19937_64* random, ByteRecords* records,
                std::vector<std::string>* ids) {
  const ByteRecords before = *records;
  for (size_t i = before.size(); i-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    ByteRecord& record = (*records)[i];
    switch ((*random)() % 8) {
      case 0:
        records->erase(records->begin() + at);
        ids->erase(ids->begin() + at);
        break;
      case 1:
        record.tensor_size = before[(*random)() % before.size()].tensor_size;
        break;
      case 2:
        record = before[(*random)() % before.size()];
        break;
      case 3:
        (*ids)[i] += " new";
        break;
      default:
        break;
    }
  }
}

// Returns the bytes that are live at the peak of `side`. Sums over all records
// of the plan, regardless of how the diff has matched the records.
absl::int128 BytesAtPeak(const PlanView& view, const DiffSide& side) {
  absl::int128 sum = 0;
  for (const ByteRecord& record : view.problem.records) {
    const bool is_live = side.peak && record.first_task <= *side.peak &&
                         *side.peak <= record.last_task;
    if (is_live) sum += record.tensor_size;
  }
  return sum;
}

void ExpectAccount(const PlanView& before, const PlanView& after) {
  const absl::StatusOr<PlanDiff> diff = DiffPlans(before, after);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_EQ(diff->TensorsChange(), BytesAtPeak(after, diff->new_side) -
                                       BytesAtPeak(before, diff->old_side));
  EXPECT_EQ(diff->TensorsChange(), absl::int128(after.peak_breadth) -
                                       absl::int128(before.peak_breadth));
  EXPECT_EQ(diff->TensorsChange() + diff->BoundChange() + diff->GapsChange(),
            absl::int128(after.total_size) - absl::int128(before.total_size));
  EXPECT_EQ(diff->TotalChange(),
            absl::int128(after.total_size) - absl::int128(before.total_size));
  EXPECT_EQ(diff->matched + diff->gone.size(), before.problem.records.size());
  EXPECT_EQ(diff->matched + diff->appeared.size(),
            after.problem.records.size());
  for (const DiffRow& row : diff->rows) EXPECT_NE(row.change(), 0);
}

TEST(PlanDiffProperty, AThousandPairsAddUp) {
  const auto families = testing::AllFamilies();
  size_t changed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const testing::Family family = families[seed % families.size()].family;
    ByteRecords records = testing::RandomRecords(family, seed, 12);
    for (ByteRecord& record : records) {
      record.last_task =
          std::min(record.last_task, std::numeric_limits<TaskId>::max() - 1);
    }
    if (!CheckUsageRecords(records).ok()) continue;
    std::vector<std::string> ids;
    for (size_t i = 0; i < records.size(); ++i) ids.push_back(absl::StrCat(i));
    const bool has_objects = seed % 3 == 0;
    const ProblemFile before = PlanOf(records, ids, has_objects, &random);
    ChangeSome(&random, &records, &ids);
    if (!CheckUsageRecords(records).ok()) continue;
    const ProblemFile after = PlanOf(records, ids, has_objects, &random);
    const absl::StatusOr<PlanView> old_view = ViewPlan(before, {"old", ""});
    const absl::StatusOr<PlanView> new_view = ViewPlan(after, {"new", ""});
    // With the largest sizes, the offsets of naive plans may exceed 64 bits.
    // Such plans have no view.
    if (!old_view.ok() || !new_view.ok()) continue;
    ++changed;
    ExpectAccount(*old_view, *new_view);
  }
  EXPECT_GE(changed, 900u);
}

}  // namespace
}  // namespace stowage::views
