// SPDX-License-Identifier: Apache-2.0
// Tests which shapes the reader derives from the content of small tensors, and
// how it reads nodes with subgraphs.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/onnx_builder.h"

namespace stowage {
namespace {

namespace wire = onnx_wire;

using testing::ElementsAre;
using testing::HasSubstr;

// Returns "type shape" for the record `id`, or the error.
std::string OnnxTypeOf(const std::string& id, const std::string& graph,
                       int64_t opset) {
  const auto recording =
      ParseRecording(wire::Model(graph, opset), "control.onnx");
  if (!recording.ok()) return std::string(recording.status().message());
  const ProblemSpec& problem = recording->parts[0].file.problem;
  for (size_t i = 0; i < problem.names.size(); ++i) {
    if (problem.names[i] != id) continue;
    const TensorInfo& info = problem.labels.tensors[i];
    return absl::StrCat(info.type, " ", info.shape);
  }
  return "no record";
}

std::string OnnxIntegerConstant(const std::string& name,
                                const std::vector<int64_t>& values) {
  return wire::Initializer(
      wire::Integers(name, {static_cast<int64_t>(values.size())}, values));
}

// Nodes that compute `n` from constants and from `s`, whose value is 2x3x8, the
// shape of x.
struct OnnxContentCase {
  const char* name;
  std::string nodes;
  const char* shape;  // the shape of ConstantOfShape(n)
};

class OnnxContentTest : public testing::TestWithParam<OnnxContentCase> {};

TEST_P(OnnxContentTest, IsFollowed) {
  const std::string graph =
      wire::Input("x", 1, {2, 3, 8}) + OnnxIntegerConstant("zero", {0}) +
      OnnxIntegerConstant("one", {1}) + OnnxIntegerConstant("two", {2}) +
      OnnxIntegerConstant("minus", {-1}) + OnnxIntegerConstant("three", {3}) +
      wire::Initializer(wire::Floats("half", {1}, {0.5F})) +
      wire::Initializer(wire::Floats("third", {1}, {0.34F})) +
      wire::Node("Shape", {"x"}, {"s"}) + GetParam().nodes +
      wire::Node("ConstantOfShape", {"n"}, {"a"}) +
      wire::Node("Relu", {"a"}, {"y"}) + wire::Output("y", 1, {1});
  EXPECT_EQ(OnnxTypeOf("a", graph, 13),
            absl::StrCat("float ", GetParam().shape));
}

// Returns a node that computes `n` from the shape `s` and the constant `with`.
std::string OnnxPair(const char* op, const char* with) {
  return wire::Node(op, {"s", with}, {"n"});
}

// These nodes convert the shape to real numbers, and real numbers back to
// integers.
const std::string kOnnxToReal =
    wire::Node("Cast", {"s"}, {"r"}, wire::Int("to", 1));
const std::string kOnnxToInteger =
    wire::Node("Cast", {"q"}, {"n"}, wire::Int("to", 7));

const std::vector<OnnxContentCase> kOnnxContentCases = {
    {"Identity", wire::Node("Identity", {"s"}, {"n"}), "2x3x8"},
    {"Gather", OnnxPair("Gather", "two"), "8"},
    {"GatherFromTheBack", OnnxPair("Gather", "minus"), "8"},
    {"Slice", wire::Node("Slice", {"s", "one", "three"}, {"n"}), "3x8"},
    {"SliceBackwards",
     wire::Node("Slice", {"s", "minus", "zero", "zero", "minus"}, {"n"}),
     "8x3"},
    {"Concat",
     wire::Node("Concat", {"one", "s", "two"}, {"n"}, wire::Int("axis", 0)),
     "1x2x3x8x2"},
    {"Add", OnnxPair("Add", "one"), "3x4x9"},
    {"Sub", OnnxPair("Sub", "one"), "1x2x7"},
    {"Mul", OnnxPair("Mul", "two"), "4x6x16"},
    {"Div", OnnxPair("Div", "two"), "1x1x4"},
    {"Mod", OnnxPair("Mod", "five") + OnnxIntegerConstant("five", {5}),
     "2x3x3"},
    {"Max", OnnxPair("Max", "three"), "3x3x8"},
    {"Min", OnnxPair("Min", "three"), "2x3x3"},
    {"ReduceProd",
     wire::Node("ReduceProd", {"s"}, {"n"}, wire::Int("keepdims", 1)), "48"},
    {"Unsqueeze",
     wire::Node("Gather", {"s", "two"}, {"g"}) +
         wire::Node("Squeeze", {"g"}, {"scalar"}) +
         wire::Node("Unsqueeze", {"scalar", "zero"}, {"n"}),
     "8"},
    {"Transpose",
     wire::Node("Reshape", {"s", "shape13"}, {"t"}) +
         OnnxIntegerConstant("shape13", {1, 3}) +
         wire::Node("Transpose", {"t"}, {"u"}) +
         wire::Node("Reshape", {"u", "minus"}, {"n"}),
     "2x3x8"},
    {"Split",
     wire::Node("Split", {"s", "sizes"}, {"n", "rest"}) +
         OnnxIntegerConstant("sizes", {2, 1}),
     "2x3"},
    {"Where",
     wire::Node("Equal", {"s", "three"}, {"e"}) +
         wire::Node("Where", {"e", "one", "s"}, {"n"}),
     "2x1x8"},
    {"Range",
     wire::Node("Gather", {"s", "one"}, {"g"}) +
         wire::Node("Squeeze", {"g"}, {"end"}) +
         wire::Node("Squeeze", {"one"}, {"first"}) +
         wire::Node("Range", {"first", "end", "first"}, {"n"}),
     "1x2"},
    {"ScaledAndFloored",
     kOnnxToReal + wire::Node("Mul", {"r", "half"}, {"p"}) +
         wire::Node("Floor", {"p"}, {"q"}) + kOnnxToInteger,
     "1x1x4"},
    {"DividedAndCeiled",
     kOnnxToReal + wire::Node("Mul", {"r", "third"}, {"p"}) +
         wire::Node("Ceil", {"p"}, {"q"}) + kOnnxToInteger,
     "1x2x3"},
    {"ExpandAndTile",
     wire::Node("Gather", {"s", "one"}, {"g"}) +
         wire::Node("Expand", {"g", "two"}, {"e"}) +
         wire::Node("Tile", {"e", "two"}, {"n"}),
     "3x3x3x3"},
    {"NonZero",
     wire::Node("NonZero", {"s"}, {"i"}) +
         wire::Node("Reshape", {"i", "minus"}, {"j"}) +
         wire::Node("Add", {"j", "one"}, {"n"}),
     "1x2x3"},
};

INSTANTIATE_TEST_SUITE_P(Cases, OnnxContentTest,
                         testing::ValuesIn(kOnnxContentCases),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(OnnxContentTest, OneOpenExtentDoesNotHideOthers) {
  // The target consists of 3, -1 and the last element of the shape ?x3x8, which
  // is known.
  const std::string graph =
      wire::Input("x", 1, {"n", 3, 8}) + OnnxIntegerConstant("last", {2}) +
      OnnxIntegerConstant("head", {3, -1}) + wire::Node("Shape", {"x"}, {"s"}) +
      wire::Node("Gather", {"s", "last"}, {"eight"}) +
      wire::Node("Concat", {"head", "eight"}, {"target"},
                 wire::Int("axis", 0)) +
      wire::Node("Reshape", {"x", "target"}, {"a"}) +
      wire::Node("Relu", {"a"}, {"y"}) + wire::Output("y", 1, {1, 1, 1});
  EXPECT_THAT(OnnxTypeOf("a", graph, 13), HasSubstr("float 3x?x8"));
}

// Returns a branch whose output is the first `count` elements of x.
std::string OnnxBranch(int64_t count) {
  const std::string end = absl::StrCat("end", count);
  return OnnxIntegerConstant(end, {count}) + OnnxIntegerConstant("begin", {0}) +
         wire::Node("Slice", {"x", "begin", end}, {"part"}) +
         wire::BareOutput("part");
}

std::string OnnxIfOf(const std::string& condition, int64_t yes, int64_t no) {
  return wire::Input("x", 1, {8}) + wire::Input("c", 9, {}) + condition +
         wire::Node("If", {"c2"}, {"a"},
                    wire::GraphValue("then_branch", OnnxBranch(yes)) +
                        wire::GraphValue("else_branch", OnnxBranch(no))) +
         wire::Node("Relu", {"a"}, {"y"}) + wire::Output("y", 1, {1});
}

TEST(OnnxIfTest, BothBranchesOrTheOneThatIsTaken) {
  const std::string unknown = wire::Node("Identity", {"c"}, {"c2"});
  EXPECT_EQ(OnnxTypeOf("a", OnnxIfOf(unknown, 3, 3), 13), "float 3");
  const std::string several = OnnxTypeOf("a", OnnxIfOf(unknown, 3, 4), 13);
  EXPECT_THAT(several, HasSubstr("\"a\" (float ?, node 1 (If))"));
  EXPECT_THAT(several, HasSubstr("--dim 'a[0]=N'"));
  const std::string is_eight = wire::Node("Shape", {"x"}, {"s"}) +
                               OnnxIntegerConstant("eight", {8}) +
                               wire::Node("Equal", {"s", "eight"}, {"c2"});
  EXPECT_EQ(OnnxTypeOf("a", OnnxIfOf(is_eight, 3, 4), 13), "float 3");
}

TEST(OnnxIfTest, TheNodeReadsWhatItsBranchesRead) {
  const std::string graph =
      wire::Input("x0", 1, {8}) + wire::Input("c", 9, {}) +
      wire::Node("Relu", {"x0"}, {"x"}) + wire::Node("Relu", {"x"}, {"b"}) +
      wire::Node("If", {"c"}, {"a"},
                 wire::GraphValue("then_branch", OnnxBranch(3)) +
                     wire::GraphValue("else_branch", OnnxBranch(3))) +
      wire::Node("Add", {"a", "b"}, {"y"}) + wire::Output("y", 1, {8});
  const auto recording = ParseRecording(wire::Model(graph, 13), "if.onnx");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const ProblemSpec& problem = recording->parts[0].file.problem;
  ASSERT_EQ(problem.names[0], "x");
  EXPECT_EQ(problem.records[0].last_task, 2U);
  EXPECT_THAT(problem.labels.tensors[0].consumers, ElementsAre(1, 2));
}

// Returns a loop of `rounds` iterations. Each iteration computes the next value
// of v with `nodes`, and the loop collects all of these values.
std::string OnnxLoopOf(const std::string& rounds, const std::string& nodes,
                       bool ends_early) {
  const std::string body =
      wire::Input("i", 7, {}) + wire::Input("go", 9, {}) +
      wire::BareInput("v") + nodes +
      wire::Node(ends_early ? "Not" : "Identity", {"go"}, {"go_on"}) +
      wire::Node("Identity", {"w"}, {"collected"}) + wire::BareOutput("go_on") +
      wire::BareOutput("w") + wire::BareOutput("collected");
  return wire::Input("x", 1, {2, 3}) + rounds +
         wire::Node("Loop", {"rounds", "", "x"}, {"last", "all"},
                    wire::GraphValue("body", body)) +
         wire::Node("Relu", {"last"}, {"y"}) +
         wire::Node("Relu", {"all"}, {"z"}) + wire::Output("y", 1, {1}) +
         wire::Output("z", 1, {1});
}

TEST(OnnxLoopTest, StatesAndWhatIsCollected) {
  const std::string five = wire::Initializer(wire::Integers("rounds", {}, {5}));
  const std::string same = wire::Node("Relu", {"v"}, {"w"});
  EXPECT_EQ(OnnxTypeOf("last", OnnxLoopOf(five, same, false), 13), "float 2x3");
  EXPECT_EQ(OnnxTypeOf("all", OnnxLoopOf(five, same, false), 13),
            "float 5x2x3");
  // If a loop may end early, the number of collected values is unknown.
  EXPECT_THAT(OnnxTypeOf("all", OnnxLoopOf(five, same, true), 13),
              HasSubstr("--dim 'all[0]=N'"));
  EXPECT_THAT(
      OnnxTypeOf("all", OnnxLoopOf(wire::Input("rounds", 7, {}), same, false),
                 13),
      HasSubstr("--dim 'all[0]=N'"));
}

TEST(OnnxLoopTest, AStateThatGrowsIsNotKnown) {
  const std::string grows =
      wire::Node("Concat", {"v", "v"}, {"w"}, wire::Int("axis", 0));
  EXPECT_THAT(
      OnnxTypeOf(
          "last",
          OnnxLoopOf(wire::Initializer(wire::Integers("rounds", {}, {5})),
                     grows, false),
          13),
      HasSubstr("\"last\" (float ?x3, node 0 (Loop))"));
}

TEST(OnnxScanTest, SlicesAndStacks) {
  const std::string body = wire::BareInput("state") + wire::BareInput("slice") +
                           wire::Node("Add", {"state", "slice"}, {"sum"}) +
                           wire::Node("Identity", {"sum"}, {"stacked"}) +
                           wire::BareOutput("sum") +
                           wire::BareOutput("stacked");
  const std::string graph =
      wire::Input("init", 1, {4}) + wire::Input("x", 1, {7, 4}) +
      wire::Node("Scan", {"init", "x"}, {"last", "all"},
                 wire::Int("num_scan_inputs", 1) +
                     wire::GraphValue("body", body) +
                     wire::Ints("scan_output_axes", {1})) +
      wire::Node("Relu", {"last"}, {"y"}) + wire::Node("Relu", {"all"}, {"z"}) +
      wire::Output("y", 1, {1}) + wire::Output("z", 1, {1});
  EXPECT_EQ(OnnxTypeOf("last", graph, 13), "float 4");
  EXPECT_EQ(OnnxTypeOf("all", graph, 13), "float 4x7");
}

}  // namespace
}  // namespace stowage
