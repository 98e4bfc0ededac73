// SPDX-License-Identifier: Apache-2.0
// Tests groups with fixed offsets. A strategy that supports fixed offsets but
// not groups can still plan the other records around these groups.
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

struct Member {
  size_t size;
  TaskId first;
  TaskId last;
  absl::optional<size_t> at;  // offset in the group; none if not in the group
};

// Returns a problem with a group that begins at byte 16.
Problem GroupAt16(const std::vector<Member>& members) {
  ProblemSpec spec;
  for (const Member& member : members) {
    spec.records.emplace_back(member.size, member.first, member.last);
    spec.fixed_offsets.emplace_back();
    RecordPlace& place = spec.constraints.places.emplace_back();
    if (!member.at) continue;
    spec.fixed_offsets.back() = 16 + *member.at;
    place.group = 0;
    place.at = *member.at;
  }
  auto problem = Problem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  return *std::move(problem);
}

TEST(FixedGroups, ArePlannedAroundWhereTheyAreLive) {
  //  byte 0   16      32      48
  //           |= a ===========|      tasks 0 to 2
  //           |= b ===|              tasks 0 to 4: shares bytes with a
  const Problem problem = GroupAt16({{32, 0, 2, 0},
                                     {16, 0, 4, 0},
                                     {16, 1, 1, absl::nullopt},
                                     {16, 1, 1, absl::nullopt},
                                     {24, 3, 4, absl::nullopt}});
  const auto solution = Solve(problem, "micro_first_fit");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->offsets()->offsets, ElementsAre(16, 16, 48, 0, 32));
  EXPECT_EQ(solution->total_size, 64u);
}

TEST(FixedGroups, WithoutAGivenPlaceAreUnsupported) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {4, 0, 1}};
  spec.constraints.places.resize(2);
  spec.constraints.places[0].group = spec.constraints.places[1].group = 0;
  spec.constraints.places[1].at = 4;
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(Solve(*problem, "micro_first_fit").status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace stowage
