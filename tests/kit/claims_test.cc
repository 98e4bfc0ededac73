// SPDX-License-Identifier: Apache-2.0
// Tests what each claim requires of the planners that make it.
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wrapped_planner.h"

namespace stowage::testing {
namespace {

using support::FailsWith;
using support::IsOk;
using support::PlanRequest;

using Records = absl::Span<const ByteRecord>;
using Offsets = absl::StatusOr<OffsetsAssignment>;

PlanFn PlannerOf(const char* name) {
  PlanRequest options;
  options.strategy = name;
  options.search.node_budget = 20000;
  options.search.threads = 1;
  return StrategyPlanFn(options.strategy, options.search);
}

// Returns a planner whose plans are correct but whose arena is `extra(records)`
// bytes larger than necessary.
template <typename Extra>
PlanFn Wasteful(Extra extra) {
  return support::Spoilt(PlannerOf("greedy_by_size"),
                         [extra](Records records, OffsetsAssignment* plan) {
                           plan->total_size += extra(records);
                         });
}

TEST(ClaimsTest, AreNotKeptByPlannersThatAreMerelySafe) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}, {12, 2, 3}};
  const struct {
    const char* claim;
    PlanFn planner;
    const char* message;
  } cases[] = {
      {"same_plan_in_any_order",
       Wasteful([](Records r) { return r[0].tensor_size == 16 ? 0u : 1u; }),
       "in another order the records have a different plan"},
      {"same_plan_later", Wasteful([](Records r) { return r[0].first_task; }),
       "the records have another plan 1 tasks later"},
      {"scaled_plan", Wasteful([](Records) { return 1u; }),
       "sizes and alignments times 4 do not have the plan times 4"},
      {"not_above_naive", Wasteful([](Records) { return 100u; }),
       "the total 124 is above 36, the sum of the padded sizes"},
      {"tight_total", Wasteful([](Records) { return 1u; }),
       "the arena has 25 bytes, and the last tensor ends at 24"},
      {"monotone_optimum",
       Wasteful([](Records r) { return r.size() < 3 ? 100u : 0u; }),
       "the arena has 24 bytes, and without tensor 0 120"},
      {"reversible_optimum",
       Wasteful([](Records r) { return r[0].tensor_size == 16 ? 0u : 1u; }),
       "the arena has 24 bytes, and with execution reversed 25"},
  };
  for (const auto& c : cases) {
    const auto claim = FindProperty(c.claim);
    ASSERT_THAT(claim, IsOk());
    EXPECT_THAT(claim->check(c.planner, SpecOf(records)),
                FailsWith(absl::StatusCode::kInternal, c.message));
    EXPECT_THAT(claim->check(PlannerOf("greedy_by_size"), SpecOf(records)),
                IsOk())
        << c.claim;
    for (const Property& property : AllProperties()) {
      EXPECT_THAT(property.check(c.planner, SpecOf(records)), IsOk())
          << property.name;
    }
  }
}

TEST(ClaimsTest, ValidInputOnlyAsksForARefusal) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}};
  const auto claim = FindProperty("valid_input_only");
  ASSERT_THAT(claim, IsOk());
  const struct {
    const char* name;
    absl::Status (*refuse)(Records records, const Alignments& alignments);
    const char* message;
  } cases[] = {
      {"nothing is refused",
       [](Records, const Alignments&) { return absl::OkStatus(); },
       "the planner planned a record whose first task is after its last"},
      {"invalid intervals are",
       [](Records r, const Alignments&) {
         return r.back().first_task > r.back().last_task
                    ? absl::InvalidArgumentError("")
                    : absl::OkStatus();
       },
       "the planner planned sizes whose sum exceeds 2^64 - 1"},
      {"invalid records are",
       [](Records r, const Alignments&) { return CheckUsageRecords(r); },
       "the planner planned alignment 0"},
  };
  for (const auto& c : cases) {
    const PlanFn planner = [&](Records r, const Alignments& a) -> Offsets {
      if (absl::Status status = c.refuse(r, a); !status.ok()) return status;
      return OffsetsAssignment();
    };
    EXPECT_THAT(claim->check(planner, SpecOf(records)),
                FailsWith(absl::StatusCode::kInternal, c.message))
        << c.name;
  }
  EXPECT_THAT(claim->check(PlannerOf("naive"), SpecOf(records)), IsOk());

  const ByteRecords endless = {{std::numeric_limits<size_t>::max(), 0, 1},
                               {1, 5, 6}};
  const PlanFn one_place = [](Records, const Alignments&) -> Offsets {
    return OffsetsAssignment{{0, 0}, std::numeric_limits<size_t>::max()};
  };
  EXPECT_THAT(
      claim->check(one_place, SpecOf(endless)),
      FailsWith(absl::StatusCode::kInternal,
                "the planner planned sizes whose padded sum exceeds 2^64 - 1"));
}

// A planner does not violate the claim if it makes different plans for
// different orders of equal records.
TEST(ClaimsTest, SamePlanInAnyOrderLeavesTiesOut) {
  const auto claim = FindProperty("same_plan_in_any_order");
  ASSERT_THAT(claim, IsOk());
  const PlanFn moody = Wasteful([](Records r) { return r[0].last_task; });
  EXPECT_THAT(claim->check(moody, SpecOf(ByteRecords{{8, 0, 1}, {8, 1, 2}})),
              IsOk());
  EXPECT_FALSE(
      claim->check(moody, SpecOf(ByteRecords{{8, 0, 1}, {9, 1, 2}})).ok());
}

TEST(ClaimsTest, GreedyStrategiesDoNotFindTheOptimum) {
  SearchForFailure search;
  search.max_alignment = 1;
  for (const char* name : {"monotone_optimum", "reversible_optimum"}) {
    const auto claim = FindProperty(name);
    ASSERT_THAT(claim, IsOk());
    const auto failure = FindFailure(PlannerOf("greedy_by_size"), search,
                                     absl::MakeConstSpan(&*claim, 1));
    EXPECT_TRUE(failure) << name;
  }
}

TEST(ClaimsTest, TheExactSearchFindsTheOptimum) {
  SearchForFailure search;
  search.max_alignment = 1;
  search.max_size = 6;
  search.large_size = 0;
  search.traces = 600;
  search.families = {Family::kChains,   Family::kBranches,
                     Family::kFewSizes, Family::kTouchingIntervals,
                     Family::kUNets,    Family::kTightPackings,
                     Family::kUnsorted};
  for (const char* name : {"monotone_optimum", "reversible_optimum"}) {
    const auto claim = FindProperty(name);
    ASSERT_THAT(claim, IsOk());
    const auto failure = FindFailure(PlannerOf("optimal"), search,
                                     absl::MakeConstSpan(&*claim, 1));
    EXPECT_FALSE(failure) << Describe(*failure);
  }
}

// Returns a planner whose plans are correct but whose first object is
// `extra(records)` bytes larger than necessary.
template <typename Extra>
ObjectsPlanFn WastefulObjects(Extra extra) {
  return support::Spoilt(StrategyObjectsPlanFn("greedy_best"),
                         [extra](Records records, auto* plan) {
                           if (!records.empty()) {
                             plan->object_sizes[0] += extra(records);
                           }
                         });
}

TEST(ObjectsClaimsTest, AreNotKeptByPlannersThatAreMerelySafe) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}, {12, 2, 3}};
  const struct {
    const char* claim;
    ObjectsPlanFn planner;
    const char* message;
  } cases[] = {
      {"same_plan_in_any_order", WastefulObjects([](Records r) {
         return r[0].tensor_size == 16 ? 0u : 1u;
       }),
       "in another order the records have a different plan"},
      {"same_plan_later",
       WastefulObjects([](Records r) { return r[0].first_task; }),
       "the records have another plan 1 tasks later"},
      {"scaled_plan", WastefulObjects([](Records) { return 1u; }),
       "sizes and alignments times 4 do not have the plan times 4"},
      {"not_above_naive", WastefulObjects([](Records) { return 100u; }),
       "the total 124 is above 36, the sum of the padded sizes"},
      {"tight_total", WastefulObjects([](Records) { return 1u; }),
       "object 0 has 17 bytes, and no tensor with more than 16"},
      {"valid_input_only",
       [](Records) -> absl::StatusOr<ObjectsAssignment<size_t>> {
         return ObjectsAssignment<size_t>();
       },
       "the planner planned a record whose first task is after its last"},
  };
  for (const auto& c : cases) {
    const auto claim = FindObjectsProperty(c.claim);
    ASSERT_THAT(claim, IsOk());
    EXPECT_THAT(claim->check(c.planner, SpecOf(records)),
                FailsWith(absl::StatusCode::kInternal, c.message));
    EXPECT_THAT(
        claim->check(StrategyObjectsPlanFn("greedy_best"), SpecOf(records)),
        IsOk())
        << c.claim;
  }
}

TEST(ObjectsClaimsTest, AnUnusedObjectChangesTheTotalAlone) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}, {12, 2, 3}};
  const ObjectsPlanFn wasteful = support::Spoilt(
      StrategyObjectsPlanFn("greedy_best"), [](Records r, auto* plan) {
        if (r[0].first_task == 2) plan->object_sizes.push_back(100);
      });
  EXPECT_THAT(FindObjectsProperty("same_plan_in_any_order")
                  ->check(wasteful, SpecOf(records)),
              IsOk());
  EXPECT_THAT(FindObjectsProperty("tight_total")
                  ->check(wasteful, SpecOf(ByteRecords{{16, 2, 2}})),
              FailsWith(absl::StatusCode::kInternal,
                        "object 1 has 100 bytes, and no tensor with more than "
                        "0"));
}

}  // namespace
}  // namespace stowage::testing
