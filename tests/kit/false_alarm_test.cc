// SPDX-License-Identifier: Apache-2.0
// Tests that correct planners violate no property and no claim. The planners
// are all registered strategies, which plan traces of every family.
//
// If a few hundred traces per test are not enough, set the environment variable
// STOWAGE_KIT_TRACES to the number of traces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "tests/support/sanitized.h"
#include "tests/support/wrapped_planner.h"

namespace stowage::testing {
namespace {

size_t TraceCount() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any other thread
  const char* const text = std::getenv("STOWAGE_KIT_TRACES");
  size_t count = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &count)) return count;
  return support::Sampled(400);
}

SearchForFailure SearchFrom(uint64_t seed) {
  SearchForFailure search;
  search.seed = seed;
  search.traces = TraceCount();
  return search;
}

SolveOptions Options() {
  SolveOptions options;
  // With a time limit, plans would depend on the machine.
  options.node_budget = 100;
  options.threads = 1;
  return options;
}

class FalseAlarmTest : public ::testing::TestWithParam<const Strategy*> {
 protected:
  const StrategyInfo& info() const { return GetParam()->info(); }
};

// Returns all properties and the claims that the strategy makes, except for the
// claim to find the optimum. No strategy always finds the optimum within the
// budget of this test.
template <typename P>
std::vector<P> WithClaims(absl::Span<const P> all, absl::Span<const P> claims,
                          const StrategyInfo& info) {
  std::vector<P> result(all.begin(), all.end());
  for (const P& claim : claims) {
    if (absl::EndsWith(claim.name, "_optimum")) continue;
    if (claim.name == "same_plan_in_any_order" && !info.is_order_independent) {
      continue;
    }
    // micro_first_fit pads sizes in the same way as the planner that it
    // reproduces, so its totals are larger.
    if ((claim.name == "not_above_naive" || claim.name == "tight_total") &&
        info.name == "micro_first_fit") {
      continue;
    }
    result.push_back(claim);
  }
  return result;
}

// Expects that the planner made plans in most calls, because a planner that
// refuses everything would pass all checks.
void ExpectMostArePlanned(const support::AnswerCount& count) {
  EXPECT_GT(count.plans * 2, count.calls) << "of " << count.calls;
}

TEST_P(FalseAlarmTest, OffsetsRaiseNone) {
  if (!info().features.Has(Feature::kOffsets)) {
    GTEST_SKIP() << "makes no plan of this kind";
  }
  support::AnswerCount count;
  const auto failure = FindFailure(
      support::Counted(StrategyPlanFn(info().name, Options()), &count),
      SearchFrom(1), WithClaims(AllProperties(), Claims(), info()));
  EXPECT_FALSE(failure) << Describe(*failure);
  ExpectMostArePlanned(count);
}

TEST_P(FalseAlarmTest, ObjectsRaiseNone) {
  if (!info().features.Has(Feature::kObjects)) {
    GTEST_SKIP() << "makes no plan of this kind";
  }
  support::AnswerCount count;
  const auto failure = FindFailure(
      support::Counted(StrategyObjectsPlanFn(info().name, Options()), &count),
      SearchFrom(1000000),
      WithClaims(AllObjectsProperties(), ObjectsClaims(), info()));
  EXPECT_FALSE(failure) << Describe(*failure);
  ExpectMostArePlanned(count);
}

std::string NameOf(const ::testing::TestParamInfo<const Strategy*>& parameter) {
  return parameter.param->info().name;
}

INSTANTIATE_TEST_SUITE_P(EveryStrategy, FalseAlarmTest,
                         ::testing::ValuesIn(AllStrategies()), NameOf);

}  // namespace
}  // namespace stowage::testing
