// SPDX-License-Identifier: Apache-2.0
// Tests the layout planner for nativert together with a model of nativert's own
// planner.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/adapters/nativert/layout_planner.h"
#include "stowage/verify.h"
#include "tests/adapters/nativert_host.h"
#include "tests/support/status_matchers.h"

namespace stowage::adapters::nativert_test {
namespace {

using nativert_host::AllocationSpec;
using nativert_host::LayoutPlan;
using nativert_host::PlanBySize;
using support::IsOk;

using Specs = std::vector<AllocationSpec>;

// Returns whether the layout is safe by the rule of nativert.
bool IsSafe(const Specs& specs, const LayoutPlan& plan) {
  if (plan.allocations.size() != specs.size()) return false;
  for (size_t i = 0; i < specs.size(); ++i) {
    const auto& a = plan.allocations[i];
    if (a.size != specs[i].size) return false;
    if (a.offset + a.size > plan.total_size) return false;
    for (size_t k = 0; k < i; ++k) {
      const auto& b = plan.allocations[k];
      const bool share = a.size > 0 && b.size > 0 &&
                         a.offset < b.offset + b.size &&
                         b.offset < a.offset + a.size;
      if (share && nativert_host::Meet(specs[i], specs[k])) return false;
    }
  }
  return true;
}

LayoutPlan PlanAtZero(const Specs& specs) {
  LayoutPlan plan;
  for (const AllocationSpec& spec : specs) {
    plan.allocations.push_back({spec.size, 0});
    plan.total_size = std::max(plan.total_size, spec.size);
  }
  return plan;
}

LayoutPlan PlanOneByOne(const Specs& specs) {
  LayoutPlan plan;
  for (const AllocationSpec& spec : specs) {
    plan.allocations.push_back({spec.size, plan.total_size});
    plan.total_size += spec.size;
  }
  return plan;
}

constexpr size_t kMax = std::numeric_limits<size_t>::max();

struct LayoutCase {
  const char* name;
  Specs specs;
  size_t total = 0;
};

class NativertLayoutTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(NativertLayoutTest, IsAsSmallAsCanBe) {
  const Specs& specs = GetParam().specs;
  const auto plan = PlanLayout(specs, &PlanOneByOne);
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(IsSafe(specs, *plan));
  EXPECT_EQ(plan->total_size, GetParam().total);
}

INSTANTIATE_TEST_SUITE_P(
    All, NativertLayoutTest,
    ::testing::Values(
        LayoutCase{"Nothing", {}, 0},
        LayoutCase{"Apart", {{{0, 4}, 8}, {{5, 9}, 8}}, 8},
        // Both ends are inclusive.
        LayoutCase{"Touching", {{{0, 5}, 8}, {{5, 9}, 8}}, 16},
        LayoutCase{"TouchingAtTheStart", {{{5, 9}, 8}, {{0, 5}, 8}}, 16},
        LayoutCase{"AtOneNode", {{{3, 3}, 8}, {{3, 3}, 4}}, 12},
        LayoutCase{"LastNode", {{{kMax, kMax}, 8}, {{0, kMax - 1}, 8}}, 8},
        LayoutCase{"ZeroSizes", {{{0, 5}, 0}, {{0, 5}, 8}, {{0, 5}, 0}}, 8}),
    [](const auto& test) { return test.param.name; });

TEST(NativertLayout, KeepsTheLayoutOfTheHostThatIsAsSmall) {
  const Specs specs = {{{0, 4}, 8}, {{4, 9}, 4}};
  const auto plan = PlanLayout(specs, &PlanOneByOne);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->allocations[0].offset, 0u);
  EXPECT_EQ(plan->allocations[1].offset, 8u);
}

TEST(NativertLayout, ReportsAnUnsafeLayoutAndReplacesIt) {
  const Specs specs = {{{0, 4}, 8}, {{4, 9}, 4}};
  LayoutOptions options;
  std::vector<Violation> reported;
  options.on_unsafe_host = [&](const Violation& v) { reported.push_back(v); };
  const auto plan = PlanLayout(specs, &PlanAtZero, options);
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(IsSafe(specs, *plan));
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].task, 4u);
}

TEST(NativertLayout, VerifiesTheLayoutOfTheHostIfTheSumExceeds64Bits) {
  const auto safe =
      PlanLayout(Specs{{{0, 1}, kMax}, {{2, 3}, kMax}}, &PlanAtZero);
  ASSERT_THAT(safe, IsOk());
  EXPECT_EQ(safe->total_size, kMax);
  const auto unsafe =
      PlanLayout(Specs{{{0, 2}, kMax}, {{2, 3}, kMax}}, &PlanAtZero);
  EXPECT_EQ(unsafe.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(ViolationOf(unsafe.status()));
}

TEST(NativertLayout, LeavesLifetimesWithoutANodeToTheHost) {
  const auto plan = PlanLayout(Specs{{{5, 4}, 8}, {{0, 9}, 8}}, &PlanAtZero);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total_size, 8u);
}

RC_GTEST_PROP(NativertLayoutProperty, IsSafeAndNeverLargerThanTheHost, ()) {
  const auto specs = *rc::gen::container<Specs>(rc::gen::exec([] {
    AllocationSpec spec;
    spec.lifetime.start = *rc::gen::inRange<size_t>(0, 30);
    spec.lifetime.end = spec.lifetime.start + *rc::gen::inRange<size_t>(0, 9);
    spec.size = 64 * *rc::gen::inRange<size_t>(0, 100);
    return spec;
  }));
  const LayoutPlan host = PlanBySize(specs);
  RC_ASSERT(IsSafe(specs, host));
  const auto plan = PlanLayout(specs, &PlanBySize);
  RC_ASSERT(plan.ok());
  RC_ASSERT(IsSafe(specs, *plan));
  RC_ASSERT(plan->total_size <= host.total_size);
  // Padded sizes keep the offsets aligned.
  for (const auto& allocation : plan->allocations) {
    RC_ASSERT(allocation.offset % 64 == 0u);
  }
}

}  // namespace
}  // namespace stowage::adapters::nativert_test
