// SPDX-License-Identifier: Apache-2.0
// Tests problems for which the usual orders find no plan, because highest
// starts or the capacity leave little room.
#include "src/construct/place_tightly.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

struct Limited {
  size_t size;
  TaskId first;
  TaskId last;
  size_t min;
  absl::optional<size_t> max;
};

ProblemSpec SpecOf(const std::vector<Limited>& records) {
  ProblemSpec spec;
  for (const Limited& record : records) {
    spec.records.emplace_back(record.size, record.first, record.last);
    RecordPlace place;
    place.min = record.min;
    place.max = record.max;
    spec.constraints.places.push_back(place);
  }
  return spec;
}

// Expects that SKYLINE and GREEDY_BY_SIZE return a safe plan that `part` found.
void ExpectFoundBy(const ProblemSpec& spec, const std::string& part) {
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (const char* const strategy : {"skyline", "greedy_by_size"}) {
    SCOPED_TRACE(strategy);
    const auto solution = Solve(*problem, strategy);
    ASSERT_TRUE(solution.ok()) << solution.status();
    ASSERT_TRUE(solution->has_plan()) << solution->reason;
    EXPECT_TRUE(absl::StartsWith(solution->found_by, part))
        << solution->found_by;
    EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
  }
}

// The record of 7 bytes must start at 3 or below, and the other record at 5 or
// below. If the record of 7 bytes is first placed at 0, there is no place for
// the other record.
TEST(PlaceTightly, PlacesRecordsFirstThatHadNoPlace) {
  ExpectFoundBy(SpecOf({{7, 0, 0, 0, size_t{10}}, {3, 0, 0, 0, size_t{8}}}),
                "lowest place (attempt 2)");
}

// In the only plan, the second record is on top. An attempt that places this
// record first gives it its lowest place, which is at the bottom.
TEST(PlaceTightly, SearchesWhereAttemptsFail) {
  ExpectFoundBy(SpecOf({{12, 3, 3, 0, size_t{21}},
                        {3, 1, 3, 0, size_t{30}},
                        {3, 1, 3, 1, size_t{15}},
                        {6, 3, 3, 0, size_t{12}}}),
                "body search (node ");
}

TEST(PlaceTightly, PlacesOtherRecordsAroundThoseThatAreSearched) {
  ExpectFoundBy(SpecOf({{9, 2, 5, 0, absl::nullopt},
                        {12, 3, 3, 0, size_t{21}},
                        {3, 1, 3, 0, size_t{30}},
                        {4, 0, 3, 2, absl::nullopt},
                        {0, 1, 3, 0, size_t{30}},
                        {3, 1, 3, 1, size_t{15}},
                        {6, 3, 3, 0, size_t{12}}}),
                "body search (node ");
}

TEST(PlaceTightly, ClaimsNothingWhereThereIsNoPlan) {
  const auto problem = Problem::Create(SpecOf({{4, 0, 1, 0, size_t{9}},
                                               {4, 0, 1, 1, size_t{9}},
                                               {2, 0, 1, 0, size_t{9}}}));
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (const char* const strategy : {"skyline", "greedy_by_size"}) {
    const auto solution = Solve(*problem, strategy);
    ASSERT_TRUE(solution.ok()) << solution.status();
    EXPECT_EQ(solution->status, SolutionStatus::kTimeLimit);
  }
}

}  // namespace
}  // namespace stowage
