// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/entry_names.h"

#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/combine.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// Returns a function with the inputs x and cache and the outputs y and
// new_cache.
ProgramFunction CacheFunction(const std::string& name) {
  ProgramFunction function;
  function.name = name;
  function.tensors = {{"x", 1}, {"cache", 8}, {"y", 1}, {"new:cache", 8}};
  function.inputs = {0, 1};
  function.outputs = {2, 3};
  function.nodes.push_back({NodeKind::kOperator, "", {0, 1}, {2, 3}, {}});
  return function;
}

Program TwoEntries() {
  Program program;
  program.functions = {CacheFunction("prefill"), CacheFunction("decode")};
  program.functions[1].tensors[1].id = "decoded";
  program.entries = {0, 1};
  return program;
}

struct CarryCase {
  const char* text;
  std::vector<CarriedOutput> carried;  // empty if it is refused
  const char* message;                 // a part of the refusal
};

void ExpectCarried(const std::vector<CarriedOutput>& found,
                   const std::vector<CarriedOutput>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].entry, expected[i].entry);
    EXPECT_EQ(found[i].output, expected[i].output);
    EXPECT_EQ(found[i].input, expected[i].input);
  }
}

TEST(EntryNames, FindsCarriedOutputsByNamesAndIndices) {
  const std::vector<CarryCase> cases = {
      {"new:cache=cache", {{0, 1, 1}}, ""},
      {"new:cache=decoded", {{1, 1, 1}}, ""},
      {"1=1", {{0, 1, 1}, {1, 1, 1}}, ""},
      {"decode:1=1", {{1, 1, 1}}, ""},
      {"prefill:new:cache=cache", {{0, 1, 1}}, ""},
      {"1:new:cache=1", {{1, 1, 1}}, ""},
      {"new:cache", {}, "expected OUT=IN"},
      {"=cache", {}, "expected OUT=IN"},
      {"new:cache=", {}, "expected OUT=IN"},
      {"z=cache", {}, "no output \"z\"; expected one of 0 \"y\", 1 \"new:"},
      {"y=z", {}, "no input \"z\"; expected one of 0 \"x\", 1 \"cache\""},
      {"2=0", {}, "no output \"2\""},
      {"decode:z=1", {}, "no output \"z\""},
      {"99999999999=0", {}, "no output"},
  };
  for (const CarryCase& each : cases) {
    SCOPED_TRACE(each.text);
    Program program = TwoEntries();
    const Status status =
        AddCarriedOutputs(each.text, EntryNamesOf(program), &program);
    EXPECT_EQ(status.ok(), *each.message == '\0') << status;
    if (!status.ok()) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(each.message));
    }
    ExpectCarried(program.carried, each.carried);
  }
}

TEST(EntryNames, LeavesSizesToTheCheckOfTheProgram) {
  for (const char* const text : {"y=cache", "new:cache=cache"}) {
    Program program = TwoEntries();
    const std::vector<EntryNames> names = EntryNamesOf(program);
    ASSERT_TRUE(AddCarriedOutputs(text, names, &program).ok());
    const bool is_sound = program.carried[0].output == 1;
    EXPECT_EQ(CheckProgram(program).ok(), is_sound);
    ASSERT_TRUE(AddCarriedOutputs(text, names, &program).ok());
    const Status twice = CheckProgram(program);
    EXPECT_FALSE(twice.ok());
    EXPECT_THAT(std::string(twice.message()),
                HasSubstr(is_sound ? "two outputs are carried to input 1"
                                   : "expected equal sizes"));
  }
}

struct HandCase {
  const char* text;
  HandOver over;
  const char* message;  // a part of the refusal; empty if there is none
};

TEST(EntryNames, FindsWhatIsHandedOver) {
  std::vector<NamedProgram> programs(2);
  programs[0].name = "first";
  programs[1].name = "second";
  std::vector<EntryNames> names;
  for (NamedProgram& named : programs) {
    named.program.functions = {CacheFunction(named.name)};
    names.push_back(EntryNamesOf(named.program)[0]);
  }
  const std::vector<HandCase> cases = {
      {"first:y=second:x", {0, 0, 1, 0}, ""},
      {"0:new:cache=1:1", {0, 1, 1, 1}, ""},
      {"first:y", {}, "expected MODEL:OUT=MODEL:IN"},
      {"third:y=second:x", {}, "no model before \"third:y\""},
      {"first:y=third:x", {}, "expected one of 0 \"first\", 1 \"second\""},
      {"first:z=second:x", {}, "no output \"z\""},
      {"first:y=second:z", {}, "no input \"z\""},
  };
  for (const HandCase& each : cases) {
    SCOPED_TRACE(each.text);
    const StatusOr<HandOver> over = FindHandOver(each.text, programs, names);
    EXPECT_EQ(over.ok(), *each.message == '\0') << over.status();
    if (!over.ok()) {
      EXPECT_THAT(std::string(over.status().message()),
                  HasSubstr(each.message));
      continue;
    }
    EXPECT_EQ(over->from, each.over.from);
    EXPECT_EQ(over->output, each.over.output);
    EXPECT_EQ(over->to, each.over.to);
    EXPECT_EQ(over->input, each.over.input);
    EXPECT_TRUE(InSequence(programs, {*over}).ok());
  }
}

}  // namespace
}  // namespace stowage
