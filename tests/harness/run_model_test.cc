// SPDX-License-Identifier: Apache-2.0
// Tests what a run reports: its plan, outputs and times. A check of a run uses
// the same plan, inputs and invocations as the run.
#include "stowage/harness/run_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_schema/model_generated.h"
#include "src/harness/sha256.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/run_operator.h"
#include "tests/harness/sum_model.h"
#include "tests/support/net_builder.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using tflite::BuiltinOperator;

RunOptions SumOptions() {
  RunOptions options;
  options.inputs = {{"x", FloatBytes({1, 2, 10, 20})},
                    {"y", FloatBytes({3, 4})}};
  options.invocations = 2;
  return options;
}

TEST(RunModel, ReportsOutputsOfTheLastInvocation) {
  const LoadedModel model(SumModel());
  const absl::StatusOr<RunResult> result = RunModel(*model, SumOptions());
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(result->outputs, SizeIs(1));
  EXPECT_EQ(result->outputs[0].name, "sum");
  EXPECT_EQ(result->outputs[0].dtype, "float32");
  EXPECT_EQ(result->outputs[0].shape, Shape({2}));
  EXPECT_EQ(result->outputs[0].sha256, Sha256(FloatBytes({13, 24})));
  EXPECT_THAT(result->shadowed, IsEmpty());
}

TEST(RunModel, ReportsThePlan) {
  const LoadedModel model(SumModel());
  RunOptions options = SumOptions();
  options.plan.strategy = "naive";
  const absl::StatusOr<RunResult> result = RunModel(*model, options);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->strategy, "naive");
  // Inputs are kept until the end, so no tensors can share memory.
  EXPECT_EQ(result->naive_size, 24);
  EXPECT_EQ(result->lower_bound, 24);
  EXPECT_EQ(result->arena_bytes, 64 + 64 + 8);
  EXPECT_EQ(result->persistent_bytes, 0);
  EXPECT_EQ(result->memory.strategy, "naive");
}

TEST(RunModel, RefusesToRunNothing) {
  const LoadedModel model(SumModel());
  RunOptions options = SumOptions();
  options.invocations = 0;
  EXPECT_THAT(
      RunModel(*model, options),
      FailsWith(
          absl::StatusCode::kInvalidArgument,
          "bytes.tflite: 0 invocations, 1 times; expected 1 or more of each"));
  EXPECT_THAT(CheckPlan(*model, BuiltinOperators(), CheckOptionsOf(options)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "bytes.tflite: 0 invocations; expected 1 or more"));
  options = SumOptions();
  options.repeat = 0;
  EXPECT_THAT(
      RunModel(*model, options),
      FailsWith(
          absl::StatusCode::kInvalidArgument,
          "bytes.tflite: 2 invocations, 0 times; expected 1 or more of each"));
}

// The runs with and without sharing get their inputs from two copies of one
// source. Each copy is called once for every invocation, in order.
TEST(CheckPlan, FillsTheInputsOfEachInvocationOnce) {
  struct Source {
    size_t next = 0;
    absl::Status operator()(Subgraph& graph, size_t invocation) {
      EXPECT_EQ(invocation, next++);
      return FeedBytes(graph, invocation);
    }
  };
  const LoadedModel model(SumModel());
  CheckOptions options;
  options.feed = Source();
  options.invocations = 4;
  EXPECT_THAT(CheckPlan(*model, BuiltinOperators(), options), IsOk());
}

// Random numbers are seldom a valid shape, so the message names the input that
// is used as a shape.
TEST(RunModel, SaysWhichInputIsAShape) {
  OperatorCase reshape{tflite::BuiltinOperator::RESHAPE};
  reshape.inputs = {Values<float>({7}, {1, 2, 3, 4, 5, 6, 7}),
                    Values<int32_t>({2}, {7, 1})};
  // The shape that the model declares for the output has a different number of
  // elements than the input, so the shape is computed.
  reshape.outputs = {Output(ElementType::kFloat32, {1})};
  const auto model = Model::Parse(ModelOf(reshape), "reshape");
  ASSERT_TRUE(model.ok()) << model.status();
  RunOptions options;
  const absl::Status drawn = RunModel(**model, options).status();
  EXPECT_EQ(drawn.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(drawn.message()),
              HasSubstr("drawn from a seed, says a shape: expected its bytes, "
                        "--input "));
  options.inputs["1"] = std::string("\7\0\0\0\1\0\0\0", 8);
  const auto given = RunModel(**model, options);
  EXPECT_TRUE(given.ok()) << given.status();
}

// The shape of the output is computed from the values of the input `one`. For
// the input `other`, only the shape is used, not the values.
TEST(RunModel, SaysFromWhichInputAShapeIsComputed) {
  NetBuilder net;
  const int32_t x = net.Input({1, 4});
  net.SetType(tflite::TensorType::INT32);
  const int32_t one = net.Input({2});
  const int32_t other = net.Input({1, 4});
  const int32_t negated = net.Add(BuiltinOperator::NEG, {one}, {2});
  const int32_t shape = net.Add(BuiltinOperator::SHAPE, {other}, {2});
  const int32_t sum = net.Add(BuiltinOperator::ADD, {negated, shape}, {2});
  net.SetType(tflite::TensorType::FLOAT32);
  net.MarkOutput(net.Add(BuiltinOperator::BROADCAST_TO, {x, sum}, {1, 4}));
  ModelSpec spec = net.spec();
  spec.graphs[0].tensors[static_cast<size_t>(one)].name = "one";
  spec.graphs[0].tensors[static_cast<size_t>(other)].name = "other";
  const auto model = Model::Parse(Build(spec), "m");
  ASSERT_THAT(model.status(), IsOk());
  RunOptions options;
  options.inputs["one"] = std::string(8, '\0');
  EXPECT_THAT(RunModel(**model, options), IsOk());
  options.inputs.clear();
  options.seed = 3;
  const std::string drawn(RunModel(**model, options).status().message());
  EXPECT_THAT(drawn, HasSubstr("; input \"one\", drawn from a seed, says a "
                               "shape: expected its bytes, --input one=FILE"));
  EXPECT_THAT(drawn, Not(HasSubstr("other")));
}

TEST(RunModel, RepeatsAllInvocations) {
  const LoadedModel model(SumModel());
  Recorder recorder;
  RunOptions options = SumOptions();
  options.repeat = 3;
  options.plan.observers = {&recorder};
  const absl::StatusOr<RunResult> result = RunModel(*model, options);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->times, SizeIs(3));
  size_t writes = 0;
  for (const Recorder::Event& event : recorder.events()) {
    writes += event.is_write ? 1 : 0;
  }
  EXPECT_EQ(writes, 6);
}

TEST(RunModel, SaysWhatIsShadowed) {
  const LoadedModel model(SumModel());
  RunOptions options = SumOptions();
  options.plan.shadow = ShadowMode::kAll;
  const absl::StatusOr<RunResult> result = RunModel(*model, options);
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(result->shadowed, SizeIs(1));
  EXPECT_EQ(result->shadowed[0].name, "ADD");
}

// Both inputs are at the same offset, so the operator changes an input that it
// only reads.
TEST(RunModel, FindsAnUnsafePlan) {
  const LoadedModel model(SumModel());
  RunOptions options = SumOptions();
  options.plan.lifetimes = LifetimeRules::kPlain;
  options.plan.planner = PlanAt({{0, 0}, {1, 0}, {2, 64}});
  ASSERT_THAT(RunModel(*model, options), IsOk());
  const absl::StatusOr<CheckReport> check =
      CheckPlan(*model, BuiltinOperators(), CheckOptionsOf(options));
  ASSERT_THAT(check, IsOk());
  EXPECT_FALSE(check->is_safe());
}

// Changes a byte before each operator runs: either the last byte of the arena
// or a byte of "y".
class Intruder : public ExecutionObserver {
 public:
  explicit Intruder(bool into_tensor) : into_tensor_(into_tensor) {}

  absl::Status BeforeOperator(const Execution& at) override {
    if (into_tensor_) {
      at.tensors[1].as<uint8_t>()[7] ^= 1;
    } else {
      at.arena.back() ^= 1;
    }
    return absl::OkStatus();
  }

 private:
  bool into_tensor_;
};

TEST(RunModel, RunsTheChecksThatAreAskedFor) {
  const LoadedModel model(SumModel());
  for (const bool touch : {false, true}) {
    // Under the address sanitizer, a write past the end of the arena would
    // abort the program.
    if (!touch && kHasAddressSanitizer) continue;
    Intruder intruder(/*into_tensor=*/touch);
    RunOptions options = SumOptions();
    options.plan.observers = {&intruder};
    EXPECT_THAT(RunModel(*model, options), IsOk());
    (touch ? options.touch : options.poison) = true;
    EXPECT_TRUE(absl::IsDataLoss(RunModel(*model, options).status()));
  }
}

TEST(RunModel, RefusesASubgraphThatDoesNotExist) {
  const LoadedModel model(SumModel());
  RunOptions options = SumOptions();
  options.subgraph = 1;
  EXPECT_THAT(RunModel(*model, options),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "bytes.tflite: no subgraph 1; expected an index below "
                        "1"));
}

TEST(CheckOptionsOf, HasTheRunsPlanInputsAndInvocations) {
  RunOptions options = SumOptions();
  options.plan.strategy = "naive";
  options.poison = true;
  const CheckOptions check = CheckOptionsOf(options);
  EXPECT_EQ(check.plan.strategy, "naive");
  EXPECT_EQ(check.invocations, 2);
  EXPECT_TRUE(check.poison);
  EXPECT_FALSE(check.touch);
  const LoadedModel model(SumModel());
  const absl::StatusOr<CheckReport> report =
      CheckPlan(*model, BuiltinOperators(), check);
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(report->is_safe()) << report->Text();
  EXPECT_EQ(report->plan_strategy, "naive");
}

}  // namespace
}  // namespace stowage::harness
