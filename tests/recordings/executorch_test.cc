// SPDX-License-Identifier: Apache-2.0
// Tests the reader of ExecuTorch programs. Small programs show the result of
// each construct, and real programs must give the expected rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "recordings_schema/executorch_generated.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/verify.h"
#include "tests/recordings/executorch_programs.h"
#include "tests/recordings/expected_rows.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::recordings {
namespace {

using executorch::InstructionArguments;
using executorch::TensorShapeDynamism;
using support::FailsWith;
using support::IsOk;
using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<Recording> ReadMethods(
    const std::vector<ExecutorchMethod>& methods) {
  return ParseRecording(ExecutorchFile(methods), "net.pte");
}

// Returns two kernels. The first computes value 1 from input 0; the second
// computes output 2 from value 1.
ExecutorchMethod SmallMethod() {
  ExecutorchMethod method;
  method.values = {Planned({2, 3}, 0), Planned({2, 3}, 32), Planned({5}, 64)};
  method.inputs = {0};
  method.outputs = {2};
  method.instructions = {Kernel({0, 1}), Kernel({1, 2})};
  return method;
}

TEST(ExecutorchTest, EachPlannedTensorIsARecordWithItsPlace) {
  const auto recording = ReadMethods({SmallMethod()});
  ASSERT_THAT(recording, IsOk());
  EXPECT_EQ(recording->format, "executorch");
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(recording->parts[0].name, "forward");
  const ProblemFile& file = recording->parts[0].file;
  EXPECT_THAT(file.problem.names, ElementsAre("0", "1", "2"));
  EXPECT_THAT(file.plan.offsets, ElementsAre(0, 32, 64));
  EXPECT_EQ(file.plan.arena_size, 4096U);
  EXPECT_EQ(file.problem.alignment, 16U);
  EXPECT_FALSE(file.problem.capacity.has_value());
  EXPECT_EQ(file.note, "");
  ASSERT_EQ(file.problem.records.size(), 3U);
  EXPECT_EQ(file.problem.records[0].tensor_size, 24U);
  EXPECT_EQ(file.problem.records[2].tensor_size, 20U);
  const TensorInfo& info = file.problem.labels.tensors[1];
  EXPECT_EQ(info.name, "value 1");
  EXPECT_EQ(info.type, "float32");
  EXPECT_EQ(info.shape, "2x3");
  EXPECT_EQ(info.producer, 0U);
  EXPECT_THAT(info.consumers, ElementsAre(1));
  EXPECT_THAT(file.problem.labels.operators,
              ElementsAre("aten::add.out", "aten::add.out"));
}

struct LifetimesCase {
  const char* name;
  ExecutorchMethod method;
  // The lifetime of each record: id, first task, last task.
  std::string expected;
};

// Returns a case with four tensors that `instructions` use.
LifetimesCase LifeCase(const char* name,
                       std::vector<ExecutorchInstruction> instructions,
                       const char* expected,
                       std::vector<ExecutorchValue> more = {},
                       std::vector<int32_t> inputs = {},
                       std::vector<int32_t> outputs = {}) {
  ExecutorchMethod method;
  method.values = {Planned({1}, 0), Planned({1}, 16), Planned({1}, 32),
                   Planned({1}, 48)};
  for (ExecutorchValue& value : more) method.values.push_back(value);
  method.instructions = std::move(instructions);
  method.inputs = std::move(inputs);
  method.outputs = std::move(outputs);
  return {name, method, expected};
}

std::vector<LifetimesCase> LifetimesCases() {
  using Kind = InstructionArguments;
  const ExecutorchInstruction move = {Kind::MoveCall, 0, {1, 2}};
  const ExecutorchInstruction free = {Kind::FreeCall, 0, {2}};
  const ExecutorchInstruction jump = {Kind::JumpFalseCall, 1, {3}};
  std::vector<LifetimesCase> cases = {
      LifeCase("FirstToLastTouch",
               {Kernel({0, 1}), Kernel({1, 2}), Kernel({0, 2, 3})},
               "0:0-2 1:0-1 2:1-2 3:2-2"),
      LifeCase("InputsFromTheStart", {Kernel({1, 2}), Kernel({0, 3})},
               "0:0-1 1:0-0 2:0-0 3:1-1", {}, {0}),
      LifeCase("InputsThatNothingReads", {Kernel({1, 2}), Kernel({1, 3})},
               "0:0-0 1:0-1 2:0-0 3:1-1", {}, {0}),
      LifeCase("OutputsToTheEnd",
               {Kernel({0, 1}), Kernel({0, 2}), Kernel({2, 3})},
               "0:0-1 1:0-2 2:1-2 3:2-2", {}, {}, {1}),
      LifeCase("Lists", {Kernel({4}), Kernel({2, 3})},
               "0:0-0 1:0-0 2:1-1 3:1-1", {ListOf({0, 1})}),
      LifeCase("OptionalLists", {Kernel({4}), Kernel({1, 2, 3})},
               "0:0-0 1:0-1 2:1-1 3:1-1", {ListOf({0, -1, 1}, true)}),
      LifeCase("OutputsInLists", {Kernel({0, 1}), Kernel({2, 3})},
               "0:0-1 1:0-0 2:1-1 3:1-1", {ListOf({0})}, {}, {4}),
      LifeCase("WhatIsMovedLivesAsItsCopy",
               {Kernel({0, 1}), move, Kernel({3}), Kernel({2})},
               "0:0-0 1:0-3 2:1-3 3:2-2"),
      LifeCase("Frees", {Kernel({0, 1, 2, 3}), free},
               "0:0-0 1:0-0 2:0-1 3:0-0"),
      // The loop consists of instructions 1 and 2. A tensor that is live at the
      // start of the loop is read in every iteration.
      LifeCase("Loops",
               {Kernel({0, 1, 3}), Kernel({0, 2, 3}), jump, Kernel({3})},
               "0:0-2 1:0-0 2:1-1 3:0-3"),
      LifeCase("ViewsAreTheirSources",
               {Kernel({0, 1}), Kernel({1, 5, 4}, 1), Kernel({2, 3}),
                Kernel({4, 3})},
               "0:0-0 1:0-3 2:2-2 3:2-3", {Planned({1}, 16), Unplanned({1})}),
      LifeCase("WithoutInstructions", {}, "0:0-0 1:0-0", {}, {0}, {1}),
  };
  cases.push_back(LifeCase("Chains", {Kernel({0, 1}), Kernel({1, 2, 3})},
                           "0:0-0 1:0-1 2:1-1 3:1-1"));
  cases.back().method.first_chain = 1;
  return cases;
}

class ExecutorchLifetimesTest : public testing::TestWithParam<LifetimesCase> {};

TEST_P(ExecutorchLifetimesTest, AreThoseOfTheInstructions) {
  const auto recording = ReadMethods({GetParam().method});
  ASSERT_THAT(recording, IsOk());
  const ProblemSpec& problem = recording->parts[0].file.problem;
  std::string lives;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    absl::StrAppend(&lives, i == 0 ? "" : " ", problem.names[i], ":",
                    problem.records[i].first_task, "-",
                    problem.records[i].last_task);
  }
  EXPECT_EQ(lives, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutorchLifetimesTest,
                         testing::ValuesIn(LifetimesCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(ExecutorchTest, EachMethodAndMemoryIsAPart) {
  ExecutorchMethod one = SmallMethod();
  ExecutorchMethod two = SmallMethod();
  two.name = "prefill";
  two.values[1].memory = 3;
  two.memories = {0, 100, 0, 200};
  ExecutorchMethod none = SmallMethod();
  none.name = "get_eos_id";
  for (ExecutorchValue& value : none.values) value.is_planned = false;
  const auto recording = ReadMethods({none, one, two});
  ASSERT_THAT(recording, IsOk());
  std::vector<std::string> parts;
  for (const RecordingPart& part : recording->parts) {
    parts.push_back(absl::StrCat(part.name, " ",
                                 part.file.problem.records.size(), " ",
                                 *part.file.plan.arena_size));
  }
  EXPECT_THAT(parts, ElementsAre("forward 3 4096", "prefill/1 2 100",
                                 "prefill/3 1 200"));
}

TEST(ExecutorchTest, OffsetsHave64Bits) {
  ExecutorchMethod method = SmallMethod();
  method.values[2].offset = (uint64_t{1} << 32) + 64;
  const auto recording = ReadMethods({method});
  ASSERT_THAT(recording, IsOk());
  EXPECT_EQ(recording->parts[0].file.plan.offsets[2], (uint64_t{1} << 32) + 64);
}

TEST(ExecutorchTest, TheAlignmentIsThatOfThePlan) {
  for (const auto& [offset, alignment] : std::map<uint64_t, size_t>{
           {64, 16}, {72, 8}, {68, 4}, {66, 2}, {65, 1}}) {
    ExecutorchMethod method = SmallMethod();
    method.values[2].offset = offset;
    const auto recording = ReadMethods({method});
    ASSERT_THAT(recording, IsOk());
    EXPECT_EQ(recording->parts[0].file.problem.alignment, alignment) << offset;
  }
}

TEST(ExecutorchTest, SizesFollowFromTypeAndShape) {
  // The size of an element in bytes, indexed by the number of its type.
  const std::vector<size_t> bytes = {1,  1, 2, 4, 8, 2, 4, 8, 4, 8,
                                     16, 1, 1, 1, 4, 2, 1, 1, 1, 1,
                                     1,  1, 2, 1, 1, 1, 1, 2, 4, 8};
  for (size_t type = 0; type < bytes.size(); ++type) {
    ExecutorchMethod method = SmallMethod();
    method.values[0].type = static_cast<int8_t>(type);
    method.values[1].sizes = {};
    method.values[2].sizes = {7, 0, 9};
    const auto recording = ReadMethods({method});
    ASSERT_THAT(recording, IsOk());
    const auto& records = recording->parts[0].file.problem.records;
    EXPECT_EQ(records[0].tensor_size, 6 * bytes[type]) << type;
    EXPECT_EQ(records[1].tensor_size, 4U);
    EXPECT_EQ(records[2].tensor_size, 0U);
  }
}

TEST(ExecutorchTest, SizesAreRoundedOnRequest) {
  RecordingOptions options;
  options.tensor_alignment = 16;
  const auto small =
      ParseRecording(ExecutorchFile({SmallMethod()}), "net.pte", options);
  ASSERT_THAT(small, IsOk());
  EXPECT_THAT(small->parts[0].file.plan.offsets, ElementsAre(0, 32, 64));
  options.tensor_alignment = 64;
  const auto recording =
      ParseRecording(ExecutorchFile({SmallMethod()}), "net.pte", options);
  ASSERT_THAT(recording, IsOk());
  for (const auto& record : recording->parts[0].file.problem.records) {
    EXPECT_EQ(record.tensor_size, 64U);
  }
  // The plan has no room for sizes rounded up beyond its own alignment.
  EXPECT_THAT(recording->parts[0].file.plan.offsets, ElementsAre());
  EXPECT_THAT(recording->parts[0].file.note, HasSubstr("plan is left out"));
}

TEST(ExecutorchTest, NotesSayWhatTheRecordsLeaveOpen) {
  ExecutorchMethod method = SmallMethod();
  method.delegates = {"XnnpackBackend"};
  method.instructions[1] = {InstructionArguments::DelegateCall, 0, {1, 2}};
  method.values[1].dynamism = TensorShapeDynamism::DYNAMIC_BOUND;
  method.values[2].data = 1;
  method.values.push_back(Planned({1}, 128));
  const auto recording = ReadMethods({method});
  ASSERT_THAT(recording, IsOk());
  const RecordingPart& part = recording->parts[0];
  EXPECT_EQ(part.file.note,
            "delegates run 1 of 2 instructions and are opaque: the memory that "
            "they plan themselves is not included; 1 tensor of dynamic shape, "
            "whose sizes are upper bounds; 1 tensor with content before the "
            "first instruction, which lifetimes do not cover; 1 tensor that no "
            "instruction uses, left out");
  EXPECT_THAT(part.kept, ElementsAre(2));
  EXPECT_EQ(part.file.problem.records.size(), 3U);
  EXPECT_EQ(part.file.problem.labels.operators[1], "delegate XnnpackBackend");
}

TEST(ExecutorchTest, BundledProgramsAreThoseInside) {
  const std::string program = ExecutorchFile({SmallMethod()});
  const auto bundled = ParseRecording(ExecutorchBundle(program), "net.bpte");
  ASSERT_THAT(bundled, IsOk());
  EXPECT_EQ(bundled->parts[0].file.problem.records.size(), 3U);
  EXPECT_THAT(
      ParseRecording(ExecutorchBundle(program.substr(0, 90)), "net.bpte"),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("net.bpte: its program: an ExecuTorch program that "
                          "is truncated or damaged")));
}

// The address of a program does not have to be a multiple of eight.
TEST(ExecutorchTest, BytesMayLieAnywhere) {
  const std::string program = ExecutorchFile({SmallMethod()});
  for (size_t shift = 0; shift < 8; ++shift) {
    const std::string moved = std::string(shift, 'x') + program;
    const auto recording =
        ParseRecording(absl::string_view(moved).substr(shift), "net.pte");
    EXPECT_THAT(recording, IsOk()) << shift;
  }
}

TEST(ExecutorchTest, DamagedProgramsAreReadOrRefused) {
  const std::string program = ExecutorchFile({SmallMethod()});
  for (size_t size = 8; size < program.size(); ++size) {
    EXPECT_THAT(
        ParseRecording(program.substr(0, size), "net.pte"),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr("net.pte: ")))
        << size;
  }
  for (size_t i = 8; i < program.size(); ++i) {
    for (const char flipped : {'\0', '\1', '\x7F', '\xFF'}) {
      std::string damaged = program;
      damaged[i] = flipped;
      const auto recording = ParseRecording(damaged, "net.pte");
      if (!recording.ok()) {
        EXPECT_THAT(recording.status().message(), HasSubstr("; expected "));
      }
    }
  }
}

struct RefusedCase {
  const char* name;
  std::vector<ExecutorchMethod> methods;
  std::string error;
};

std::vector<RefusedCase> RefusedCases() {
  std::vector<RefusedCase> cases;
  const auto add = [&cases](const char* name, const char* error) {
    cases.push_back({name, {SmallMethod()}, error});
    return &cases.back().methods[0];
  };
  add("UnknownType",
      "net.pte: method 0, 'forward', value 1: has elements of type 30")
      ->values[1]
      .type = 30;
  add("NoBound", "value 1: has a place, but no bound")->values[1].dynamism =
      TensorShapeDynamism::DYNAMIC_UNBOUND;
  add("NegativeExtent", "value 1: has an extent of -3")->values[1].sizes = {-3};
  add("TooManyBytes", "expected fewer than 2^64 bytes")->values[1].sizes = {
      1 << 30, 1 << 30, 1 << 30};
  add("Dimensions", "has 17 dimensions; expected at most 16")
      ->values[1]
      .sizes.assign(17, 1);
  add("MemoryOfConstants", "value 1: is in memory 0")->values[1].memory = 0;
  add("NoSuchMemory", "value 1: is in memory 2; expected one of the 2 memories")
      ->values[1]
      .memory = 2;
  add("NegativeMemory", "memory 1: has -1 bytes")->memories[1] = -1;
  add("NoSuchArgument", "instruction 1: value 3; expected one of the 3 values")
      ->instructions[1]
      .args = {3};
  add("NegativeArgument", "instruction 1: value -1;")->instructions[1].args = {
      -1};
  add("NoSuchInput", "inputs: value 9;")->inputs = {9};
  add("NoSuchOutput", "outputs: value 9;")->outputs = {9};
  add("NoSuchOperator", "instruction 0: operator 2; expected one of the 2")
      ->instructions[0]
      .index = 2;
  add("NoSuchDelegate", "instruction 0: delegate 0; expected one of the 0")
      ->instructions[0]
      .kind = InstructionArguments::DelegateCall;
  add("NoSuchTarget", "instruction 0: a jump to instruction 3;")
      ->instructions[0] = {InstructionArguments::JumpFalseCall, 3, {0}};
  add("NoInstruction", "instruction 0: a type of number 0;")
      ->instructions[0]
      .kind = InstructionArguments::NONE;
  ExecutorchMethod* const list =
      add("ListOfNothing", "instruction 0: list 3: value 7;");
  list->values.push_back(ListOf({0, 7}));
  list->instructions[0].args = {3};
  add("Unplanned", "without a planned tensor in its 1 method; expected")
      ->values.clear();
  cases.back().methods[0].instructions.clear();
  cases.back().methods[0].inputs = cases.back().methods[0].outputs = {};
  cases.push_back({"NoMethods",
                   {},
                   "net.pte: an ExecuTorch program without a planned tensor in "
                   "its 0 methods"});
  cases.push_back({"TwoOfOneName",
                   {SmallMethod(), SmallMethod()},
                   "method 1, 'forward': has a second plan of the name"});
  return cases;
}

class ExecutorchRefusedTest : public testing::TestWithParam<RefusedCase> {};

TEST_P(ExecutorchRefusedTest, SaysWhere) {
  EXPECT_THAT(ReadMethods(GetParam().methods),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr(GetParam().error)));
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutorchRefusedTest,
                         testing::ValuesIn(RefusedCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(ExecutorchTest, OtherSchemasAreRefused) {
  std::string program = ExecutorchFile({SmallMethod()});
  program.replace(4, 4, "ET13");
  EXPECT_THAT(ParseRecording(program, "net.bin"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("bytes 4 to 7 are \"ET13\"; expected")));
}

// If a damaged file has the name of a program and is not text, the error states
// that the file is not a program of ExecuTorch.
TEST(ExecutorchTest, DamagedMarksAreRefused) {
  std::string program = ExecutorchFile({SmallMethod()});
  program.replace(0, 8, "GARBAGE!");
  EXPECT_THAT(ParseRecording(program, "net.pte"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("net.pte: not an ExecuTorch program")));
  EXPECT_THAT(ParseRecording(program, "net.bin"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("not in a known format of recordings")));
  EXPECT_THAT(ParseRecording("id,lower,upper,size\n", "net.pte"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("not in a known format of recordings")));
}

// Many instructions may share one list, so a small file can cause a lot of
// work.
TEST(ExecutorchTest, TooManyArgumentsAreRefused) {
  ExecutorchMethod method = SmallMethod();
  method.values.push_back(ListOf(std::vector<int32_t>(10000, 0)));
  method.instructions.assign(1000, Kernel({3}));
  EXPECT_THAT(ReadMethods({method}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("arguments up to here; expected fewer")));
}

// Returns the violation in the runtime's plan, or nullopt if there is none.
absl::optional<Violation> VerdictOn(const RecordingPart& part) {
  const absl::StatusOr<Problem> problem = Problem::Create(part.file.problem);
  EXPECT_THAT(problem, IsOk());
  const auto plan = OffsetsOf(part.file.problem, part.file.plan);
  EXPECT_THAT(plan, IsOk());
  if (!problem.ok() || !plan.ok()) return absl::nullopt;
  return FindViolation(*problem, *plan);
}

// Compares all parts with the expected rows, except for the rows of tensors
// without a place. The rows identify methods by number. A method has no part if
// none of its tensors has a place.
void ExpectRows(const std::vector<ExpectedRow>& rows,
                const Recording& recording) {
  std::map<std::pair<uint64_t, uint64_t>, std::vector<ExpectedRow>> expected;
  for (const ExpectedRow& row : rows) {
    if (row.IsEmpty("mem_id")) continue;
    expected[{row.Number("plan"), row.Number("mem_id")}].push_back(row);
  }
  ASSERT_EQ(recording.parts.size(), expected.size());
  size_t part = 0;
  for (const auto& [key, tensors] : expected) {
    const ProblemFile& file = recording.parts[part++].file;
    ASSERT_EQ(file.problem.records.size(), tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      const TensorUsageRecord<size_t>& found = file.problem.records[i];
      const std::string& value = tensors[i].Text("value");
      EXPECT_EQ(file.problem.names[i], value);
      EXPECT_EQ(found.tensor_size, tensors[i].Number("size")) << value;
      EXPECT_EQ(found.first_task, tensors[i].Number("first_task")) << value;
      EXPECT_EQ(found.last_task, tensors[i].Number("last_task")) << value;
      EXPECT_EQ(file.plan.offsets[i], tensors[i].Number("offset")) << value;
    }
  }
}

TEST(ExecutorchRealTest, ProgramsGiveTheExpectedRows) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  size_t compared = 0;
  for (const std::string& path :
       support::FilesIn(absl::StrCat(*folder, "/pte"), ".pte")) {
    SCOPED_TRACE(path);
    const auto recording = ReadRecording(path);
    const size_t slash = path.rfind('/') + 1;
    const auto rows = ReadExpected(
        *folder,
        absl::StrCat("pte__", path.substr(slash, path.size() - 4 - slash),
                     ".csv"));
    if (!rows) {
      EXPECT_THAT(recording, FailsWith(absl::StatusCode::kInvalidArgument,
                                       HasSubstr("; expected")));
      continue;
    }
    ASSERT_THAT(recording, IsOk());
    ExpectRows(*rows, *recording);
    ++compared;
    const bool is_bad = path.find("_overlap") != path.npos ||
                        path.find("_onebyte") != path.npos;
    for (const RecordingPart& part : recording->parts) {
      const auto violation = VerdictOn(part);
      EXPECT_EQ(violation.has_value(), is_bad);
      if (violation) {
        EXPECT_EQ(violation->kind, Violation::Kind::kOverlappingBytes);
      }
    }
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace stowage::recordings
