// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/control_edges.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflite/model.h"
#include "tests/support/example_model.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<size_t, size_t>> Pairs(
    const std::vector<ControlEdge>& edges) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const ControlEdge& edge : edges) {
    pairs.emplace_back(edge.before, edge.after);
  }
  return pairs;
}

TEST(ParseControlEdges, ReadsGroupsOfSevenBitsWithTheSignInTheLowest) {
  // Subgraph 0 has one edge, from 1 to 64. The number 64 is stored as 128
  // because the lowest bit is the sign. Subgraph 1 has no edges.
  const auto edges = ParseControlEdges({1, 2, 1, 2, 0x80, 1, 0});
  ASSERT_TRUE(edges.ok()) << edges.status();
  ASSERT_EQ(edges->size(), 2u);
  EXPECT_THAT(Pairs((*edges)[0]), ElementsAre(Pair(1u, 64u)));
  EXPECT_THAT(Pairs((*edges)[1]), ElementsAre());
}

TEST(ParseControlEdges, RefusesOtherBytes) {
  struct Case {
    const char* name;
    std::vector<uint8_t> data;
  };
  const Case cases[] = {
      {"nothing", {}},
      {"no subgraphs", {1}},
      {"more subgraphs than bytes", {1, 9}},
      {"no number of edges", {1, 1}},
      {"an edge without its end", {1, 1, 1, 2}},
      {"a negative end", {1, 1, 1, 2, 3}},
      {"a number that does not end", {1, 1, 1, 2, 0x80}},
      {"a number of more than 32 bits",
       {1, 1, 1, 2, 0xFE, 0xFF, 0xFF, 0xFF, 0x7F}},
      {"bytes after the last", {1, 1, 0, 0}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ParseControlEdges(c.data).status().code(),
              absl::StatusCode::kInvalidArgument)
        << c.name;
  }
  EXPECT_THAT(ParseControlEdges({7, 1, 0}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "control edges of version 7; expected version 1"));
}

absl::StatusOr<std::unique_ptr<const Model>> ModelWithEdges(
    std::vector<uint8_t> edges, std::string* bytes) {
  ModelSpec spec = ExampleModel();
  tflite::MetadataT metadata;
  metadata.name = std::string(kControlEdgesName);
  metadata.buffer = static_cast<uint32_t>(spec.buffers.size());
  spec.buffers.push_back({std::move(edges)});
  spec.metadata = {metadata};
  *bytes = Build(spec);
  return Model::Parse(*bytes, "test.tflite");
}

TEST(Model, HasTheControlEdgesOfTheFile) {
  std::string bytes;
  const auto model = ModelWithEdges({1, 1, 1, 0, 2}, &bytes);
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_TRUE((*model)->subgraphs()[0].control_edges.has_value());
  EXPECT_THAT(Pairs(*(*model)->subgraphs()[0].control_edges),
              ElementsAre(Pair(0u, 1u)));
}

TEST(Model, RefusesControlEdgesBetweenOperatorsThatDoNotExist) {
  std::string bytes;
  EXPECT_THAT(
      std::string(ModelWithEdges({1, 1, 1, 0, 20}, &bytes).status().message()),
      ::testing::StartsWith("test.tflite: metadata 0: subgraph 0: a control "
                            "edge from operator 0 to 10; expected a later one "
                            "below "));
  EXPECT_THAT(
      std::string(ModelWithEdges({1, 1, 1, 2, 0}, &bytes).status().message()),
      ::testing::StartsWith("test.tflite: metadata 0: subgraph 0: a control "
                            "edge from operator 1 to 0; expected a later"));
}

}  // namespace
}  // namespace stowage
