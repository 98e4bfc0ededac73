// SPDX-License-Identifier: Apache-2.0
// Tests the check on handwritten certificates: which files are certificates,
// and which of their claims are refuted.
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/certificate.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kMax = std::numeric_limits<size_t>::max();

// Returns records of 64, 32 and 64 bytes. The first two are live at the same
// time, and so are the last two. The smallest plan has 96 bytes.
ProblemSpec ThreeRecords() {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {64, 0, 1}, {32, 1, 2}, {64, 2, 3}};
  spec.names = {"a", "b", "c"};
  return spec;
}

// Returns a certificate for the three records with the given members.
std::string Claim(const std::string& members) {
  return absl::StrCat(
      R"({"format":"stowage certificate 1","ids":["a","b","c"],)", members,
      "}");
}

// Offsets returns a certificate, with the given members, for a plan of offsets.
// Infeasible returns a certificate for a problem without a plan.
std::string Offsets(const std::string& members) {
  return Claim(
      absl::StrCat(R"("kind":"offsets","alignments":[1,1,1],)", members));
}
std::string Infeasible(const std::string& members) {
  return Offsets(absl::StrCat(R"("status":"infeasible",)", members));
}

// This member states that a search has proved the bound. The check does not
// repeat the search.
#define SEARCH \
  R"("proof":{"by":"search","strategy":"optimal","seed":1,"nodes":9})"

struct Case {
  const char* name;
  std::string text;
  const char* message;
};

std::string NameOf(const ::testing::TestParamInfo<Case>& test) {
  return test.param.name;
}

class RefutedCertificate : public ::testing::TestWithParam<Case> {};

TEST_P(RefutedCertificate, SaysWhatIsFalse) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(ThreeRecords(), GetParam().text);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_THAT(verdict->refuted, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Plans, RefutedCertificate,
    ::testing::ValuesIn(std::vector<Case>{
        {"OptimumAboveTheBound",
         Claim(R"("kind":"objects","status":"optimal","total_size":128,
                  "lower_bound":128,"object_ids":[0,1,0],
                  "object_sizes":[64,64])"),
         "the records show a lower bound of 96 bytes, not of 128"},
        {"ObjectsOfAnotherTotal",
         Claim(R"("kind":"objects","status":"feasible","total_size":97,
                  "lower_bound":96,"object_ids":[0,1,0],
                  "object_sizes":[64,32])"),
         "the plan takes 96 bytes, not 97"},
        {"OffsetsOfAnotherTotal",
         Offsets(R"("status":"feasible","total_size":97,"lower_bound":96,
                    "offsets":[0,64,0])"),
         "the plan takes 96 bytes, not 97"},
        {"PlanAboveTheCapacity",
         Offsets(R"("status":"feasible","total_size":96,"lower_bound":96,
                    "capacity":95,"offsets":[0,64,0])"),
         "the plan takes 96 bytes, more than the capacity of 95"},
        {"TwoAtOneOffset",
         Offsets(R"("status":"optimal","total_size":96,"lower_bound":96,
                    "offsets":[0,32,0])"),
         "both hold bytes"},
        {"OptimumThatItsBoundDoesNotReach",
         Offsets(R"("status":"optimal","total_size":97,"lower_bound":96,
                    "offsets":[0,65,0])"),
         "a lower bound of 96 bytes proves nothing about 97 bytes"},
        {"FeasibleBelowItsBound",
         Offsets(R"("status":"feasible","total_size":96,"lower_bound":97,
                    "offsets":[0,64,0])"),
         "a lower bound of 97 bytes proves nothing about 96 bytes"},
        {"ProofByAnotherTask",
         Offsets(R"("status":"optimal","total_size":96,"lower_bound":96,
                    "offsets":[0,64,0],"proof":{"by":"task","task":3})"),
         "64 bytes are live at task 3, which does not prove a lower bound of "
         "96"},
        {"ProofByFixedRecordsThatAreNotThere",
         Offsets(R"("status":"optimal","total_size":96,"lower_bound":96,
                    "offsets":[0,64,0],"proof":{"by":"fixed records"})"),
         "no record has a fixed offset"},
        {"OffsetsByPositionalMaximums",
         Offsets(R"("status":"optimal","total_size":96,"lower_bound":96,
                    "offsets":[0,64,0],"proof":{"by":"positional maximums"})"),
         "positional maximums bound shared objects alone"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Conflicts, RefutedCertificate,
    ::testing::ValuesIn(std::vector<Case>{
        {"ThatFits",
         Infeasible(R"("capacity":96,"lower_bound":97,"conflict":["a","b"])"),
         "the records show a lower bound of 96 bytes, not of 97"},
        {"ThatFitsIfStacked",
         Infeasible(R"("capacity":96,"lower_bound":97,)" SEARCH
                    R"(,"conflict":["a","b"])"),
         "takes 96 bytes one after the other, and fits the capacity of 96"},
        {"BoundAboveAllThereIs",
         Infeasible(R"("capacity":99,"lower_bound":161,)" SEARCH
                    R"(,"conflict":["a","b","c"])"),
         "take 160 bytes, less than the lower bound of 161"},
        {"BoundBelowTheCapacity",
         Infeasible(R"("capacity":97,"lower_bound":96,"conflict":["a","b"])"),
         "proves nothing about a capacity of 97"},
        {"CapacityOfAllThereIs",
         Infeasible(R"("capacity":18446744073709551615,"lower_bound":1,
                       "conflict":[])"),
         "proves nothing about"},
        {"ReducibleBySearch", Infeasible(R"("capacity":95,"lower_bound":96,
                       "conflict":["a","b","c"],"irreducible":true)"),
         "the conflict is not irreducible: without 'a' the rest need 96 bytes, "
         "more than the capacity of 95"},
        {"IrreducibleAndEmpty",
         Infeasible(R"("capacity":95,"lower_bound":96,"conflict":[],
                       "irreducible":true)"),
         "an irreducible conflict is empty"},
    }),
    NameOf);

class RefusedCertificate : public ::testing::TestWithParam<Case> {};

TEST_P(RefusedCertificate, NamesTheKey) {
  const absl::Status status =
      CheckCertificate(ThreeRecords(), GetParam().text).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    OtherRecords, RefusedCertificate,
    ::testing::ValuesIn(std::vector<Case>{
        // Three tensors of 64 bytes would exceed the capacity, but the conflict
        // has only one tensor.
        {"ConflictWithItself", Infeasible(R"("capacity":100,"lower_bound":101,
                       "conflict":["a","a","a"])"),
         "key 'conflict'; expected ids of the records, each once"},
        {"ConflictOfOthers",
         Infeasible(R"("capacity":1,"lower_bound":2,"conflict":["d"])"),
         "key 'conflict'; expected ids of the records, each once"},
        {"Alignments",
         Claim(R"("kind":"offsets","alignments":[1,2,1],"status":"optimal",
                  "total_size":96,"lower_bound":96,"offsets":[0,64,0])"),
         "key 'alignments'; expected the alignments of the records"},
        {"FixedOffsets",
         Offsets(R"("fixed":[0,null,null],"status":"optimal","total_size":96,
                    "lower_bound":96,"offsets":[0,64,0])"),
         "key 'fixed'; expected the fixed offsets of the records"},
        {"Ids",
         R"({"format":"stowage certificate 1","ids":["a","b"],"kind":"objects",
             "status":"optimal","total_size":96,"lower_bound":96,
             "object_ids":[0,1],"object_sizes":[64,32]})",
         "key 'ids'; expected the ids of the records, in order"},
    }),
    NameOf);

constexpr char kPlan[] =
    R"("status":"feasible","total_size":96,"lower_bound":96,"offsets":[0,64,0])";

INSTANTIATE_TEST_SUITE_P(
    Types, RefusedCertificate,
    ::testing::ValuesIn(std::vector<Case>{
        {"Nothing", "", "not JSON: it ends after byte 0; expected"},
        {"Truncated", R"({"format":"stow)",
         "not JSON: it ends after byte 15; expected a certificate in JSON"},
        {"NoJson", "id,lower", "not JSON: an error at byte 1; expected"},
        {"ForAllValues",
         "{\"format\":\"stowage certificate for all values 1\"}\n{}\n",
         "a certificate of a plan for all values; expected one for a problem"},
        {"TrailingBytes", R"({"format":1} x)",
         "not JSON: an error at byte 14; expected"},
        {"KeyTwice", Offsets(absl::StrCat(R"("lower_bound":1,)", kPlan)),
         "key \"lower_bound\" twice; expected it once"},
        {"KeyOfProofTwice",
         Offsets(absl::StrCat(R"("proof":{"by":"task","task":0,"task":1},)",
                              kPlan)),
         "key \"task\" twice; expected it once"},
        {"List", "[]", "key 'format'"},
        {"AnotherFormat", R"({"format":"stowage certificate 2"})",
         "key 'format'; expected 'stowage certificate 1'"},
        {"FormatOfANumber", R"({"format":1})", "key 'format'"},
        {"NoKind", Claim(R"("status":"infeasible","capacity":1)"),
         "key 'kind'; expected a string"},
        {"KindOfANumber", Claim(absl::StrCat(R"("kind":1,)", kPlan)),
         "key 'kind'; expected a string"},
        {"AnotherKind", Claim(absl::StrCat(R"("kind":"pools",)", kPlan)),
         "key 'kind'; expected offsets or objects"},
        {"NoStatus", Offsets(R"("lower_bound":96)"),
         "key 'status'; expected a string"},
        {"AnotherStatus", Offsets(R"("status":"time_limit","lower_bound":96)"),
         "key 'status'; expected optimal, feasible or infeasible"},
        {"ReasonOfANumber", Offsets(absl::StrCat(R"("reason":1,)", kPlan)),
         "key 'reason'; expected a string"},
        {"NegativeCapacity",
         Infeasible(R"("capacity":-1,"lower_bound":2,"conflict":[])"),
         "key 'capacity'; expected a whole number below 2^64"},
        {"BoundOfAString",
         Offsets(R"("status":"feasible","total_size":96,"lower_bound":"96",
                    "offsets":[0,64,0])"),
         "key 'lower_bound'; expected a whole number"},
        {"FractionalTotal",
         Offsets(R"("status":"feasible","total_size":96.5,"lower_bound":96,
                    "offsets":[0,64,0])"),
         "key 'total_size'; expected a whole number"},
        {"OffsetsOfStrings",
         Offsets(R"("status":"feasible","total_size":96,"lower_bound":96,
                    "offsets":["0"])"),
         "key 'offsets'; expected a list of whole numbers"},
        {"IdsOfNumbers",
         R"({"format":"stowage certificate 1","ids":[1],"kind":"objects",
             "status":"feasible","lower_bound":1})",
         "key 'ids'; expected a list of strings"},
        {"ConflictOfNumbers",
         Infeasible(R"("capacity":1,"lower_bound":2,"conflict":[0])"),
         "key 'conflict'; expected a list of strings"},
        {"IrreducibleOfAString",
         Infeasible(R"("capacity":1,"lower_bound":2,"conflict":[],
                       "irreducible":"true")"),
         "key 'irreducible'; expected true or false"},
        {"FixedOfStrings",
         Offsets(absl::StrCat(R"("fixed":["0",null,null],)", kPlan)),
         "key 'fixed'; expected a list of whole numbers below 2^64 and null"},
        {"ProofOfAString", Offsets(absl::StrCat(R"("proof":"search",)", kPlan)),
         "key 'proof'; expected an object"},
        {"ProofByNothing", Offsets(absl::StrCat(R"("proof":{},)", kPlan)),
         "key 'proof.by'; expected a string"},
        {"ProofByBelief",
         Offsets(absl::StrCat(R"("proof":{"by":"belief"},)", kPlan)),
         "key 'proof.by'; expected task, positional maximums, fixed "
         "records, chain weights, search or clique"},
        {"ProofByTaskOfAString",
         Offsets(absl::StrCat(R"("proof":{"by":"task","task":"1"},)", kPlan)),
         "key 'proof.task'; expected a whole number"},
        {"ProofBySearchWithoutNodes",
         Offsets(absl::StrCat(
             R"("proof":{"by":"search","strategy":"optimal","seed":1},)",
             kPlan)),
         "key 'proof.nodes'; expected a whole number"},
        {"UnknownKey", Offsets(absl::StrCat(R"("note":"trust me",)", kPlan)),
         "unknown key \"note\""},
        {"UnknownKeyOfTheProof",
         Offsets(absl::StrCat(R"("proof":{"by":"task","task":1,"capacity":1},)",
                              kPlan)),
         "unknown key \"proof.capacity\""},
        {"PlanWhereNoneIs",
         Infeasible(R"("capacity":1,"lower_bound":2,"conflict":[],
                       "offsets":[0,0,0])"),
         "unknown key \"offsets\""},
        {"NestedWithoutEnd", std::string(1'000'000, '['),
         "not a certificate for these records: more than 12985 values"},
    }),
    NameOf);

TEST(CheckCertificate, TruePlanIsCheckedWithItsProof) {
  const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
      ThreeRecords(),
      Offsets(R"("status":"optimal","total_size":96,"lower_bound":96,
                 "offsets":[0,64,0],"proof":{"by":"task","task":1})"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->checked,
              ElementsAre("the plan is safe and takes 96 bytes"));
  EXPECT_THAT(verdict->proved,
              ElementsAre("no plan is smaller than 96 bytes: the records show "
                          "it",
                          "96 bytes are live at task 1"));
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

TEST(CheckCertificate, ASearchIsListedAsNotChecked) {
  const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
      ThreeRecords(), Offsets(R"("status":"optimal","total_size":100,
                                 "lower_bound":100,"offsets":[0,68,0],)" SEARCH));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->not_checked,
              ElementsAre("no plan is smaller than 100 bytes: proved by a "
                          "search of 'optimal' with seed 1 and 9 nodes"));
}

TEST(CheckCertificate, AnIrreducibleConflictIsCheckedWhereItsRestIsStacked) {
  const absl::StatusOr<CertificateVerdict> verdict = CheckCertificate(
      ThreeRecords(),
      Infeasible(R"("capacity":95,"lower_bound":96,"conflict":["a","b"],
                    "irreducible":true)"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->proved,
              ElementsAre("no plan is smaller than 96 bytes: the records show "
                          "it",
                          "the conflict of 2 tensors needs 96 bytes, more "
                          "than the capacity of 95"));
  EXPECT_THAT(verdict->checked,
              ElementsAre("the conflict fits without any one of its tensors"));
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

// Any three of the four tensors fit into 2 bytes, but not if they are stacked
// on top of each other. Without a search, the check therefore cannot detect
// that they fit.
TEST(CheckCertificate, AnIrreducibleConflictIsNotCheckedWhereOnlyASearchKnows) {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {1, 0, 1}, {1, 1, 2}, {1, 2, 3}, {1, 3, 4}};
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(spec,
                       R"({"format":"stowage certificate 1","kind":"offsets",
          "status":"infeasible","capacity":2,"lower_bound":3,)" SEARCH
                       R"(,"ids":["0","1","2","3"],"alignments":[1,1,1,1],
          "conflict":["0","1","2","3"],"irreducible":true})");
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(
      verdict->not_checked,
      ElementsAre("no plan is smaller than 3 bytes: proved by a search of "
                  "'optimal' with seed 1 and 9 nodes",
                  "the conflict of 4 tensors does not fit 2 bytes",
                  "the conflict fits without any one of its tensors"));
}

ProblemSpec TwoRecords(size_t second_size, size_t second_task) {
  ProblemSpec spec;
  spec.records = std::vector<TensorUsageRecord<size_t>>{
      {1, 0, 0}, {second_size, second_task, second_task}};
  spec.names = {"a", "b"};
  spec.alignment = 64;
  return spec;
}

// Both tensors are live at the same task and need 65 bytes if they are stacked.
// Only a bound above 65 bytes would be refuted.
TEST(CheckCertificate, ABoundAsLargeAsAllTensorsStackedIsNotRefuted) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(TwoRecords(1, 0),
                       R"({"format":"stowage certificate 1","kind":"offsets",
          "status":"optimal","lower_bound":65,)" SEARCH
                       R"(,"ids":["a","b"],"alignments":[64,64],"total_size":65,
          "offsets":[0,64]})");
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
}

// The sum of the padded sizes exceeds 2^64 - 1, so the records are not a valid
// problem of offsets.
TEST(CheckCertificate, OffsetsPast64BitsAreNotAProblem) {
  const absl::Status status =
      CheckCertificate(TwoRecords(kMax - 1, 1),
                       R"({"format":"stowage certificate 1","kind":"offsets",
              "status":"feasible","lower_bound":18446744073709551615,)" SEARCH
                       R"(,"ids":["a","b"],"alignments":[64,64],
              "total_size":18446744073709551615,"offsets":[0,0]})")
          .status();
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(RecordsOf(status), ElementsAre(1));
}

TEST(CheckCertificate, AFixedOffsetIsKept) {
  ProblemSpec spec = ThreeRecords();
  spec.fixed_offsets = {absl::nullopt, 32, absl::nullopt};
  const auto check = [&spec](const std::string& offsets) {
    return CheckCertificate(spec,
                            Offsets(absl::StrCat(
                                R"("fixed":[null,32,null],"status":"feasible",
                     "total_size":128,"lower_bound":96,"offsets":)",
                                offsets)));
  };
  EXPECT_EQ(check("[64,32,64]")->refuted, "");
  EXPECT_EQ(check("[0,64,0]")->refuted,
            "tensor 'b' starts at byte 64; expected its fixed offset 32");
  EXPECT_THAT(
      std::string(CheckCertificate(spec, Offsets(kPlan)).status().message()),
      HasSubstr("key 'fixed'"));
}

TEST(CheckCertificate, FixedOffsetsThatContradictEachOtherNeedNoCapacity) {
  ProblemSpec spec = ThreeRecords();
  spec.fixed_offsets = {0, 32, absl::nullopt};
  const auto check = [&spec](const std::string& rest) {
    return CheckCertificate(spec,
                            Offsets(absl::StrCat(
                                R"("fixed":[0,32,null],"status":"infeasible",
                     "lower_bound":96,)",
                                rest)));
  };
  const auto pair = check(R"("conflict":["a","b"],"irreducible":true)");
  EXPECT_EQ(pair->refuted, "");
  EXPECT_THAT(pair->proved,
              Contains("the fixed offsets of the conflict of 2 tensors "
                       "contradict each other"));
  EXPECT_THAT(pair->checked,
              Contains("the conflict fits without any one of its tensors"));
  EXPECT_EQ(check(R"("conflict":["a","b","c"],"irreducible":true)")->refuted,
            "the conflict is not irreducible: without 'c' the fixed offsets of "
            "the rest contradict each other");
  EXPECT_EQ(check(R"("conflict":["b","c"],"irreducible":false)")->refuted,
            "the conflict does not contradict itself, and has no capacity");
}

}  // namespace
}  // namespace stowage
