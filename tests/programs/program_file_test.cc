// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/program_file.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/io/problem_file.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;

// This program has a loop that swaps two variables and a state that counts.
constexpr char kLoop[] = R"({"alignment":4,
"copies":"none",
"functions":[
{"name":"main",
 "inputs":["a","b"],
 "outputs":["p","q"],
 "tensors":[
  {"id":"a","size":4},
  {"id":"b","size":4},
  {"id":"p","size":4},
  {"id":"q","size":4}],
 "nodes":[
  {"name":"WHILE","in":["a","b"],"out":["p","q"],"while":[1,2]}]},
{"name":"cond",
 "inputs":["x","y"],
 "outputs":["c"],
 "tensors":[
  {"id":"x","size":4},
  {"id":"y","size":4},
  {"id":"c","size":1},
  {"id":"n","size":4},
  {"id":"m","size":4},
  {"id":"t","size":8}],
 "nodes":[
  {"name":"COUNT","in":["x"],"out":["n"],"temporaries":["t"],"reads":[{"variable":"count","output":0}]},
  {"name":"ADD","in":["n"],"out":["m"],"in_place":[{"output":0,"input":0,"view":true}]},
  {"name":"LESS","in":["m"],"out":["c"],"assigns":[{"variable":"count","input":0}]}]},
{"name":"body",
 "inputs":["x","y"],
 "outputs":["y","x"],
 "tensors":[
  {"id":"x","size":4},
  {"id":"y","size":4}],
 "nodes":[]}],
"variables":[
 {"id":"count","size":4}],
"carried":[
 {"entry":0,"output":0,"input":1}]}
)";

TEST(ProgramFile, IsWrittenAsItWasRead) {
  const StatusOr<ProgramFile> file = ParseProgramJson(kLoop, "loop.json");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->options.alignment, 4U);
  EXPECT_EQ(file->options.copies, ProgramCopies::kNone);
  EXPECT_EQ(file->program.functions[1].nodes[1].in_place[0].is_view, true);
  // The writer writes an empty list of nodes on one line.
  EXPECT_EQ(FormatProgramJson(*file), kLoop);
}

TEST(ProgramFile, MayHaveNumbersInPlaceOfIds) {
  const StatusOr<ProgramFile> file = ParseProgramJson(
      R"({"functions": [{"tensors": [3, 1], "inputs": [0], "outputs": [1],
          "nodes": [{"in": [0], "out": [1]}]}]})",
      "numbers.json");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->program.functions[0].tensors[1].id, "1");
  EXPECT_EQ(file->program.functions[0].tensors[1].size, 1U);
  EXPECT_THAT(file->program.functions[0].nodes[0].outputs, ElementsAre(1));
}

TEST(ProgramFile, NamesPointsAndTensorsForPeople) {
  StatusOr<ProgramFile> file = ParseProgramJson(kLoop, "loop.json");
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<ProblemFile> problem = ProblemFileOf(*std::move(file));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const std::vector<std::string>& operators = problem->problem.labels.operators;
  EXPECT_THAT(
      operators,
      ElementsAre("before the first invocation", "main, its start",
                  "main: WHILE, before its first turn", "cond: COUNT",
                  "cond: ADD", "cond: LESS", "main: WHILE, its condition",
                  "main: WHILE, the end of a turn", "main, its end",
                  "main, after its end"));
  EXPECT_THAT(problem->problem.names, ::testing::Contains(std::string("0.p")));
}

struct BadFile {
  const char* name;
  const char* json;
  const char* message;
};

class ProgramFileRefuses : public ::testing::TestWithParam<BadFile> {};

TEST_P(ProgramFileRefuses, WithLineAndPath) {
  const StatusOr<ProgramFile> file = ParseProgramJson(GetParam().json, "p");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(std::string(file.status().message()), StrEq(GetParam().message));
}

// Returns the text of a program that has one function with the given nodes.
#define ONE_FUNCTION(NODES)                               \
  "{\"functions\": [\n"                                   \
  "{\"tensors\": [{\"id\": \"x\", \"size\": 4},\n"        \
  "{\"id\": \"y\", \"size\": 4}], \"inputs\": [\"x\"],\n" \
  "\"outputs\": [\"y\"], \"nodes\": [\n" NODES "]}]}"

const BadFile kBadFiles[] = {
    {"Text", "{\"functions\": [}",
     "p:1: functions[0]: not JSON at byte 16; expected a program in JSON"},
    {"End", "{\"functions\": [\n",
     "p:2: functions[0]: it ends too early; expected the rest of a program in "
     "JSON"},
    {"List", "[1]", "p:1: program: is a list; expected an object"},
    {"NoFunctions", "{\"entries\": []}",
     "p:1: program: no functions; expected a list"},
    {"EmptyFunctions", "{\"functions\": []}",
     "p:1: program: no functions; expected at least one"},
    {"UnknownKey", "{\"functions\": [],\n \"truth\": 1}",
     "p:2: program: unknown key \"truth\"; expected one of functions, entries, "
     "variables, carried, keeps_inputs, state_in_place, alignment, capacity, "
     "copies, expected_turns, same, scratch"},
    {"KeyTwice", "{\"functions\": [],\n \"functions\": []}",
     "p:2: program: key \"functions\" twice; expected it once"},
    {"Null", "{\"functions\": null}",
     "p:1: functions: is null; expected a value"},
    {"Negative", ONE_FUNCTION("{\"in\": [-1], \"out\": []}"),
     "p:5: functions[0].nodes[0].in[0]: is -1; expected a whole number of at "
     "least 0"},
    {"Fraction", ONE_FUNCTION("{\"in\": [1.5], \"out\": []}"),
     "p:5: functions[0].nodes[0].in[0]: is 1.5; expected a whole number below "
     "2^64"},
    {"Type", ONE_FUNCTION("{\"in\": 0, \"out\": []}"),
     "p:5: functions[0].nodes[0].in: is 0; expected a list"},
    {"UnknownTensor", ONE_FUNCTION("{\"in\": [\"x\"], \"out\": [\"z\"]}"),
     "p:5: functions[0].nodes[0].out[0]: no tensor \"z\" in this function; "
     "expected one of its ids"},
    {"TensorNumber", ONE_FUNCTION("{\"in\": [2], \"out\": [1]}"),
     "p:5: functions[0].nodes[0].in[0]: tensor 2; expected one of 2"},
    {"TwoCalls",
     ONE_FUNCTION("{\"in\": [], \"out\": [1], \"if\": [0, 0], \"call\": [0]}"),
     "p:5: functions[0].nodes[0]: both if and call; expected one kind of call"},
    {"Recursion", ONE_FUNCTION("{\"in\": [0], \"out\": [1], \"call\": [0]}"),
     "p:1: program: recursion: function 0 > function 0; expected functions "
     "that do not call themselves"},
    {"ReadBeforeWrite", ONE_FUNCTION("{\"in\": [1], \"out\": [1]}"),
     "p:5: functions[0].nodes[0]: function 0, node 0 (operator): reads tensor "
     "\"y\" before it is written"},
    {"NeverWritten", ONE_FUNCTION(""),
     "p:2: functions[0]: function 0: output: tensor \"y\" is never written"},
    {"Copies", "{\"functions\": [], \"copies\": \"all\"}",
     "p:1: copies: is \"all\"; expected made, chosen or none"},
    {"Alignment", "{\"functions\": [], \"alignment\": 3}",
     "p:1: alignment: is 3; expected a power of two"},
    {"Entry", "{\"functions\": [], \"entries\": [\"main\"]}",
     "p:1: entries[0]: is \"main\"; expected a number"},
    {"ScratchAlone",
     "{\"functions\": [], \"scratch\": [{\"point\": 0, \"size\": 1, "
     "\"offset\": 0}]}",
     "p:1: scratch: part of a plan, without offsets; expected a whole plan"},
    {"IdTwice",
     "{\"functions\": [{\"tensors\": [{\"id\": \"x\", \"size\": 4},\n"
     "{\"id\": \"x\", \"size\": 4}], \"inputs\": [], \"outputs\": [], "
     "\"nodes\": []}]}",
     "p:2: functions[0].tensors[1]: id \"x\" twice; expected unique ids in a "
     "function"},
};

INSTANTIATE_TEST_SUITE_P(All, ProgramFileRefuses,
                         ::testing::ValuesIn(kBadFiles),
                         [](const auto& row) { return row.param.name; });

TEST(ProgramFile, IsRecognizedByItsFunctions) {
  EXPECT_TRUE(IsProgram("{\"functions\": ["));
  EXPECT_TRUE(
      IsProgram("\xEF\xBB\xBF {\"a\": {\"b\": [\"}\\\"\"]}, "
                "\"functions\" : []}"));
  EXPECT_FALSE(IsProgram("{\"records\": [{\"functions\": 1}]}"));
  EXPECT_FALSE(IsProgram("{\"id\": \"functions\"}"));
  EXPECT_FALSE(IsProgram("[{\"functions\": []}]"));
  EXPECT_FALSE(IsProgram("{} \"functions\":"));
  EXPECT_FALSE(IsProgram(""));
  EXPECT_FALSE(IsProgram("{\"functions"));
}

TEST(ProgramFile, IsAFormatOfFiles) {
  std::string format;
  FileOptions options;
  options.formats = {ProgramFormat(ProgramCopies::kMade)};
  options.format = &format;
  const StatusOr<ProblemFile> file =
      ReadProblemFile(STOWAGE_SOURCE_DIR "/data/problems/loop.json", options);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(format, "program");
  ASSERT_NE(file->problem.labels.program, nullptr);
  EXPECT_EQ(file->problem.labels.program->options.copies, ProgramCopies::kMade);
  EXPECT_EQ(file->problem.alignment, 16U);
  EXPECT_TRUE(file->plan.empty());
}

// The called function returns its input, whose size is unknown. The argument
// has 8 bytes and the result has 4 bytes, so the argument cannot be copied to
// the result.
TEST(ProgramFile, CopiesNothingToAResultOfAnotherSize) {
  const StatusOr<ProgramFile> file = ParseProgramJson(
      R"({"functions": [
          {"tensors": [8, 4], "inputs": [0], "outputs": [1],
           "nodes": [{"in": [0], "out": [1], "call": [1]}]},
          {"tensors": [0], "inputs": [0], "outputs": [0], "nodes": []}]})",
      "p");
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<ProgramPoints> points = PointsOf(file->program);
  ASSERT_TRUE(points.ok());
  for (const Point& point : points->points) {
    EXPECT_TRUE(point.copies.empty());
  }
}

TEST(ProgramFile, NeedsAnOffsetForEachTensorOfAPlan) {
  const StatusOr<ProgramFile> file = ParseProgramJson(
      R"({"functions": [{"tensors": [{"id": "x", "size": 3, "offset": 0},
          {"id": "y", "size": 1}], "inputs": ["x"], "outputs": ["y"],
          "nodes": [{"in": ["x"], "out": ["y"]}]}]})",
      "p");
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<ProblemFile> problem = ProblemFileOf(*file);
  EXPECT_EQ(std::string(problem.status().message()),
            "tensor \"0.y\" has no offset; expected one for each tensor that "
            "needs memory, or none at all");
}

TEST(ProgramFile, SaysWhichCopiesHaveNoScratchMemory) {
  StatusOr<ProgramFile> file = ParseProgramJson(
      R"({"functions": [
          {"tensors": [{"id": "a", "size": 4, "offset": 0},
                       {"id": "b", "size": 4, "offset": 4},
                       {"id": "p", "size": 4, "offset": 8},
                       {"id": "q", "size": 4, "offset": 12}],
           "inputs": ["a", "b"], "outputs": ["p", "q"],
           "nodes": [{"in": ["a", "b"], "out": ["p", "q"], "while": [1, 2]}]},
          {"tensors": [{"id": "x", "size": 4}, {"id": "y", "size": 4},
                       {"id": "c", "size": 1, "offset": 16}],
           "inputs": ["x", "y"], "outputs": ["c"],
           "nodes": [{"in": ["x"], "out": ["c"]}]},
          {"tensors": [4, 4], "inputs": [0, 1], "outputs": [1, 0],
           "nodes": []}]})",
      "p");
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<ProblemFile> problem = ProblemFileOf(*file);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const ProgramSource& source = *problem->problem.labels.program;
  EXPECT_EQ(DescribeProgramFault(source, file->offsets, {}),
            "function 0, node 0 (while, the end of a turn): its copies form a "
            "cycle and have 0 bytes of scratch memory; expected 4");
  const ScratchMemory scratch = {5, 4, 20};
  EXPECT_EQ(DescribeProgramFault(source, file->offsets, {&scratch, 1}), "");
}

}  // namespace
}  // namespace stowage
