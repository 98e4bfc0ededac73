// SPDX-License-Identifier: Apache-2.0
// Tests that plans, statuses and bounds are the same in C and in C++.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/c/stowage.h"
#include "stowage/error_payload.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/specs.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

std::vector<uint64_t> List(const uint64_t* numbers, uint64_t count) {
  return std::vector<uint64_t>(numbers, numbers + count);
}

void AssertSamePlan(const SolutionHandle& handle, const Solution& expected) {
  const stowage_plan plan = PlanOf(handle);
  if (!expected.has_plan()) {
    RC_ASSERT(plan.count == 0);
    return;
  }
  RC_ASSERT(plan.total_size == expected.total_size);
  RC_ASSERT(List(plan.order, plan.order_count) == expected.order);
  if (expected.offsets() != nullptr) {
    RC_ASSERT(List(plan.offsets, plan.count) == expected.offsets()->offsets);
    RC_ASSERT((plan.pools == nullptr) == expected.offsets()->pools.empty());
    for (size_t i = 0; plan.pools != nullptr && i < plan.count; ++i) {
      RC_ASSERT(plan.pools[i] == expected.offsets()->pools[i]);
    }
  } else {
    RC_ASSERT(List(plan.objects, plan.count) == expected.objects()->object_ids);
    RC_ASSERT(List(plan.object_sizes, plan.object_count) ==
              expected.objects()->object_sizes);
  }
}

void AssertSameSummary(const SolutionHandle& handle, const Solution& expected) {
  const stowage_summary summary = SummaryOf(handle);
  RC_ASSERT(summary.status == static_cast<uint32_t>(expected.status));
  RC_ASSERT(summary.total_size == expected.total_size);
  RC_ASSERT(summary.lower_bound == expected.lower_bound);
  RC_ASSERT(summary.proof == static_cast<uint32_t>(expected.bound_proof.kind));
  RC_ASSERT(summary.proof_index == expected.bound_proof.index);
  RC_ASSERT(summary.cost == expected.cost);
  RC_ASSERT(summary.cost_bound == expected.cost_bound);
  RC_ASSERT(summary.nodes == expected.nodes);
  RC_ASSERT(summary.seed == expected.seed);
  RC_ASSERT(stowage_solution_reason(handle.get()) == expected.reason);
  RC_ASSERT(stowage_solution_strategy(handle.get()) == expected.strategy);
  RC_ASSERT(stowage_solution_found_by(handle.get()) == expected.found_by);
  size_t count = 0;
  const uint64_t* const conflict =
      stowage_solution_conflict(handle.get(), &count);
  RC_ASSERT(List(conflict, count) == expected.conflict);
}

// Solves the problem through both interfaces and compares all results.
void AssertSame(const ProblemSpec& spec, const std::string& strategy) {
  const Problem problem = *Problem::Create(spec);
  SolveOptions options;
  options.node_budget = 300;
  options.seed = 3;
  const absl::StatusOr<Solution> expected =
      stowage::Solve(problem, strategy, options);
  stowage_options in_c = DefaultOptions();
  in_c.node_budget = 300;
  in_c.seed = 3;
  in_c.strategy = strategy.c_str();
  auto error = Sized<stowage_error>();
  const ProblemHandle handle = ProblemOf(spec);
  const SolutionHandle solution = Solve(handle, &in_c, &error);
  RC_ASSERT(error.code == static_cast<stowage_code>(expected.status().code()));
  if (!expected.ok()) {
    const std::string message(expected.status().message());
    RC_ASSERT(message.rfind(error.message, 0) == 0);
    const FeatureSet missing = FeaturesOf(expected.status());
    for (const Feature feature : kAllFeatures) {
      RC_ASSERT(((error.missing_features >> static_cast<int>(feature) & 1) !=
                 0) == missing.Has(feature));
    }
    return;
  }
  AssertSamePlan(solution, *expected);
  AssertSameSummary(solution, *expected);
  if (!expected->has_plan()) return;
  const stowage_plan plan = PlanOf(solution);
  RC_ASSERT(stowage_verify(handle.get(), &plan, nullptr, &error) == STOWAGE_OK);
}

std::string AnyStrategy() {
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    names.push_back(strategy->info().name);
  }
  return *rc::gen::elementOf(names);
}

RC_GTEST_PROP(EqualPlans, OfAnyRecordsByAnyStrategy, ()) {
  ProblemSpec spec = *testing::AnyInstances();
  if (*rc::gen::arbitrary<bool>()) spec.kind = PlanKind::kObjects;
  if (*rc::gen::arbitrary<bool>()) {
    spec.capacity = LowerBoundOf(*Problem::Create(spec)).bytes;
  }
  AssertSame(spec, AnyStrategy());
}

RC_GTEST_PROP(EqualPlans, OfAnyProblemByAnyStrategy, ()) {
  // The problems are small, because a search under constraints takes a long
  // time per node.
  const auto problems = rc::gen::resize(12, testing::AnyProblems());
  AssertSame(testing::Simplified(*problems), AnyStrategy());
}

RC_GTEST_PROP(EqualPlans, OfAnyOrder, ()) {
  ProblemSpec spec;
  spec.free_order.emplace();
  spec.free_order->tasks = 6;
  const size_t count = *rc::gen::inRange<size_t>(0, 8);
  for (size_t i = 0; i < count; ++i) {
    const size_t before = *rc::gen::inRange<size_t>(0, 5);
    const size_t after = *rc::gen::inRange<size_t>(before + 1, 6);
    spec.free_order->edges.push_back({before, after});
    spec.records.push_back({*rc::gen::inRange<size_t>(0, 100), 0, 0});
    spec.free_order->users.Add({before, after});
  }
  AssertSame(spec, "greedy_best");
}

RC_GTEST_PROP(EqualPlans, OfOneCall, ()) {
  const ProblemSpec spec = testing::SpecOf(*testing::AnyRecords());
  const std::vector<stowage_record> records = RecordsInC(spec);
  std::vector<uint64_t> offsets(records.size());
  uint64_t total = 0;
  ProblemSpec aligned = spec;
  aligned.alignment = 16;
  const auto problem = Problem::Create(aligned);
  const stowage_code code =
      stowage_assign_offsets(records.data(), records.size(), 16, nullptr,
                             offsets.data(), &total, nullptr);
  RC_ASSERT((code == STOWAGE_OK) == problem.ok());
  if (!problem.ok()) return;
  const auto expected = stowage::Solve(*problem, "skyline");
  RC_ASSERT(expected->offsets()->offsets == offsets);
  RC_ASSERT(expected->total_size == total);
  RC_ASSERT(stowage_verify_offsets(records.data(), records.size(), 16,
                                   offsets.data(), total, nullptr,
                                   nullptr) == STOWAGE_OK);
}

RC_GTEST_PROP(Facts, AreThoseOfTheProblem, ()) {
  const ProblemSpec spec = testing::Simplified(*testing::AnyProblems());
  const Problem expected = *Problem::Create(spec);
  const ProblemHandle problem = ProblemOf(spec);
  auto bound = Sized<stowage_bound>();
  RC_ASSERT(stowage_problem_bound(problem.get(), &bound, nullptr) ==
            STOWAGE_OK);
  RC_ASSERT(bound.bytes == LowerBoundOf(expected).bytes);
  RC_ASSERT(bound.naive_size == NaiveSize(expected));
  char text[200];
  RC_ASSERT(stowage_describe_proof(bound.proof, bound.proof_index, text,
                                   sizeof(text), nullptr) == STOWAGE_OK);
  RC_ASSERT(text == Describe(LowerBoundOf(expected).proof));
  uint64_t fingerprint[2];
  RC_ASSERT(stowage_problem_fingerprint(problem.get(), fingerprint, nullptr) ==
            STOWAGE_OK);
  RC_ASSERT(fingerprint[0] == expected.fingerprint().high);
  RC_ASSERT(fingerprint[1] == expected.fingerprint().low);
  const size_t n = expected.size();
  std::vector<uint64_t> alignments(n);
  std::vector<uint64_t> fixed(n);
  std::vector<stowage_place> places(n);
  RC_ASSERT(stowage_problem_alignments(problem.get(), alignments.data(), n,
                                       nullptr) == STOWAGE_OK);
  RC_ASSERT(stowage_problem_fixed(problem.get(), fixed.data(), n, nullptr) ==
            STOWAGE_OK);
  RC_ASSERT(stowage_problem_places(problem.get(), places.data(), n, nullptr) ==
            STOWAGE_OK);
  for (size_t i = 0; i < n; ++i) {
    RC_ASSERT(alignments[i] == expected.alignments().Of(i));
    RC_ASSERT(fixed[i] == expected.fixed_offset(i).value_or(STOWAGE_NONE));
    if (spec.constraints.places.empty()) continue;
    RC_ASSERT(places[i].min == spec.constraints.places[i].min);
    RC_ASSERT(places[i].group == spec.constraints.places[i].group);
    RC_ASSERT(places[i].at == spec.constraints.places[i].at);
  }
}

TEST(Strategies, AreListed) {
  std::vector<std::string> names;
  for (size_t i = 0; stowage_strategy_name(i) != nullptr; ++i) {
    names.emplace_back(stowage_strategy_name(i));
  }
  std::vector<std::string> expected;
  for (const Strategy* strategy : AllStrategies()) {
    expected.push_back(strategy->info().name);
    uint64_t features = 0;
    ASSERT_EQ(
        stowage_strategy_features(expected.back().c_str(), &features, nullptr),
        STOWAGE_OK);
    for (const Feature feature : kAllFeatures) {
      EXPECT_EQ((features >> static_cast<int>(feature) & 1) != 0,
                strategy->info().features.Has(feature));
    }
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(stowage_strategy_name(SIZE_MAX), nullptr);
  uint64_t features = 7;
  EXPECT_EQ(stowage_strategy_features("none", &features, nullptr),
            STOWAGE_NOT_FOUND);
  EXPECT_EQ(features, 7);
}

}  // namespace
}  // namespace stowage::c_test
