// SPDX-License-Identifier: Apache-2.0
// Tests the lower bounds of recorded traces. For traces whose plans are too
// large to be recorded, also compares the total sizes of strategies with those
// of the original planners.
#include <cstddef>
#include <string>

#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "tests/support/plan_request.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;

absl::StatusOr<ProblemFile> ReadRecorded(const std::string& folder,
                                         const char* file) {
  return ReadProblemFile(folder + "/" + file);
}

TEST(RecordedTraces, LowerBounds) {
  const auto folder = support::RealDataFolder("STOWAGE_TRACES");
  if (!folder) GTEST_SKIP() << "STOWAGE_TRACES is not set";
  struct Case {
    const char* file;
    size_t lower_bound;
  };
  constexpr Case kCases[] = {
      {"suites/A.1048576.csv", 1048576},
      {"suites/B.1048576.csv", 1048576},
      {"suites/D.1048576.csv", 986112},
      {"suites/E.1048576.csv", 1048576},
      {"suites/G.1048576.csv", 1048576},
      {"suites/H.1048576.csv", 1048576},
      {"suites/J.1048576.csv", 989184},
      {"suites/K.1048576.csv", 1048576},
      {"suites/G_1.csv", 3030937746},
      {"suites/resnet50.csv", 1515472556},
      {"suites/tiny_bert.csv", 758936113},
      {"suites/bert_base.csv", 15734934689},
      {"suites/pangu_2.6B.csv", 5530099775},
      {"suites/S_1.csv", 1498635932},
      {"suites/iree_mobilebert.csv", 1674240},
  };
  for (const Case& c : kCases) {
    const auto trace = ReadRecorded(*folder, c.file);
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(OffsetsLowerBound(trace->problem.records), c.lower_bound)
        << c.file;
  }
}

TEST(RecordedTraces, TotalsAreThoseOfTheOriginals) {
  const auto folder = support::RealDataFolder("STOWAGE_TRACES");
  if (!folder) GTEST_SKIP() << "STOWAGE_TRACES is not set";
  struct Case {
    const char* file;
    const char* strategy;
    PlanKind kind;
    size_t total;
  };
  constexpr PlanKind kObjects = PlanKind::kObjects;
  constexpr PlanKind kOffsets = PlanKind::kOffsets;
  constexpr const char* k10k = "scaling/dnn_10000.csv";
  constexpr const char* k50k = "scaling/dnn_50000.csv";
  constexpr Case kCases[] = {
      {k10k, "equality", kObjects, 809476868},
      {k10k, "greedy_in_order", kObjects, 645464064},
      {k10k, "greedy_by_breadth", kObjects, 412950016},
      {k10k, "greedy_by_size", kObjects, 383592384},
      {k10k, "greedy_by_size", kOffsets, 351798048},
      {k50k, "equality", kObjects, 1003336132},
      {k50k, "greedy_in_order", kObjects, 1143209984},
      {k50k, "greedy_by_breadth", kObjects, 501937968},
      {k50k, "greedy_by_size", kObjects, 450547840},
      {k50k, "greedy_by_size", kOffsets, 388132044},
  };
  for (const Case& c : kCases) {
    const auto trace = ReadRecorded(*folder, c.file);
    ASSERT_TRUE(trace.ok()) << trace.status();
    PlanRequest options;
    options.strategy = c.strategy;
    options.kind = c.kind;
    const auto plan = Plan(trace->problem.records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->total_size, c.total) << c.file << " " << c.strategy;
  }
}

}  // namespace
}  // namespace stowage
