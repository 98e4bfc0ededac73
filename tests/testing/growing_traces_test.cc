// SPDX-License-Identifier: Apache-2.0
#include "src/testing/growing_traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stowage/feature.h"
#include "stowage/testing/check_planner.h"

namespace stowage::testing {
namespace {

// Returns the number of records of each trace of a check.
std::vector<size_t> CountsOf(const PlannerCheckOptions& options) {
  const GrowingTraces traces(options);
  std::vector<size_t> counts;
  for (size_t t = 0; t < options.traces; ++t) {
    counts.push_back(traces.MakeTrace(t).records.size());
  }
  return counts;
}

// The defaults are those of `stowage check-planner`.
TEST(GrowingTraces, OneTraceIsEmptyAndOneOverflowsTablesOf256Entries) {
  for (const bool has_claims : {false, true}) {
    PlannerCheckOptions options;
    if (has_claims) options.claims = {Feature::kGroups};
    const std::vector<size_t> counts = CountsOf(options);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 1);
    EXPECT_EQ(counts[2], 0);
    EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 300);
    EXPECT_THAT(counts, ::testing::Contains(70));
  }
}

TEST(GrowingTraces, ShortChecksHaveNoEmptyTrace) {
  PlannerCheckOptions options;
  options.traces = 60;
  EXPECT_THAT(CountsOf(options), ::testing::Each(::testing::Gt(0)));
}

TEST(GrowingTraces, NoTraceIsLargeIfNoneIsAskedFor) {
  PlannerCheckOptions options;
  options.large_records = 0;
  EXPECT_THAT(CountsOf(options), ::testing::Not(::testing::Contains(70)));
  EXPECT_THAT(CountsOf(options), ::testing::Not(::testing::Contains(300)));
}

}  // namespace
}  // namespace stowage::testing
