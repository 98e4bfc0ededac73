// SPDX-License-Identifier: Apache-2.0
// Tests how certificates are written, and that their claims are true.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/certificate.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ProblemSpec TwoRecords(PlanKind kind) {
  ProblemSpec spec;
  spec.kind = kind;
  spec.records = std::vector<TensorUsageRecord<size_t>>{{64, 0, 1}, {32, 1, 2}};
  spec.names = {"a", "b"};
  return spec;
}

std::string CertificateOf(const ProblemSpec& spec,
                          const std::string& strategy) {
  const Problem problem = Problem::Create(spec).value();
  SolveOptions options;
  options.node_budget = 1000;
  const Solution solution = Solve(problem, strategy, options).value();
  return FormatCertificate(problem, solution).value();
}

TEST(FormatCertificate, OffsetsHaveTheirAlignments) {
  EXPECT_EQ(
      CertificateOf(TwoRecords(PlanKind::kOffsets), "greedy_by_size"),
      R"({"format":"stowage certificate 1","kind":"offsets",)"
      R"("status":"optimal","reason":"the total equals the bytes live at )"
      R"(task 1","lower_bound":96,"proof":{"by":"task","task":1},)"
      R"("ids":["a","b"],"alignments":[1,1],"total_size":96,)"
      R"("offsets":[0,64]})"
      "\n");
}

// Shared objects are allocated separately, so they have no alignment.
TEST(FormatCertificate, ObjectsHaveNoAlignments) {
  EXPECT_EQ(CertificateOf(TwoRecords(PlanKind::kObjects), "greedy_by_size"),
            R"({"format":"stowage certificate 1","kind":"objects",)"
            R"("status":"optimal","reason":"the total equals the sum of )"
            R"(positional maximums","lower_bound":96,)"
            R"("proof":{"by":"positional maximums"},"ids":["a","b"],)"
            R"("total_size":96,"object_ids":[0,1],"object_sizes":[64,32]})"
            "\n");
}

TEST(FormatCertificate, AConflictHasItsCapacity) {
  ProblemSpec spec = TwoRecords(PlanKind::kOffsets);
  spec.capacity = 95;
  EXPECT_EQ(CertificateOf(spec, "naive"),
            R"({"format":"stowage certificate 1","kind":"offsets",)"
            R"("status":"infeasible","reason":"the bytes live at task 1, 96, )"
            R"(exceed the capacity 95","lower_bound":96,)"
            R"("proof":{"by":"task","task":1},"capacity":95,"ids":["a","b"],)"
            R"("alignments":[1,1],"conflict":["a","b"],"irreducible":true})"
            "\n");
}

TEST(FormatCertificate, FixedOffsetsAreThere) {
  ProblemSpec spec = TwoRecords(PlanKind::kOffsets);
  spec.fixed_offsets = {absl::nullopt, 0};
  EXPECT_THAT(CertificateOf(spec, "micro_first_fit"),
              HasSubstr(R"("fixed":[null,0])"));
}

TEST(FormatCertificate, RecordsWithoutNamesAreNumbered) {
  ProblemSpec spec = TwoRecords(PlanKind::kOffsets);
  spec.names.clear();
  EXPECT_THAT(CertificateOf(spec, "naive"), HasSubstr(R"("ids":["0","1"])"));
}

TEST(FormatCertificate, ATimeLimitProvesNothing) {
  const Problem problem =
      Problem::Create(TwoRecords(PlanKind::kOffsets)).value();
  Solution solution;
  solution.DropPlan(SolutionStatus::kTimeLimit);
  EXPECT_TRUE(absl::IsFailedPrecondition(
      FormatCertificate(problem, solution).status()));
}

// Returns records whose bound only a search can prove.
ProblemSpec Padded() {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {3, 0, 1}, {3, 1, 2}, {3, 2, 3}, {2, 3, 4}};
  spec.alignment = 4;
  return spec;
}

// The check refutes no claim of a certificate written by the library. The
// certificates contain a plan or a conflict, for offsets or for shared objects.
TEST(FormatCertificate, WhatIsWrittenIsTrue) {
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    for (ProblemSpec spec : {TwoRecords(kind), Padded()}) {
      spec.kind = kind;
      for (const absl::optional<size_t> capacity :
           {absl::optional<size_t>(), absl::optional<size_t>(5),
            absl::optional<size_t>(6), absl::optional<size_t>(95)}) {
        spec.capacity = capacity;
        const std::string text = CertificateOf(spec, "optimal");
        const absl::StatusOr<CertificateVerdict> verdict =
            CheckCertificate(spec, text);
        ASSERT_TRUE(verdict.ok()) << verdict.status() << text;
        EXPECT_EQ(verdict->refuted, "") << text;
        EXPECT_THAT(verdict->proved, Not(IsEmpty())) << text;
      }
    }
  }
}

// Returns two fixed records with 10 bytes between them and a third record of 30
// bytes, which must be above both. The total size is therefore 60 bytes,
// although only 50 bytes are live.
ProblemSpec AroundFixedRecords() {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {10, 0, 1}, {10, 0, 1}, {30, 0, 1}};
  spec.fixed_offsets = {0, 20, absl::nullopt};
  spec.names = {"a", "b", "c"};
  return spec;
}

TEST(FormatCertificate, ABoundByFixedRecordsIsCheckedAsSuch) {
  ProblemSpec spec = AroundFixedRecords();
  for (const std::vector<size_t>& alignments :
       {std::vector<size_t>{1, 1, 1}, std::vector<size_t>{4, 4, 32}}) {
    const size_t bound = alignments[2] == 1 ? 60 : 62;
    spec.alignments = alignments;
    for (const absl::optional<size_t> capacity :
         {absl::optional<size_t>(), absl::optional<size_t>(55)}) {
      spec.capacity = capacity;
      const std::string text = CertificateOf(spec, "optimal");
      EXPECT_THAT(text, HasSubstr(R"("proof":{"by":"fixed records"})"));
      const auto verdict = CheckCertificate(spec, text);
      ASSERT_TRUE(verdict.ok()) << verdict.status() << text;
      EXPECT_EQ(verdict->refuted, "") << text;
      EXPECT_THAT(
          verdict->proved,
          Contains(absl::StrCat("no plan is smaller than ", bound,
                                " bytes: the fixed records leave no room for "
                                "one")));
      EXPECT_THAT(verdict->not_checked,
                  Not(Contains(HasSubstr("does not fit"))));
    }
  }
}

TEST(FormatCertificate, AForgedBoundByFixedRecordsIsRefuted) {
  ProblemSpec spec = AroundFixedRecords();
  spec.capacity = 55;
  const std::string text =
      absl::StrReplaceAll(CertificateOf(spec, "optimal"),
                          {{R"("lower_bound":60)", R"("lower_bound":61)"}});
  EXPECT_EQ(CheckCertificate(spec, text)->refuted,
            "the fixed records show a lower bound of 60 bytes, not of 61");
}

// The lifetimes of the records depend on the unknown order of the tasks, so a
// certificate could not be checked.
TEST(FormatCertificate, AProblemWithAFreeOrderHasNone) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 0, 0}};
  spec.free_order =
      FreeOrder{3, {{0, 1}}, std::vector<std::vector<TaskId>>{{0, 1}, {1, 2}}};
  const Problem problem = Problem::Create(spec).value();
  const Solution solution = Solve(problem, "skyline").value();
  EXPECT_EQ(FormatCertificate(problem, solution).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(FormatCertificate, ASearchSaysHowToRepeatIt) {
  EXPECT_THAT(CertificateOf(Padded(), "optimal"),
              HasSubstr(R"("proof":{"by":"search","strategy":"optimal",)"
                        R"("seed":1,"nodes":)"));
}

}  // namespace
}  // namespace stowage
