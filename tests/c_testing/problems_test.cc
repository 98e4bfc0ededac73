// SPDX-License-Identifier: Apache-2.0
// Tests that families and random problems are the same in C and in C++.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/c/testing.h"
#include "stowage/problem.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"
#include "tests/c_testing/report.h"

namespace stowage::c_test {
namespace {

using ::testing::HasSubstr;

// Returns the fingerprint of a problem, or zeros if the problem is null.
std::vector<uint64_t> FingerprintOf(const stowage_problem* problem) {
  std::vector<uint64_t> halves(2);
  if (problem != nullptr) {
    stowage_problem_fingerprint(problem, halves.data(), nullptr);
  }
  return halves;
}

std::vector<uint64_t> FingerprintOf(const ProblemSpec& spec) {
  const auto problem = Problem::Create(spec);
  if (!problem.ok()) return {0, 0};
  return {problem->fingerprint().high, problem->fingerprint().low};
}

TEST(Families, HaveTheNamesOfCpp) {
  size_t count = 0;
  for (const testing::FamilyInfo& info : testing::AllFamilies()) {
    EXPECT_EQ(stowage_family_name(count), std::string(info.name));
    EXPECT_EQ(stowage_family_sentence(count), std::string(info.sentence));
    ++count;
  }
  for (const size_t index : {count, count + 1, SIZE_MAX}) {
    EXPECT_EQ(stowage_family_name(index), nullptr);
    EXPECT_EQ(stowage_family_sentence(index), nullptr);
  }
}

TEST(Families, HaveTheProblemsOfCpp) {
  for (const testing::FamilyInfo& info : testing::AllFamilies()) {
    for (const uint64_t alignment : {uint64_t{1}, uint64_t{64}}) {
      for (uint64_t seed = 0; seed < 4; ++seed) {
        testing::Parameters parameters;
        parameters.max_alignment = alignment;
        stowage_problem* made = nullptr;
        const stowage_code code = stowage_family_problem(
            info.name.data(), seed, 3 * seed, alignment, &made, nullptr);
        const ProblemHandle problem(made);
        EXPECT_TRUE(code == STOWAGE_OK || !info.is_plannable) << info.name;
        EXPECT_TRUE(code == STOWAGE_OK || code == STOWAGE_OUT_OF_RANGE);
        EXPECT_EQ(FingerprintOf(made),
                  FingerprintOf(testing::RandomInstance(info.family, seed,
                                                        3 * seed, parameters)))
            << info.name;
      }
    }
  }
}

TEST(RandomProblems, AreThoseOfCpp) {
  for (const uint64_t features :
       {uint64_t{0}, uint64_t{1} << STOWAGE_FEATURE_GROUPS,
        (uint64_t{1} << STOWAGE_FEATURE_POOLS) |
            (uint64_t{1} << STOWAGE_FEATURE_APART)}) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      testing::ProblemParameters parameters;
      parameters.features = {};
      for (const Feature feature :
           {Feature::kGroups, Feature::kPools, Feature::kApart}) {
        if ((features >> static_cast<int>(feature) & 1) != 0) {
          parameters.features.Add(feature);
        }
      }
      stowage_problem* made = nullptr;
      ASSERT_EQ(stowage_random_problem(features, seed, 6, &made, nullptr),
                STOWAGE_OK);
      const ProblemHandle problem(made);
      EXPECT_EQ(FingerprintOf(made),
                FingerprintOf(testing::RandomProblem(seed, 6, parameters)));
    }
  }
}

TEST(Problems, RefuseBadArguments) {
  struct Case {
    const char* description;
    const char* family;
    uint64_t size;
    uint64_t alignment;
    stowage_code code;
    const char* message;
  };
  const Case cases[] = {
      {"no family", nullptr, 3, 1, STOWAGE_INVALID_ARGUMENT, "family: null"},
      {"another name", "chain", 3, 1, STOWAGE_NOT_FOUND, "chains"},
      {"alignment 0", "chains", 3, 0, STOWAGE_INVALID_ARGUMENT, "power of two"},
      {"alignment 3", "chains", 3, 3, STOWAGE_INVALID_ARGUMENT, "power of two"},
      {"alignment 2^33", "chains", 3, uint64_t{1} << 33,
       STOWAGE_INVALID_ARGUMENT, "up to 2^32"},
      {"too large", "chains", UINT64_MAX, 1, STOWAGE_RESOURCE_EXHAUSTED,
       "at most 10000"},
  };
  for (const Case& c : cases) {
    stowage_problem* problem = nullptr;
    stowage_error error = Sized<stowage_error>();
    EXPECT_EQ(stowage_family_problem(c.family, 1, c.size, c.alignment, &problem,
                                     &error),
              c.code)
        << c.description;
    EXPECT_THAT(error.message, HasSubstr(c.message)) << c.description;
    EXPECT_EQ(problem, nullptr) << c.description;
  }
  EXPECT_EQ(stowage_family_problem("chains", 1, 1, 1, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_random_problem(0, 1, 1, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  stowage_problem* problem = nullptr;
  EXPECT_EQ(stowage_random_problem(1, 1, 1, &problem, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_random_problem(uint64_t{1} << 60, 1, 1, &problem, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_random_problem(0, 1, 1001, &problem, nullptr),
            STOWAGE_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace stowage::c_test
