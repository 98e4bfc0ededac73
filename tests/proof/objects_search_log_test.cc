// SPDX-License-Identifier: Apache-2.0
// Tests the logs that OPTIMAL writes when it has to branch to prove a bound of
// shared objects. The check accepts these logs, and changed logs never prove
// anything false. Single lines are tested in objects_log_test.cc, and logs of
// searches that branch at every node in class_log_test.cc.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/construct/linear_program.h"
#include "src/proof/objects_log.h"
#include "stowage/base/random.h"
#include "stowage/certificate.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/proof/log_lines.h"
#include "tests/strategies/optimal_inputs.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using certificate::BoundOfObjectsLog;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns twelve records for which the bound of the relaxation, even rounded
// up, is below the optimum. This is the smallest such case that a random search
// found.
const Records& RecordsWithGap() {
  static const auto* const records =
      new Records{{44434, 1, 4}, {47752, 3, 4}, {95199, 4, 5}, {42636, 1, 2},
                  {68121, 5, 7}, {31989, 4, 4}, {92662, 0, 0}, {27589, 5, 6},
                  {30612, 3, 5}, {57158, 2, 3}, {73099, 0, 1}, {17485, 2, 5}};
  return *records;
}

Records RecordsWithGap(Random* random) {
  Records records = RecordsWithGap();
  const size_t unit = size_t{1} << random->Below(10);
  for (ByteRecord& record : records) {
    record.tensor_size = record.tensor_size / unit + random->Below(10);
  }
  return records;
}

struct Searched {
  ProblemSpec spec;
  Solution solution;
  std::string text;  // the certificate
};

// Solves a problem. Returns nothing if its bound was found without branching.
absl::optional<Searched> Search(
    const Records& records, absl::optional<size_t> capacity = absl::nullopt) {
  Searched searched;
  searched.spec.kind = PlanKind::kObjects;
  searched.spec.records = records;
  searched.spec.capacity = capacity;
  const Problem problem = Problem::Create(searched.spec).value();
  SolveOptions options;
  options.node_budget = 100'000;
  searched.solution = Solve(problem, "optimal", options).value();
  if (searched.solution.search_proof.records.empty()) return absl::nullopt;
  searched.text = FormatCertificate(problem, searched.solution).value();
  return searched;
}

TEST(ObjectsSearchLog, IsTheSameEachTime) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  const auto searched = Search(RecordsWithGap());
  ASSERT_TRUE(searched);
  EXPECT_THAT(searched->text,
              HasSubstr(R"("tensors":["0","1","2","3","4","5","6","8","9",)"
                        R"("10","11"],"capacity":303464})"));
  EXPECT_THAT(searched->text, HasSubstr("\nlog\nm47752 2\nm44434 3\nw0 31989"));
  EXPECT_EQ(Search(RecordsWithGap())->text, searched->text);
}

// The conflict consists of the records of the kernel, which exceed the capacity
// even without the other records.
TEST(ObjectsSearchLog, ProvesThatACapacityIsTooSmall) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  const auto searched = Search(RecordsWithGap(), 303464);
  ASSERT_TRUE(searched);
  EXPECT_EQ(searched->solution.status, SolutionStatus::kInfeasible);
  EXPECT_THAT(searched->solution.conflict,
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11));
  const auto verdict = CheckCertificate(searched->spec, searched->text);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->proved,
              Contains("the conflict of 11 tensors needs 303465 bytes, more "
                       "than the capacity of 303464"));
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

// The search splits a node at the number of objects, which the relaxation
// returns as a fraction. If the fraction is at most a third above an integer,
// the search first visits the half with fewer objects.
TEST(ObjectsSearchLog, BeginsWithTheHalfThatIsNearer) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  const auto searched =
      Search({{18763, 7, 7},  {44393, 1, 1}, {35950, 2, 4}, {45366, 2, 3},
              {69399, 8, 11}, {84926, 5, 5}, {18689, 5, 7}, {90159, 0, 3},
              {14348, 2, 2},  {25302, 4, 7}, {7920, 5, 7},  {46419, 8, 9},
              {31600, 7, 10}, {8338, 5, 5},  {42116, 0, 3}, {72453, 2, 5},
              {45218, 0, 0},  {55094, 4, 5}, {86101, 3, 3}, {83598, 7, 9},
              {54690, 5, 8},  {13305, 0, 1}, {16843, 2, 4}, {47843, 4, 6},
              {51639, 4, 5},  {72657, 2, 3}, {37633, 8, 8}, {86409, 9, 12},
              {20078, 3, 5},  {59068, 8, 9}});
  ASSERT_TRUE(searched);
  EXPECT_THAT(searched->text, HasSubstr("\nlog\nl20078 8\n"));
  const auto verdict = CheckCertificate(searched->spec, searched->text);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

RC_GTEST_PROP(ObjectsSearchLogProperty, ProvesTheLeastOfAllPlans, ()) {
  if (CreateLinearProgram() == nullptr) return;
  Random random(*rc::gen::arbitrary<uint64_t>());
  const Records records = RecordsWithGap(&random);
  const auto searched = Search(records);
  RC_PRE(searched.has_value());
  const auto verdict = CheckCertificate(searched->spec, searched->text);
  RC_ASSERT(verdict.ok());
  RC_ASSERT(verdict->refuted.empty());
  RC_ASSERT(verdict->not_checked.empty());
  RC_ASSERT(searched->solution.lower_bound == LeastSumOfObjects(records));
}

// Returns the lines of a log after some random changes.
Lines Changed(Lines lines, Random* random) {
  for (uint64_t changes = 1 + random->Below(3); changes > 0; --changes) {
    if (lines.empty()) break;
    const size_t at = random->Below(lines.size());
    const auto place = lines.begin() + static_cast<ptrdiff_t>(at);
    switch (random->Below(6)) {
      case 0:
        lines.erase(place);
        break;
      case 1:
        lines.insert(place, lines[random->Below(lines.size())]);
        break;
      case 2:
        std::swap(lines[at], lines[random->Below(lines.size())]);
        break;
      case 3:
        lines[at][0] = "lmtwnxb"[random->Below(7)];
        break;
      default: {
        std::string& line = lines[at];
        line[random->Below(line.size())] =
            static_cast<char>('0' + random->Below(10));
        break;
      }
    }
  }
  return lines;
}

RC_GTEST_PROP(ObjectsSearchLogProperty, ChangedProvesNothingThatIsFalse, ()) {
  if (CreateLinearProgram() == nullptr) return;
  Random random(*rc::gen::arbitrary<uint64_t>());
  const Records records = RecordsWithGap(&random);
  const auto searched = Search(records);
  RC_PRE(searched.has_value());
  const size_t least = searched->solution.total_size;
  const Lines lines = LinesOfLog(searched->text);
  const SearchProof& proof = searched->solution.search_proof;
  for (int round = 0; round < 300; ++round) {
    const size_t capacity = least - 2 + random.Below(4);
    const auto bound = BoundOfObjectsLog(
        records, {proof.records, capacity, TextOf(Changed(lines, &random))});
    RC_ASSERT(bound.value_or(0) <= least);
  }
}

TEST(ObjectsSearchLog, ProvesResnet50) {
  const auto folder = support::RealDataFolder("STOWAGE_TRACES");
  if (!folder) GTEST_SKIP() << "STOWAGE_TRACES is not set";
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  const ProblemFile trace =
      ReadProblemFile(*folder + "/suites/resnet50.csv").value();
  const auto searched = Search(trace.problem.records);
  ASSERT_TRUE(searched);
  EXPECT_EQ(searched->solution.lower_bound, 1573603204u);
  const auto verdict = CheckCertificate(searched->spec, searched->text);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->proved,
              Contains("no plan is smaller than 1573603204 bytes: the log of a "
                       "search shows it"));
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

}  // namespace
}  // namespace stowage
