// SPDX-License-Identifier: Apache-2.0
// Tests how an ONNX model is read: which values are records, what lifetimes
// they have, and which models are refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/onnx_builder.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

namespace wire = onnx_wire;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the records as "id size first-last", or the error message.
std::vector<std::string> OnnxRows(const std::string& model,
                                  const RecordingOptions& options = {}) {
  const auto recording = ParseRecording(model, "net.onnx", options);
  if (!recording.ok()) return {std::string(recording.status().message())};
  std::vector<std::string> rows;
  const ProblemSpec& problem = recording->parts[0].file.problem;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const auto& record = problem.records[i];
    rows.push_back(absl::StrCat(problem.names[i], " ", record.tensor_size, " ",
                                record.first_task, "-", record.last_task));
  }
  return rows;
}

std::string OnnxErrorOf(const std::string& model,
                        const RecordingOptions& options = {}) {
  const auto recording = ParseRecording(model, "net.onnx", options);
  if (recording.ok()) return "";
  return std::string(recording.status().message());
}

std::string OnnxRelu(const std::string& from, const std::string& to) {
  return wire::Node("Relu", {from}, {to});
}

const std::string kOnnxChain =
    wire::Input("x", 1, {1, 8}) + OnnxRelu("x", "a") + OnnxRelu("a", "b") +
    wire::Node("Add", {"a", "b"}, {"y"}) + wire::Output("y", 1, {1, 8});

TEST(OnnxTest, ValuesLiveFromTheirWriterToTheirLastReader) {
  EXPECT_THAT(OnnxRows(wire::Model(kOnnxChain, 13)),
              ElementsAre("a 32 0-2", "b 32 1-2"));
}

TEST(OnnxTest, LabelsSayWhatATensorIs) {
  const auto recording =
      ParseRecording(wire::Model(kOnnxChain, 13), "net.onnx");
  ASSERT_THAT(recording, support::IsOk());
  EXPECT_EQ(recording->format, "onnx");
  EXPECT_EQ(recording->parts[0].name, "net");
  const Labels& labels = recording->parts[0].file.problem.labels;
  EXPECT_THAT(labels.operators, ElementsAre("Relu", "Relu", "Add"));
  EXPECT_EQ(labels.tensors[0].name, "a");
  EXPECT_EQ(labels.tensors[0].type, "float");
  EXPECT_EQ(labels.tensors[0].shape, "1x8");
  EXPECT_EQ(labels.tensors[0].producer, 0U);
  EXPECT_THAT(labels.tensors[0].consumers, ElementsAre(1, 2));
}

TEST(OnnxTest, ConstantsAndWhatFollowsFromThemAreNotRecords) {
  const std::string graph =
      wire::Input("x", 1, {2}) +
      wire::Initializer(wire::Floats("w", {2}, {1, 2})) +
      wire::Node("Neg", {"w"}, {"folded"}) +
      wire::Node("Constant", {}, {"c"},
                 wire::TensorValue("value", wire::Floats("", {2}, {3, 4}))) +
      wire::Node("Add", {"folded", "c"}, {"also_folded"}) +
      wire::Node("RandomNormalLike", {"w"}, {"random"}) +
      wire::Node("Mul", {"x", "also_folded"}, {"m"}) +
      wire::Node("Add", {"m", "random"}, {"y"}) + wire::Output("y", 1, {2});
  EXPECT_THAT(OnnxRows(wire::Model(graph, 13)),
              ElementsAre("random 8 3-5", "m 8 4-5"));
}

TEST(OnnxTest, InitializersMayBeInputsToo) {
  const std::string graph = wire::Input("w", 1, {2}) +
                            wire::Input("x", 1, {2}) +
                            wire::Initializer(wire::Floats("w", {2}, {1, 2})) +
                            wire::Node("Neg", {"w"}, {"folded"}) +
                            wire::Node("Mul", {"x", "folded"}, {"m"}) +
                            OnnxRelu("m", "y") + wire::Output("y", 1, {2});
  EXPECT_THAT(OnnxRows(wire::Model(graph, 13)), ElementsAre("m 8 1-2"));
}

TEST(OnnxTest, UnreadOutputsOfUnknownShapeAreLeftOut) {
  const std::string graph = wire::Input("x", 1, {2}) +
                            wire::Node("Dropout", {"x"}, {"a", "mask"}) +
                            OnnxRelu("a", "y") + wire::Output("y", 1, {2});
  EXPECT_THAT(OnnxRows(wire::Model(graph, 7)), ElementsAre("a 8 0-1"));
  // Since version 10, the mask has a type.
  EXPECT_THAT(OnnxRows(wire::Model(graph, 10)),
              ElementsAre("a 8 0-1", "mask 2 0-0"));
}

TEST(OnnxTest, ValuesWithoutBytesAreLeftOut) {
  const std::string graph =
      wire::Input("x", 1, {4}) + wire::Input("s", 8, {4}) +
      wire::Node("SequenceConstruct", {"x", "x"}, {"sequence"}) +
      wire::Node("Identity", {"s"}, {"strings"}) +
      wire::Initializer(wire::Integers("two", {1}, {2})) +
      wire::Node("Slice", {"x", "two", "two"}, {"nothing"}) +
      OnnxRelu("x", "a") +
      wire::Node("Foo", {"sequence", "strings", "nothing", "a"}, {"y"}) +
      wire::Output("y", 1, {4});
  EXPECT_THAT(OnnxRows(wire::Model(graph, 13)), ElementsAre("a 16 3-4"));
}

TEST(OnnxTest, TensorsOfSequencesHaveTheirShapes) {
  const std::string graph =
      wire::Input("x", 1, {6, 4}) + wire::Input("i", 7, {}) +
      wire::Initializer(wire::Integers("two", {}, {2})) +
      wire::Node("SplitToSequence", {"x", "two"}, {"parts"}) +
      wire::Node("SequenceAt", {"parts", "i"}, {"part"}) +
      wire::Node("SequenceConstruct", {"part", "x"}, {"both"}) +
      wire::Node("SequenceAt", {"both", "i"}, {"one"}) +
      wire::Node("Add", {"part", "one"}, {"y"}) + wire::Output("y", 1, {6, 4});
  // The tensors of the second sequence differ in their first extent, so the
  // first extent of "one" is unknown.
  EXPECT_THAT(
      OnnxErrorOf(wire::Model(graph, 13)),
      HasSubstr("the size of a value is not known: \"one\" (float ?x4"));
  EXPECT_THAT(
      OnnxRows(wire::Model(graph + wire::ValueInfo("one", 1, {6, 4}), 13)),
      ElementsAre("part 32 1-4", "one 96 3-4"));
}

TEST(OnnxTest, ElementsOfLessThanAByteArePacked) {
  const std::string graph =
      wire::Input("x", 22, {5}) + wire::Node("Identity", {"x"}, {"a"}) +
      wire::Node("Identity", {"a"}, {"y"}) + wire::Output("y", 22, {5});
  EXPECT_THAT(OnnxRows(wire::Model(graph, 21)), ElementsAre("a 3 0-1"));
}

TEST(OnnxTest, DeclaredShapesStandInForUnknownOperators) {
  const std::string graph = wire::Input("x", 1, {2}) +
                            wire::Node("Foo", {"x"}, {"a"}, "", "my.domain") +
                            OnnxRelu("a", "y") + wire::Output("y", 1, {2});
  EXPECT_THAT(OnnxErrorOf(wire::Model(graph, 13)),
              HasSubstr("net.onnx: the size of a value is not known: \"a\" "
                        "(unknown unknown, node 0 (my.domain:Foo), an operator "
                        "that is not known here); expected a model that "
                        "declares these shapes"));
  EXPECT_THAT(
      OnnxRows(wire::Model(graph + wire::ValueInfo("a", 1, {3, 5}), 13)),
      ElementsAre("a 60 0-1"));
}

TEST(OnnxTest, WhatIsComputedCountsMoreThanWhatIsDeclared) {
  const auto recording = ParseRecording(
      wire::Model(kOnnxChain + wire::ValueInfo("a", 1, {1, 9}), 13), "a.onnx");
  ASSERT_THAT(recording, support::IsOk());
  EXPECT_EQ(recording->parts[0].file.problem.records[0].tensor_size, 32U);
  EXPECT_THAT(recording->parts[0].file.note,
              HasSubstr("1 declared shape differs"));
}

const std::string kOnnxOpenChain = wire::Input("x", 1, {"batch", -1, 4}) +
                                   OnnxRelu("x", "a") + OnnxRelu("a", "y") +
                                   wire::Output("y", 1, {"batch", "n", 4});

TEST(OnnxTest, OpenDimensionsAreAskedFor) {
  EXPECT_EQ(OnnxErrorOf(wire::Model(kOnnxOpenChain, 13)),
            "net.onnx: the size of a value is not known: \"a\" (float ?x?x4, "
            "node 0 (Relu)); expected --dim batch=N --dim 'x[1]=N', or "
            "--default-dim N");
  RecordingOptions options;
  options.dims = {{"batch", 2}, {"x[1]", 3}};
  EXPECT_THAT(OnnxRows(wire::Model(kOnnxOpenChain, 13), options),
              ElementsAre("a 96 0-1"));
  options.dims = {{"batch", 2}};
  options.default_dim = 5;
  EXPECT_THAT(OnnxRows(wire::Model(kOnnxOpenChain, 13), options),
              ElementsAre("a 160 0-1"));
  options.dims = {{"bacth", 2}};
  EXPECT_EQ(OnnxErrorOf(wire::Model(kOnnxOpenChain, 13), options),
            "net.onnx: has no open dimension \"bacth\"; expected --dim batch=N "
            "--dim n=N");
}

TEST(OnnxTest, CountsThatDependOnContentsAreOpenDimensions) {
  const std::string graph =
      wire::Input("x", 1, {4, 4}) + wire::Node("NonZero", {"x"}, {"found"}) +
      wire::Node("Cast", {"found"}, {"y"}, wire::Int("to", 1)) +
      wire::Output("y", 1, {2, "count"});
  EXPECT_THAT(OnnxErrorOf(wire::Model(graph, 13)),
              HasSubstr("expected --dim 'found[1]=N', or --default-dim N"));
  RecordingOptions options;
  options.dims = {{"found[1]", 7}};
  EXPECT_THAT(OnnxRows(wire::Model(graph, 13), options),
              ElementsAre("found 112 0-1"));
}

TEST(OnnxTest, SizesAreRoundedUp) {
  RecordingOptions options;
  options.tensor_alignment = 64;
  EXPECT_THAT(OnnxRows(wire::Model(kOnnxChain, 13), options),
              ElementsAre("a 64 0-2", "b 64 1-2"));
}

TEST(OnnxTest, NamesThatFilesCannotHoldAreEscaped) {
  // The reader recognizes the format of a file by its first names, which must
  // be text.
  const std::string description = wire::Bytes(10, std::string(8192, 'd'));
  const std::string graph =
      description + wire::Input("x", 1, {2}) + OnnxRelu("x", "a\n") +
      OnnxRelu("a\n", "a\\x0a") + OnnxRelu("a\\x0a", "b,\"\xFF") +
      OnnxRelu("b,\"\xFF", "y") + wire::Output("y", 1, {2});
  const auto recording = ParseRecording(wire::Model(graph, 13), "net.onnx");
  ASSERT_THAT(recording, support::IsOk());
  const auto csv = FormatProblemCsv(recording->parts[0].file);
  ASSERT_THAT(csv, support::IsOk());
  const auto parsed = ParseProblemCsv(*csv, "net.csv");
  ASSERT_THAT(parsed, support::IsOk());
  EXPECT_THAT(parsed->problem.names,
              ElementsAre("a\\x0a", "a\\x0a#2", "b,\"\\xff"));
}

struct BadOnnxCase {
  const char* name;
  std::string model;
  const char* error;
};

class BadOnnxTest : public testing::TestWithParam<BadOnnxCase> {};

TEST_P(BadOnnxTest, IsRefused) {
  EXPECT_THAT(OnnxErrorOf(GetParam().model), HasSubstr(GetParam().error));
}

std::string OnnxReluChain(size_t nodes) {
  std::string graph = wire::Input("x", 1, {2});
  std::string last = "x";
  for (size_t i = 0; i < nodes; ++i) {
    const std::string next = absl::StrCat("v", i);
    graph += OnnxRelu(last, next);
    last = next;
  }
  return wire::Model(graph + wire::Output(last, 1, {2}), 13);
}

std::string NestedOnnxIfs(size_t depth) {
  std::string graph =
      wire::Node("Identity", {"c"}, {"o"}) + wire::BareOutput("o");
  for (size_t i = 0; i < depth; ++i) {
    graph =
        wire::Node("If", {"c"}, {"o"}, wire::GraphValue("then_branch", graph)) +
        wire::BareOutput("o");
  }
  return wire::Input("c", 9, {}) + graph;
}

std::vector<BadOnnxCase> BadOnnxCases() {
  const std::string input = wire::Input("x", 1, {2});
  const std::string output = wire::Output("y", 1, {2});
  return {
      {"Cut", wire::Model(kOnnxChain, 13).substr(0, 100),
       "net.onnx: is damaged or cut from byte 8 on; expected the whole"},
      {"CutBeforeTheOpsets",
       wire::Number(1, 8) + wire::Bytes(7, input + OnnxRelu("x", "y") + output),
       "net.onnx: does not say which version of the standard operators"},
      {"CutBeforeTheOpsetsOfASubgraph",
       wire::Number(1, 8) + wire::Bytes(7, NestedOnnxIfs(1)),
       "net.onnx: does not say which version of the standard operators"},
      {"TwoFilesJoined",
       wire::Model(kOnnxChain, 13) + wire::Model(kOnnxChain, 13),
       "net.onnx: has a second graph, as joined files have"},
      {"OutOfOrder",
       wire::Model(input + OnnxRelu("a", "y") + OnnxRelu("x", "a") + output,
                   13),
       "net.onnx: node 0 (Relu): reads \"a\", which node 1 writes"},
      {"Cycle",
       wire::Model(input + OnnxRelu("b", "a") + OnnxRelu("a", "b") + output,
                   13),
       "node 0 (Relu): reads \"b\", which node 1 writes"},
      {"Missing", wire::Model(input + OnnxRelu("z", "y") + output, 13),
       "node 0 (Relu): reads \"z\", which nothing writes"},
      {"Twice",
       wire::Model(input + OnnxRelu("x", "y") + OnnxRelu("x", "y") + output,
                   13),
       "node 1 (Relu): writes \"y\" again"},
      {"WritesAnInput", wire::Model(input + OnnxRelu("x", "x") + output, 13),
       "node 0 (Relu): writes \"x\" again"},
      {"NoWriterOfAnOutput", wire::Model(input + output, 13),
       "nothing writes the output \"y\""},
      {"NoOperator",
       wire::Model(input + wire::Bytes(1, wire::Bytes(2, "y")) + output, 13),
       "node 0 (): has no operator"},
      {"TwoInitializersOfOneName",
       wire::Model(wire::Initializer(wire::Floats("w", {1}, {1})) +
                       wire::Initializer(wire::Floats("w", {1}, {1})),
                   13),
       "two initializers are called \"w\""},
      {"NegativeExtentOfAnInitializer",
       wire::Model(wire::Initializer(wire::Floats("w", {-2}, {})), 13),
       "an initializer is damaged"},
      {"TooLarge",
       wire::Model(wire::Input("x", 1, {int64_t{1} << 62, int64_t{1} << 62}) +
                       OnnxRelu("x", "a") + OnnxRelu("a", "y") +
                       wire::Output("y", 1, {1}),
                   13),
       "\"a\" (float 4611686018427387904x4611686018427387904, node 0 (Relu)) "
       "has more bytes than"},
      {"UnknownElement",
       wire::Model(wire::Input("x", 1, {2}) +
                       wire::Node("Cast", {"x"}, {"a"}, wire::Int("to", 77)) +
                       OnnxRelu("a", "y") + wire::Output("y", 1, {2}),
                   13),
       "the size of a value is not known: \"a\""},
      {"ManyNodes", OnnxReluChain((size_t{1} << 18) + 1),
       "has more than 262144 nodes"},
      {"DeepSubgraphs", wire::Model(NestedOnnxIfs(9), 13),
       "has more than 7 levels of subgraphs"},
      {"Function",
       wire::Model(input + wire::Node("F", {"x"}, {"a"}, "", "local") +
                       OnnxRelu("a", "y") + output,
                   13) +
           wire::Bytes(25, wire::Bytes(1, "F") + wire::Bytes(10, "local")),
       "node 0 (local:F), a function of the model)"},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, BadOnnxTest, testing::ValuesIn(BadOnnxCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(OnnxTest, ContentThatIsNotAsLargeAsItsExtentsIsUnknown) {
  // The target of the Reshape claims to have 2^40 elements.
  const std::string graph =
      wire::Input("x", 1, {4}) +
      wire::Initializer(wire::Integers("target", {int64_t{1} << 40}, {2, 2})) +
      wire::Node("Reshape", {"x", "target"}, {"a"}) + OnnxRelu("a", "y") +
      wire::Output("y", 1, {2, 2});
  EXPECT_THAT(OnnxErrorOf(wire::Model(graph, 13)),
              HasSubstr("\"a\" (float unknown"));
}

TEST(OnnxTest, ModelsOfTheFirstFormatsUseTheFirstVersion) {
  const std::string graph =
      wire::Input("x", 1, {2}) + OnnxRelu("x", "y") + wire::Output("y", 1, {2});
  EXPECT_EQ(OnnxErrorOf(wire::Number(1, 2) + wire::Bytes(7, graph)), "");
}

TEST(OnnxTest, LongModelsAreRead) {
  EXPECT_EQ(OnnxRows(OnnxReluChain(100'000)).size(), 99'999U);
}

TEST(OnnxTest, DamageAtAnyByteIsNoCrash) {
  const std::string model =
      wire::Model(kOnnxChain + wire::ValueInfo("a", 1, {1, "n"}) +
                      wire::Initializer(wire::Integers("w", {2}, {1, 2})) +
                      NestedOnnxIfs(2),
                  13);
  for (size_t at = 0; at < model.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xFF}) {
      std::string damaged = model;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const auto recording = ParseRecording(damaged, "net.onnx");
      if (!recording.ok()) {
        EXPECT_FALSE(recording.status().message().empty());
      }
    }
    ParseRecording(model.substr(0, at), "net.onnx").status().IgnoreError();
  }
}

}  // namespace
}  // namespace stowage
