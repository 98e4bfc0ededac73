// SPDX-License-Identifier: Apache-2.0
// Tests that errors of models and runs have payloads that identify the operator
// and the tensor named in their messages.
#include "stowage/error_payload.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/shadow_run.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using tflite::BuiltinOperator;
using tflite::TensorType;

absl::Status StatusOfAllocate(const ModelSpec& spec,
                              const InterpreterOptions& options = {}) {
  const LoadedModel model(spec);
  const auto interpreter = Interpreter::Create(*model, options);
  if (!interpreter.ok()) return interpreter.status();
  return (*interpreter)->primary().Allocate();
}

TEST(ErrorPayload, OfAKernelHasTheOperatorAndTheTensor) {
  Net net;
  const int32_t a = net.Input({2});
  const int32_t b = net.Tensor({2});
  const int32_t c = net.Tensor({2}, TensorType::INT32);
  net.Add({BuiltinOperator::EXP, ""}, {a}, {b});
  net.Add({BuiltinOperator::EXP, ""}, {b}, {c});
  net.Output(c);
  const absl::Status status = StatusOfAllocate(net.spec());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(OperatorOf(status), size_t{1});
  EXPECT_EQ(TensorOf(status), static_cast<size_t>(c));
}

TEST(ErrorPayload, OfTheMemoryLimitHasTheTensor) {
  Net net;
  const int32_t a = net.Input({1 << 20});
  const int32_t b = net.Tensor({1 << 20});
  net.Add({BuiltinOperator::EXP, ""}, {a}, {b});
  net.Output(b);
  InterpreterOptions options;
  options.memory_limit = 1000;
  const absl::Status status = StatusOfAllocate(net.spec(), options);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(TensorOf(status), static_cast<size_t>(a));
}

TEST(ErrorPayload, OfAResizeHasNoOperator) {
  Net net;
  const int32_t a = net.Input({2});
  const int32_t b = net.Tensor({2});
  net.Add({BuiltinOperator::EXP, ""}, {a}, {b});
  net.Output(b);
  const LoadedModel model(net.spec());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter, IsOk());
  const absl::Status status =
      (*interpreter)->primary().ResizeInput(0, {1, 2, 3});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(OperatorOf(status), absl::nullopt);
}

TEST(ErrorPayload, OfACheckHasTheOperatorAndTheTensor) {
  ByteModel model;
  const size_t in = model.AddInput(64);
  const size_t changed = model.Add("Mix", {in});
  model.MarkOutput(model.Add("ChangeInput", {changed}));
  const LoadedModel loaded(model.spec());
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&touch};
  const auto interpreter =
      Interpreter::Create(*loaded, ByteOperators(), options);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  ASSERT_THAT(FeedBytes(graph, 0), IsOk());
  const absl::Status status = graph.Invoke();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(OperatorOf(status), size_t{1});
  EXPECT_EQ(TensorOf(status), changed);
}

}  // namespace
}  // namespace stowage::harness
