// SPDX-License-Identifier: Apache-2.0
// Tests certificates of costs. Certificates written by the library must prove
// their claims. Wrong certificates must be refused with a reason.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/proof/clique_bound.h"
#include "stowage/base/random.h"
#include "stowage/certificate.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns six records of 64 bytes, with a capacity of 128 bytes. Two records
// are live at each task. Two records that are not live at the same time may
// share bytes, but the pair must then pay. In the best plan, each of two
// triples shares 64 bytes, so six pairs pay.
ProblemSpec Triples() {
  ProblemSpec spec;
  for (size_t i = 0; i < 6; ++i) {
    const auto task = static_cast<TaskId>(i / 2);
    spec.records.emplace_back(size_t{64}, task, task);
    spec.names.push_back(std::string(1, static_cast<char>('a' + i)));
    for (size_t j = 0; j < i; ++j) {
      if (j / 2 < i / 2) spec.constraints.prefer_apart.push_back({j, i, 1});
    }
  }
  spec.capacity = 128;
  return spec;
}

std::string CertificateOf(const ProblemSpec& spec,
                          const std::string& strategy = "optimal") {
  const Problem problem = Problem::Create(spec).value();
  SolveOptions options;
  options.node_budget = 10000;
  return FormatCertificate(problem, Solve(problem, strategy, options).value())
      .value();
}

CertificateVerdict VerdictOf(const ProblemSpec& spec, const std::string& text) {
  return CheckCertificate(spec, text).value();
}

// Returns the reason why a certificate is refused, or an empty string if it is
// accepted.
std::string ReasonAgainst(const ProblemSpec& spec, const Json& document) {
  const auto verdict = CheckCertificate(spec, document.dump());
  return verdict.ok() ? verdict->refuted
                      : std::string(verdict.status().message());
}

TEST(CostCertificate, HasTheCliques) {
  EXPECT_EQ(
      CertificateOf(Triples()),
      R"({"format":"stowage certificate 1","kind":"offsets",)"
      R"("status":"optimal","reason":"the total equals the bytes live at )"
      R"(task 0","lower_bound":128,"capacity":128,)"
      R"("ids":["a","b","c","d","e","f"],"alignments":[1,1,1,1,1,1],)"
      R"("total_size":128,"offsets":[0,64,0,64,0,64],"cost":6,)"
      R"("cost_bound":6,"cost_proof":{"by":"cliques","proofs":[)"
      R"({"scale":1048576,"sum":6102369,"cliques":[)"
      R"({"tensors":["a","b","c","d","e"],"weight":412556},)"
      R"({"tensors":["a","e","f"],"weight":85948},)"
      R"({"tensors":["a","b","c"],"weight":85948},)"
      R"({"tensors":["a","b","c","d","e","f"],"weight":5156934},)"
      R"({"tensors":["a","b","d"],"weight":85948},)"
      R"({"tensors":["c","d","f"],"weight":189087},)"
      R"({"tensors":["c","d","e"],"weight":85948}]}]}})"
      "\n");
}

TEST(CostCertificate, ProvesTheCost) {
  const CertificateVerdict verdict =
      VerdictOf(Triples(), CertificateOf(Triples()));
  EXPECT_EQ(verdict.refuted, "");
  EXPECT_THAT(verdict.not_checked, IsEmpty());
  EXPECT_THAT(verdict.checked, Contains("the plan costs 6"));
  EXPECT_THAT(verdict.proved, Contains("no plan within 128 bytes costs less "
                                       "than 6: 7 cliques show it"));
}

TEST(CostCertificate, HasNoProofOfABoundOfZero) {
  ProblemSpec spec = Triples();
  spec.capacity = 384;
  const std::string text = CertificateOf(spec);
  EXPECT_THAT(text, HasSubstr(R"("cost":0)"));
  EXPECT_THAT(text, Not(HasSubstr("cost_proof")));
  EXPECT_EQ(VerdictOf(spec, text).refuted, "");
}

TEST(CostCertificate, OfAStrategyThatDoesNotSearch) {
  const CertificateVerdict verdict =
      VerdictOf(Triples(), CertificateOf(Triples(), "skyline"));
  EXPECT_EQ(verdict.refuted, "");
  EXPECT_THAT(verdict.proved, Contains(HasSubstr("costs less than 6")));
}

// Appends a pointer to each whole number in the document.
void ListNumbers(Json* json, std::vector<Json*>* numbers) {
  if (json->is_number_unsigned()) numbers->push_back(json);
  if (!json->is_structured()) return;
  for (Json& entry : *json) ListNumbers(&entry, numbers);
}

// Expects that the certificate of `optimal` is refused after a change to any
// one of its numbers.
void ExpectEveryNumberMatters(const ProblemSpec& spec, size_t least) {
  const Json right = Json::parse(CertificateOf(spec));
  ASSERT_EQ(ReasonAgainst(spec, right), "");
  Json document = right;
  std::vector<Json*> numbers;
  ListNumbers(&document, &numbers);
  EXPECT_GE(numbers.size(), least);
  for (Json* const number : numbers) {
    const auto old = number->get<uint64_t>();
    for (const uint64_t changed :
         {old + 1, old - 1, 2 * old, old / 2, uint64_t{0}, ~uint64_t{0}}) {
      if (changed == old) continue;
      *number = changed;
      EXPECT_NE(ReasonAgainst(spec, document), "") << document.dump();
    }
    *number = old;
  }
  EXPECT_EQ(document, right);
}

TEST(CostCertificate, EveryNumberMatters) {
  ExpectEveryNumberMatters(Triples(), 20);
}

struct WrongProof {
  const char* what;
  std::vector<CostProof> proofs;
  std::string reason;
};

TEST(CostCertificate, AWrongProofIsRefusedWithItsReason) {
  ProblemSpec spec = Triples();
  spec.constraints.prefer_apart.pop_back();  // that of d and f
  const Problem problem = Problem::Create(spec).value();
  const WrongProof rows[] = {
      {"no clique",
       {{{{{0, 3, 5}, 1}}, 1}},
       "cost proof 1: clique 1: 'd' and 'f' may share bytes at no cost"},
      {"too few bytes",
       {{{{{0, 2}, 1}}, 1}},
       "cost proof 1: clique 1: the tensors need not overlap"},
      {"no tensors", {{{{{}, 1}}, 1}}, "cost proof 1: clique 1: no tensors"},
      {"no weight",
       {{{{{0, 1, 2}, 0}}, 1}},
       "cost proof 1: clique 1: the weight is 0"},
      {"too large a weight",
       {{{{{0, 1, 2}, 17}}, 16}},
       "cost proof 1: the load of 'a' and 'c' is larger than their cost"},
      {"two cliques that are too much together",
       {{{{{0, 1, 2}, 9}, {{0, 1, 2, 3}, 16}}, 16}},
       "cost proof 1: the load of 'a' and 'c' is larger than their cost"},
      {"a pair of two proofs",
       {{{{{0, 1, 2}, 1}}, 16}, {{{{0, 1, 2}, 1}}, 16}},
       "cost proof 2: clique 1: 'a' and 'c' are in another proof"},
      {"an odd scale",
       {{{{{0, 1, 2}, 1}}, 3}},
       "cost proof 1: the scale is not a power of two"},
  };
  for (const WrongProof& row : rows) {
    const auto bound = certificate::BoundOfCliques(problem, row.proofs);
    EXPECT_TRUE(absl::IsInvalidArgument(bound.status())) << row.what;
    EXPECT_EQ(bound.status().message(), row.reason) << row.what;
  }
  const std::vector<CostProof> right = {{{{{0, 1, 2}, 16}}, 16}};
  EXPECT_EQ(certificate::BoundOfCliques(problem, right).value(), 1u);
}

// A clique proves nothing if its records may be in several pools.
TEST(CostCertificate, ACliqueLiesInOnePool) {
  ProblemSpec spec = Triples();
  spec.capacity.reset();
  spec.constraints.pools = {{"x", 128}, {"y", 128}};
  spec.constraints.choices.assign(6, {{0, 2}});
  spec.constraints.choices[2] = {{0, 2}, {1, 3}};
  const Problem problem = Problem::Create(spec).value();
  const std::vector<CostProof> proofs = {{{{{0, 1, 2}, 16}}, 16}};
  EXPECT_THAT(
      std::string(
          certificate::BoundOfCliques(problem, proofs).status().message()),
      HasSubstr("'c' need not be in the pool of the first tensor"));
  // Each record pays for its pool.
  EXPECT_EQ(certificate::BoundOfCliques(problem, {}).value(), 12u);
}

// Returns the triples with a capacity that is one byte too small for two
// records.
ProblemSpec TooFewBytes() {
  ProblemSpec spec = Triples();
  spec.capacity = 127;
  return spec;
}

TEST(CliqueCertificate, SaysWhyThereIsNoPlan) {
  const std::string text = CertificateOf(TooFewBytes());
  EXPECT_THAT(text, HasSubstr(R"("status":"infeasible")"));
  EXPECT_THAT(text, HasSubstr(R"("proof":{"by":"clique","bytes":128,)"
                              R"("room":127,"shared":0})"));
  EXPECT_THAT(text, HasSubstr(R"("conflict":["a","b"],"irreducible":false)"));
  const CertificateVerdict verdict = VerdictOf(TooFewBytes(), text);
  EXPECT_EQ(verdict.refuted, "");
  EXPECT_THAT(verdict.not_checked, IsEmpty());
  EXPECT_THAT(verdict.proved,
              Contains("no plan exists within 127 bytes: the conflict of 2 "
                       "tensors takes 128 bytes and has room in 127, and no "
                       "two share a byte"));
}

TEST(CliqueCertificate, EveryNumberMatters) {
  ExpectEveryNumberMatters(TooFewBytes(), 10);
}

TEST(CliqueCertificate, OfAPoolAlone) {
  ProblemSpec spec = TooFewBytes();
  spec.capacity.reset();
  spec.constraints.pools = {{"x", absl::nullopt}, {"y", 127}};
  spec.constraints.choices.assign(6, {{1, 0}});
  const std::string text = CertificateOf(spec);
  EXPECT_EQ(VerdictOf(spec, text).refuted, "");
  ExpectEveryNumberMatters(spec, 10);
  // The records have room in the other pool.
  for (auto& choices : spec.constraints.choices) choices = {{0, 0}};
  EXPECT_THAT(VerdictOf(spec, text).refuted, HasSubstr("no capacity"));
}

TEST(CliqueCertificate, AWrongConflictIsRefused) {
  const ProblemSpec spec = TooFewBytes();
  Json document = Json::parse(CertificateOf(spec));
  const auto reason_against = [&](const Json& conflict) {
    document["conflict"] = conflict;
    return ReasonAgainst(spec, document);
  };
  EXPECT_THAT(reason_against({"a"}), HasSubstr("may have room"));
  // This pair must share only one byte, and may share 64 bytes if it pays.
  EXPECT_THAT(reason_against({"a", "c"}), HasSubstr("may have room"));
  EXPECT_THAT(reason_against({"a", "a"}), HasSubstr("each once"));
  EXPECT_THAT(reason_against({"a", "z"}), HasSubstr("each once"));
  EXPECT_THAT(reason_against(Json::array()), HasSubstr("no tensors"));
  // The numbers in the document do not belong to this conflict.
  EXPECT_THAT(reason_against({"c", "d", "e"}), HasSubstr("may have room"));
  document["conflict"] = {"a", "b"};
  document["irreducible"] = true;
  EXPECT_THAT(ReasonAgainst(spec, document), HasSubstr("irreducible"));
  document["irreducible"] = false;
  document["proof"] = {{"by", "task"}, {"task", 0}};
  EXPECT_THAT(ReasonAgainst(spec, document), HasSubstr("only a clique"));
}

// All six records may be at offset 0, where the number of bytes that their
// pairs share exceeds 64 bits.
TEST(CliqueCertificate, RefusesNumbersThatAreTooLarge) {
  ProblemSpec spec;
  for (uint32_t i = 0; i < 6; ++i) {
    spec.records.push_back({size_t{1} << 59, i, i});
    for (uint32_t k = 0; k < i; ++k) {
      spec.constraints.prefer_apart.push_back({k, i, 1});
    }
  }
  spec.capacity = size_t{1} << 59;
  EXPECT_THAT(std::string(certificate::CheckOverfull(*Problem::Create(spec),
                                                     {0, 1, 2, 3, 4, 5})
                              .status()
                              .message()),
              HasSubstr("the overlap exceeds 64 bits"));
}

TEST(CliqueCertificate, CountsWhatPairsCanShare) {
  ProblemSpec spec = Triples();
  const Problem problem = Problem::Create(spec).value();
  // Three records of 64 bytes just fit into 128 bytes if one pair shares 64
  // bytes.
  EXPECT_THAT(
      std::string(
          certificate::CheckOverfull(problem, {0, 1, 2}).status().message()),
      HasSubstr("may have room"));
  spec.capacity = 127;
  spec.constraints.apart = {{1, 4}};
  const Problem tight = Problem::Create(spec).value();
  // Only one pair may share bytes, at most 64, but 65 bytes have to be shared.
  const auto clique = certificate::CheckOverfull(tight, {0, 1, 4});
  ASSERT_TRUE(clique.ok()) << clique.status();
  EXPECT_EQ(clique->bytes, 192u);
  EXPECT_EQ(clique->room, 127u);
  EXPECT_EQ(clique->shared, 64u);
}

TEST(CliqueCertificate, ThereIsNoneWithoutAClique) {
  // Each of the two records fits in its place, but both have the same place.
  ProblemSpec spec = Triples();
  spec.constraints.places.resize(6);
  spec.constraints.places[0].max = 64;
  spec.constraints.places[1].max = 64;
  const Problem problem = Problem::Create(spec).value();
  const Solution solution = Solve(problem, "optimal").value();
  ASSERT_EQ(solution.status, SolutionStatus::kInfeasible);
  const auto text = FormatCertificate(problem, solution);
  EXPECT_TRUE(absl::IsUnimplemented(text.status()));
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("have no room"));
}

// The certificates for plans of random problems are never refuted.
TEST(CostCertificate, OfRandomProblems) {
  Random random(1);
  size_t cliques = 0;
  for (size_t k = 0; k < 150; ++k) {
    SCOPED_TRACE(absl::StrCat("problem ", k));
    ProblemSpec spec;
    for (size_t i = 0; i < 8; ++i) {
      const auto task = static_cast<TaskId>(random.Below(6));
      spec.records.emplace_back(1 + random.Below(6), task,
                                task + static_cast<TaskId>(random.Below(2)));
      spec.names.push_back(absl::StrCat("t", i));
      spec.alignments.push_back(size_t{1} << random.Below(2));
      for (size_t j = 0; j < i; ++j) {
        if (random.Below(3) == 0) continue;
        spec.constraints.prefer_apart.push_back({j, i, 1 + random.Below(9)});
      }
    }
    spec.capacity = 10 + random.Below(12);
    const Problem problem = Problem::Create(spec).value();
    SolveOptions options;
    options.node_budget = 100;
    const Solution solution = Solve(problem, "optimal", options).value();
    if (!solution.has_plan()) continue;
    const std::string text = FormatCertificate(problem, solution).value();
    EXPECT_EQ(VerdictOf(spec, text).refuted, "") << text;
    if (text.find("\"by\":\"cliques\"") != std::string::npos) ++cliques;
  }
  EXPECT_GT(cliques, 30u);
}

}  // namespace
}  // namespace stowage
