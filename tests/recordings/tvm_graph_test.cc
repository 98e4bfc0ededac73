// SPDX-License-Identifier: Apache-2.0
// Tests the reader of TVM graphs: which entries are records, which records
// share memory, and which graphs are refused.
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// This graph is a chain of four operators, of which the second is a reshape.
// The results of the first and the last operator have the same storage.
constexpr char kTvmChain[] = R"({
  "nodes": [
    {"op": "null", "name": "data", "inputs": []},
    {"op": "null", "name": "weight", "inputs": []},
    {"op": "tvm_op", "name": "conv", "attrs": {"func_name": "fused_conv"},
     "inputs": [[0, 0, 0], [1, 0, 0]]},
    {"op": "tvm_op", "name": "flatten", "attrs": {"func_name": "__nop"},
     "inputs": [[2, 0, 0]]},
    {"op": "tvm_op", "name": "split", "attrs": {"func_name": "fused_split"},
     "inputs": [[3, 0, 0]]},
    {"op": "tvm_op", "name": "add", "attrs": {"func_name": "fused_add"},
     "inputs": [[4, 0, 0], [4, 1, 0]]}],
  "arg_nodes": [0, 1],
  "heads": [[5, 0, 0]],
  "attrs": {
    "dltype": ["list_str", ["float32", "int8", "float32", "float32", "int8x4",
                            "bool", "uint1"]],
    "shape": ["list_shape", [[1, 8], [8, 8], [1, 4, 4], [16], [8], [3], []]],
    "storage_id": ["list_int", [0, 1, 2, 2, 3, 4, 2]]},
  "node_row_ptr": [0, 1, 2, 3, 4, 6, 7]})";

// Returns the chain with `from` replaced by `to`.
std::string TvmChainWith(const std::string& from, const std::string& to) {
  EXPECT_THAT(kTvmChain, HasSubstr(from));
  return absl::StrReplaceAll(kTvmChain, {{from, to}});
}

// Returns the rows of a part as "id name: lower-upper size in object".
std::vector<std::string> TvmRowsOf(const RecordingPart& part) {
  const ProblemSpec& problem = part.file.problem;
  std::vector<std::string> rows;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const auto& record = problem.records[i];
    rows.push_back(
        absl::StrCat(problem.names[i], " ", problem.labels.tensors[i].name,
                     ": ", record.first_task, "-", record.last_task + 1, " ",
                     record.tensor_size, " in ", part.file.plan.objects.at(i)));
  }
  return rows;
}

TEST(TvmGraphTest, ResultsOfOperatorsAreRecordsInSharedStorages) {
  const auto recording = ParseRecording(kTvmChain, "graph.json");
  ASSERT_THAT(recording, IsOk());
  EXPECT_EQ(recording->format, "tvm-graph");
  ASSERT_EQ(recording->parts.size(), 1U);
  const RecordingPart& part = recording->parts[0];
  EXPECT_EQ(part.name, "device 0");
  // The result of conv is live until the reader of the reshaped result has run.
  EXPECT_THAT(TvmRowsOf(part),
              ElementsAre("2 conv: 2-5 64 in 2", "4 split: 4-6 32 in 3",
                          "5 split: 4-6 3 in 4", "6 add: 5-6 1 in 2"));
  EXPECT_THAT(part.file.problem.labels.tensors[0].consumers, ElementsAre(3, 4));
  EXPECT_EQ(part.file.problem.labels.tensors[0].shape, "1x4x4");
  EXPECT_EQ(part.file.note,
            "inputs and parameters, which have memory of their own: 2 (96 "
            "bytes)");
  const auto objects = ObjectsOf(part.file.problem, part.file.plan);
  ASSERT_THAT(objects, IsOk());
  EXPECT_EQ(FindViolation(part.file.problem.records, *objects), nullopt);
}

TEST(TvmGraphTest, AnotherStorageInTheFileIsFound) {
  const auto recording = ParseRecording(
      TvmChainWith("[0, 1, 2, 2, 3, 4, 2]", "[0, 1, 2, 2, 3, 3, 2]"), "a");
  ASSERT_THAT(recording, IsOk());
  const ProblemFile& file = recording->parts[0].file;
  const auto objects = ObjectsOf(file.problem, file.plan);
  ASSERT_THAT(objects, IsOk());
  const auto violation = FindViolation(file.problem.records, *objects);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, Violation::Kind::kSharedObject);
}

TEST(TvmGraphTest, DevicesAreParts) {
  const auto recording = ParseRecording(
      TvmChainWith("\"storage_id\"",
                   "\"device_index\": [\"list_int\", [1, 1, 1, 1, 2, 1, 2]], "
                   "\"storage_id\""),
      "a");
  ASSERT_THAT(recording, IsOk());
  ASSERT_EQ(recording->parts.size(), 2U);
  EXPECT_EQ(recording->parts[0].name, "device 1");
  EXPECT_THAT(TvmRowsOf(recording->parts[1]),
              ElementsAre("4 split: 4-6 32 in 3", "6 add: 5-6 1 in 2"));
}

struct BadTvmCase {
  const char* name;
  std::string bytes;
  const char* error;
};

class BadTvmTest : public testing::TestWithParam<BadTvmCase> {};

TEST_P(BadTvmTest, IsRefused) {
  EXPECT_THAT(ParseRecording(GetParam().bytes, "g.json"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        AllOf(HasSubstr("g.json:"), HasSubstr("expected "),
                              HasSubstr(GetParam().error))));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadTvmTest,
    testing::Values(
        BadTvmCase{"EndsEarly", std::string(kTvmChain, sizeof(kTvmChain) - 2),
                   "ends too early, after "},
        BadTvmCase{"NotJson", TvmChainWith("\"int8\"", "int8"),
                   "is not JSON: "},
        BadTvmCase{"NoAttributes", TvmChainWith("\"storage_id\"", "\"other\""),
                   "has no shapes, types and storages"},
        BadTvmCase{"NoHeads", TvmChainWith("\"heads\"", "\"head\""),
                   "has no nodes or no heads"},
        BadTvmCase{"OpenDimension", TvmChainWith("[8, 8]", "[-1, 8]"),
                   "entry 1: has no fixed size"},
        BadTvmCase{"TooLarge",
                   TvmChainWith("[8, 8]", "[4294967296, 4294967296]"),
                   "entry 1: has the shape 4294967296x4294967296, whose bytes"},
        BadTvmCase{"UnknownType", TvmChainWith("\"int8\"", "\"object\""),
                   "entry 1: has the type \"object\""},
        BadTvmCase{"ReadsLaterNode", TvmChainWith("[[2, 0, 0]]", "[[4, 0, 0]]"),
                   "node 3 \"flatten\""},
        BadTvmCase{"NoSuchOutput", TvmChainWith("[4, 1, 0]", "[4, 2, 0]"),
                   "node 5 \"add\""},
        BadTvmCase{"Rows", TvmChainWith("3, 4, 6, 7]", "3, 4, 3, 7]"),
                   "node_row_ptr: expected rising numbers"},
        BadTvmCase{"Lengths", TvmChainWith("3, 4, 6, 7]", "3, 4, 7]"),
                   "its lists have different lengths"},
        BadTvmCase{"OtherKind",
                   TvmChainWith("\"tvm_op\", \"name\": \"add\"",
                                "\"Add\", \"name\": \"add\""),
                   "node 5 \"add\": is of the kind \"Add\""}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TvmGraphTest, OtherJsonIsOfAnotherFormat) {
  for (const char* const text : {"{\"records\": []}", "{\"nodes\": {}}",
                                 "{\"nodes\": []}", "[{\"op\": \"null\"}]"}) {
    EXPECT_THAT(ParseRecording(text, "g.json"),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("not in a known format of recordings")))
        << text;
  }
}

}  // namespace
}  // namespace stowage
