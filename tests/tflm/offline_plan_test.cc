// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/offline_plan.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "tests/support/example_model.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string Words(const std::vector<int32_t>& words) {
  std::string bytes;
  for (const int32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(
          static_cast<char>(static_cast<uint32_t>(word) >> shift & 0xFF));
    }
  }
  return bytes;
}

// Returns the example model of six tensors with `bytes` as its plan.
ModelSpec WithMetadata(const std::string& bytes) {
  ModelSpec model = ExampleModel();
  tflite::MetadataT entry;
  entry.name = std::string(kOfflinePlanName);
  entry.buffer = static_cast<uint32_t>(model.buffers.size());
  model.buffers.push_back({{bytes.begin(), bytes.end()}});
  model.metadata.push_back(entry);
  return model;
}

const std::vector<int32_t> kOffsets = {0, -1, -1, 16, 32, 48};

absl::StatusOr<absl::optional<OfflinePlan>> Read(const ModelSpec& model) {
  return ReadOfflinePlan(Build(model), "example.tflite");
}

TEST(ReadOfflinePlan, ReadsOffsetsAsTheyAre) {
  const auto plan = Read(WithMetadata(Words({0, 1, 6, 0, -1, -2, 7, 9, -16})));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(plan->has_value());
  EXPECT_EQ((*plan)->subgraphs, 1u);
  EXPECT_THAT((*plan)->offsets, ElementsAreArray({0, -1, -2, 7, 9, -16}));
}

TEST(ReadOfflinePlan, IsNoneWithoutMetadataOfThatName) {
  ModelSpec other = WithMetadata(Words({0, 1, 6, 0, 0, 0, 0, 0, 0}));
  other.metadata[0].name = "OfflineMemoryAllocations";
  for (const ModelSpec& model : {ExampleModel(), other}) {
    const auto plan = Read(model);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_FALSE(plan->has_value());
  }
}

TEST(ReadOfflinePlan, RefusesMetadataThatItCannotRead) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* message;
  };
  const Case cases[] = {
      {"no bytes", "", "no data"},
      {"less than three words", Words({0, 1}), "truncated"},
      {"a part of a word", Words({0, 1, 6, 0, 0, 0, 0, 0, 0}) + "xy",
       "bytes follow its last whole word"},
      {"another version", Words({7, 1, 6, 0, 0, 0, 0, 0, 0}),
       "it has version 7; expected version 0"},
      {"another number of subgraphs", Words({0, 2, 6, 0, 0, 0, 0, 0, 0}),
       "it is for 2 subgraphs; expected 1"},
      {"an offset too few", Words({0, 1, 5, 0, 0, 0, 0, 0}),
       "it has 5 offsets; expected 6"},
      {"an offset too many", Words({0, 1, 7, 0, 0, 0, 0, 0, 0, 0}),
       "it has 7 offsets; expected 6"},
      {"fewer than it declares", Words({0, 1, 6, 0, 0, 0}), "than it declares"},
      {"words after the last", Words({0, 1, 6, 0, 0, 0, 0, 0, 0, 0}),
       "words follow the offsets"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(
        Read(WithMetadata(c.bytes)).status(),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)))
        << c.name;
  }
}

// Older writers stored the index of the subgraph in place of the number of
// subgraphs.
TEST(ReadOfflinePlan, TakesAnIndexForTheNumberOfOneSubgraph) {
  const auto plan = Read(WithMetadata(Words({0, 0, 6, 0, 0, 0, 0, 0, 0})));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(plan->has_value());
  EXPECT_EQ((*plan)->subgraphs, 0u);
  EXPECT_THAT(OfflinePlanNote(**plan), HasSubstr("an index"));
  EXPECT_EQ(OfflinePlanNote(OfflinePlan()), "");
  ModelSpec two = WithMetadata(Words({0, 0, 7, 0, 0, 0, 0, 0, 0, 0}));
  GraphSpec& other = two.graphs.emplace_back();
  other.tensors = {{{1}}};
  EXPECT_THAT(Read(two).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("it is for 0 subgraphs; expected 2")));
}

TEST(ReadOfflinePlan, RefusesTwoPlans) {
  ModelSpec model = WithMetadata(Words({0, 1, 6, 0, 0, 0, 0, 0, 0}));
  model.metadata.push_back(model.metadata[0]);
  EXPECT_THAT(Read(model).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("more than once")));
}

TEST(ReadOfflinePlan, RefusesABufferThatIsNotThere) {
  ModelSpec model = WithMetadata(Words({0, 1, 6, 0, 0, 0, 0, 0, 0}));
  model.metadata[0].buffer = 99;
  EXPECT_THAT(Read(model).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("its buffer does not exist")));
}

TEST(AddOfflinePlan, IsReadAgainAndLeavesTheModelAsItIs) {
  const std::string old = Build(ExampleModel());
  const auto file = AddOfflinePlan(old, "old", {1, kOffsets});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(absl::EndsWith(*file, old));
  const auto plan = ReadOfflinePlan(*file, "new");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(plan->has_value());
  EXPECT_EQ((*plan)->offsets, kOffsets);
}

TEST(AddOfflinePlan, TakesThePlaceOfAnyOtherPlan) {
  ModelSpec twice = WithMetadata("?");
  twice.metadata.push_back(twice.metadata[0]);
  const auto file = AddOfflinePlan(Build(twice), "twice", {1, kOffsets});
  ASSERT_TRUE(file.ok()) << file.status();
  const auto plan = ReadOfflinePlan(*file, "new");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->offsets, kOffsets);
}

TEST(AddOfflinePlan, RefusesAnotherNumberOfTensors) {
  EXPECT_THAT(
      AddOfflinePlan(Build(ExampleModel()), "m.tflite", {1, {0}}).status(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "m.tflite: a plan with 1 offsets; expected one for each of its "
                "6 tensors"));
}

TEST(StripOfflinePlan, ReturnsWhatAddOfflinePlanWasGiven) {
  const std::string old = Build(ExampleModel());
  std::string file = old;
  for (int i = 0; i < 3; ++i) {
    file = AddOfflinePlan(file, "old", {1, kOffsets}).value();
  }
  EXPECT_EQ(StripOfflinePlan(file, "new").value(), old);
  EXPECT_EQ(StripOfflinePlan(old, "old").value(), old);
}

TEST(StripOfflinePlan, StripsPlansOfOtherPrograms) {
  for (const std::string& bytes :
       {Words({0, 1, 6, 0, 0, 0, 0, 0, 0}), std::string("cannot be read")}) {
    const std::string old = Build(WithMetadata(bytes));
    const auto file = StripOfflinePlan(old, "old");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(absl::EndsWith(*file, old));
    const auto plan = ReadOfflinePlan(*file, "new");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_FALSE(plan->has_value());
  }
}

}  // namespace
}  // namespace stowage
