// SPDX-License-Identifier: Apache-2.0
// Tests the problems of tests/data/constraints whose tasks may run in several
// orders. Their optima were found by trying every order and every offset of
// every record.
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/support/ordered_solution.h"

namespace stowage {
namespace {

using nlohmann::json;

template <typename Visit>
void ForEachVector(Visit visit) {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/constraints/vectors_order_public.jsonl");
  size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const json document = json::parse(line);
    SCOPED_TRACE(document["name"]);
    visit(document);
  }
  EXPECT_EQ(count, 150);
}

absl::StatusOr<support::OrderedSolution> SolveFile(const ProblemFile& file,
                                                   absl::string_view strategy) {
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
  return support::SolveFreeOrder(file.problem, *file.problem.free_order,
                                 strategy, options);
}

TEST(OrderVectors, OptimalFindsTheLeastTotalOfAllOrders) {
  ForEachVector([](const json& vector) {
    const absl::StatusOr<ProblemFile> file =
        ParseProblemJson(vector["problem"].dump(), "v.json");
    ASSERT_TRUE(file.ok()) << file.status();
    const absl::StatusOr<support::OrderedSolution> found =
        SolveFile(*file, "optimal");
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->solution.status, SolutionStatus::kOptimal);
    EXPECT_EQ(found->solution.total_size,
              vector["answer"]["total"].get<size_t>());
    EXPECT_EQ(found->solution.lower_bound, found->solution.total_size);
    EXPECT_FALSE(
        FindOrderViolation(*file->problem.free_order, found->solution.order));
    EXPECT_FALSE(FindViolation(found->problem, *found->solution.offsets()));
  });
}

TEST(OrderVectors, NoStrategyClaimsMoreThanTheTruth) {
  for (const absl::string_view strategy :
       {"naive", "greedy_by_size", "skyline", "arena_best_fit"}) {
    SCOPED_TRACE(strategy);
    ForEachVector([&](const json& vector) {
      const absl::StatusOr<ProblemFile> file =
          ParseProblemJson(vector["problem"].dump(), "v.json");
      ASSERT_TRUE(file.ok()) << file.status();
      const absl::StatusOr<support::OrderedSolution> found =
          SolveFile(*file, strategy);
      ASSERT_TRUE(found.ok()) << found.status();
      const auto truth = vector["answer"]["total"].get<size_t>();
      EXPECT_LE(found->solution.lower_bound, truth);
      EXPECT_GE(found->solution.total_size, truth);
      EXPECT_EQ(found->solution.status == SolutionStatus::kOptimal,
                found->solution.total_size == found->solution.lower_bound);
      EXPECT_FALSE(FindViolation(found->problem, *found->solution.offsets()));
    });
  }
}

TEST(OrderVectors, AreWrittenAsTheyAreRead) {
  ForEachVector([](const json& vector) {
    json problem = vector["problem"];
    problem["execution_order"] = vector["answer"]["order"];
    const absl::StatusOr<ProblemFile> file =
        ParseProblemJson(problem.dump(), "v.json");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_FALSE(FindOrderViolation(*file->problem.free_order,
                                    file->plan.execution_order));
    const absl::StatusOr<std::string> written = FormatProblemJson(*file);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(json::parse(*written), problem);
  });
}

}  // namespace
}  // namespace stowage
