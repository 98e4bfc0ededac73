// SPDX-License-Identifier: Apache-2.0
// Tests that every problem of tests/data/constraints is unchanged when it is
// read and written.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "tests/support/constraint_vectors.h"

namespace stowage {
namespace {

using nlohmann::json;

// Calls `visit` for the problem on each line of a family's file.
template <typename Visit>
void ForEachProblem(const std::string& family, Visit visit) {
  std::ifstream file(absl::StrCat(STOWAGE_SOURCE_DIR,
                                  "/tests/data/constraints/vectors_", family,
                                  "_public.jsonl"));
  ASSERT_TRUE(file) << family;
  for (std::string line; std::getline(file, line);) {
    const json document = json::parse(line);
    SCOPED_TRACE(document["name"]);
    visit(document["problem"]);
  }
}

TEST(ProblemJsonVectors, AreWrittenAsTheyAreRead) {
  for (const std::string& family : support::ConstraintFamilies()) {
    ForEachProblem(family, [](const json& problem) {
      const absl::StatusOr<ProblemFile> trace =
          ParseProblemJson(problem.dump(), "v.json");
      ASSERT_TRUE(trace.ok()) << trace.status();
      const absl::StatusOr<std::string> written = FormatProblemJson(*trace);
      ASSERT_TRUE(written.ok()) << written.status();
      EXPECT_EQ(json::parse(*written), problem);
    });
  }
}

TEST(ProblemJsonVectors, AreRefusedByNameWhereTheOrderIsFree) {
  ForEachProblem("order", [](const json& problem) {
    absl::StatusOr<ProblemFile> file =
        ParseProblemJson(problem.dump(), "v.json");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(file->problem.free_order.has_value());
    const absl::Status status = InChosenOrder(*std::move(file)).status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                testing::HasSubstr("order: is \"free\""));
  });
}

}  // namespace
}  // namespace stowage
