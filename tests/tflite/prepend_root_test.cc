// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/prepend_root.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::string_view kName = "plan";

// Returns a model with an operator and a constant.
ModelSpec ExampleSpec() {
  ModelSpec model;
  model.description = "an example";
  model.codes = {{tflite::BuiltinOperator::ADD}};
  model.buffers = {{},
                   {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}};
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {
      {{1, 4}}, {{1, 4}, tflite::TensorType::FLOAT32, 1}, {{1, 4}}};
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  return model;
}

tflite::MetadataT Entry(const std::string& name, uint32_t buffer) {
  tflite::MetadataT entry;
  entry.name = name;
  entry.buffer = buffer;
  return entry;
}

std::vector<std::pair<std::string, std::vector<uint8_t>>> MetadataOf(
    const std::string& bytes) {
  std::vector<std::pair<std::string, std::vector<uint8_t>>> result;
  const auto model = Model::Parse(bytes, "example");
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return result;
  for (const MetadataSpec& entry : (*model)->metadata()) {
    result.push_back({entry.name, {entry.data.begin(), entry.data.end()}});
  }
  return result;
}

// Returns the changed file, which consists of the prefix and the old file.
std::string Changed(const std::string& model,
                    absl::optional<std::vector<uint8_t>> data) {
  MetadataChange change{kName, absl::nullopt};
  if (data) change.data = *data;
  const absl::StatusOr<std::string> prefix = PrefixOf(model, "example", change);
  EXPECT_TRUE(prefix.ok()) << prefix.status();
  return prefix.ok() ? *prefix + model : std::string();
}

using Entries = std::pair<std::string, std::vector<uint8_t>>;

TEST(PrefixOf, AddsMetadataBeforeBytesThatStayAsTheyAre) {
  const std::string old = Build(ExampleSpec());
  const std::string changed = Changed(old, {{7, 8, 9}});
  EXPECT_TRUE(absl::EndsWith(changed, old));
  EXPECT_EQ((changed.size() - old.size()) % kPrefixAlignment, 0u);
  EXPECT_THAT(MetadataOf(changed), ElementsAre(Entries("plan", {7, 8, 9})));
  const auto before = Model::Parse(old, "old");
  const auto after = Model::Parse(changed, "new");
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ((*after)->description(), "an example");
  EXPECT_EQ((*after)->subgraphs()[0].tensors[1].data,
            (*before)->subgraphs()[0].tensors[1].data);
}

TEST(PrefixOf, KeepsOtherMetadataAndReplacesItsOwn) {
  ModelSpec spec = ExampleSpec();
  spec.buffers.push_back({{1}});
  spec.buffers.push_back({{2}});
  spec.metadata = {Entry("other", 2), Entry("plan", 3), Entry("plan", 2)};
  const std::string old = Build(spec);
  EXPECT_THAT(MetadataOf(Changed(old, {{3}})),
              ElementsAre(Entries("other", {1}), Entries("plan", {3})));
  EXPECT_THAT(MetadataOf(Changed(old, absl::nullopt)),
              ElementsAre(Entries("other", {1})));
}

TEST(PrefixOf, AddsBuffersToAModelWithoutAny) {
  ModelSpec spec;
  spec.graphs.emplace_back();
  const std::string old = Build(spec);
  const std::string changed = Changed(old, {{5}});
  EXPECT_EQ(tflite::GetModel(changed.data())->buffers()->size(), 2u);
  EXPECT_EQ(tflite::GetModel(changed.data())->metadata()->Get(0)->buffer(), 1u);
}

TEST(PrefixOf, AlignsTheData) {
  for (size_t bytes = 0; bytes < 40; ++bytes) {
    const std::string changed =
        Changed(Build(ExampleSpec()), std::vector<uint8_t>(bytes, 1));
    const tflite::Model* model = tflite::GetModel(changed.data());
    const auto* data =
        model->buffers()->Get(model->metadata()->Get(0)->buffer())->data();
    ASSERT_EQ(data->size(), bytes);
    EXPECT_EQ(
        (reinterpret_cast<const char*>(data->data()) - changed.data()) % 16, 0)
        << bytes;
  }
}

TEST(PrefixOf, RefusesFieldsOfTheRootThatItDoesNotKnow) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("of a later schema");
  const auto start = builder.StartTable();
  builder.AddElement<uint32_t>(tflite::Model::VT_VERSION, 3, 0);
  builder.AddOffset(tflite::Model::VT_SIGNATURE_DEFS + 2, text);
  const flatbuffers::Offset<tflite::Model> root(builder.EndTable(start));
  tflite::FinishModelBuffer(builder, root);
  const std::string model(
      reinterpret_cast<const char*>(builder.GetBufferPointer()),
      builder.GetSize());
  EXPECT_THAT(
      PrefixOf(model, "later.tflite", {kName, absl::nullopt}).status(),
      FailsWith(
          absl::StatusCode::kInvalidArgument,
          HasSubstr("later.tflite: its root has fields that are not known")));
}

TEST(PrefixOf, RefusesDataOutsideTheFlatbuffer) {
  ModelSpec spec = ExampleSpec();
  spec.buffers.push_back({{}, 4096, 16});
  EXPECT_THAT(
      PrefixOf(Build(spec), "large.tflite", {kName, absl::nullopt}).status(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("large.tflite: buffer 2: its data lies outside")));
}

TEST(PrefixOf, RefusesWhatIsNoModel) {
  EXPECT_THAT(
      PrefixOf("", "empty", {kName, absl::nullopt}).status(),
      FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr("it is empty")));
}

TEST(PrefixBytes, FindsWhatPrefixOfHasAdded) {
  const std::string old = Build(ExampleSpec());
  const std::string once = Changed(old, {{7, 8, 9}});
  EXPECT_EQ(once.substr(PrefixBytes(once, kName)), old);
  const std::string twice = Changed(once, {{1}});
  EXPECT_EQ(twice.substr(PrefixBytes(twice, kName)), once);
}

TEST(PrefixBytes, IsNoneWhereItHasNotAddedAny) {
  ModelSpec with_plan = ExampleSpec();
  with_plan.buffers.push_back({{1}});
  with_plan.metadata = {Entry("plan", 2)};
  std::string changed = Changed(Build(ExampleSpec()), {{7, 8, 9}});
  changed[changed.size() - 1] = static_cast<char>(~changed.back());
  const std::string removed = Changed(Build(with_plan), absl::nullopt);
  EXPECT_EQ(PrefixBytes(Build(ExampleSpec()), kName), 0u);
  EXPECT_EQ(PrefixBytes(Build(with_plan), kName), 0u);
  EXPECT_EQ(PrefixBytes(removed, kName), 0u);
  EXPECT_EQ(PrefixBytes("no model", kName), 0u);
}

}  // namespace
}  // namespace stowage
