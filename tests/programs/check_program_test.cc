// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/status.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// Returns a program with a branch: function 0 calls either function 1 or
// function 2, which have the same interface.
Program Branches() {
  Program program;
  program.functions.resize(3);
  ProgramFunction& main = program.functions[0];
  main.tensors = {{"x", 4}, {"c", 1}, {"r", 4}};
  main.inputs = {0, 1};
  main.outputs = {2};
  main.nodes = {{NodeKind::kIf, "", {1, 0}, {2}, {1, 2}}};
  for (const size_t f : {size_t{1}, size_t{2}}) {
    ProgramFunction& branch = program.functions[f];
    branch.tensors = {{"a", 4}, {"b", 4}};
    branch.inputs = {0};
    branch.outputs = {1};
    branch.nodes = {{NodeKind::kOperator, "NEG", {0}, {1}, {}}};
  }
  return program;
}

struct Refusal {
  const char* name;
  void (*change)(Program* program);
  const char* message;
};

class CheckProgramRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(CheckProgramRefuses, WithThePlace) {
  Program program = Branches();
  GetParam().change(&program);
  const Status status = CheckProgram(program);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

const Refusal kRefusals[] = {
    {"NoFunctions", [](Program* p) { p->functions.clear(); },
     "no functions; expected at least one"},
    {"Recursion",
     [](Program* p) {
       p->functions[1].nodes[0].kind = NodeKind::kCall;
       p->functions[1].nodes[0].functions = {0};
     },
     "recursion: function 0 > function 1 > function 0"},
    {"UnknownFunction",
     [](Program* p) { p->functions[0].nodes[0].functions[1] = 7; },
     "function 0, node 0 (if): function 7; expected an index below 3"},
    {"TooFewArguments",
     [](Program* p) { p->functions[0].nodes[0].inputs = {1}; },
     "0 arguments; function 1 has 1 input"},
    {"TooManyResults", [](Program* p) { p->functions[2].outputs.clear(); },
     "1 result; function 2 has 0 outputs"},
    {"ReadBeforeWrite",
     [](Program* p) { p->functions[1].nodes[0].inputs = {1}; },
     "function 1, node 0 (NEG): reads tensor \"b\" before it is written"},
    {"TwoWriters",
     [](Program* p) {
       p->functions[1].nodes.push_back(p->functions[1].nodes[0]);
     },
     "function 1, node 1 (NEG): writes tensor \"b\", which is written twice"},
    {"WritesAnInput",
     [](Program* p) { p->functions[1].nodes[0].outputs = {0}; },
     "an input of the function"},
    {"ConditionIsBody",
     [](Program* p) {
       ProgramNode& node = p->functions[0].nodes[0];
       node.kind = NodeKind::kWhile;
       node.inputs = {0};
       node.functions = {1, 1};
     },
     "condition and body are the same function"},
    {"ConditionIsNotABool",
     [](Program* p) {
       ProgramNode& node = p->functions[0].nodes[0];
       node.kind = NodeKind::kWhile;
       node.inputs = {0};
     },
     "function 1, the condition, returns 4 bytes; expected one BOOL"},
    {"WideCondition", [](Program* p) { p->functions[0].tensors[1].size = 4; },
     "a condition of 4 bytes; expected one BOOL"},
    {"SizesOfResults", [](Program* p) { p->functions[1].tensors[1].size = 8; },
     "result 0 has 4 bytes; output 0 of function 1 has 8"},
    {"ResultsOfWhatRunsOnce",
     [](Program* p) {
       ProgramNode& node = p->functions[0].nodes[0];
       node.kind = NodeKind::kOnce;
       node.inputs = {0};
       node.functions = {1};
     },
     "has arguments or results; expected none"},
    {"UnknownTensor",
     [](Program* p) { p->functions[0].nodes[0].outputs = {9}; },
     "tensor 9; expected one of 3"},
    {"UnknownEntry", [](Program* p) { p->entries = {5}; },
     "entry: function 5; expected an index below 3"},
    {"CarriedByACalledFunction",
     [](Program* p) {
       p->entries = {2};
       p->carried = {{0, 0, 0}};
     },
     "has a carried output, but also runs elsewhere"},
    {"CarriedByAFunctionEnteredTwice",
     [](Program* p) {
       p->entries = {0, 0};
       p->carried = {{0, 0, 0}};
     },
     "expected a function that is one entry and that nothing calls"},
    {"CarriedSizes",
     [](Program* p) {
       p->carried = {{0, 0, 1}};
     },
     "output 0 of 4 bytes is carried to input 1 of 1; expected equal sizes"},
};

INSTANTIATE_TEST_SUITE_P(All, CheckProgramRefuses,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return row.param.name; });

TEST(CheckProgram, AcceptsAProgramThatBranches) {
  EXPECT_TRUE(CheckProgram(Branches()).ok());
}

TEST(CheckProgram, AcceptsConstantsInPlaceOfAnySize) {
  Program program = Branches();
  program.functions[1].tensors.push_back({"constant", 0});
  program.functions[1].outputs = {2};
  program.functions[1].nodes.clear();
  EXPECT_TRUE(CheckProgram(program).ok());
}

TEST(CheckProgram, RefusesDeepNesting) {
  Program program;
  program.functions.resize(2000);
  for (size_t f = 0; f + 1 < program.functions.size(); ++f) {
    program.functions[f].nodes = {{NodeKind::kCall, "", {}, {}, {f + 1}}};
  }
  EXPECT_THAT(std::string(CheckProgram(program).message()),
              HasSubstr("1001 nested calls; expected at most 1000"));
}

}  // namespace
}  // namespace stowage
