// SPDX-License-Identifier: Apache-2.0
// Tests the witnesses of irreducibility. For each tensor of a conflict, the
// witness is a plan of all other tensors. The check accepts the witnesses that
// OPTIMAL writes, and accepts changed witnesses only if they are still plans.
#include "src/proof/irreducible.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/certificate.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/proof/tiny_problems.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kIrreducible[] =
    "the conflict fits without any one of its tensors";

using Witnesses = std::vector<std::vector<size_t>>;

std::string JsonOf(const Witnesses& witnesses) {
  std::vector<std::string> lists;
  for (const std::vector<size_t>& rest : witnesses) {
    lists.push_back(absl::StrCat("[", absl::StrJoin(rest, ","), "]"));
  }
  return absl::StrCat("[", absl::StrJoin(lists, ","), "]");
}

// Returns four records of one byte. Each of them is live together with the
// previous record and with the next one. Any three of them fit into 2 bytes,
// but not if they are stacked on top of each other.
ProblemSpec ChainOfFour() {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {1, 0, 1}, {1, 1, 2}, {1, 2, 3}, {1, 3, 4}};
  spec.names = {"a", "b", "c", "d"};
  return spec;
}

// Returns a claim about all four records that only a search could prove.
std::string ClaimOfFour(const std::string& members) {
  return absl::StrCat(
      R"({"format":"stowage certificate 1","kind":"offsets",
          "status":"infeasible","capacity":2,"lower_bound":3,
          "proof":{"by":"search","strategy":"optimal","seed":1,"nodes":9},
          "ids":["a","b","c","d"],"alignments":[1,1,1,1],
          "conflict":["a","b","c","d"],)",
      members, "}");
}

std::string WitnessesOfFour(const std::string& witnesses) {
  return ClaimOfFour(absl::StrCat(R"("irreducible":true,"rests":)", witnesses));
}

TEST(IrreducibleConflict, IsCheckedWhereEachRestIsAPlan) {
  const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
      ChainOfFour(), WitnessesOfFour("[[0,1,0],[0,1,0],[1,0,1],[1,0,1]]"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->checked, Contains(kIrreducible));
  EXPECT_THAT(verdict->not_checked, Not(Contains(kIrreducible)));
}

TEST(IrreducibleConflict, IsNotCheckedWithoutRests) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(ChainOfFour(), ClaimOfFour(R"("irreducible":true)"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->checked, Not(Contains(kIrreducible)));
  EXPECT_THAT(verdict->not_checked, Contains(kIrreducible));
}

struct WitnessesCase {
  const char* name;
  std::string text;
  const char* message;
};

std::string NameOfWitnesses(
    const ::testing::TestParamInfo<WitnessesCase>& test) {
  return test.param.name;
}

class RefutedWitnesses : public ::testing::TestWithParam<WitnessesCase> {};

TEST_P(RefutedWitnesses, NameTheTensorLeftOutAndWhatIsWrong) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(ChainOfFour(), GetParam().text);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, absl::StrCat("the rest of the conflict without ",
                                           GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Offsets, RefutedWitnesses,
    ::testing::Values(
        WitnessesCase{
            "ThatOverlap", WitnessesOfFour("[[0,1,0],[0,0,0],[0,1,0],[0,1,0]]"),
            "'b' has no plan in 'rests': tensor 'c' and tensor 'd' both "
            "hold bytes [0, 1) at task 3"},
        WitnessesCase{"AboveTheCapacity",
                      WitnessesOfFour("[[0,1,0],[0,1,0],[0,1,0],[0,1,2]]"),
                      "'d' has no plan in 'rests': tensor 'c' holds bytes "
                      "[2, 3), beyond an arena of 2 bytes"},
        WitnessesCase{
            "Beyond64Bits",
            WitnessesOfFour("[[18446744073709551615,1,0],[0,1,0],[0,1,0],"
                            "[0,1,0]]"),
            "'a' has no plan in 'rests': tensor 'b' holds bytes "
            "[18446744073709551615, 18446744073709551615), beyond an "
            "arena of 2 bytes"}),
    NameOfWitnesses);

class RefusedWitnesses : public ::testing::TestWithParam<WitnessesCase> {};

TEST_P(RefusedWitnesses, NameTheKey) {
  const absl::Status status =
      CheckCertificate(ChainOfFour(), GetParam().text).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

constexpr char kExpected[] =
    "key 'rests'; expected of an irreducible conflict of at most 1000 tensors, "
    "for each of them a list with a whole number below 2^64 for each of the "
    "others";

INSTANTIATE_TEST_SUITE_P(
    Lists, RefusedWitnesses,
    ::testing::Values(
        WitnessesCase{"OfAString", WitnessesOfFour(R"("0")"), kExpected},
        WitnessesCase{"OfNothing", WitnessesOfFour("null"), kExpected},
        WitnessesCase{"OfNumbers", WitnessesOfFour("[0,1,0,1]"), kExpected},
        WitnessesCase{"None", WitnessesOfFour("[]"), kExpected},
        WitnessesCase{"OneTooFew", WitnessesOfFour("[[0,1,0],[0,1,0],[0,1,0]]"),
                      kExpected},
        WitnessesCase{
            "OneTooMany",
            WitnessesOfFour("[[0,1,0],[0,1,0],[0,1,0],[0,1,0],[0,1,0]]"),
            kExpected},
        WitnessesCase{"OneOffsetTooFew",
                      WitnessesOfFour("[[0,1,0],[0,1],[0,1,0],[0,1,0]]"),
                      kExpected},
        WitnessesCase{"OneOffsetTooMany",
                      WitnessesOfFour("[[0,1,0],[0,1,0,1],[0,1,0],[0,1,0]]"),
                      kExpected},
        WitnessesCase{"OfStrings",
                      WitnessesOfFour(R"([[0,1,0],[0,"1",0],[0,1,0],[0,1,0]])"),
                      kExpected},
        WitnessesCase{"BelowZero",
                      WitnessesOfFour("[[0,1,0],[0,-1,0],[0,1,0],[0,1,0]]"),
                      kExpected},
        WitnessesCase{"Fractional",
                      WitnessesOfFour("[[0,1,0],[0,0.5,0],[0,1,0],[0,1,0]]"),
                      kExpected},
        WitnessesCase{
            "Of64BitsAndMore",
            WitnessesOfFour("[[0,1,0],[18446744073709551616,1,0],[0,1,0],"
                            "[0,1,0]]"),
            kExpected},
        WitnessesCase{
            "OfNoClaim",
            ClaimOfFour(R"("rests":[[0,1,0],[0,1,0],[0,1,0],[0,1,0]])"),
            kExpected},
        WitnessesCase{"OfTheOppositeClaim", ClaimOfFour(R"("irreducible":false,
                        "rests":[[0,1,0],[0,1,0],[0,1,0],[0,1,0]])"),
                      kExpected},
        WitnessesCase{"OfObjects",
                      absl::StrReplaceAll(
                          WitnessesOfFour("[[0,1,0],[0,1,0],[0,1,0],[0,1,0]]"),
                          {{R"("offsets")", R"("objects")"},
                           {R"("alignments":[1,1,1,1],)", ""}}),
                      "unknown key \"rests\""},
        WitnessesCase{
            "OfAPlan",
            absl::StrReplaceAll(
                WitnessesOfFour("[[0,1,0],[0,1,0],[0,1,0],[0,1,0]]"),
                {{R"("infeasible")", R"("feasible")"},
                 {R"("conflict":["a","b","c","d"],"irreducible":true)",
                  R"("total_size":4,"offsets":[0,1,2,3])"}}),
            "unknown key \"rests\""}),
    NameOfWitnesses);

// The fixed records overlap, so there is no plan under any capacity.
TEST(IrreducibleConflict, OfAContradictionIsCheckedByItsRestsToo) {
  ProblemSpec spec = ChainOfFour();
  spec.fixed_offsets = {0, 0, absl::nullopt, absl::nullopt};
  const auto check = [&spec](absl::string_view conflict,
                             absl::string_view witnesses) {
    return CheckCertificate(
               spec,
               absl::StrCat(
                   R"({"format":"stowage certificate 1","kind":"offsets",
                       "status":"infeasible","lower_bound":2,
                       "ids":["a","b","c","d"],"alignments":[1,1,1,1],
                       "fixed":[0,0,null,null],"irreducible":true,)",
                   R"("conflict":)", conflict, R"(,"rests":)", witnesses, "}"))
        .value();
  };
  EXPECT_THAT(check(R"(["a","b"])", "[[0],[0]]").checked,
              Contains(kIrreducible));
  EXPECT_THAT(check(R"(["a","b"])", "[[0],[1]]").refuted,
              HasSubstr("without 'b' has no plan in 'rests': tensor 'a' starts "
                        "at byte 1; expected its fixed offset 0"));
  EXPECT_THAT(check(R"(["a","b","c"])", "[[0,1],[0,1],[0,0]]").refuted,
              HasSubstr("without 'c' has no plan in 'rests': tensor 'a' and "
                        "tensor 'b' both hold bytes [0, 1) at task 1"));
}

// Records of one byte that are all live at the same time, a capacity that is
// one byte too small for them, and a solution that claims a conflict of all
// records.
struct Crowd {
  ProblemSpec spec;
  Solution solution;
};

Crowd CrowdOf(size_t count) {
  Crowd crowd;
  crowd.spec.records = std::vector<TensorUsageRecord<size_t>>(count, {1, 0, 0});
  crowd.spec.capacity = count - 1;
  Solution& solution = crowd.solution;
  solution.status = SolutionStatus::kInfeasible;
  solution.lower_bound = count;
  solution.conflict_is_irreducible = true;
  for (size_t k = 0; k < count; ++k) solution.conflict.push_back(k);
  solution.conflict_witnesses.assign(count, solution.conflict);
  for (std::vector<size_t>& rest : solution.conflict_witnesses) rest.pop_back();
  return crowd;
}

TEST(IrreducibleConflict, HasRestsOfUpToAThousandTensors) {
  for (const size_t count : {size_t{1000}, size_t{1001}}) {
    const Crowd crowd = CrowdOf(count);
    const Problem problem = Problem::Create(crowd.spec).value();
    const std::string text = FormatCertificate(problem, crowd.solution).value();
    EXPECT_EQ(absl::StrContains(text, "rests"), count == 1000);
    const CertificateVerdict verdict =
        CheckCertificate(crowd.spec, text).value();
    EXPECT_EQ(verdict.refuted, "");
    EXPECT_THAT(count == 1000 ? verdict.checked : verdict.not_checked,
                Contains(kIrreducible));
  }
  const std::string text = absl::StrReplaceAll(
      FormatCertificate(Problem::Create(CrowdOf(1001).spec).value(),
                        CrowdOf(1001).solution)
          .value(),
      {{R"("irreducible":true)", absl::StrCat(R"("irreducible":true,"rests":)",
                                              JsonOf(Witnesses(1001)))}});
  EXPECT_THAT(
      std::string(
          CheckCertificate(CrowdOf(1001).spec, text).status().message()),
      HasSubstr(kExpected));
}

absl::optional<Solution> ConflictOf(const Problem& problem) {
  SolveOptions options;
  options.node_budget = 100'000;
  options.threads = 1;
  const absl::StatusOr<Solution> solution = Solve(problem, "optimal", options);
  if (!solution.ok() || solution->conflict_witnesses.empty()) {
    return absl::nullopt;
  }
  return *solution;
}

// Returns whether the offsets are a plan of the records. Checks all pairs, and
// shares no code with the check under test.
bool IsPlan(const Problem& problem, const std::vector<size_t>& records,
            const std::vector<size_t>& offsets) {
  for (size_t a = 0; a < records.size(); ++a) {
    const ByteRecord& record = problem.records()[records[a]];
    const bool is_in_place =
        offsets[a] % problem.alignments().Of(records[a]) == 0 &&
        offsets[a] + record.tensor_size <= *problem.capacity() &&
        problem.fixed_offset(records[a]).value_or(offsets[a]) == offsets[a];
    if (!is_in_place) return false;
    for (size_t b = 0; b < a; ++b) {
      const ByteRecord& other = problem.records()[records[b]];
      if (record.first_task <= other.last_task &&
          other.first_task <= record.last_task &&
          offsets[a] < offsets[b] + other.tensor_size &&
          offsets[b] < offsets[a] + record.tensor_size) {
        return false;
      }
    }
  }
  return true;
}

// Changes one offset of the witnesses. Expects that the check refutes the
// certificate unless the changed offsets are still a plan.
void ExpectRefutedUnlessAPlan(const ProblemSpec& spec, const Problem& problem,
                              Solution solution, size_t k, size_t place,
                              size_t offset) {
  solution.conflict_witnesses[k][place] = offset;
  const std::string text = FormatCertificate(problem, solution).value();
  const CertificateVerdict verdict = CheckCertificate(spec, text).value();
  std::vector<size_t> rest = solution.conflict;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
  if (IsPlan(problem, rest, solution.conflict_witnesses[k])) {
    EXPECT_THAT(verdict.checked, Contains(kIrreducible)) << text;
    return;
  }
  EXPECT_THAT(
      verdict.refuted,
      HasSubstr(absl::StrCat("without '", spec.names[solution.conflict[k]],
                             "' has no plan in 'rests': tensor '")))
      << text;
}

TEST(IrreducibleConflict, OfOptimalIsCheckedAndRefutedIfChanged) {
  Random random(1);
  size_t conflicts = 0;
  size_t unseen = 0;  // conflicts that cannot be checked without witnesses
  for (size_t round = 0; round < support::Sampled(3000); ++round) {
    ProblemSpec spec = RandomSpec(&random, 8);
    spec.capacity = 4 + random.Below(12);
    const absl::StatusOr<Problem> problem = Problem::Create(spec);
    if (!problem.ok()) continue;
    absl::optional<Solution> solution = ConflictOf(*problem);
    if (!solution) continue;
    ++conflicts;
    const std::string text = FormatCertificate(*problem, *solution).value();
    const CertificateVerdict verdict = CheckCertificate(spec, text).value();
    ASSERT_EQ(verdict.refuted, "") << text;
    ASSERT_THAT(verdict.checked, Contains(kIrreducible)) << text;
    const size_t k = random.Below(solution->conflict.size());
    for (size_t place = 0; place + 1 < solution->conflict.size(); ++place) {
      for (size_t offset = 0; offset <= *spec.capacity; ++offset) {
        ExpectRefutedUnlessAPlan(spec, *problem, *solution, k, place, offset);
      }
    }
    solution->conflict_witnesses.clear();
    const CertificateVerdict without =
        CheckCertificate(spec, FormatCertificate(*problem, *solution).value())
            .value();
    for (const std::string& fact : without.not_checked) {
      unseen += fact == kIrreducible ? 1 : 0;
    }
  }
  EXPECT_GT(conflicts, support::Sampled(80));
  EXPECT_GT(unseen, support::Sampled(10));
}

}  // namespace
}  // namespace stowage
