// SPDX-License-Identifier: Apache-2.0
// Tests the check of certificates that prove a bound of shared objects with
// weights on chains: which bounds are proved, which are refuted, and which
// files are not certificates.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/certificate.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns these records:
//
//   task      0    1    2
//   a         [24]
//   b         [=====8]
//   c              [8=====]
//   d                   [24]
//
// The sum of the positional maximums is 32 bytes. However, b and c fit neither
// into one object nor both into the large one, so 40 bytes are needed.
ProblemSpec FourRecords() {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {24, 0, 0}, {8, 0, 1}, {8, 1, 2}, {24, 2, 2}};
  spec.names = {"a", "b", "c", "d"};
  return spec;
}

constexpr char kObjectsPlan[] =
    R"("status":"optimal","total_size":40,"lower_bound":40,)"
    R"("object_ids":[0,1,2,0],"object_sizes":[24,8,8])";

std::string Proof(size_t scale, const std::vector<std::string>& tensors,
                  const std::vector<std::string>& weights) {
  return absl::StrCat(R"("proof":{"by":"chain weights","scale":)", scale,
                      R"(,"tensors":[")", absl::StrJoin(tensors, R"(",")"),
                      R"("],"weights":[)", absl::StrJoin(weights, ","), "]}");
}

std::string Certificate(const std::string& proof,
                        const std::string& claim = kObjectsPlan) {
  return absl::StrCat(R"({"format":"stowage certificate 1","kind":"objects",)",
                      R"("ids":["a","b","c","d"],)", claim, ",", proof, "}");
}

const std::vector<std::string>& All() {
  static const auto* const all =
      new std::vector<std::string>{"a", "b", "c", "d"};
  return *all;
}

CertificateVerdict VerdictOf(const std::string& text) {
  absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(FourRecords(), text);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? *std::move(verdict) : CertificateVerdict();
}

TEST(ChainWeights, ProveABoundAboveThePositionalMaximums) {
  const CertificateVerdict verdict =
      VerdictOf(Certificate(Proof(1, All(), {"16", "8", "8", "8"})));
  EXPECT_EQ(verdict.refuted, "");
  EXPECT_THAT(verdict.proved,
              ElementsAre("no plan is smaller than 32 bytes: the records show "
                          "it",
                          "no plan is smaller than 40 bytes: the weights of 4 "
                          "tensors show it"));
  EXPECT_THAT(verdict.not_checked, IsEmpty());
}

TEST(ChainWeights, AreFractionsOfTheirScale) {
  EXPECT_EQ(VerdictOf(Certificate(Proof(7, All(), {"112", "56", "56", "56"})))
                .refuted,
            "");
}

// The weights prove 33 bytes. All sizes are multiples of 8, so every total is a
// multiple of 8, and the bound is 40 bytes.
TEST(ChainWeights, ProveAMultipleOfTheDivisorOfTheirSizes) {
  EXPECT_EQ(
      VerdictOf(Certificate(Proof(1, All(), {"16", "8", "8", "1"}))).refuted,
      "");
  EXPECT_THAT(
      VerdictOf(Certificate(Proof(1, All(), {"16", "8", "8", "0"}))).refuted,
      HasSubstr("a weight is 0"));
}

// The proof assigns weights to the tensors of the conflict. The weights show
// that these tensors together exceed the capacity.
TEST(ChainWeights, ProveAConflict) {
  const std::string claim =
      R"("status":"infeasible","capacity":39,"lower_bound":40,)"
      R"("conflict":["a","b","c","d"])";
  const CertificateVerdict verdict =
      VerdictOf(Certificate(Proof(1, All(), {"16", "8", "8", "8"}), claim));
  EXPECT_EQ(verdict.refuted, "");
  EXPECT_THAT(verdict.proved,
              ElementsAre(HasSubstr("32 bytes"), HasSubstr("40 bytes"),
                          "the conflict of 4 tensors needs 40 bytes, more than "
                          "the capacity of 39"));
  EXPECT_THAT(verdict.not_checked, IsEmpty());
}

struct WeightsCase {
  const char* name;
  std::string proof;
  const char* message;
};

std::string NameOfWeightsCase(
    const ::testing::TestParamInfo<WeightsCase>& test) {
  return test.param.name;
}

class RefutedWeights : public ::testing::TestWithParam<WeightsCase> {};

TEST_P(RefutedWeights, SayWhatIsFalse) {
  EXPECT_THAT(VerdictOf(Certificate(GetParam().proof)).refuted,
              HasSubstr(GetParam().message));
}

constexpr char kMax[] = "18446744073709551615";

INSTANTIATE_TEST_SUITE_P(
    All, RefutedWeights,
    ::testing::ValuesIn(std::vector<WeightsCase>{
        {"ASmallTensorTooHeavy", Proof(1, All(), {"16", "9", "8", "8"}),
         "a chain of tensors of at most 8 bytes weighs 9, more than 8"},
        {"AChainTooHeavy", Proof(1, All(), {"17", "8", "8", "8"}),
         "a chain of tensors of at most 24 bytes weighs 25, more than 24"},
        {"TooLight", Proof(1, All(), {"16", "8", "7", "1"}),
         "the weights show a lower bound of 32 bytes, not of 40"},
        {"Permuted", Proof(1, All(), {"8", "16", "8", "8"}),
         "a chain of tensors of at most 8 bytes weighs 16"},
        {"AnotherScale", Proof(2, All(), {"16", "8", "8", "8"}),
         "the weights show a lower bound of 24 bytes, not of 40"},
        {"NoScale", Proof(0, All(), {"16", "8", "8", "8"}),
         "the scale of the weights is 0"},
        {"AWeightOfNothing", Proof(1, All(), {"16", "8", "8", "0"}),
         "a weight is 0"},
        {"None",
         R"("proof":{"by":"chain weights","scale":1,"tensors":[],)"
         R"("weights":[]})",
         "the weights show a lower bound of 0 bytes, not of 40"},
        {"Truncated", Proof(1, {"a", "b", "c"}, {"16", "8", "8"}),
         "the weights show a lower bound of 32 bytes, not of 40"},
        {"SumThatOverflows", Proof(1, All(), {kMax, "8", "8", "8"}),
         "the sum of the weights overflows 64 bits"},
        {"ScaleThatOverflows",
         Proof(size_t{1} << 61, All(), {"16", "8", "8", "8"}),
         "the weights of the tensors of at most 8 bytes overflow 64 bits"},
    }),
    NameOfWeightsCase);

class NoWeights : public ::testing::TestWithParam<WeightsCase> {};

TEST_P(NoWeights, AreRefusedByTheirKey) {
  const absl::Status status =
      CheckCertificate(FourRecords(), Certificate(GetParam().proof)).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

constexpr char kTensors[] =
    "key 'proof.tensors'; expected ids of the records, in order and each once";

INSTANTIATE_TEST_SUITE_P(
    All, NoWeights,
    ::testing::ValuesIn(std::vector<WeightsCase>{
        {"Reordered", Proof(1, {"b", "a", "c", "d"}, {"8", "16", "8", "8"}),
         kTensors},
        {"Twice", Proof(1, {"a", "a", "c", "d"}, {"8", "8", "8", "8"}),
         kTensors},
        {"OfAnotherTrace", Proof(1, {"a", "e"}, {"16", "8"}), kTensors},
        {"TooFew", Proof(1, All(), {"16", "8", "8"}),
         "key 'proof.weights'; expected a weight for each of the tensors"},
        {"Negative", Proof(1, All(), {"16", "8", "8", "-8"}),
         "key 'proof.weights'; expected a list of whole numbers below 2^64"},
        {"Fractional", Proof(1, All(), {"16", "8", "8", "8.0"}),
         "key 'proof.weights'; expected a list of whole numbers below 2^64"},
        {"BeyondAllNumbers",
         Proof(1, All(), {"16", "8", "8", "18446744073709551616"}),
         "key 'proof.weights'; expected a list of whole numbers below 2^64"},
        {"WithoutScale",
         R"("proof":{"by":"chain weights","tensors":[],"weights":[]})",
         "key 'proof.scale'; expected a whole number below 2^64"},
    }),
    NameOfWeightsCase);

TEST(ChainWeights, BoundSharedObjectsAlone) {
  const CertificateVerdict verdict = VerdictOf(absl::StrReplaceAll(
      Certificate(Proof(1, All(), {"16", "8", "8", "8"}),
                  R"("alignments":[1,1,1,1],"status":"optimal",)"
                  R"("total_size":40,"lower_bound":40,"offsets":[0,24,32,0])"),
      {{R"("kind":"objects")", R"("kind":"offsets")"}}));
  EXPECT_EQ(verdict.refuted, "chain weights bound shared objects alone");
}

// If a solution has weights, its certificate contains them, and the check
// accepts them as proof of the bound.
TEST(ChainWeights, AreWrittenAsTheyAreRead) {
  const Problem problem = Problem::Create(FourRecords()).value();
  Solution solution(ObjectsAssignment<size_t>{{0, 1, 2, 0}, {24, 8, 8}});
  solution.status = SolutionStatus::kOptimal;
  solution.total_size = 40;
  solution.lower_bound = 40;
  solution.chain_weights = {{0, 1, 2, 3}, {16, 8, 8, 8}, 1};
  const std::string text = FormatCertificate(problem, solution).value();
  EXPECT_THAT(text, HasSubstr(Proof(1, All(), {"16", "8", "8", "8"})));
  EXPECT_EQ(VerdictOf(text).refuted, "");
}

// No weights prove a bound above the optimum, which is 40.
TEST(ChainWeights, NeverProveMoreThanTheOptimum) {
  const std::string claim =
      R"("status":"infeasible","capacity":40,"lower_bound":41,)"
      R"("conflict":["a","b","c","d"])";
  Random random(29);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> weights;
    for (size_t k = 0; k < 4; ++k) {
      weights.push_back(absl::StrCat(1 + random.Below(30)));
    }
    const CertificateVerdict verdict = VerdictOf(
        Certificate(Proof(1 + random.Below(3), All(), weights), claim));
    ASSERT_NE(verdict.refuted, "") << absl::StrJoin(weights, ",");
  }
}

// The bounds that the search proves with weights pass the check. For many of
// the random records, the bound exceeds the sum of the positional maximums.
TEST(ChainWeights, OfTheSearchAreProved) {
  Random random(31);
  size_t weighted = 0;
  for (int round = 0; round < 300; ++round) {
    ProblemSpec spec;
    spec.kind = PlanKind::kObjects;
    for (size_t k = 0; k < 30; ++k) {
      const size_t begin = random.Below(12);
      const size_t end = begin + random.Below(4);
      spec.records.emplace_back(8 * (1 + random.Below(20)), begin, end);
    }
    const Problem problem = Problem::Create(spec).value();
    SolveOptions options;
    options.node_budget = 2000;
    const Solution solution = Solve(problem, "optimal", options).value();
    const absl::StatusOr<CertificateVerdict> verdict =
        CheckCertificate(spec, FormatCertificate(problem, solution).value());
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    ASSERT_EQ(verdict->refuted, "") << "round " << round;
    if (solution.bound_proof.kind == BoundProof::Kind::kSearch) continue;
    ASSERT_THAT(verdict->not_checked, IsEmpty()) << "round " << round;
    if (!solution.chain_weights.records.empty()) ++weighted;
  }
  // Without a linked solver, the search finds no weights.
  EXPECT_TRUE(weighted == 0 || weighted > 30) << weighted;
}

}  // namespace
}  // namespace stowage
