// SPDX-License-Identifier: Apache-2.0
// Tests that certificates of plans for all values prove their claims, and that
// wrong claims are refuted by the check.
#include "stowage/dynamic/dynamic_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/certificate.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

// Returns a sequence of records, each of which conflicts only with its
// neighbours.
DynamicProblem OverlappingRow(std::vector<SizeParameter> parameters,
                              std::vector<std::string> sizes,
                              size_t alignment = 1) {
  DynamicSpec spec;
  for (size_t i = 0; i < sizes.size(); ++i) {
    spec.problem.records.emplace_back(0, i, i + 1);
    spec.problem.names.push_back(std::string(1, static_cast<char>('a' + i)));
  }
  spec.problem.alignment = alignment;
  spec.parameters = std::move(parameters);
  spec.sizes = std::move(sizes);
  StatusOr<DynamicProblem> problem = DynamicProblem::Create(std::move(spec));
  EXPECT_THAT(problem, support::IsOk());
  return *std::move(problem);
}

DynamicProblem Falling() {
  return OverlappingRow({{"s", 1, 9}}, {"16*s", "16*(10-s)", "16*s", "s*s"},
                        16);
}

std::string CertificateOf(const DynamicProblem& problem) {
  const StatusOr<DynamicPlan> plan = PlanForAllValues(problem);
  EXPECT_THAT(plan, support::IsOk());
  StatusOr<std::string> text = FormatDynamicCertificate(problem, *plan);
  EXPECT_THAT(text, support::IsOk());
  return *std::move(text);
}

struct RuleCase {
  const char* name;
  DynamicProblem problem;
  const char* reason;
};

TEST(DynamicCertificate, ProvesTheReserveByEachRule) {
  const RuleCase cases[] = {
      {"Rising", OverlappingRow({{"s", 1, 9}}, {"s", "2*s", "5"}),
       "27 bytes suffice for every value: no size falls as a parameter rises; "
       "largest at s=9"},
      {"Corner", OverlappingRow({{"s", 1, 9}}, {"16*s", "160-16*s", "64"}, 16),
       "208 bytes suffice for every value: heights are convex; largest at the "
       "corner s=1"},
      {"AllValues", OverlappingRow({{"s", 1, 9}}, {"s*(9-s)", "1"}),
       "21 bytes suffice for every value: all 9 values tried; largest at s=4"},
      {"Union",
       OverlappingRow({{"s", 1, 1 << 20}, {"r", 1, 2}},
                      {"s", "max(0,1000000-s)", "r"}),
       "bytes suffice for every value: a bound from the largest size of each "
       "record"},
  };
  for (const RuleCase& test : cases) {
    const StatusOr<CertificateVerdict> verdict =
        CheckDynamicCertificate(test.problem, CertificateOf(test.problem));
    ASSERT_THAT(verdict, support::IsOk()) << test.name;
    EXPECT_EQ(verdict->refuted, "") << test.name;
    EXPECT_THAT(verdict->checked, Contains(HasSubstr(test.reason)))
        << test.name;
    EXPECT_THAT(verdict->checked, Contains(StartsWith("no overlap")));
    EXPECT_THAT(verdict->proved, Contains(StartsWith("at s=")));
  }
}

struct ClaimCase {
  const char* key;
  Json value;
  const char* refuted;  // or the start of an error
};

// Returns the certificate with a single value changed in its first line.
std::string Changed(const std::string& text, const ClaimCase& change) {
  const size_t end = text.find('\n');
  Json line = Json::parse(text.substr(0, end));
  line[change.key] = change.value;
  return line.dump() + text.substr(end);
}

TEST(DynamicCertificate, RefutesWhatIsFalse) {
  const DynamicProblem problem = Falling();
  const std::string text = CertificateOf(problem);
  ASSERT_EQ(CheckDynamicCertificate(problem, text)->refuted, "");
  const ClaimCase cases[] = {
      {"reserve", 100, "the order takes "},
      {"reserve", 1000, "a lower bound of "},
      {"rule", "corner", "the rule \"corner\" does not apply to the sizes"},
      {"rule", "rising", "the rule \"rising\" does not apply to the sizes"},
      {"lower_bound", 3, "at s=9: the proof is of a lower bound of "},
      {"bound_at", "s=1", "at s=1: "},
  };
  for (const ClaimCase& test : cases) {
    const StatusOr<CertificateVerdict> verdict =
        CheckDynamicCertificate(problem, Changed(text, test));
    ASSERT_THAT(verdict, support::IsOk()) << test.key;
    EXPECT_THAT(verdict->refuted, StartsWith(test.refuted)) << test.key;
  }
}

TEST(DynamicCertificate, NamesTheKeyOfWhatIsNoCertificate) {
  const DynamicProblem problem = Falling();
  const std::string text = CertificateOf(problem);
  const ClaimCase cases[] = {
      {"format", "stowage certificate 1",
       "part 1:1: format: is \"stowage certificate 1\"; expected"},
      {"status", "perfect", "part 1:1: status: expected optimal or"},
      {"rule", "hope", "part 1:1: rule: expected one of rising, corner"},
      {"bound_at", "s=10", "part 1:1: bound_at: "},
      {"ids", {"a", "b", "d", "c"}, "part 1:1: ids: expected the ids"},
      {"ids", {"a"}, "part 1:1: ids: expected the ids of the problem"},
      {"stack", {0, 1, 2, 2}, "part 1:1: stack: expected the positions"},
      {"stack", {0, 1, 2}, "part 1:1: stack: expected the positions of"},
      {"stack", {0, 1, 2, 4}, "part 1:1: stack: expected the positions"},
      {"truth", 1, "part 1:1: certificate: unknown key \"truth\""},
  };
  for (const ClaimCase& test : cases) {
    const StatusOr<CertificateVerdict> verdict =
        CheckDynamicCertificate(problem, Changed(text, test));
    EXPECT_TRUE(IsInvalidArgument(verdict.status())) << test.key;
    EXPECT_THAT(std::string(verdict.status().message()),
                StartsWith(test.refuted))
        << test.key;
  }
  const std::string line = text.substr(0, text.find('\n'));
  for (const std::string& part : {std::string(), line, line.substr(0, 20),
                                  std::string("\n\n"), line + "\n{}"}) {
    EXPECT_FALSE(CheckDynamicCertificate(problem, part).ok()) << part;
  }
}

// The bound of shared objects may exceed the bound of offsets, so it proves
// nothing here. Neither does a certificate that a value has no plan.
TEST(DynamicCertificate, RefusesOtherCertificatesOfAValue) {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 0}, {0, 1, 1}, {0, 1, 1}};
  spec.problem.names = {"a", "b", "c"};
  spec.parameters = {{"s", 1, 4}};
  spec.sizes = {"128*s", "64*s", "64*s"};
  const StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(std::move(spec));
  ASSERT_THAT(problem, support::IsOk());
  const std::string line = CertificateOf(*problem);
  const auto with_bound = [&](size_t bound) {
    std::string text = Changed(line, {"lower_bound", bound, ""});
    text = Changed(text, {"reserve", bound, ""});
    return text.substr(0, text.find('\n') + 1);
  };
  const std::string objects =
      with_bound(768) +
      R"({"format":"stowage certificate 1","kind":"objects","status":"optimal",)"
      R"("lower_bound":768,"proof":{"by":"positional maximums"},)"
      R"("ids":["a","b","c"],"total_size":768,"object_ids":[0,0,1],)"
      R"("object_sizes":[512,256]})";
  const std::string infeasible =
      with_bound(512) +
      R"({"format":"stowage certificate 1","kind":"offsets",)"
      R"("status":"infeasible","lower_bound":512,"capacity":100,)"
      R"("proof":{"by":"task","task":1},"ids":["a","b","c"],)"
      R"("alignments":[1,1,1],"conflict":["a","b","c"]})";
  for (const std::string& text : {objects, infeasible}) {
    const Status status = CheckDynamicCertificate(*problem, text).status();
    EXPECT_TRUE(IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                StartsWith("part 2: not about a plan of offsets; expected"));
  }
}

// Returns a problem of a few records. Because the alignments differ, some
// values of some of these problems need more bytes than are live at any task.
DynamicProblem RandomProblem(Random* random) {
  DynamicSpec spec;
  for (size_t i = 0; i < 12; ++i) {
    const size_t first = random->Below(7);
    spec.problem.records.emplace_back(0, first, first + random->Below(4));
    spec.problem.names.push_back("t" + std::to_string(i));
    spec.problem.alignments.push_back(size_t{1} << random->Below(4));
    const std::string factor = std::to_string(1 + random->Below(4));
    const char* const forms[] = {"*s", "*(7-s)", "*s*s", "+2*(s//2)"};
    spec.sizes.push_back(factor + forms[random->Below(4)]);
  }
  spec.parameters = {{"s", 1, 6}};
  return *DynamicProblem::Create(std::move(spec));
}

TEST(DynamicCertificate, ProvesEveryPlanAndRefutesAChangedOne) {
  Random random(11);
  const int runs = support::kIsSanitized ? 10 : 60;
  int with_logs = 0;
  for (int run = 0; run < runs; ++run) {
    const DynamicProblem problem = RandomProblem(&random);
    const StatusOr<DynamicPlan> plan = PlanForAllValues(problem);
    ASSERT_THAT(plan, support::IsOk());
    const std::string text = *FormatDynamicCertificate(problem, *plan);
    const StatusOr<CertificateVerdict> verdict =
        CheckDynamicCertificate(problem, text);
    ASSERT_THAT(verdict, support::IsOk()) << text;
    ASSERT_EQ(verdict->refuted, "") << text;
    ASSERT_THAT(verdict->not_checked, IsEmpty()) << text;
    // The search that makes the certificate may visit more nodes than the
    // planner, so it may prove a larger bound.
    ASSERT_GE(verdict->lower_bound, plan->reserve_bound) << text;
    if (text.find("\nlog\n") != std::string::npos) ++with_logs;
    const bool is_optimal = text.find("\"optimal\"") < text.find('\n');
    ASSERT_TRUE(is_optimal || plan->status != SolutionStatus::kOptimal);
    if (plan->reserve == 0) continue;
    const ClaimCase less = {"reserve", plan->reserve - 1, ""};
    EXPECT_NE(CheckDynamicCertificate(problem, Changed(text, less))->refuted,
              "");
  }
  EXPECT_GT(with_logs, 0);
}

}  // namespace
}  // namespace stowage
