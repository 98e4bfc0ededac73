// SPDX-License-Identifier: Apache-2.0
// Tests the check of search logs. The check accepts the logs of OPTIMAL and
// refuses changed logs. Single steps are tested in search_replay_test.cc.
#include "src/proof/search_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/certificate.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/proof/log_lines.h"
#include "tests/proof/tiny_problems.h"

namespace stowage {
namespace {

using certificate::BoundOfSearchLog;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kProvedByLog[] = "the log of a search shows it";

// Returns three records with 10 bytes live at task 1. The two records of 3
// bytes are aligned, so between them there is either one byte of padding, or c
// and some padding. Therefore 11 bytes are needed. The alignments alone do not
// show this, because c has none.
ProblemSpec ThreeRecords() {
  ProblemSpec spec;
  spec.records =
      std::vector<TensorUsageRecord<size_t>>{{3, 0, 1}, {3, 1, 2}, {4, 1, 1}};
  spec.alignments = {4, 4, 1};
  spec.names = {"a", "b", "c"};
  return spec;
}

absl::optional<Solution> SolveExactly(const Problem& problem) {
  SolveOptions options;
  options.node_budget = 100'000;
  options.threads = 1;
  absl::StatusOr<Solution> solution = Solve(problem, "optimal", options);
  if (!solution.ok()) return absl::nullopt;
  return *std::move(solution);
}

std::string CertificateOf(const Problem& problem, const Solution& solution) {
  return FormatCertificate(problem, solution).value();
}

TEST(SearchLog, IsWrittenLineByLine) {
  const Problem problem = Problem::Create(ThreeRecords()).value();
  const absl::optional<Solution> solution = SolveExactly(problem);
  ASSERT_TRUE(solution &&
              solution->bound_proof.kind == BoundProof::Kind::kSearch);
  EXPECT_EQ(
      CertificateOf(problem, *solution),
      R"({"format":"stowage certificate 1","kind":"offsets",)"
      R"("status":"optimal","reason":"the search below 11 bytes is complete, )"
      R"(3 nodes","lower_bound":11,"proof":{"by":"search",)"
      R"("strategy":"optimal","seed":1,"nodes":3,"tensors":["a","b","c"],)"
      R"("capacity":10,"unit":1},"ids":["a","b","c"],"alignments":[4,4,1],)"
      R"("total_size":11,"offsets":[0,4,7]})"
      "\n"
      "log\n"
      "p0\n"    // a lies at 0, so that b cannot lie below 4, nor c below 3
      "f1 8\n"  // c does not fit on top of b, so b lies on c: no room above 8
      "p2\n"    // c lies at 0, so that a and b cannot lie below 4
      "u\n"     // neither a nor b fits next: the other one has no room above
      "u\n"     // b cannot come first, since it is equal to a
      "end 4c30bea46d22785a\n");
}

// The log of a search proves every bound that OPTIMAL finds by the search, and
// every capacity that OPTIMAL finds too small. An exhaustive search confirms
// these claims.
TEST(SearchLog, ProvesWhatOptimalClaims) {
  Random random(1);
  size_t bounds = 0;
  size_t conflicts = 0;
  for (int k = 0; k < 600; ++k) {
    ProblemSpec spec = RandomSpec(&random, 7);
    if (k % 2 == 1) spec.capacity = 4 + random.Below(12);
    const absl::StatusOr<Problem> problem = Problem::Create(spec);
    if (!problem.ok()) continue;
    const absl::optional<Solution> solution = SolveExactly(*problem);
    if (!solution || solution->bound_proof.kind != BoundProof::Kind::kSearch) {
      continue;
    }
    const std::string text = CertificateOf(*problem, *solution);
    const absl::StatusOr<CertificateVerdict> verdict =
        CheckCertificate(spec, text);
    ASSERT_TRUE(verdict.ok()) << verdict.status() << text;
    ASSERT_EQ(verdict->refuted, "") << text;
    EXPECT_THAT(verdict->proved, Contains(HasSubstr(kProvedByLog)));
    EXPECT_THAT(verdict->not_checked, Not(Contains(HasSubstr("does not fit"))))
        << text;
    EXPECT_FALSE(Fits(*problem, solution->lower_bound - 1));
    ++(solution->has_plan() ? bounds : conflicts);
  }
  EXPECT_GT(bounds, 60);
  EXPECT_GT(conflicts, 5);
}

// At several tasks, the records and their padding exceed the capacity. The
// excess is largest at task 3.
TEST(SearchLog, ProvesTheConflictOfEachTask) {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {20, 0, 1}, {3, 0, 0}, {1, 3, 5}, {4, 3, 3}, {18, 2, 3}};
  spec.alignments = {16, 64, 16, 16, 64};
  spec.names = {"a", "b", "c", "d", "e"};
  spec.capacity = 25;
  const Problem problem = Problem::Create(spec).value();
  const absl::optional<Solution> solution = SolveExactly(problem);
  ASSERT_TRUE(solution);
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(spec, CertificateOf(problem, *solution));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

// The search treats some records as equal. Which records are equal depends on
// the records under consideration: either all records of the problem or only
// those of the conflict.
TEST(SearchLog, ProvesConflictsOfEqualRecords) {
  struct Equal {
    const char* name;
    std::vector<TensorUsageRecord<size_t>> records;
    std::vector<size_t> alignments;
    size_t capacity;
  };
  for (const Equal& c : std::vector<Equal>{
           {"WhereAnAlignmentDividesAllSizes",
            {{2, 0, 1}, {4, 1, 1}, {4, 1, 1}, {2, 0, 1}},
            {4, 2, 1, 4},
            12},
           // Three records have 3 bytes. If all records are considered, two of
           // the three are equal.
           {"AmongTheConflictAlone",
            {{1, 2, 2}, {3, 1, 3}, {1, 3, 3}, {3, 1, 4}, {2, 0, 1}, {3, 0, 2}},
            {2, 2, 1, 2, 4, 2},
            12},
           {"OfThreeSizes",
            {{1, 0, 2},
             {1, 3, 3},
             {1, 2, 4},
             {1, 0, 3},
             {4, 1, 4},
             {1, 2, 3},
             {3, 0, 2}},
            {2, 4, 1, 2, 1, 2, 2},
            12}}) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec;
    spec.records = c.records;
    spec.alignments = c.alignments;
    spec.capacity = c.capacity;
    const Problem problem = Problem::Create(spec).value();
    const absl::optional<Solution> solution = SolveExactly(problem);
    ASSERT_TRUE(solution &&
                solution->bound_proof.kind == BoundProof::Kind::kSearch);
    const CertificateVerdict verdict =
        CheckCertificate(spec, CertificateOf(problem, *solution)).value();
    EXPECT_EQ(verdict.refuted, "");
    EXPECT_THAT(verdict.not_checked, IsEmpty());
  }
}

// The records that are not yet placed may form parts that are disjoint in time.
// Some of the logs refute only one of the parts.
TEST(SearchLog, ProvesTightRecordsOfManyTasks) {
  Random random(2);
  size_t bounds = 0;
  size_t parts = 0;
  for (int k = 0; k < 50; ++k) {
    ProblemSpec spec;
    std::vector<TensorUsageRecord<size_t>> records;
    for (size_t i = 0; i < 24; ++i) {
      const size_t first = random.Below(16);
      records.emplace_back(1 + random.Below(9), first, first + random.Below(4));
      spec.alignments.push_back(size_t{1} << random.Below(4));
    }
    spec.records = std::move(records);
    const Problem problem = Problem::Create(spec).value();
    const absl::optional<Solution> solution = SolveExactly(problem);
    if (!solution || solution->bound_proof.kind != BoundProof::Kind::kSearch) {
      continue;
    }
    const std::string text = CertificateOf(problem, *solution);
    const absl::StatusOr<CertificateVerdict> verdict =
        CheckCertificate(spec, text);
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    ASSERT_EQ(verdict->refuted, "") << text;
    EXPECT_THAT(verdict->not_checked, IsEmpty());
    ++bounds;
    parts += absl::StrContains(text, "\nc") ? 1 : 0;
  }
  EXPECT_GT(bounds, 8);
  EXPECT_GT(parts, 4);
}

class SearchLogOfThree : public ::testing::Test {
 protected:
  void SetUp() override {
    const Problem problem = Problem::Create(ThreeRecords()).value();
    text_ = CertificateOf(problem, *SolveExactly(problem));
    const size_t log = text_.find("\nlog\n") + 5;
    document_ = text_.substr(0, log);
    steps_ = text_.substr(log, text_.rfind("end ") - log);
  }

  // Returns why the certificate is refuted if its log is replaced by `lines`.
  std::string RefutedWith(const std::string& lines) const {
    const absl::StatusOr<CertificateVerdict> verdict =
        CheckCertificate(ThreeRecords(), document_ + lines);
    return verdict.ok() ? verdict->refuted
                        : std::string(verdict.status().message());
  }

  std::string text_;
  std::string document_;
  std::string steps_;
};

TEST_F(SearchLogOfThree, IsRefusedWithAnyByteChangedOrLeftOut) {
  const std::string lines = WithChecksum(steps_);
  ASSERT_EQ(document_ + lines, text_);
  EXPECT_EQ(RefutedWith(lines), "");
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const char c : {'0', '1', '9', 'p', 'u', 'a', '\n', ' ', '\0'}) {
      std::string changed = lines;
      changed[i] = c;
      if (changed == lines) continue;
      EXPECT_NE(RefutedWith(changed), "") << changed;
    }
    EXPECT_NE(RefutedWith(lines.substr(0, i)), "");
    EXPECT_NE(RefutedWith(std::string(lines).erase(i, 1)), "");
  }
}

TEST_F(SearchLogOfThree, IsRefusedWithLinesLeftOutOrSwapped) {
  const std::vector<std::string> lines = absl::StrSplit(steps_, '\n');
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    std::vector<std::string> changed = lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(RefutedWith(WithChecksum(absl::StrJoin(changed, "\n"))), "") << i;
    changed = lines;
    std::swap(changed[i], changed[(i + 1) % (lines.size() - 1)]);
    if (changed == lines) continue;
    EXPECT_NE(RefutedWith(absl::StrCat(absl::StrJoin(changed, "\n"),
                                       text_.substr(text_.rfind("end ")))),
              "");
  }
}

TEST_F(SearchLogOfThree, IsRefutedOfAnotherClaim) {
  const auto refuted = [&](absl::string_view from, absl::string_view to) {
    const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
        ThreeRecords(), absl::StrReplaceAll(text_, {{from, to}}));
    return verdict.ok() ? verdict->refuted
                        : std::string(verdict.status().message());
  };
  EXPECT_THAT(refuted(R"("capacity":)", R"("capacity":1)"),
              HasSubstr("log line"));
  EXPECT_THAT(refuted(R"("unit":1)", R"("unit":0)"), HasSubstr("log line"));
  EXPECT_THAT(refuted(R"("tensors":["a",)", R"("tensors":["b",)"),
              HasSubstr("each once"));
  EXPECT_THAT(refuted(R"("by":"search")", R"("by":"task","task":1)"),
              HasSubstr("unknown key \"proof.strategy\""));
  EXPECT_THAT(refuted(R"(,"tensors":["a","b","c"],"capacity":10,"unit":1)", ""),
              HasSubstr("a log follows"));
}

TEST_F(SearchLogOfThree, IsRefusedForOtherRecords) {
  ProblemSpec spec = ThreeRecords();
  spec.records =
      std::vector<TensorUsageRecord<size_t>>{{3, 0, 1}, {3, 2, 2}, {4, 1, 1}};
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(spec, text_);
  ASSERT_TRUE(verdict.ok());
  EXPECT_NE(verdict->refuted, "");
}

TEST_F(SearchLogOfThree, RefusesWhatIsNoStep) {
  const std::string huge = std::to_string(std::numeric_limits<size_t>::max());
  for (const std::string& line :
       std::vector<std::string>{"",
                                "x",
                                "p",
                                "p-1",
                                "p+1",
                                "p 0",
                                "p00",
                                "p0 ",
                                "pa",
                                "u1",
                                "a0",
                                "f1",
                                "f1 ",
                                "f 1 1",
                                "f1 1 1",
                                "s",
                                "e",
                                "end",
                                "end 0",
                                "p" + huge + "0",
                                "p" + huge,
                                "s" + huge,
                                "c" + huge,
                                absl::StrCat("f", huge, " ", huge),
                                "f0 " + huge,
                                "c0",
                                "a",
                                std::string(1000, 'p'),
                                std::string(1'000'000, '1'),
                                std::string("p0\0", 3)}) {
    EXPECT_THAT(RefutedWith(WithChecksum(line + "\n" + steps_)),
                HasSubstr("log line 1: "))
        << line;
  }
  EXPECT_THAT(RefutedWith(""), HasSubstr("the file ends here"));
  EXPECT_THAT(RefutedWith(WithChecksum("")), HasSubstr("not complete"));
  EXPECT_THAT(RefutedWith(WithChecksum(steps_ + "u\n")),
              HasSubstr("the proof is complete"));
  EXPECT_THAT(RefutedWith(WithChecksum(steps_) + "u\n"),
              HasSubstr("more lines follow"));
}

// Returns a reader that passes the certificate in pieces, like a pipe.
ReadText ReadIn(absl::string_view text, size_t max) {
  return [=](absl::Span<char> buffer) mutable -> absl::StatusOr<size_t> {
    const size_t count = text.copy(buffer.data(), std::min(max, buffer.size()));
    text.remove_prefix(count);
    return count;
  };
}

TEST_F(SearchLogOfThree, IsReadInPiecesOfAnySize) {
  for (size_t max = 1; max <= text_.size(); ++max) {
    const absl::StatusOr<CertificateVerdict> verdict =
        CheckCertificate(ThreeRecords(), ReadIn(text_, max));
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    ASSERT_EQ(verdict->refuted, "");
    EXPECT_THAT(verdict->proved, Contains(HasSubstr(kProvedByLog)));
  }
  for (const size_t missing : {1U, 5U, 20U}) {
    const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
        ThreeRecords(),
        ReadIn(absl::string_view(text_).substr(0, text_.size() - missing), 7));
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_THAT(verdict->refuted, HasSubstr("the file ends here"));
  }
  EXPECT_THAT(
      CheckCertificate(ThreeRecords(), ReadIn(text_ + "u\n", 7))->refuted,
      HasSubstr("more lines follow"));
}

TEST_F(SearchLogOfThree, AnErrorOfReadingRefutesNothing) {
  for (size_t size = 0; size < text_.size(); ++size) {
    ReadText read = ReadIn(absl::string_view(text_).substr(0, size), 7);
    const absl::Status status =
        CheckCertificate(ThreeRecords(), [&](absl::Span<char> buffer) {
          absl::StatusOr<size_t> count = read(buffer);
          if (*count > 0) return count;
          return absl::StatusOr<size_t>(absl::DataLossError("a bad disk"));
        }).status();
    EXPECT_EQ(status, absl::DataLossError("a bad disk")) << size;
  }
}

// The input never ends, as with a device. If it does not begin like a document,
// only its first piece may be read.
TEST_F(SearchLogOfThree, IsNotReadOnWhereNoDocumentBegins) {
  for (const char fill : {'\0', 'x', '['}) {
    size_t reads = 0;
    const absl::Status status =
        CheckCertificate(ThreeRecords(), [&](absl::Span<char> buffer) {
          ++reads;
          std::fill(buffer.begin(), buffer.end(), fill);
          return absl::StatusOr<size_t>(buffer.size());
        }).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(reads, 1U) << fill;
  }
}

// Some lines begin in one piece of the input and continue in the next.
TEST_F(SearchLogOfThree, IsReplayedHoweverLongItIs) {
  std::string steps;
  for (int k = 0; k < 100'000; ++k) steps += "p0\nf1 8\n";
  EXPECT_EQ(CheckCertificate(
                ThreeRecords(),
                ReadIn(document_ + WithChecksum(steps + steps_), 1'000'003))
                ->refuted,
            "");
}

TEST(SearchLog, IsNotReplayedForVeryManyRecords) {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>(5000, {1, 0, 0});
  const Problem problem = Problem::Create(std::move(spec)).value();
  std::vector<size_t> all(problem.size());
  std::iota(all.begin(), all.end(), size_t{0});
  EXPECT_TRUE(absl::IsResourceExhausted(
      BoundOfSearchLog(problem, {all, 100, 1, ""}).status()));
}

TEST(SearchLog, OfACapacityThatOverflowsIsRefuted) {
  const Problem problem = Problem::Create(ThreeRecords()).value();
  const size_t huge = std::numeric_limits<size_t>::max();
  EXPECT_FALSE(
      BoundOfSearchLog(problem, {{0, 1, 2}, huge, huge, WithChecksum("u\n")})
          .ok());
}

}  // namespace
}  // namespace stowage
