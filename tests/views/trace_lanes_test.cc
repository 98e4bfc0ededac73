// SPDX-License-Identifier: Apache-2.0
#include "src/views/trace_lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "rapidcheck/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/profile.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Only two objects are shown: the largest object, with all its tensors, and the
// first of two objects of equal size.
TEST(TraceLanes, KeepTheLargestObjects) {
  ProblemFile plan;
  plan.problem.records = {
      {6, 0, 1}, {4, 1, 2}, {9, 3, 3}, {6, 0, 3}, {5, 0, 0}};
  plan.problem.names = {"a", "b", "c", "d", "e"};
  plan.plan.objects = {3, 5, 5, 8, 9};
  const absl::StatusOr<PlanView> view = ViewPlan(std::move(plan), {"plan", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  const TraceLanes lanes = LanesOf(*view, 2);
  ASSERT_THAT(lanes.groups, SizeIs(1));
  ASSERT_THAT(lanes.groups[0].lanes, SizeIs(2));
  EXPECT_EQ(lanes.groups[0].lanes[0].name, "object 3");
  EXPECT_THAT(lanes.groups[0].lanes[0].records, ElementsAre(0));
  EXPECT_EQ(lanes.groups[0].lanes[1].name, "object 5");
  EXPECT_THAT(lanes.groups[0].lanes[1].records, ElementsAre(1, 2));
  EXPECT_THAT(lanes.hidden, ElementsAre(3, 4));
  EXPECT_THAT(LanesOf(*view, 4).hidden, IsEmpty());
}

RC_GTEST_PROP(ColourLanes, LeavesOutTheSmallest, ()) {
  const testing::ByteRecords records = *testing::AnyRecords();
  const size_t max = *rc::gen::inRange<size_t>(1, 5);
  std::vector<size_t> all;
  for (size_t i = 0; i < records.size(); ++i) all.push_back(i);
  std::vector<size_t> hidden;
  const std::vector<std::vector<size_t>> lanes =
      ColourLanes(records, all, max, &hidden);
  RC_ASSERT(lanes.size() <= max);
  size_t shown = 0;
  for (const std::vector<size_t>& lane : lanes) {
    shown += lane.size();
    for (size_t k = 1; k < lane.size(); ++k) {
      RC_ASSERT(records[lane[k - 1]].last_task < records[lane[k]].first_task);
    }
  }
  RC_ASSERT(shown + hidden.size() == records.size());
  // A record may be hidden only if, at one of its tasks, at least `max` other
  // live records are at least as large.
  for (const size_t i : hidden) {
    const bool is_crowded_out =
        std::any_of(records.begin(), records.end(), [&](const ByteRecord& at) {
          if (at.first_task < records[i].first_task ||
              at.first_task > records[i].last_task) {
            return false;
          }
          const std::vector<size_t> live = TaskProfile(records, at.first_task);
          return std::count_if(live.begin(), live.end(), [&](size_t j) {
                   return j != i &&
                          records[j].tensor_size >= records[i].tensor_size;
                 }) >= static_cast<std::ptrdiff_t>(max);
        });
    RC_ASSERT(is_crowded_out);
  }
}

}  // namespace
}  // namespace stowage::views
