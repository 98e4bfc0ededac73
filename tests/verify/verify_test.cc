// SPDX-License-Identifier: Apache-2.0
// Tests what makes a plan unsafe and how the verifier reports it. The tests in
// verify_offsets_property_test.cc and verify_objects_property_test.cc compare
// the verifier with a second verifier.
#include "stowage/verify.h"

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "stowage/assignment.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"
#include "stowage/verify/violation_details.h"
#include "tests/model/extreme_sizes.h"

namespace stowage {
namespace {

using ByteRecords = std::vector<TensorUsageRecord<size_t>>;
using Sizes = std::vector<size_t>;

constexpr const char* kSafe = "safe";

std::string Verdict(const absl::optional<Violation>& violation) {
  return violation ? Describe(*violation) : kSafe;
}

TEST(VerifyOffsetsTest, TensorsLiveAtOneTaskShareNoByte) {
  const struct {
    const char* name;
    ByteRecords records;
    OffsetsAssignment plan;
    const char* verdict;
  } cases[] = {
      {"side by side", {{16, 0, 1}, {16, 1, 2}}, {{0, 16}, 32}, kSafe},
      {"the other way round", {{16, 0, 1}, {16, 1, 2}}, {{16, 0}, 32}, kSafe},
      {"reuse after the last task",
       {{16, 0, 1}, {16, 2, 3}},
       {{0, 0}, 16},
       kSafe},
      {"reuse at the last task",
       {{16, 0, 1}, {16, 1, 2}},
       {{0, 0}, 16},
       "tensor 0 and tensor 1 both hold bytes [0, 16) at task 1"},
      {"one byte too close",
       {{16, 0, 1}, {16, 1, 2}},
       {{0, 15}, 31},
       "tensor 0 and tensor 1 both hold bytes [15, 16) at task 1"},
      {"one within the other, listed in the other order of time",
       {{4, 5, 9}, {64, 2, 6}},
       {{32, 0}, 64},
       "tensor 0 and tensor 1 both hold bytes [32, 36) at task 5"},
      {"a neighbour that has ended hides no other",
       {{16, 0, 9}, {16, 1, 2}, {32, 3, 4}},
       {{0, 16, 8}, 40},
       "tensor 0 and tensor 2 both hold bytes [8, 16) at task 3"},
      {"the last task there is",
       {{16, 0, kMax}, {16, kMax, kMax}},
       {{0, 8}, 24},
       "tensor 0 and tensor 1 both hold bytes [8, 16) at task "
       "18446744073709551615"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Verdict(FindViolation(c.records, c.plan)), c.verdict) << c.name;
  }
}

TEST(VerifyOffsetsTest, EveryTensorHasAPlaceInTheArena) {
  const struct {
    const char* name;
    ByteRecords records;
    OffsetsAssignment plan;
    const char* verdict;
  } cases[] = {
      {"no records", {}, {{}, 0}, kSafe},
      {"no records, some arena", {}, {{}, 64}, kSafe},
      {"the arena ends where the last tensor does",
       {{16, 0, 0}, {8, 0, 0}},
       {{0, 16}, 24},
       kSafe},
      {"the arena is a byte too small",
       {{16, 0, 0}, {8, 0, 0}},
       {{0, 16}, 23},
       "tensor 1 holds bytes [16, 24), beyond an arena of 23 bytes"},
      {"the last byte there is", {{1, 0, 0}}, {{kMax - 1}, kMax}, kSafe},
      {"an end past 2^64 - 1",
       {{2, 0, 0}},
       {{kMax - 1}, kMax},
       "tensor 0 holds bytes [18446744073709551614, 18446744073709551615), "
       "beyond an arena of 18446744073709551615 bytes"},
      {"too few places",
       {{16, 0, 0}, {16, 0, 0}},
       {{0}, 64},
       "the plan has 1 places for 2 tensors"},
      {"too many places",
       {{16, 0, 0}},
       {{0, 16}, 64},
       "the plan has 2 places for 1 tensors"},
      {"a record that ends before it starts",
       {{16, 0, 0}, {16, 2, 1}},
       {{0, 16}, 64},
       "tensor 1 has its first task after its last task"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Verdict(FindViolation(c.records, c.plan)), c.verdict) << c.name;
  }
}

TEST(VerifyOffsetsTest, TensorsOfNoBytesLieAnywhereInTheArena) {
  const ByteRecords records = {{16, 0, 1}, {0, 0, 1}, {0, 1, 1}, {16, 1, 1}};
  const struct {
    const char* name;
    OffsetsAssignment plan;
    const char* verdict;
  } cases[] = {
      {"all at one byte of another", {{0, 8, 8, 16}, 32}, kSafe},
      {"where another begins", {{0, 0, 16, 16}, 32}, kSafe},
      {"at the end of the arena", {{0, 32, 32, 16}, 32}, kSafe},
      {"beyond the arena",
       {{0, 33, 32, 16}, 32},
       "tensor 1 holds bytes [33, 33), beyond an arena of 32 bytes"},
      {"between two that overlap",
       {{0, 8, 8, 8}, 32},
       "tensor 0 and tensor 3 both hold bytes [8, 16) at task 1"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Verdict(FindViolation(records, c.plan)), c.verdict) << c.name;
  }
}

TEST(VerifyOffsetsTest, OffsetsAreMultiplesOfTheAlignment) {
  const ByteRecords records = {{16, 0, 1}, {16, 1, 2}};
  const OffsetsAssignment plan = {{16, 96}, 112};
  const Sizes each = {16, 32};
  const Sizes too_few = {16};
  const Sizes no_power = {16, 48};
  const struct {
    Alignments alignments;
    const char* verdict;
  } cases[] = {
      {1, kSafe},
      {16, kSafe},
      {32, "tensor 0 starts at byte 16, which is not a multiple of 32"},
      {Alignments(each), kSafe},
      {0, "the alignments asked for are not a power of two for each tensor"},
      {Alignments(no_power),
       "the alignments asked for are not a power of two for each tensor"},
      {Alignments(too_few),
       "the alignments asked for are not a power of two for each tensor"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Verdict(FindViolation(records, plan, c.alignments)), c.verdict);
  }
}

TEST(VerifyOffsetsTest, TheWitnessHasAllNumbers) {
  const auto violation = FindViolation(
      ByteRecords{{8, 9, 9}, {32, 1, 7}, {16, 4, 9}}, {{0, 8, 30}, 64});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, Violation::Kind::kOverlappingBytes);
  EXPECT_EQ(violation->first_tensor, 1);
  EXPECT_EQ(violation->second_tensor, 2);
  EXPECT_EQ(violation->task, 4);
  EXPECT_EQ(violation->begin, 30);
  EXPECT_EQ(violation->end, 40);
}

TEST(VerifyObjectsTest, TensorsLiveAtOneTaskShareNoObject) {
  const struct {
    const char* name;
    ByteRecords records;
    ObjectsAssignment<size_t> plan;
    const char* verdict;
  } cases[] = {
      {"no records", {}, {{}, {}}, kSafe},
      {"an object nobody uses", {}, {{}, {64}}, kSafe},
      {"an object each", {{16, 0, 1}, {8, 1, 2}}, {{1, 0}, {8, 16}}, kSafe},
      {"reuse after the last task",
       {{16, 0, 1}, {8, 2, 3}},
       {{0, 0}, {16}},
       kSafe},
      {"reuse at the last task",
       {{16, 0, 1}, {8, 1, 2}},
       {{0, 0}, {16}},
       "tensor 0 and tensor 1 both hold object 0 at task 1"},
      {"in the other order of time",
       {{16, 3, 4}, {8, 1, 3}, {8, 7, 7}},
       {{0, 0, 0}, {16}},
       "tensor 0 and tensor 1 both hold object 0 at task 3"},
      {"tensors of no bytes share with all",
       {{16, 0, 1}, {0, 1, 2}, {0, 1, 1}, {16, 2, 2}},
       {{0, 0, 0, 0}, {16}},
       kSafe},
      {"no bytes between two that conflict",
       {{16, 0, 3}, {0, 1, 1}, {16, 2, 2}},
       {{0, 0, 0}, {16}},
       "tensor 0 and tensor 2 both hold object 0 at task 2"},
      {"an object that is too small",
       {{8, 0, 0}, {16, 1, 1}},
       {{0, 0}, {15}},
       "tensor 1 is larger than its object 0"},
      {"an object that is not there",
       {{16, 0, 0}},
       {{1}, {16}},
       "tensor 0 has object 1, but there are 1 objects"},
      {"too few objects assigned",
       {{16, 0, 0}},
       {{}, {16}},
       "the plan has 0 places for 1 tensors"},
      {"a record that ends before it starts",
       {{16, 1, 0}},
       {{0}, {16}},
       "tensor 0 has its first task after its last task"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Verdict(FindViolation(c.records, c.plan)), c.verdict) << c.name;
  }
}

TEST(VerifyObjectsTest, ExtentsMustBeCoveredInEveryComponent) {
  const std::vector<TensorUsageRecord<uint2>> flat = {{uint2(8, 4), 0, 0},
                                                      {uint2(4, 8), 1, 1}};
  EXPECT_EQ(Verdict(FindViolation(
                flat, ObjectsAssignment<uint2>{{0, 0}, {uint2(8, 8)}})),
            kSafe);
  EXPECT_EQ(Verdict(FindViolation(
                flat, ObjectsAssignment<uint2>{{0, 0}, {uint2(8, 7)}})),
            "tensor 1 is larger than its object 0");

  const std::vector<TensorUsageRecord<uint3>> deep = {{uint3(8, 4, 2), 0, 0}};
  EXPECT_EQ(Verdict(FindViolation(
                deep, ObjectsAssignment<uint3>{{0}, {uint3(8, 4, 1)}})),
            "tensor 0 is larger than its object 0");

  const std::vector<TensorUsageRecord<BHWC>> shapes = {
      {BHWC(1, 8, 4, 2), 0, 1}, {BHWC(1, 8, 4, 2), 1, 1}};
  EXPECT_EQ(Verdict(FindViolation(
                shapes, ObjectsAssignment<BHWC>{{0, 0}, {BHWC(1, 8, 4, 2)}})),
            "tensor 0 and tensor 1 both hold object 0 at task 1");
}

TEST(DescribeTest, CallsTensorsByTheirNames) {
  const std::vector<std::string> names = {"conv1", "relu"};
  const ByteRecords records = {{16, 0, 1}, {16, 1, 2}};
  const auto describe = [&](const OffsetsAssignment& plan) {
    return Describe(*FindViolation(records, plan), names);
  };
  EXPECT_EQ(describe({{0, 8}, 64}),
            "tensor 'conv1' and tensor 'relu' both hold bytes [8, 16) at task "
            "1");
  EXPECT_EQ(describe({{0, 60}, 64}),
            "tensor 'relu' holds bytes [60, 76), beyond an arena of 64 bytes");
  EXPECT_EQ(describe({{}, 64}), "the plan has 0 places for 2 tensors");
}

TEST(DescribeTest, FallsBackToTheIndexWhereThereIsNoName) {
  const std::vector<std::string> names = {"conv1"};
  const ByteRecords records = {{16, 0, 1}, {16, 1, 2}};
  EXPECT_EQ(
      Describe(*FindViolation(records, OffsetsAssignment{{0, 8}, 64}), names),
      "tensor 'conv1' and tensor 1 both hold bytes [8, 16) at task 1");
  EXPECT_EQ(Describe(*FindViolation(records,
                                    OffsetsAssignment{Sizes(1000000, 0), 64}),
                     names),
            "the plan has 1000000 places for 2 tensors");
}

// The cut falls into the last character, which has two bytes.
TEST(DescribeTest, LongNamesAreCut) {
  const std::string start(199, 'n');
  const std::vector<std::string> names = {start + "\xC3\xA9" + "end", "b"};
  const ByteRecords records = {{16, 0, 1}, {16, 1, 2}};
  EXPECT_EQ(
      Describe(*FindViolation(records, OffsetsAssignment{{0, 8}, 64}), names),
      "tensor '" + start +
          "...' and tensor 'b' both hold bytes [8, 16) at task 1");
}

auto FieldsOf(const Violation& v) {
  return std::make_tuple(v.kind, v.first_tensor, v.second_tensor, v.task,
                         v.begin, v.end, v.object, v.hole, v.pool,
                         v.second_task, v.third_task, v.expected, v.found);
}

TEST(ViolationOfTest, ReturnsWhatTheErrorWasGiven) {
  const absl::Status status = absl::FailedPreconditionError("unsafe");
  EXPECT_EQ(ViolationOf(status), absl::nullopt);
  EXPECT_EQ(ViolationOf(absl::OkStatus()), absl::nullopt);
  const Violation given = {Violation::Kind::kSharedInPart,
                           1,
                           2,
                           3,
                           4,
                           ~size_t{0},
                           6,
                           7,
                           8,
                           9,
                           10,
                           11,
                           12};
  const absl::optional<Violation> violation =
      ViolationOf(AtPlace("here", WithViolation(status, given)));
  ASSERT_TRUE(violation);
  EXPECT_EQ(FieldsOf(*violation), FieldsOf(given));
}

TEST(DetailsOfTest, NamesEveryKindAndTheNumbersThatProveIt) {
  absl::flat_hash_set<std::string> names;
  for (int k = 0; k <= static_cast<int>(Violation::Kind::kSharedInPart); ++k) {
    Violation violation;
    violation.kind = static_cast<Violation::Kind>(k);
    const ViolationDetails details = DetailsOf(violation);
    EXPECT_TRUE(names.emplace(details.name).second) << k;
    EXPECT_NE(details.name, "") << k;
    EXPECT_NE(Describe(violation), "unknown violation") << k;
    for (const ViolationFact& fact : details.facts) {
      EXPECT_NE(fact.key, "") << k;
      EXPECT_TRUE(fact.is_list || fact.values.size() == 1) << k;
    }
  }
}

TEST(DetailsOfTest, ABrokenGroupHasTheStartsOfBothTensors) {
  Violation violation;
  violation.kind = Violation::Kind::kGroupBroken;
  violation.first_tensor = 3;
  violation.second_tensor = 5;
  violation.begin = 16;
  violation.end = 20;
  violation.found = 30;
  violation.expected = 8;
  const ViolationDetails details = DetailsOf(violation);
  EXPECT_EQ(details.name, "group_broken");
  EXPECT_EQ(details.tensors, (Sizes{3, 5}));
  ASSERT_EQ(details.facts.size(), 2);
  EXPECT_EQ(details.facts[0].values, (Sizes{16, 30}));
  EXPECT_EQ(details.facts[1].values, Sizes{8});
  EXPECT_EQ(details.held_twice, HeldTwice::kNothing);
}

TEST(FindBeyondCapacityTest, TakesObjectsOneAfterTheOther) {
  ProblemSpec spec;
  spec.records = {{4, 0, 1}, {4, 0, 2}, {2, 2, 3}};
  spec.kind = PlanKind::kObjects;
  const ObjectsAssignment<size_t> plan = {{0, 1, 0}, {4, 4}};
  const struct {
    absl::optional<size_t> capacity;
    absl::optional<size_t> first_tensor;
  } kCases[] = {{absl::nullopt, absl::nullopt},
                {8, absl::nullopt},
                {7, 1},
                {4, 1},
                {3, 0}};
  for (const auto& [capacity, first_tensor] : kCases) {
    spec.capacity = capacity;
    const auto violation = FindBeyondCapacity(*Problem::Create(spec), plan);
    ASSERT_EQ(violation.has_value(), first_tensor.has_value());
    if (!violation) continue;
    EXPECT_EQ(violation->kind, Violation::Kind::kBeyondCapacity);
    EXPECT_EQ(violation->first_tensor, *first_tensor);
    EXPECT_EQ(violation->end, *first_tensor == 0 ? 4u : 8u);
    EXPECT_EQ(violation->expected, *capacity);
  }
}

}  // namespace
}  // namespace stowage
