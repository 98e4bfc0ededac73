// SPDX-License-Identifier: Apache-2.0
// Tests that every broken model is refused with a message that describes where
// it is broken.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "flatbuffers/flatbuffers.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/error_payload.h"
#include "stowage/io/problem_file.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/usage_record.h"
#include "tests/support/example_model.h"

namespace stowage {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

// Parses a copy that extends to the end of its memory, so the address sanitizer
// reports every read past its end.
absl::StatusOr<ModelTrace> ParseExactly(absl::string_view bytes) {
  const std::unique_ptr<char[]> copy(new char[bytes.size()]);
  bytes.copy(copy.get(), bytes.size());
  return ParseModelTrace(absl::string_view(copy.get(), bytes.size()),
                         "m.tflite");
}

std::string MessageOf(const absl::StatusOr<ModelTrace>& trace) {
  return std::string(trace.status().message());
}

struct BrokenCase {
  const char* name;
  void (*damage)(ModelSpec&, GraphSpec&);
  const char* message;
};

class BrokenModelTest : public testing::TestWithParam<BrokenCase> {};

// Returns the number that follows `what` in `text`, or nullopt if `text` does
// not contain `what`.
absl::optional<size_t> NumberAfter(absl::string_view text,
                                   absl::string_view what) {
  const size_t at = text.find(what);
  if (at == absl::string_view::npos) return absl::nullopt;
  text.remove_prefix(at + what.size());
  size_t number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(
      text.substr(0, text.find_first_not_of("0123456789")), &number))
      << text;
  return number;
}

TEST_P(BrokenModelTest, IsRefused) {
  ModelSpec model = ExampleModel();
  GetParam().damage(model, model.graphs[0]);
  const auto trace = ParseModelTrace(Build(model), "m.tflite");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(trace), GetParam().message);
  EXPECT_EQ(OperatorOf(trace.status()),
            NumberAfter(GetParam().message, "subgraph 0, operator "));
  const auto tensor = NumberAfter(GetParam().message, "subgraph 0, tensor ");
  if (tensor) {
    EXPECT_EQ(TensorOf(trace.status()), tensor);
  }
}

constexpr BrokenCase kBrokenCases[] = {
    {"Version", [](ModelSpec& m, GraphSpec&) { m.version = 2; },
     "m.tflite: a model of schema version 2; expected 3"},
    {"NoSubgraph", [](ModelSpec& m, GraphSpec&) { m.graphs.clear(); },
     "m.tflite: no subgraph 0; expected an index below 0"},
    {"OperatorCode", [](ModelSpec&, GraphSpec& g) { g.operators[1].code = 4; },
     "m.tflite: subgraph 0, operator 1: its operator code is 4: there are 4"},
    {"OperatorInput",
     [](ModelSpec&, GraphSpec& g) { g.operators[1].inputs[1] = 6; },
     "m.tflite: subgraph 0, operator 1 (ADD): input 1 is tensor 6: there are "
     "6"},
    {"OperatorInputBelowAbsent",
     [](ModelSpec&, GraphSpec& g) { g.operators[1].inputs[0] = -2; },
     "m.tflite: subgraph 0, operator 1 (ADD): input 0 is tensor -2: there are "
     "6"},
    {"OperatorOutput",
     [](ModelSpec&, GraphSpec& g) { g.operators[3].outputs[0] = 2147483647; },
     "m.tflite: subgraph 0, operator 3 (MUL): output 0 is tensor 2147483647: "
     "there are 6"},
    {"OperatorIntermediate",
     [](ModelSpec&, GraphSpec& g) {
       g.operators[0].intermediates = {-1, 9};
     },
     "m.tflite: subgraph 0, operator 0 (DEQUANTIZE): intermediate 1 is tensor "
     "9: there are 6"},
    {"GraphInput",
     [](ModelSpec&, GraphSpec& g) {
       g.inputs = {0, -1};
     },
     "m.tflite: subgraph 0, graph: input 1 is tensor -1: there are 6"},
    {"GraphOutput", [](ModelSpec&, GraphSpec& g) { g.outputs = {6}; },
     "m.tflite: subgraph 0, graph: output 0 is tensor 6: there are 6"},
    {"Buffer", [](ModelSpec&, GraphSpec& g) { g.tensors[3].buffer = 2; },
     "m.tflite: subgraph 0, tensor 3 \"sum\": its buffer is 2: there are 2"},
    {"NegativeDimension",
     [](ModelSpec&, GraphSpec& g) {
       g.tensors[3].shape = {4, -1};
     },
     "m.tflite: subgraph 0, tensor 3 \"sum\": dimension 1 is -1; expected 0 or "
     "more"},
    {"UnknownType",
     [](ModelSpec&, GraphSpec& g) {
       g.tensors[3].type = static_cast<TensorType>(-3);
     },
     "m.tflite: subgraph 0, tensor 3 \"sum\": unknown type -3"},
    {"SizeOverflow",
     [](ModelSpec&, GraphSpec& g) {
       g.tensors[3].shape = {2147483647, 2147483647, 2};
     },
     "m.tflite: subgraph 0, tensor 3 \"sum\": a shape of [2147483647, "
     "2147483647, 2]; expected fewer than 2^63 elements and 2^64 bytes"},
    {"ElementOverflow",
     [](ModelSpec&, GraphSpec& g) {
       g.tensors[3].shape = {2147483647, 2147483647, 2147483647};
     },
     "m.tflite: subgraph 0, tensor 3 \"sum\": a shape of [2147483647, "
     "2147483647, 2147483647]; expected fewer than 2^63 elements and 2^64 "
     "bytes"},
    {"WrittenTwice",
     [](ModelSpec&, GraphSpec& g) {
       g.operators[3].outputs = {5, 3};
     },
     "m.tflite: subgraph 0, operator 3 (MUL): writes tensor 3 \"sum\", which "
     "operator 1 (ADD) writes already; expected one writer"},
    {"ConstantWritten",
     [](ModelSpec&, GraphSpec& g) {
       g.operators[2].outputs = {4, 1};
     },
     "m.tflite: subgraph 0, operator 2 (RELU): writes tensor 1 \"weights\", "
     "which is constant; expected a buffer without data"},
    {"InputWritten",
     [](ModelSpec&, GraphSpec& g) {
       g.operators[2].outputs = {4, 0};
     },
     "m.tflite: subgraph 0, operator 2 (RELU): writes tensor 0 \"input\", "
     "which is a graph input; expected one writer, the caller"},
    {"Unsorted",
     [](ModelSpec&, GraphSpec& g) {
       std::swap(g.operators[2], g.operators[3]);
     },
     "m.tflite: subgraph 0, operator 2 (MUL): reads tensor 4 \"relu\" before "
     "operator 3 (RELU) has written it; expected operators in execution "
     "order"},
    {"Cycle",
     [](ModelSpec&, GraphSpec& g) {
       g.operators[1].inputs = {0, 4};
     },
     "m.tflite: subgraph 0, operator 1 (ADD): reads tensor 4 \"relu\" before "
     "operator 2 (RELU) has written it; expected operators in execution "
     "order"},
    {"SelfCycle", [](ModelSpec&, GraphSpec& g) { g.operators[2].inputs = {4}; },
     "m.tflite: subgraph 0, operator 2 (RELU): reads tensor 4 \"relu\" before "
     "operator 2 (RELU) has written it; expected operators in execution "
     "order"},
    {"NeverWritten", [](ModelSpec&, GraphSpec& g) { g.inputs.clear(); },
     "m.tflite: subgraph 0, operator 1 (ADD): reads tensor 0 \"input\", which "
     "nothing writes; expected an operator, data or a graph input"},
    {"OutputNeverWritten",
     [](ModelSpec&, GraphSpec& g) { g.operators.pop_back(); },
     "m.tflite: subgraph 0, tensor 5 \"output\": a graph output that nothing "
     "writes; expected an operator, data or a graph input"},
    {"FirstTensorIsAnOutputNeverWritten",
     [](ModelSpec&, GraphSpec& g) {
       g.inputs.clear();
       g.outputs = {0};
       g.operators.clear();
     },
     "m.tflite: subgraph 0, tensor 0 \"input\": a graph output that nothing "
     "writes; expected an operator, data or a graph input"},
    {"CustomOperatorsHaveNames",
     [](ModelSpec& m, GraphSpec& g) {
       m.codes[2] = {BuiltinOperator::CUSTOM, "My\nOp"};
       g.operators[2].inputs = {99};
     },
     "m.tflite: subgraph 0, operator 2 (CUSTOM \"My\\nOp\"): input 0 is tensor "
     "99: there are 6"},
    {"UnknownOperatorsHaveNumbers",
     [](ModelSpec& m, GraphSpec& g) {
       m.codes[2].code = static_cast<BuiltinOperator>(1000);
       g.operators[2].inputs = {99};
     },
     "m.tflite: subgraph 0, operator 2 (builtin operator 1000): input 0 is "
     "tensor 99: there are 6"},
    {"NamesAreCutAndEscaped",
     [](ModelSpec&, GraphSpec& g) {
       g.tensors[3].name = "\xFF" + std::string(100, 'x');
       g.tensors[3].buffer = 9;
     },
     "m.tflite: subgraph 0, tensor 3 "
     "\"\\377xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\": "
     "its buffer is 9: there are 2"},
};

INSTANTIATE_TEST_SUITE_P(Cases, BrokenModelTest,
                         testing::ValuesIn(kBrokenCases),
                         [](const auto& test) { return test.param.name; });

TEST(BrokenModelBytesTest, DataBeyondTheFileIsRefused) {
  ModelSpec model = ExampleModel();
  model.buffers[1] = {{}, 64, uint64_t{1} << 63};
  const std::string bytes = Build(model);
  EXPECT_EQ(MessageOf(ParseExactly(bytes)),
            absl::StrCat("m.tflite: subgraph 0, tensor 1 \"weights\": its "
                         "buffer 1 is 9223372036854775808 bytes at 64, beyond "
                         "the file's ",
                         bytes.size()));
}

TEST(BrokenModelBytesTest, OverflowIsFoundWhenSizesAreRoundedUp) {
  ModelSpec model = ExampleModel();
  // The tensor has 2^64 - 2^34 + 4 bytes.
  model.graphs[0].tensors[3].shape = {2147483647, 2147483647, 1};
  ModelTraceOptions options;
  options.tensor_alignment = size_t{1} << 63;
  EXPECT_TRUE(ParseModelTrace(Build(model), "m.tflite").ok());
  const auto trace = ParseModelTrace(Build(model), "m.tflite", options);
  EXPECT_EQ(MessageOf(trace),
            "m.tflite: subgraph 0, tensor 3 \"sum\": its size exceeds 2^64 - 1 "
            "when rounded up to 9223372036854775808");
}

struct ImpostorCase {
  const char* name;
  absl::string_view bytes;
  const char* message;
};

TEST(BrokenModelBytesTest, OtherFilesAreCalledWhatTheyAre) {
  const ImpostorCase cases[] = {
      {"empty", "", "it is empty"},
      {"short", "abc", "it has only 3 bytes"},
      {"other", "0123wxyz9", R"(bytes 4 to 7 are "wxyz"; expected "TFL3")"},
      {"zip", "PK\x03\x04 and so on",
       "it is a ZIP archive, as .task bundles, .keras, .npz and .pt files are; "
       "expected a .tflite file"},
      {"onnx", "\x08\x07\x12\x07pytorch",
       "it is an ONNX model; expected a .tflite file"},
  };
  for (const ImpostorCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(
        ParseExactly(c.bytes).status().message(),
        absl::StrCat("m.tflite: not a TensorFlow Lite model: ", c.message));
  }
}

TEST(BrokenModelBytesTest, EveryTruncationIsRefused) {
  const std::string bytes = Build(ExampleModel());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseExactly(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_TRUE(ParseExactly(bytes).ok());
}

// Expects either an error that names the file or a valid trace.
void ExpectSound(const absl::StatusOr<ModelTrace>& result) {
  if (!result.ok()) {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StartsWith(result.status().message(), "m.tflite: "));
    return;
  }
  for (const TensorUsageRecord<size_t>& record : result->problem.records) {
    EXPECT_LE(record.first_task, record.last_task);
    EXPECT_LT(record.last_task, result->operator_count);
    EXPECT_GT(record.tensor_size, 0);
  }
  EXPECT_TRUE(FormatProblemCsv({result->problem}).ok());
}

TEST(BrokenModelBytesTest, EveryFlippedByteIsHandled) {
  const std::string bytes = Build(ExampleModel());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0xFF, 1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      SCOPED_TRACE(absl::StrCat("byte ", i, " ^ ", mask));
      ExpectSound(ParseExactly(damaged));
    }
  }
}

TEST(BrokenModelBytesTest, BytesNeedNotBeAligned) {
  const std::string bytes = Build(ExampleModel());
  for (size_t shift = 0; shift < 8; ++shift) {
    const std::string shifted = std::string(shift, ' ') + bytes;
    const auto trace =
        ParseModelTrace(absl::string_view(shifted).substr(shift), "m.tflite");
    EXPECT_TRUE(trace.ok()) << trace.status();
  }
}

// If many operators shared a list, a small file could take a very long time.
// Such a file is refused early.
TEST(BrokenModelBytesTest, SharedListsAreRefusedSoon) {
  flatbuffers::FlatBufferBuilder builder;
  const auto list = builder.CreateVector(std::vector<int32_t>(100'000, -1));
  const std::vector<flatbuffers::Offset<tflite::Operator>> operators(
      100'000, tflite::CreateOperator(builder, 0, list, list));
  const auto code = tflite::CreateOperatorCode(builder);
  const auto codes = builder.CreateVector(std::vector{code});
  const auto graph =
      tflite::CreateSubGraph(builder, 0, 0, 0, builder.CreateVector(operators));
  const auto graphs = builder.CreateVector(std::vector{graph});
  tflite::FinishModelBuffer(builder,
                            tflite::CreateModel(builder, 3, codes, graphs));
  const auto trace = ParseExactly(absl::string_view(
      reinterpret_cast<const char*>(builder.GetBufferPointer()),
      builder.GetSize()));
  EXPECT_EQ(
      MessageOf(trace),
      "m.tflite: subgraph 0, operator 16 (ADD): its lists and names are longer "
      "than the file could hold");
}

TEST(BrokenModelBytesTest, SharedTablesAreRefusedSoon) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<flatbuffers::Offset<tflite::Operator>> operators(
      100'000, tflite::CreateOperator(builder, 0U));
  const auto graph =
      tflite::CreateSubGraph(builder, 0, 0, 0, builder.CreateVector(operators));
  const auto graphs = builder.CreateVector(
      std::vector<flatbuffers::Offset<tflite::SubGraph>>(100'000, graph));
  tflite::FinishModelBuffer(builder,
                            tflite::CreateModel(builder, 3, 0, graphs));
  const auto trace = ParseExactly(absl::string_view(
      reinterpret_cast<const char*>(builder.GetBufferPointer()),
      builder.GetSize()));
  EXPECT_EQ(MessageOf(trace),
            "m.tflite: a TensorFlow Lite model that is truncated or damaged: "
            "not a valid flatbuffer");
}

}  // namespace
}  // namespace stowage
