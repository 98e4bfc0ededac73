// SPDX-License-Identifier: Apache-2.0
// Tests delegates that fail in Invoke. Without the fallback, Invoke returns the
// error, and the next run works. With the fallback, the same run succeeds
// without delegates, and its outputs are those of a graph that never had a
// delegate.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/delegated_run.h"
#include "tests/harness/fake_delegate.h"
#include "tests/support/net_builder.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

InterpreterOptions WithFallback() {
  InterpreterOptions options;
  options.delegate_fallback = true;
  return options;
}

// Returns a delegate that fails once, in call number `call` of Invoke. It fails
// after its nodes have run, so variables have already changed.
FakeSpec FailingAt(size_t call, std::vector<int> nodes) {
  FakeSpec spec = Named("failing", std::move(nodes));
  spec.after_invoke = [left =
                           std::make_shared<size_t>(call)](PartitionContext&) {
    return --*left == 0 ? absl::AbortedError("planted") : absl::OkStatus();
  };
  return spec;
}

class FailingCall : public testing::TestWithParam<size_t> {};

TEST_P(FailingCall, IsAnErrorAndTheNextRunWorks) {
  // These nodes use no variable, so no run depends on earlier runs.
  const std::vector<int> nodes = {1, 2};
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel(), 8);
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.Apply(FailingAt(GetParam(), nodes)), IsOk());
  for (size_t i = 0; i < 8; ++i) {
    if (i + 1 != GetParam()) {
      EXPECT_EQ(run.Invoke(i), expected[i]);
      continue;
    }
    ASSERT_THAT(FeedBytes(run.graph(), i), IsOk());
    EXPECT_THAT(run.graph().Invoke(),
                FailsWith(kAborted, AllOf(HasSubstr("delegate node 6 "
                                                    "(failing): planted"))));
    // The run failed before the node that changes the variable, so the run can
    // be repeated.
    EXPECT_EQ(run.Invoke(i), expected[i]);
  }
  EXPECT_THAT(run.graph().delegates()[0].status, IsOk());
}

TEST_P(FailingCall, WithFallbackIsAsIfThereHadBeenNoDelegate) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel(), 8);
  for (const bool is_transparent : {false, true}) {
    SCOPED_TRACE(is_transparent);
    FakeSpec spec = FailingAt(GetParam(), {0, 4, 5});
    spec.is_transparent = is_transparent;
    ByteRun run(BranchedModel(), WithFallback());
    const auto log = std::make_shared<FakeLog>();
    ASSERT_THAT(run.Apply(spec, log), IsOk());
    ASSERT_THAT(run.Apply(Claiming({2}), log), IsOk());
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(run.Invoke(i), expected[i]) << i;
      // The inputs have kept their content.
      Bytes fed(16);
      for (size_t byte = 0; byte < fed.size(); ++byte) {
        fed[byte] = static_cast<uint8_t>(byte * 37 + i * 11 + 2);
      }
      EXPECT_EQ(BytesOf(run.graph().input(0)), fed);
    }
    // All delegates have been removed, and the status of each delegate gives
    // the reason.
    const std::vector<AppliedDelegate> delegates = run.graph().delegates();
    ASSERT_EQ(delegates.size(), 2u);
    EXPECT_THAT(delegates[0].status,
                FailsWith(kAborted,
                          AllOf(HasSubstr("(failing)"), HasSubstr("planted"))));
    EXPECT_THAT(
        delegates[1].status,
        FailsWith(kPrecondition, AllOf(HasSubstr("delegate fake: removed"),
                                       HasSubstr("delegate failing has"),
                                       Not(HasSubstr("planted")))));
    for (const AppliedDelegate& delegate : delegates) {
      EXPECT_TRUE(delegate.partitions.empty());
    }
    EXPECT_TRUE(log->IsClean());
    EXPECT_EQ(log->delegates_destroyed, 2u);
    EXPECT_EQ(run.graph().execution_plan().size(), 6u);
  }
}

INSTANTIATE_TEST_SUITE_P(DelegateFallback, FailingCall,
                         testing::Values(1, 2, 7));

TEST(DelegateFallback, TakesAwayThoseWhoseCopiesFail) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  // The output of the delegate is read by another delegate (if it claims node
  // 0), by an operator (node 1) or by the caller (node 5).
  for (const int node : {0, 1, 5}) {
    FakeSpec spec = Claiming({node});
    spec.has_buffers = true;
    spec.copy_from = [](int) { return absl::AbortedError("no copy"); };
    const auto log = std::make_shared<FakeLog>();
    ByteRun run(BranchedModel(), WithFallback());
    ASSERT_THAT(run.Apply(Claiming({3}), log), IsOk());
    ASSERT_THAT(run.Apply(spec, log), IsOk());
    EXPECT_EQ(run.InvokeAll(), expected);
    EXPECT_TRUE(log->IsClean());
    ASSERT_EQ(run.graph().delegates().size(), 2u);
    EXPECT_THAT(run.graph().delegates()[0].status,
                FailsWith(kPrecondition, HasSubstr("removed")));
    EXPECT_THAT(run.graph().delegates()[1].status,
                FailsWith(kAborted, HasSubstr("no copy")));
  }
}

TEST(DelegateFallback, DoesNotHideWhatIsNotTheDelegates) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t x = model.Add("Mix", {in});
  model.MarkOutput(model.Add("RefuseOdd", {in}));
  model.MarkOutput(x);
  ByteRun run(model.spec(), WithFallback());
  ASSERT_THAT(run.Apply(Claiming({0})), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  run.graph().input(0).as<uint8_t>()[0] = 1;
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("the first byte is odd")));
  EXPECT_THAT(run.graph().delegates()[0].status, IsOk());
  EXPECT_EQ(run.Invoke(0), ExpectedOutputs(model.spec(), 1)[0]);
}

TEST(DelegateFallback, LeavesACancelledRunCancelled) {
  ByteRun run(BranchedModel(), WithFallback());
  ASSERT_THAT(run.Apply(Claiming({0})), IsOk());
  run.graph().Cancel();
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(absl::StatusCode::kCancelled, testing::_));
  EXPECT_THAT(run.graph().delegates()[0].status, IsOk());
}

// Returns a model whose variable t1 is both an input and an output. Node 0
// computes t2 = Mix(t0, t1), and node 1 writes t1 = Mix(t2).
ModelSpec WrittenVariableModel() {
  ByteModel model;
  const size_t in = model.AddInput(6);
  const size_t state = model.AddVariable(6);
  const size_t seen = model.Add("Mix", {in, state});
  model.MarkOutput(seen);
  ModelSpec spec = model.spec();
  GraphSpec& graph = spec.graphs[0];
  // Adds a second operator, which writes the variable.
  OperatorDraft write = graph.operators[0];
  write.inputs = {static_cast<int32_t>(seen)};
  write.outputs = {static_cast<int32_t>(state)};
  graph.operators.push_back(write);
  return spec;
}

// Node 1 writes the variable for the next invocation, so node 0 must read the
// variable first, no matter which of the two nodes the delegate runs.
TEST(DelegateFallback, KeepsVariablesThatAreOutputs) {
  const std::vector<Bytes> expected =
      ExpectedOutputs(WrittenVariableModel(), 4);
  EXPECT_NE(expected[0], expected[1]);
  for (const bool has_buffers : {false, true}) {
    for (const std::vector<int>& nodes : {std::vector<int>{0}, {1}, {0, 1}}) {
      SCOPED_TRACE(testing::PrintToString(nodes));
      FakeSpec spec = FailingAt(3, nodes);
      spec.has_buffers = has_buffers;
      ByteRun run(WrittenVariableModel(), WithFallback());
      ASSERT_THAT(run.Apply(spec), IsOk());
      EXPECT_EQ(run.InvokeAll(4), expected);
    }
  }
}

// Returns a model with a resource. If a run fails, the resource must be
// restored to its value before the run.
//
//   0 CALL_ONCE, 1 VAR_HANDLE, 2 READ_VARIABLE, 3 ADD of the input,
//   4 ASSIGN_VARIABLE, 5 READ_VARIABLE, 6 ADD for the output
ModelSpec CounterModel() {
  using tflite::BuiltinOperator;
  NetBuilder net;
  const auto add_handle = [&net] {
    net.SetType(tflite::TensorType::RESOURCE);
    const int32_t handle = net.Tensor({1});
    tflite::VarHandleOptionsT options;
    options.shared_name = "counter";
    net.AddOperator(BuiltinOperator::VAR_HANDLE, {}, {handle})
        .options.Set(options);
    net.SetType(tflite::TensorType::FLOAT32);
    return handle;
  };
  const int32_t in = net.Input({4});
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  net.AddOperator(BuiltinOperator::CALL_ONCE, {}, {}).options.Set(once);
  const int32_t handle = add_handle();
  const int32_t before = net.Add(BuiltinOperator::READ_VARIABLE, {handle}, {4});
  const int32_t sum =
      net.Add(BuiltinOperator::ADD, {before, in}, {4}, tflite::AddOptionsT());
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {handle, sum}, {});
  const int32_t after = net.Add(BuiltinOperator::READ_VARIABLE, {handle}, {4});
  const int32_t doubled =
      net.Add(BuiltinOperator::ADD, {after, after}, {4}, tflite::AddOptionsT());
  net.MarkOutput(doubled);
  net.BeginSubgraph();
  const int32_t zeros = net.Constant<float>({4}, {0, 0, 0, 0});
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {add_handle(), zeros}, {});
  return net.spec();
}

Bytes InvokeCounter(ByteRun* run, float value) {
  Tensor& input = run->graph().input(0);
  for (size_t i = 0; i < 4; ++i) input.as<float>()[i] = value;
  const absl::Status status = run->graph().Invoke();
  EXPECT_THAT(status, IsOk());
  return BytesOf(run->graph().output(0));
}

std::vector<Bytes> CountWith(const FakeSpec* spec,
                             const InterpreterOptions& options = {}) {
  ByteRun run(CounterModel(), options, BuiltinOperators());
  EXPECT_THAT(run.graph().Allocate(), IsOk());
  if (spec != nullptr) {
    EXPECT_THAT(run.Apply(*spec), IsOk());
  }
  std::vector<Bytes> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(InvokeCounter(&run, static_cast<float>(i + 1)));
  }
  return all;
}

TEST(DelegateFallback, KeepsResources) {
  const std::vector<Bytes> expected = CountWith(nullptr);
  EXPECT_NE(expected[0], expected[1]);
  for (const std::vector<int>& nodes : {std::vector<int>{6},
                                        {3, 6},
                                        {2, 3, 4, 5, 6},
                                        {1, 2, 3, 4, 5, 6},
                                        {0, 1, 2, 3, 4, 5, 6}}) {
    for (const size_t call : {1u, 3u}) {
      // The delegate fails after all of its nodes have run.
      const FakeSpec spec = FailingAt(call, nodes);
      EXPECT_EQ(CountWith(&spec, WithFallback()), expected);
    }
    const FakeSpec sound = Claiming(nodes);
    EXPECT_EQ(CountWith(&sound), expected);
  }
}

// A delegate claims both nodes that read the variable. The two nodes must not
// form one partition, because another delegate writes the variable between
// them.
TEST(DelegatedResources, AreReadBeforeAndAfterAnotherDelegateWritesThem) {
  const std::vector<Bytes> expected = CountWith(nullptr);
  ByteRun run(CounterModel(), {}, BuiltinOperators());
  ASSERT_THAT(run.Apply(Claiming({4})), IsOk());
  ASSERT_THAT(run.Apply(Claiming({2, 5})), IsOk());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(InvokeCounter(&run, static_cast<float>(i + 1)), expected[i]);
  }
}

}  // namespace
}  // namespace stowage::harness
