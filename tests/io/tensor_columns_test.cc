// SPDX-License-Identifier: Apache-2.0
// Tests the columns that describe a tensor: its name, type and shape, and the
// tasks that write and read it.

#include "src/io/tensor_columns.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/base/text.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "tests/support/same_trace.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kAll[] = "name,type,shape,producer,consumers";

ProblemFile ReadColumns(absl::string_view csv) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "t.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *std::move(trace) : ProblemFile();
}

ProblemFile OneTensor(TensorInfo info) {
  ProblemFile trace;
  trace.problem.names = {"a"};
  trace.problem.records = {{4, 0, 0}};
  trace.problem.labels.tensors = {std::move(info)};
  return trace;
}

TEST(TensorColumns, SayWhatATensorIsAndWhoUsesIt) {
  const ProblemFile trace =
      ReadColumns(absl::StrCat("id,lower,upper,size,", kAll,
                               "\n"
                               "0,0,2,64,conv,int8,1x8x8,0:CONV_2D,1:ADD|3\n"
                               "1,1,4,64,\"sum, 2\",,,1, 2 : a:b |3:MUL\n"
                               "2,1,4,64,,,,,\n"));
  ASSERT_EQ(trace.problem.labels.tensors.size(), 3);
  EXPECT_EQ(trace.problem.labels.tensors[0].name, "conv");
  EXPECT_EQ(trace.problem.labels.tensors[0].type, "int8");
  EXPECT_EQ(trace.problem.labels.tensors[0].shape, "1x8x8");
  EXPECT_EQ(trace.problem.labels.tensors[0].producer, 0);
  EXPECT_THAT(trace.problem.labels.tensors[0].consumers, ElementsAre(1, 3));
  EXPECT_EQ(trace.problem.labels.tensors[1].name, "sum, 2");
  EXPECT_EQ(trace.problem.labels.tensors[2].producer, absl::nullopt);
  EXPECT_THAT(trace.problem.labels.tensors[2].consumers, IsEmpty());
  EXPECT_THAT(trace.problem.labels.operators,
              ElementsAre("CONV_2D", "ADD", "a:b", "MUL"));
}

TEST(TensorColumns, OfEmptyCellsSayNothing) {
  const ProblemFile trace = ReadColumns(
      absl::StrCat("id,lower,upper,size,", kAll, "\na,0,1,4,,,,,\n"));
  EXPECT_THAT(trace.problem.labels.tensors, IsEmpty());
  EXPECT_THAT(trace.problem.labels.operators, IsEmpty());
}

TEST(TensorColumns, ComeAfterThoseOfThePlan) {
  const std::string csv =
      "id,lower,upper,size,offset,name,producer\n"
      "a,0,1,4,0,conv,0:CONV_2D\n"
      "b,0,1,4,4,,\n";
  EXPECT_EQ(FormatProblemCsv(ReadColumns(csv)).value(), csv);
}

// Every part of a buffer with gaps has the name, type and shape of the tensor.
TEST(TensorColumns, AreOfAllPartsOfABuffer) {
  const ProblemFile trace =
      ReadColumns("id,lower,upper,size,gaps,name\nb,0,9,18,3-5,conv\n");
  ASSERT_EQ(trace.problem.labels.tensors.size(), 2);
  EXPECT_EQ(trace.problem.labels.tensors[0].name, "conv");
  EXPECT_EQ(trace.problem.labels.tensors[1].name, "conv");
}

struct BadCell {
  const char* name;
  const char* column;
  const char* cells;
  const char* message;
};

class BadTensorCellTest : public testing::TestWithParam<BadCell> {};

TEST_P(BadTensorCellTest, IsRefused) {
  const absl::Status status =
      ParseProblemCsv(absl::StrCat("id,lower,upper,size,", GetParam().column,
                                   "\na,0,1,4,", GetParam().cells, "\n"),
                      "t.csv")
          .status();
  EXPECT_EQ(status, absl::InvalidArgumentError(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadTensorCellTest,
    testing::ValuesIn<BadCell>({
        {"LineEnd", "name", "\"a\nb\"",
         "t.csv:2: name is \"a\\nb\"; expected text without control "
         "characters"},
        {"Escape", "type", "\x1b[31m",
         "t.csv:2: type is \"\\033[31m\"; expected text without control "
         "characters"},
        {"C1", "shape", "\xC2\x9B",
         "t.csv:2: shape is \"\\xc2\\x9b\"; expected text without control "
         "characters"},
        {"NotUtf8", "name", "caf\xE9", "t.csv:2: not UTF-8 text"},
        {"NoTask", "producer", "CONV_2D",
         "t.csv:2: producer: is \"CONV_2D\"; expected a task and its operator, "
         "as in \"3:CONV_2D\""},
        {"TaskBeyond64Bits", "producer", "18446744073709551616",
         "t.csv:2: producer: is \"18446744073709551616\"; expected a task and "
         "its operator, as in \"3:CONV_2D\""},
        {"NoOperator", "producer", "3:",
         "t.csv:2: producer: the operator of task 3 is \"\"; expected a name "
         "without control characters"},
        {"EmptyTask", "consumers", "3|",
         "t.csv:2: consumers: is \"\"; expected a task and its operator, as in "
         "\"3:CONV_2D\""},
        {"FallingTasks", "consumers", "3|2",
         "t.csv:2: consumers: task 2 after task 3; expected rising tasks, each "
         "once"},
        {"TaskTwice", "consumers", "3|3",
         "t.csv:2: consumers: task 3 after task 3; expected rising tasks, each "
         "once"},
        {"TwoOperators", "producer", "3:ADD\n\nb,0,1,4,3:MUL",
         "t.csv:4: producer: the operator of task 3 is \"MUL\"; expected "
         "\"ADD\" as in line 2"},
        // The task is so large that a list with an entry for each task would
        // not fit in memory.
        {"OperatorOfAHugeTask", "producer", "1099511627776:ADD\nb,0,1,4,",
         "t.csv:2: the operator of task 1099511627776 is \"ADD\"; expected "
         "names of tasks below 1048576 alone"},
    }),
    [](const testing::TestParamInfo<BadCell>& cases) {
      return std::string(cases.param.name);
    });

TEST(TensorColumns, ATaskOfAnyNumberMayHaveNoName) {
  const ProblemFile trace = ReadColumns(
      "id,lower,upper,size,producer\na,0,1,4,18446744073709551615\n");
  EXPECT_EQ(trace.problem.labels.tensors[0].producer, 18446744073709551615u);
  EXPECT_THAT(trace.problem.labels.operators, IsEmpty());
}

struct HeldText {
  const char* name;
  std::string text;
  const char* written;
};

TEST(TensorColumns, WhatNoFileHoldsIsWrittenVisibly) {
  const HeldText cases[] = {
      {"not UTF-8", "caf\xE9", "caf\\xe9"},
      {"NUL", std::string("a\0b", 3), "a\\x00b"},
      {"line end", "a\r\nb", "a\\x0d\\x0ab"},
      {"escape", "\x1b[31m\x7f", "\\x1b[31m\\x7f"},
      {"C1", "\xC2\x9B", "\\xc2\\x9b"},
      {"half a character", "\xE2\x82", "\\xe2\\x82"},
      {"bidi override is text", "\xE2\x80\xAE", "\xE2\x80\xAE"},
      {"markup is text", "</script>", "</script>"},
      {"comma", "a,b", "\"a,b\""},
      {"blanks", " a ", "\" a \""},
  };
  for (const HeldText& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(
        FormatProblemCsv(OneTensor({c.text, "", "", absl::nullopt})).value(),
        absl::StrCat("id,lower,upper,size,name\na,0,1,4,", c.written, "\n"));
  }
}

TEST(TensorColumns, OperatorsAreWrittenSoThatTheirCellCanBeRead) {
  ProblemFile trace = OneTensor({"", "", "", 0, {0, 2}});
  trace.problem.labels.operators = {" a|b\n ", "", ":"};
  const std::string csv = FormatProblemCsv(trace).value();
  EXPECT_EQ(csv,
            "id,lower,upper,size,producer,consumers\n"
            "a,0,1,4,0:\\x20a\\x7cb\\x0a\\x20,0:\\x20a\\x7cb\\x0a\\x20|2::\n");
  EXPECT_THAT(ReadColumns(csv).problem.labels.operators,
              ElementsAre("\\x20a\\x7cb\\x0a\\x20", "", ":"));
}

// The name is too long for a line of the file. It is truncated, because the
// trace is more important than the name.
TEST(TensorColumns, ANameThatNoLineHoldsIsCut) {
  TensorInfo info = {"", "int8", "", 7, {}};
  info.name =
      std::string(255, 'a') + "\xE2\x82\xAC" + std::string(1 << 20, 'b');
  const ProblemFile again =
      ReadColumns(FormatProblemCsv(OneTensor(info)).value());
  EXPECT_EQ(again.problem.labels.tensors[0].name,
            std::string(255, 'a') + "...");
  EXPECT_EQ(again.problem.labels.tensors[0].type, "int8");
  EXPECT_EQ(again.problem.labels.tensors[0].producer, 7);
}

TEST(TensorColumns, ConsumersThatNoLineHoldsAreLeftOut) {
  ProblemFile trace = OneTensor({"conv", "int8", "", 7, {}});
  for (size_t task = 0; task < 200000; ++task) {
    trace.problem.labels.tensors[0].consumers.push_back(task);
  }
  trace.problem.names.emplace_back("b");
  trace.problem.records.push_back(trace.problem.records[0]);
  trace.problem.labels.tensors.push_back({"add", "", "", 8, {}});
  const ProblemFile again = ReadColumns(FormatProblemCsv(trace).value());
  ASSERT_EQ(again.problem.labels.tensors.size(), 2);
  EXPECT_THAT(again.problem.labels.tensors[0].consumers, IsEmpty());
  EXPECT_EQ(again.problem.labels.tensors[1].name, "add");
}

TEST(TensorColumns, ConsumersMustRise) {
  EXPECT_EQ(FormatProblemCsv(OneTensor({"", "", "", absl::nullopt, {2, 2}}))
                .status()
                .message(),
            "record 0: consumers: task 2 after task 2; expected rising tasks, "
            "each once");
}

// A trace can be written regardless of the names that the model gives its
// tensors. Reading the trace back returns the names that were written.
RC_GTEST_PROP(TensorColumnsProperty, AnyBytesAreWritten, ()) {
  const auto any = [] { return *rc::gen::arbitrary<std::string>(); };
  ProblemFile trace = OneTensor({any(), any(), any(), 0, {1}});
  trace.problem.labels.operators = {any(), any()};
  const absl::StatusOr<std::string> csv = FormatProblemCsv(trace);
  RC_ASSERT(csv.ok());
  const absl::StatusOr<ProblemFile> again = ParseProblemCsv(*csv, "t.csv");
  RC_ASSERT(again.ok());
  RC_ASSERT(again->problem.labels.tensors[0].name ==
            FileText(trace.problem.labels.tensors[0].name));
  RC_ASSERT(again->problem.labels.tensors[0].type ==
            FileText(trace.problem.labels.tensors[0].type));
  RC_ASSERT(again->problem.labels.tensors[0].shape ==
            FileText(trace.problem.labels.tensors[0].shape));
  RC_ASSERT(FormatProblemCsv(*again).value() == *csv);
}

// IsFileText returns true if and only if FileText leaves the text unchanged.
RC_GTEST_PROP(FileTextProperty, IsHeldOnceWritten, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  RC_ASSERT(IsFileText(FileText(text)));
  RC_ASSERT(IsFileText(text) == (FileText(text) == text));
  RC_ASSERT(IsUtf8(FileText(text)));
}

}  // namespace
}  // namespace stowage
