// SPDX-License-Identifier: Apache-2.0
// Tests the total sizes of shared objects, and their layout as offsets.
#include "stowage/assignment.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "tests/model/extreme_sizes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;

TEST(TotalSizeTest, IsTheSumOfTheObjects) {
  const struct {
    ObjectsAssignment<size_t> objects;
    size_t want;
  } cases[] = {
      {{{}, {}}, 0},
      {{{0, 0, 1}, {16, 8}}, 24},
      {{{}, {16, 8}}, 24},  // an object counts even if it is unused
      {{{0, 1}, {kMax, 0}}, kMax},
  };
  for (const auto& c : cases) {
    const auto total = TotalSize(c.objects);
    ASSERT_THAT(total, IsOk());
    EXPECT_EQ(*total, c.want);
  }
}

TEST(TotalSizeTest, NamesTheObjectThatOverflows) {
  EXPECT_THAT(TotalSize({{0, 1, 2}, {kHalf, kHalf - 1, 1}}),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "object 2: its size makes the total overflow 64 bits; "
                        "expected a total below 2^64"));
}

TEST(ObjectsToOffsetsTest, LaysObjectsOutInOrderOfId) {
  const struct {
    const char* name;
    ObjectsAssignment<size_t> objects;
    Alignments alignments;
    std::vector<size_t> offsets;
    size_t total_size;
  } cases[] = {
      {"nothing", {{}, {}}, 1, {}, 0},
      {"tensors of one object start together",
       {{0, 1, 0}, {16, 8}},
       1,
       {0, 16, 0},
       24},
      {"starts are aligned, the total is not",
       {{0, 1, 2}, {5, 6, 7}},
       8,
       {0, 8, 16},
       23},
      {"an object without tensors needs no alignment",
       {{0, 2}, {5, 6, 8}},
       8,
       {0, 16},
       24},
      {"objects of no bytes", {{0, 1, 2}, {0, 8, 0}}, 1, {0, 0, 8}, 8},
      {"the whole address space",
       {{0, 1}, {kMax - 8, 8}},
       1,
       {0, kMax - 8},
       kMax},
      {"the highest alignment", {{0, 1}, {1, 1}}, kHalf, {0, kHalf}, kHalf + 1},
  };
  for (const auto& c : cases) {
    const auto plan = ObjectsToOffsets(c.objects, c.alignments);
    ASSERT_THAT(plan, IsOk()) << c.name;
    EXPECT_EQ(plan->offsets, c.offsets) << c.name;
    EXPECT_EQ(plan->total_size, c.total_size) << c.name;
  }
}

TEST(ObjectsToOffsetsTest, AlignsAnObjectForTheMostDemandingOfItsTensors) {
  const std::vector<size_t> alignments = {1, 4, 64, 2};
  const auto plan =
      ObjectsToOffsets({{0, 1, 2, 1}, {3, 5, 7}}, Alignments(alignments));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre(0, 4, 64, 4));
  EXPECT_EQ(plan->total_size, 71);
}

TEST(ObjectsToOffsetsTest, AgreesWithTheOriginalsOwnCases) {
  size_t seen = 0;
  for (const auto& c : support::LoadUpstreamCases({"function"})) {
    if (c.at("function") != "ObjectsToOffsets") continue;
    ++seen;
    const auto plan = ObjectsToOffsets(support::ObjectsIn<size_t>(c));
    const auto want = support::OffsetsIn(c.at("expected"));
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(plan->offsets, want.offsets) << c.at("test");
    EXPECT_EQ(plan->total_size, want.total_size) << c.at("test");
  }
  EXPECT_EQ(seen, 4);
}

TEST(ObjectsToOffsetsTest, AgreesWithEveryRecordedPlan) {
  for (const support::Vector& vector : support::LoadVectors()) {
    for (const auto& [strategy, plan] : vector.expected.items()) {
      if (!plan.contains("object_ids") || !plan.contains("offsets")) continue;
      const auto laid_out = ObjectsToOffsets(support::ObjectsIn<size_t>(plan));
      const auto want = support::OffsetsIn(plan);
      ASSERT_THAT(laid_out, IsOk()) << vector.name << " " << strategy;
      EXPECT_EQ(laid_out->offsets, want.offsets)
          << vector.name << " " << strategy;
      EXPECT_EQ(laid_out->total_size, want.total_size)
          << vector.name << " " << strategy;
    }
  }
}

TEST(ObjectsToOffsetsTest, NamesWhatIsWrong) {
  const std::vector<size_t> one_alignment = {1};
  const struct {
    ObjectsAssignment<size_t> objects;
    Alignments alignments;
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {{{0, 2}, {16, 8}},
       1,
       absl::StatusCode::kInvalidArgument,
       "record 1: it has object 2; expected an object below 2"},
      {{{0}, {}},
       1,
       absl::StatusCode::kInvalidArgument,
       "record 0: it has object 0; expected an object below 0"},
      {{{0}, {16}},
       0,
       absl::StatusCode::kInvalidArgument,
       "alignment: it is 0; expected a power of two"},
      {{{0, 0}, {16}},
       Alignments(one_alignment),
       absl::StatusCode::kInvalidArgument,
       "alignments: 1 given; expected 2, one for each record"},
      {{{0, 1}, {kMax, 1}},
       1,
       absl::StatusCode::kOutOfRange,
       "object 1: its end overflows 64 bits; expected an end below 2^64"},
      {{{0, 1}, {kMax, 0}},  // object 1 would start at 2^64
       2,
       absl::StatusCode::kOutOfRange,
       "object 1: its end overflows 64 bits; expected an end below 2^64"},
      {{{0, 1, 2}, {1, 1, 1}},
       kHalf,
       absl::StatusCode::kOutOfRange,
       "object 2: its end overflows 64 bits; expected an end below 2^64"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ObjectsToOffsets(c.objects, c.alignments),
                FailsWith(c.code, c.message));
  }
}

RC_GTEST_PROP(ObjectsToOffsetsTest, KeepsTheTotalWithoutAlignment,
              (const std::vector<uint32_t>& sizes)) {
  ObjectsAssignment<size_t> objects;
  objects.object_sizes.assign(sizes.begin(), sizes.end());
  for (size_t id = 0; id < sizes.size(); ++id) objects.object_ids.push_back(id);
  const auto plan = ObjectsToOffsets(objects);
  RC_ASSERT(plan.ok());
  RC_ASSERT(plan->total_size == *TotalSize(objects));
}

}  // namespace
}  // namespace stowage
