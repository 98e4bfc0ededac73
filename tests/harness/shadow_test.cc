// SPDX-License-Identifier: Apache-2.0
// Tests what shadows write to the outputs.
#include "stowage/harness/shadow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/shadow_run.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using tflite::BuiltinOperator;
using tflite::TensorType;

TEST(ShadowKernel, DependsOnEveryByteOfEveryInput) {
  ShadowRun run(TwoByTwo().spec());
  const auto before = run.Outputs();
  for (size_t i = 0; i < 2; ++i) {
    const size_t bytes = run.graph().input(i).bytes;
    for (size_t byte = 0; byte < bytes; ++byte) {
      ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
      run.graph().input(i).as<uint8_t>()[byte] ^= 0x40;
      const auto after = run.Invoke();
      EXPECT_NE(after[0], before[0]) << i << " " << byte;
      EXPECT_NE(after[1], before[1]) << i << " " << byte;
      // The outputs differ not only somewhere but in every word of eight bytes.
      for (size_t at = 0; at < after[0].size(); at += 8) {
        EXPECT_NE(std::memcmp(&after[0][at], &before[0][at], 8), 0);
      }
    }
  }
}

TEST(ShadowKernel, IsDeterministic) {
  EXPECT_EQ(ShadowRun(TwoByTwo().spec()).Outputs(),
            ShadowRun(TwoByTwo().spec()).Outputs());
}

TEST(ShadowKernel, DependsOnNameVersionOptionsAndOutput) {
  const auto plain = ShadowRun(TwoByTwo().spec()).Outputs();
  Net named = TwoByTwo();
  named.spec().codes[0].custom_code = "Another";
  EXPECT_NE(ShadowRun(named.spec()).Outputs(), plain);
  Net versioned = TwoByTwo();
  versioned.spec().codes[0].version = 2;
  EXPECT_NE(ShadowRun(versioned.spec()).Outputs(), plain);
  Net optioned = TwoByTwo();
  optioned.graph().operators[0].custom_options = {1};
  EXPECT_NE(ShadowRun(optioned.spec()).Outputs(), plain);

  Net pair;
  const int32_t a = pair.Input({8}, TensorType::INT8);
  const int32_t x = pair.Tensor({8}, TensorType::INT8);
  const int32_t y = pair.Tensor({8}, TensorType::INT8);
  pair.AddCustom("Unknown", {a}, {x, y});
  pair.Output(x);
  pair.Output(y);
  const auto outputs = ShadowRun(pair.spec()).Outputs();
  EXPECT_NE(outputs[0], outputs[1]);
}

TEST(ShadowKernel, DependsOnTheOptionsOfBuiltinOperators) {
  std::vector<std::vector<std::vector<uint8_t>>> all;
  for (const int32_t axis : {0, 1}) {
    Net net;
    const int32_t a = net.Input({2, 2});
    const int32_t x = net.Tensor({4, 2});
    tflite::ConcatenationOptionsT options;
    options.axis = axis;
    net.Add({BuiltinOperator::CONCATENATION, "", 99}, {a, a}, {x})
        .options.Set(std::move(options));
    net.Output(x);
    all.push_back(ShadowRun(net.spec()).Outputs());
  }
  EXPECT_NE(all[0], all[1]);
}

TEST(ShadowKernel, TellsInputsThatAreLeftOutFromThoseThatMoved) {
  std::vector<std::vector<uint8_t>> all;
  for (const std::vector<int32_t>& inputs :
       {std::vector<int32_t>{0, -1}, {-1, 0}, {0}, {0, 0}}) {
    Net net;
    net.Input({8}, TensorType::INT8);
    const int32_t x = net.Tensor({16}, TensorType::INT8);
    net.AddCustom("Unknown", inputs, {x});
    net.Output(x);
    all.push_back(ShadowRun(net.spec()).Outputs()[0]);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST(ShadowKernel, WritesNumbersThatKernelsCanTake) {
  Net net;
  const int32_t a = net.Input({8}, TensorType::INT8);
  const int32_t reals = net.Tensor({1000});
  const int32_t doubles = net.Tensor({1000}, TensorType::FLOAT64);
  const int32_t bools = net.Tensor({1000}, TensorType::BOOL);
  const int32_t halves = net.Tensor({999}, TensorType::FLOAT16);
  const int32_t none = net.Tensor({0, 3});
  net.AddCustom("Unknown", {a}, {reals, doubles, bools, halves, none});
  for (const int32_t t : {reals, doubles, bools, halves, none}) net.Output(t);
  ShadowRun run(net.spec());
  EXPECT_THAT(run.Outputs()[4], IsEmpty());
  for (const float value : run.graph().output(0).span<float>()) {
    EXPECT_GE(value, 0.5F);
    EXPECT_LT(value, 1.0F);
  }
  for (const double value : run.graph().output(1).span<double>()) {
    EXPECT_GE(value, 0.5);
    EXPECT_LT(value, 1.0);
  }
  size_t ones = 0;
  for (const uint8_t value : run.graph().output(2).span<uint8_t>()) {
    EXPECT_LE(value, 1);
    ones += value;
  }
  EXPECT_GT(ones, 400);
  EXPECT_LT(ones, 600);
  for (const uint16_t value : run.graph().output(3).span<uint16_t>()) {
    EXPECT_EQ(value & 0xFC00, 0x3800);  // from 0.5 to 1
  }
}

TEST(ShadowKernel, ReadsAndWritesVariables) {
  Net net;
  const int32_t a = net.Input({8}, TensorType::INT8);
  const int32_t state = net.Tensor({16}, TensorType::INT8);
  net.at(state).is_variable = true;
  const int32_t x = net.Tensor({8}, TensorType::INT8);
  net.AddCustom("Unknown", {a, state}, {x});
  net.Output(x);
  ShadowRun run(net.spec());
  const auto first = run.Outputs();
  const auto second = run.Outputs();
  EXPECT_NE(first, second);
  EXPECT_NE(run.Outputs(), second);
  run.interpreter().Reset();
  EXPECT_EQ(run.Outputs(), first);
}

// The model is input -> ASSIGN_VARIABLE -> resource -> Unknown -> output.
TEST(ShadowKernel, ReadsTheValueOfAResource) {
  for (const ShadowMode mode : {ShadowMode::kMissing, ShadowMode::kAll}) {
    Net net;
    const int32_t a = net.Input({8}, TensorType::INT8);
    const int32_t handle = net.Tensor({}, TensorType::RESOURCE);
    const int32_t x = net.Tensor({8}, TensorType::INT8);
    tflite::VarHandleOptionsT options;
    options.shared_name = "state";
    net.Add({BuiltinOperator::VAR_HANDLE, ""}, {}, {handle})
        .options.Set(std::move(options));
    net.Add({BuiltinOperator::ASSIGN_VARIABLE, ""}, {handle, a}, {});
    net.AddCustom("Unknown", {handle}, {x});
    net.Output(x);
    ShadowRun run(net.spec(), mode);
    EXPECT_NE(run.Outputs(0), run.Outputs(1));
    EXPECT_THAT(run.ShadowedNodes(), ElementsAre(2));
  }
}

TEST(ShadowKernel, PassesOnWhatTensorsWithoutBytesStandFor) {
  Net net;
  const int32_t a = net.Input({8}, TensorType::INT8);
  const int32_t text = net.Tensor({2}, TensorType::STRING);
  const int32_t x = net.Tensor({8}, TensorType::INT8);
  net.AddCustom("ToText", {a}, {text});
  net.AddCustom("FromText", {text}, {x});
  net.Output(x);
  ShadowRun run(net.spec());
  EXPECT_NE(run.Outputs(0), run.Outputs(1));
}

TEST(ShadowKernel, ReadsTextFromASeed) {
  Net net;
  const int32_t text = net.Input({2}, TensorType::STRING);
  const int32_t x = net.Tensor({8}, TensorType::INT8);
  net.AddCustom("FromText", {text}, {x});
  net.Output(x);
  ShadowRun run(net.spec());
  ASSERT_THAT(run.allocated(), IsOk());
  std::vector<std::vector<std::vector<uint8_t>>> outputs;
  for (const uint64_t seed : {uint64_t{1}, uint64_t{2}, uint64_t{1}}) {
    ASSERT_THAT(RandomInputs(seed).Fill(&run.graph().input(0)), IsOk());
    outputs.push_back(run.Invoke());
  }
  EXPECT_NE(outputs[0], outputs[1]);
  EXPECT_EQ(outputs[0], outputs[2]);
}

TEST(ShadowKernel, LeavesUnmodifiedWhatRegistrationsSayIs) {
  Net net;
  const int32_t a = net.Input({2, 3}, TensorType::INT8);
  const int32_t shape = net.Constant({1}, TensorType::INT32, {6, 0, 0, 0});
  const int32_t x = net.Tensor({6}, TensorType::INT8);
  net.Add({BuiltinOperator::RESHAPE, ""}, {a, shape}, {x});
  net.Output(x);
  ShadowRun run(net.spec(), ShadowMode::kAll);
  const auto outputs = run.Outputs();
  EXPECT_THAT(run.ShadowedNodes(), ElementsAre(0));
  EXPECT_THAT(outputs[0],
              ElementsAreArray(run.graph().input(0).as<uint8_t>(), 6));
}

TEST(ShadowKernel, IsInvokedOnceWithConstants) {
  Net net;
  const int32_t a = net.Input({2});
  const int32_t weights =
      net.Constant({2}, TensorType::FLOAT16, {0, 0x3C, 0, 0x40});
  const int32_t dense = net.Tensor({2});
  const int32_t x = net.Tensor({2});
  net.Add({BuiltinOperator::DEQUANTIZE, ""}, {weights}, {dense});
  net.Add({BuiltinOperator::ADD, ""}, {a, dense}, {x});
  net.Output(x);
  ShadowRun run(net.spec(), ShadowMode::kAll);
  EXPECT_EQ(run.Outputs(), run.Outputs());
  EXPECT_EQ(run.graph().tensor(static_cast<size_t>(dense)).storage,
            Storage::kPersistent);
}

}  // namespace
}  // namespace stowage::harness
