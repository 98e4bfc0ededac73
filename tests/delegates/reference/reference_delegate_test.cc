// SPDX-License-Identifier: Apache-2.0
// Tests the options of the delegate `reference`, and runs the delegate on small
// models that together contain every operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/reference/reference_run.h"
#include "tests/support/net_builder.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

constexpr size_t kInvocations = 3;

// Returns the paths of the seed models for fuzzing and of the shipped models.
std::vector<std::string> SmallModels() {
  std::vector<std::string> paths =
      support::FilesIn(STOWAGE_SOURCE_DIR "/fuzz/seeds/interpreter", ".tflite");
  for (const std::string& path :
       support::FilesIn(STOWAGE_SOURCE_DIR "/data/models", ".tflite")) {
    paths.push_back(path);
  }
  return paths;
}

TEST(Reference, RunsEveryOperatorToTheSameBits) {
  size_t runs = 0;
  for (const std::string& path : SmallModels()) {
    const auto model = Model::Read(path);
    if (!model.ok()) continue;
    const auto plain = RunWith(**model, {}, {}, kInvocations);
    if (!plain.ok()) continue;  // the model cannot be run
    for (const std::string& text : ReferenceTexts()) {
      SCOPED_TRACE(absl::StrCat(path, " by ", text));
      const auto run = RunWith(**model, {}, {{text, {}}}, kInvocations);
      if (plain->is_dynamic && !IsDynamicText(text)) {
        EXPECT_THAT(run, FailsWith(absl::StatusCode::kFailedPrecondition,
                                   HasSubstr("reference")));
        continue;
      }
      ASSERT_THAT(run, IsOk());
      EXPECT_EQ(run->outputs, plain->outputs);
      ASSERT_EQ(run->delegates.size(), 1U);
      EXPECT_EQ(run->delegates[0].partitions.size(), 1U);
      ++runs;
    }
  }
  EXPECT_GT(runs, 100U);
}

// Claims only one node at a time, so that all tensors of the node are inputs or
// outputs of a partition.
TEST(Reference, RunsEveryNodeAloneToTheSameBits) {
  for (const std::string& path : SmallModels()) {
    const auto model = Model::Read(path);
    if (!model.ok()) continue;
    const auto plain = RunWith(**model, {}, {}, kInvocations);
    if (!plain.ok()) continue;
    const std::string text =
        plain->is_dynamic ? "reference:kind=dynamic" : "reference";
    const size_t nodes = (*model)->subgraphs()[0].operators.size();
    for (size_t node = 0; node < nodes; ++node) {
      SCOPED_TRACE(absl::StrCat(path, " node ", node, " by ", text));
      ApplyOptions options;
      options.claim = std::vector<int>{static_cast<int>(node)};
      const auto run = RunWith(**model, {}, {{text, options}}, kInvocations);
      ASSERT_THAT(run, IsOk());
      EXPECT_EQ(run->outputs, plain->outputs);
    }
  }
}

// The model declares FLOAT32 for the sum, but ADD computes INT64.
TEST(Reference, RunsWhatComputesAnotherTypeThanTheModelDeclares) {
  for (const bool has_where : {false, true}) {
    NetBuilder net;
    net.SetType(tflite::TensorType::INT64);
    const int32_t x = net.Input({64});
    net.SetType(tflite::TensorType::FLOAT32);
    net.MarkOutput(net.Add(tflite::BuiltinOperator::ADD, {x, x}, {64},
                           tflite::AddOptionsT()));
    if (has_where) {
      net.SetType(tflite::TensorType::BOOL);
      const int32_t condition = net.Input({4});
      net.SetType(tflite::TensorType::INT64);
      net.MarkOutput(net.Add(tflite::BuiltinOperator::WHERE, {condition},
                             {1, 1}, tflite::WhereOptionsT()));
    }
    const std::string bytes = Build(net.spec());
    const auto model = Model::Parse(bytes, "sum.tflite");
    ASSERT_THAT(model, IsOk());
    const auto plain = RunWith(**model, {}, {}, kInvocations);
    ASSERT_THAT(plain, IsOk());
    for (const std::string& text : ReferenceTexts()) {
      if (has_where && !IsDynamicText(text)) continue;
      SCOPED_TRACE(text);
      const auto run = RunWith(**model, {}, {{text, {}}}, kInvocations);
      ASSERT_THAT(run, IsOk());
      EXPECT_EQ(run->outputs, plain->outputs);
    }
  }
}

// Runs the model under a memory limit. The delegate runs all nodes from the
// first allocation on.
absl::StatusOr<AppliedDelegate> RunWithin(const Model& model,
                                          const std::string& text, size_t limit,
                                          size_t* arena) {
  const auto request = RequestDelegate(text, {});
  if (!request.ok()) return request.status();
  InterpreterOptions options;
  options.memory_limit = limit;
  options.delegates = {*request};
  const auto interpreter = Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  for (size_t i = 0; status.ok() && i < kInvocations; ++i) {
    status = graph.Invoke();
  }
  if (!status.ok()) return status;
  *arena = graph.plan().arena_bytes;
  return graph.delegates()[0];
}

// Except for the rounding of blocks, the smallest sufficient limit is the size
// of the arena plus the memory that the delegate reports.
TEST(Reference, CountsItsMemoryAgainstTheLimit) {
  constexpr size_t kEnough = size_t{1} << 20;
  constexpr size_t kRounding = 4096;
  const auto model =
      Model::Read(STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite");
  ASSERT_THAT(model, IsOk());
  for (const std::string& text : ReferenceTexts()) {
    SCOPED_TRACE(text);
    size_t arena = 0;
    const auto run = RunWithin(**model, text, kEnough, &arena);
    ASSERT_THAT(run, IsOk());
    size_t beside = 0;
    for (const DelegateMemory& memory : run->memory) beside += memory.bytes;
    EXPECT_GT(beside, 0U);
    EXPECT_THAT(RunWithin(**model, text, arena + beside + kRounding, &arena),
                IsOk());
    EXPECT_THAT(RunWithin(**model, text, arena + beside - 1, &arena),
                FailsWith(absl::StatusCode::kResourceExhausted,
                          HasSubstr("the memory limit")));
  }
}

TEST(Reference, GivesItsMemoryBackToTheLimit) {
  const auto model =
      Model::Read(STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite");
  ASSERT_THAT(model, IsOk());
  InterpreterOptions options;
  // Five delegates would exceed the limit if the memory of removed delegates
  // still counted.
  options.memory_limit = 24'000;
  for (const std::string& text : ReferenceTexts()) {
    SCOPED_TRACE(text);
    const auto interpreter = Interpreter::Create(**model, options);
    ASSERT_THAT(interpreter, IsOk());
    Subgraph& graph = (*interpreter)->primary();
    for (int round = 0; round < 20; ++round) {
      auto delegate = CreateDelegate(text);
      ASSERT_THAT(delegate, IsOk());
      ASSERT_THAT(
          graph.ApplyDelegate(std::shared_ptr<Delegate>(*std::move(delegate))),
          IsOk());
      ASSERT_THAT(graph.Invoke(), IsOk());
      ASSERT_THAT(graph.RemoveDelegates(), IsOk());
    }
  }
}

TEST(Reference, RefusesOptionsThatItDoesNotHave) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(CreateDelegate("reference:threads=2"),
              FailsWith(kInvalid,
                        "delegate 'reference': option 'threads': "
                        "unknown; expected memory or kind"));
  EXPECT_THAT(CreateDelegate("reference:memory=mine"),
              FailsWith(kInvalid,
                        "delegate 'reference': option 'memory': unknown value "
                        "'mine'; expected opaque or transparent or private"));
  EXPECT_THAT(
      CreateDelegate("reference:kind=dynamic,memory=transparent"),
      FailsWith(kInvalid, HasSubstr("dynamic with memory=transparent")));
}

}  // namespace
}  // namespace stowage::harness
