// SPDX-License-Identifier: Apache-2.0
// Tests problems with parameters. The needs, unions, best orders and buckets
// are compared with those that other algorithms computed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/verify_dynamic.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

// The error that the vectors report at s=2. This library uses fewer bits and
// reports the error at s=1, because 4 * (2^63 - 1) already exceeds 2^63 - 1.
constexpr char kOverflowsAtTwo[] = "overflow: b at s=2";

std::vector<ordered_json> Vectors(bool with_errors) {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/dynamic/sizes_public.jsonl");
  std::vector<ordered_json> vectors;
  for (std::string line; std::getline(file, line);) {
    ordered_json vector = ordered_json::parse(line);
    if (vector["truth"].contains("error") == with_errors) {
      vectors.push_back(std::move(vector));
    }
  }
  EXPECT_EQ(vectors.size(), with_errors ? 10u : 190u);
  if (!support::kIsSanitized || with_errors) return vectors;
  // With sanitizers, only every eighth vector is tested. These include some
  // vectors of each family.
  for (size_t i = 0; 8 * i < vectors.size(); ++i) vectors[i] = vectors[8 * i];
  vectors.resize(vectors.size() / 8);
  return vectors;
}

StatusOr<DynamicProblem> Read(ordered_json vector) {
  for (const char* const key : {"name", "family", "truth"}) vector.erase(key);
  DynamicFile file;
  return ReadDynamicProblem(vector.dump(), "vector", &file);
}

// Returns the quotient as text, such as "47/45", or "2" if there is no
// remainder. The vectors represent infinity by a billion.
std::string Fraction(size_t height, size_t need) {
  if (need == 0) return height == 0 ? "1" : "1000000000";
  const size_t divisor = std::gcd(height, need);
  const std::string whole = std::to_string(height / divisor);
  return need == divisor ? whole : whole + "/" + std::to_string(need / divisor);
}

size_t LeastTotal(ProblemSpec spec) {
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  SolveOptions options;
  options.node_budget = 100'000;
  return problem.ok() ? Solve(*problem, "optimal", options)->total_size : 0;
}

TEST(SizeVectors, HaveTheNeedsThatSearchesFind) {
  for (const ordered_json& vector : Vectors(false)) {
    SCOPED_TRACE(vector["name"]);
    const ordered_json& truth = vector["truth"];
    const StatusOr<DynamicProblem> problem = Read(vector);
    ASSERT_THAT(problem, support::IsOk());
    const StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
    ASSERT_THAT(plan, support::IsOk());
    ordered_json needs = ordered_json::array();
    for (const HeightAt& value : plan->heights) {
      EXPECT_TRUE(value.is_need_proved);
      needs.push_back({value.values, value.need});
    }
    EXPECT_EQ(needs, truth["need"]);
    EXPECT_EQ(plan->reserve_bound, truth["largest_need"]);
    EXPECT_EQ(LeastTotal(problem->SpecWithSizes(problem->largest_sizes())),
              truth["union"]);
  }
}

TEST(SizeVectors, HaveTheOrdersThatEnumerationFinds) {
  for (const ordered_json& vector : Vectors(false)) {
    SCOPED_TRACE(vector["name"]);
    const ordered_json& truth = vector["truth"];
    const StatusOr<DynamicProblem> problem = Read(vector);
    ASSERT_THAT(problem, support::IsOk());
    const StatusOr<DynamicPlan> least_reserve = PlanForAllValues(*problem);
    ASSERT_THAT(least_reserve, support::IsOk());
    EXPECT_TRUE(least_reserve->is_best_order);
    EXPECT_EQ(least_reserve->reserve, truth["order_reserve"]);
    EXPECT_EQ(least_reserve->status, SolutionStatus::kOptimal);
    DynamicOptions options;
    options.aim = DynamicAim::kRatio;
    const StatusOr<DynamicPlan> least_ratio =
        PlanForAllValues(*problem, options);
    ASSERT_THAT(least_ratio, support::IsOk());
    EXPECT_TRUE(least_ratio->is_best_order);
    EXPECT_EQ(Fraction(least_ratio->worst.height, least_ratio->worst.need),
              truth["order_ratio"]);
    EXPECT_EQ(least_ratio->reserve, truth["order_reserve_at_that_ratio"]);
    if (truth["order_reserve_at_that_ratio"] == truth["order_reserve"]) {
      EXPECT_EQ(
          Fraction(least_reserve->worst.height, least_reserve->worst.need),
          truth["order_ratio"]);
    }
    const StatusOr<DynamicVerdict> verdict = VerifyOrder(
        *problem, least_reserve->stack.order(), least_reserve->reserve);
    ASSERT_THAT(verdict, support::IsOk());
    EXPECT_FALSE(verdict->fault.has_value());
    EXPECT_EQ(verdict->height, least_reserve->reserve);
  }
}

TEST(SizeVectors, HaveTheBucketsThatEnumerationFinds) {
  size_t compared = 0;
  for (const ordered_json& vector : Vectors(false)) {
    SCOPED_TRACE(vector["name"]);
    if (!vector["truth"].contains("buckets")) continue;
    const StatusOr<DynamicProblem> problem = Read(vector);
    ASSERT_THAT(problem, support::IsOk());
    for (const auto& [count, ratio] : vector["truth"]["buckets"].items()) {
      const auto buckets = PlanBuckets(*problem, std::stoul(count));
      ASSERT_THAT(buckets, support::IsOk());
      ASSERT_LE(buckets->size(), std::stoul(count));
      const auto is_better = [](const SizeBucket& a, const SizeBucket& b) {
        if (b.worst.height == 0) return false;
        return a.worst.height == 0 ||
               a.worst.height * b.worst.need < b.worst.height * a.worst.need;
      };
      const auto worst =
          std::max_element(buckets->begin(), buckets->end(), is_better);
      EXPECT_EQ(Fraction(worst->worst.height, worst->worst.need), ratio)
          << count;
      ++compared;
    }
  }
  EXPECT_GT(compared, support::kIsSanitized ? 30u : 300u);
}

TEST(SizeVectors, AreRefusedForTheSameReasons) {
  for (const ordered_json& vector : Vectors(true)) {
    SCOPED_TRACE(vector["name"]);
    const StatusOr<DynamicProblem> problem = Read(vector);
    ASSERT_FALSE(problem.ok());
    const std::string message(problem.status().message());
    const std::string reason = vector["truth"]["error"];
    if (reason == kOverflowsAtTwo) {
      EXPECT_THAT(message, HasSubstr("overflow: b at s=1"));
    } else if (reason == "syntax: b") {
      EXPECT_THAT(message, HasSubstr("size of b: syntax: column 5: the end"));
    } else if (reason == "unknown parameter: t") {
      EXPECT_THAT(message, HasSubstr("unknown parameter t"));
    } else if (reason == "too many values or no proof: s") {
      EXPECT_THAT(message, HasSubstr("parameter s: max 9223372036854775808: "
                                     "too many values"));
    } else {
      EXPECT_THAT(message, HasSubstr(reason));
    }
  }
}

}  // namespace
}  // namespace stowage
