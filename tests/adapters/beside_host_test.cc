// SPDX-License-Identifier: Apache-2.0
// Tests whether PlanBesideHost returns the plan of the host or the plan of
// Stowage, and what the function reports.
#include "src/adapters/beside_host.h"

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/testing/generators.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage::adapters {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kMax = std::numeric_limits<size_t>::max();

ProblemSpec SpecOf(std::vector<ByteRecord> records) {
  ProblemSpec spec;
  spec.records = std::move(records);
  return spec;
}

// Returns three records. The first and the last one may share all their bytes.
ProblemSpec ThreeRecords() {
  return SpecOf({{16, 0, 1}, {8, 1, 2}, {16, 2, 3}});
}

TEST(PlanBesideHost, ReturnsThePlanOfTheHostIfItIsAsSmall) {
  const OffsetsAssignment host = {{8, 0, 8}, 24};
  const auto result = PlanBesideHost(ThreeRecords(), &host);
  ASSERT_THAT(result, IsOk());
  EXPECT_TRUE(result->is_hosts_plan);
  EXPECT_THAT(result->plan.offsets, ElementsAre(8, 0, 8));
  EXPECT_EQ(result->lower_bound, 24u);
  EXPECT_EQ(result->host_violation, absl::nullopt);
  EXPECT_THAT(result->refusal, IsOk());
}

TEST(PlanBesideHost, ReturnsASmallerPlan) {
  const OffsetsAssignment host = {{0, 16, 24}, 40};
  const auto result = PlanBesideHost(ThreeRecords(), &host);
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->is_hosts_plan);
  EXPECT_EQ(result->plan.total_size, 24u);
}

TEST(PlanBesideHost, PlansWithoutAPlanOfTheHost) {
  const auto result = PlanBesideHost(ThreeRecords(), nullptr);
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->is_hosts_plan);
  EXPECT_EQ(result->plan.total_size, 24u);
}

TEST(PlanBesideHost, PlansNothing) {
  const OffsetsAssignment host;
  for (const OffsetsAssignment* plan :
       {&host, static_cast<const OffsetsAssignment*>(nullptr)}) {
    const auto result = PlanBesideHost(SpecOf({}), plan);
    ASSERT_THAT(result, IsOk());
    EXPECT_THAT(result->plan.offsets, IsEmpty());
    EXPECT_EQ(result->plan.total_size, 0u);
  }
}

TEST(PlanBesideHost, ReportsAnUnsafePlanAndDoesNotReturnIt) {
  // The first two records are both live at task 1.
  const OffsetsAssignment host = {{0, 8, 8}, 24};
  const auto result = PlanBesideHost(ThreeRecords(), &host);
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->is_hosts_plan);
  ASSERT_TRUE(result->host_violation);
  EXPECT_EQ(result->host_violation->kind, Violation::Kind::kOverlappingBytes);
  EXPECT_EQ(result->host_violation->task, 1u);
  EXPECT_EQ(FindViolation(ThreeRecords().records, result->plan), absl::nullopt);
}

TEST(PlanBesideHost, ReportsAPlanThatIsTooShort) {
  const OffsetsAssignment host = {{0, 16}, 24};
  const auto result = PlanBesideHost(ThreeRecords(), &host);
  ASSERT_THAT(result, IsOk());
  ASSERT_TRUE(result->host_violation);
  EXPECT_EQ(result->host_violation->kind, Violation::Kind::kCountMismatch);
}

// The sum of all sizes exceeds 64 bits, although the records share bytes.
TEST(PlanBesideHost, KeepsThePlanOfTheHostWhereStowageRefuses) {
  const ProblemSpec spec = SpecOf({{kMax - 7, 0, 1}, {kMax - 7, 2, 3}});
  const OffsetsAssignment host = {{0, 0}, kMax - 7};
  const auto result = PlanBesideHost(spec, &host);
  ASSERT_THAT(result, IsOk());
  EXPECT_TRUE(result->is_hosts_plan);
  EXPECT_EQ(result->plan.total_size, kMax - 7);
  EXPECT_EQ(result->refusal.code(), absl::StatusCode::kOutOfRange);

  EXPECT_EQ(PlanBesideHost(spec, nullptr).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(PlanBesideHost, NeverReturnsAnUnsafePlanWhereStowageRefuses) {
  const ProblemSpec spec = SpecOf({{kMax - 7, 0, 1}, {kMax - 7, 1, 3}});
  const OffsetsAssignment host = {{0, 0}, kMax - 7};
  const auto result = PlanBesideHost(spec, &host);
  EXPECT_THAT(result, FailsWith(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("the host's plan is unsafe")));
  ASSERT_TRUE(ViolationOf(result.status()));
  EXPECT_EQ(ViolationOf(result.status())->task, 1u);
}

TEST(PlanBesideHost, KeepsThePlanOfTheHostIfTheStrategyIsUnknown) {
  BesideHostOptions options;
  options.strategy = "none";
  const OffsetsAssignment host = {{8, 0, 8}, 24};
  const auto result = PlanBesideHost(ThreeRecords(), &host, options);
  ASSERT_THAT(result, IsOk());
  EXPECT_TRUE(result->is_hosts_plan);
  EXPECT_EQ(result->refusal.code(), absl::StatusCode::kNotFound);

  const OffsetsAssignment unsafe = {{0, 0, 0}, 24};
  EXPECT_EQ(PlanBesideHost(ThreeRecords(), &unsafe, options).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PlanBesideHost, SaysIfNothingFits) {
  ProblemSpec spec = ThreeRecords();
  spec.capacity = 20;
  EXPECT_EQ(PlanBesideHost(spec, nullptr).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(PlanBesideHost, RefusesConstraintsThatContradictThemselves) {
  ProblemSpec spec = ThreeRecords();
  spec.constraints.choices = {{{7, 0}}, {}, {}};
  const OffsetsAssignment host = {{0, 16, 24}, 40};
  EXPECT_EQ(PlanBesideHost(spec, &host).status().code(),
            absl::StatusCode::kInvalidArgument);
}

RC_GTEST_PROP(PlanBesideHostProperty, IsSafeAndNeverLargerThanTheHost, ()) {
  const ProblemSpec spec = *testing::AnyInstances();
  const Problem problem = *Problem::Create(spec);
  const OffsetsAssignment host = *Solve(problem, "greedy_in_order")->offsets();
  const auto result = PlanBesideHost(spec, &host);
  RC_ASSERT(result.ok());
  RC_ASSERT(!FindViolation(problem, result->plan));
  RC_ASSERT(result->plan.total_size <= host.total_size);
  RC_ASSERT(result->plan.total_size >= result->lower_bound);
  if (result->is_hosts_plan) RC_ASSERT(result->plan.offsets == host.offsets);
}

}  // namespace
}  // namespace stowage::adapters
