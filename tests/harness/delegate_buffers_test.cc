// SPDX-License-Identifier: Apache-2.0
// Tests tensors in buffers of delegates. A buffer's memory can be accessed only
// while its delegate uses it. The content of a buffer must therefore be copied
// for every other reader, and for no other reason.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/delegated_run.h"
#include "tests/harness/fake_delegate.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

// Returns a chain of nodes in which node i reads tensor i and writes tensor i +
// 1.
ModelSpec LineModel(size_t nodes) {
  ByteModel model;
  size_t last = model.AddInput(16);
  for (size_t i = 0; i < nodes; ++i) last = model.Add("Mix", {last}, 1);
  model.MarkOutput(last);
  return model.spec();
}

FakeSpec Device(const std::string& name, std::vector<int> nodes) {
  FakeSpec spec = Named(name, std::move(nodes));
  spec.has_buffers = true;
  return spec;
}

// Returns options that make every node a partition by itself.
InterpreterOptions OneEach() {
  InterpreterOptions options;
  options.preserve_all_tensors = true;
  return options;
}

struct Chain {
  const char* name;
  // One letter for each node names what runs the node: delegate A, delegate B,
  // or the interpreter (C).
  std::string nodes;
  size_t from_a = 0;  // copies from A's buffers in each run
  size_t from_b = 0;
  // The numbers of copies in each run from A's and from B's buffers if the
  // outputs of the graph stay in their buffers.
  size_t kept_a = 0;
  size_t kept_b = 0;
};

void PrintTo(const Chain& chain, std::ostream* out) { *out << chain.nodes; }

class CopiedChain : public testing::TestWithParam<Chain> {
 protected:
  static std::vector<int> NodesOf(char who) {
    std::vector<int> nodes;
    for (size_t i = 0; i < GetParam().nodes.size(); ++i) {
      if (GetParam().nodes[i] == who) nodes.push_back(static_cast<int>(i));
    }
    return nodes;
  }
};

TEST_P(CopiedChain, CopiesWhereAnotherReadsAndNowhereElse) {
  const ModelSpec model = LineModel(GetParam().nodes.size());
  const std::vector<Bytes> expected = ExpectedOutputs(model);
  for (const bool keeps : {false, true}) {
    SCOPED_TRACE(keeps);
    ByteRun run(model, OneEach());
    const auto a = std::make_shared<FakeLog>();
    const auto b = std::make_shared<FakeLog>();
    ASSERT_THAT(run.Apply(Device("A", NodesOf('A')), a), IsOk());
    ASSERT_THAT(run.Apply(Device("B", NodesOf('B')), b), IsOk());
    run.graph().AllowBufferHandleOutput(keeps);
    const size_t from_a = keeps ? GetParam().kept_a : GetParam().from_a;
    const size_t from_b = keeps ? GetParam().kept_b : GetParam().from_b;
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_THAT(FeedBytes(run.graph(), i), IsOk());
      ASSERT_THAT(run.graph().Invoke(), IsOk());
      EXPECT_EQ(a->copies_from, from_a * (i + 1));
      EXPECT_EQ(b->copies_from, from_b * (i + 1));
      EXPECT_EQ(a->copies_to + b->copies_to, 0u);
      if (!keeps) {
        EXPECT_EQ(BytesOf(run.graph().output(0)), expected[i]);
      }
    }
    const std::vector<AppliedDelegate> delegates = run.graph().delegates();
    EXPECT_EQ(delegates[0].copies.from_buffers, a->copies_from);
    EXPECT_EQ(delegates[1].copies.from_buffers, b->copies_from);
    // The output is copied only once, regardless of how often it is requested.
    const size_t output = GetParam().nodes.size();
    ASSERT_THAT(run.graph().EnsureReadable(output), IsOk());
    ASSERT_THAT(run.graph().EnsureReadable(output), IsOk());
    const bool is_copied = keeps && GetParam().nodes.back() != 'C';
    EXPECT_EQ(a->copies_from + b->copies_from,
              3 * (from_a + from_b) + (is_copied ? 1 : 0));
    EXPECT_EQ(BytesOf(run.graph().output(0)), expected[2]);
    ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
    EXPECT_TRUE(a->IsClean());
    EXPECT_TRUE(b->IsClean());
  }
}

INSTANTIATE_TEST_SUITE_P(DelegateBuffers, CopiedChain,
                         testing::Values(Chain{"AAA", "AAA", 1, 0, 0, 0},
                                         Chain{"AABCA", "AABCA", 2, 1, 1, 1},
                                         Chain{"ACACA", "ACACA", 3, 0, 2, 0},
                                         Chain{"ABABC", "ABABC", 2, 2, 2, 2},
                                         Chain{"CAAC", "CAAC", 1, 0, 1, 0},
                                         Chain{"BAC", "BAC", 1, 1, 1, 1}),
                         [](const auto& one) {
                           return std::string(one.param.name);
                         });

// A tensor in a buffer is copied only once, although two operators that are not
// delegated read it.
TEST(DelegateBuffers, TwoReadersAreOneCopy) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t x = model.Add("Mix", {in});
  const size_t y = model.Add("Mix", {x});
  const size_t z = model.Add("Mix", {x, y});
  model.MarkOutput(model.Add("Mix", {z, x}));
  ByteRun run(model.spec());
  const auto log = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(Device("A", {0}), log), IsOk());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(model.spec()));
  EXPECT_EQ(log->copies_from, 3u);
}

// The caller sets a buffer for the input. The delegate's kernel copies the
// input to this buffer in every invocation.
TEST(DelegateBuffers, InputsAreCopiedToTheirs) {
  const ModelSpec model = LineModel(3);
  ByteRun run(model);
  const auto log = std::make_shared<FakeLog>();
  const auto delegate =
      std::make_shared<FakeDelegate>(Device("A", {0, 2}), log);
  ASSERT_THAT(run.graph().ApplyDelegate(delegate), IsOk());
  ASSERT_THAT(run.graph().SetBufferHandle(0, delegate.get(),
                                          delegate->CreateBuffer(16)),
              IsOk());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(model));
  EXPECT_EQ(log->copies_to, 3u);
  EXPECT_EQ(log->copies_from, 6u);
  EXPECT_EQ(run.graph().delegates()[0].copies.to_buffers, 3u);
  // A buffer is freed as soon as another buffer is set for the same tensor.
  const int second = delegate->CreateBuffer(16);
  const int first = second - 1;
  ASSERT_THAT(run.graph().SetBufferHandle(0, delegate.get(), second), IsOk());
  EXPECT_EQ(log->freed.count(first), 1u);
  ASSERT_THAT(run.graph().SetBufferHandle(0, delegate.get(), second), IsOk());
  EXPECT_EQ(log->freed.count(second), 0u);
  EXPECT_EQ(run.Invoke(0), ExpectedOutputs(model)[0]);
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_TRUE(log->IsClean());
}

TEST(DelegateBuffers, AreFreedWithTheInterpreter) {
  const auto log = std::make_shared<FakeLog>();
  {
    ByteRun run(LineModel(5), OneEach());
    ASSERT_THAT(run.Apply(Device("A", {0, 1, 3}), log), IsOk());
    run.Invoke(0);
    EXPECT_TRUE(log->freed.empty());
  }
  EXPECT_EQ(log->buffers_created, 3u);
  EXPECT_TRUE(log->IsClean());
}

TEST(DelegateBuffers, HandlesOfTheCallerAreChecked) {
  ByteRun run(LineModel(3));
  const auto a = std::make_shared<FakeDelegate>(Device("A", {0}));
  const auto b = std::make_shared<FakeDelegate>(Device("B", {2}));
  EXPECT_THAT(run.graph().SetBufferHandle(3, a.get(), 0),
              FailsWith(kPrecondition, HasSubstr("not applied")));
  ASSERT_THAT(run.graph().ApplyDelegate(a), IsOk());
  ASSERT_THAT(run.graph().ApplyDelegate(b), IsOk());
  EXPECT_THAT(run.graph().SetBufferHandle(3, nullptr, 0),
              FailsWith(kPrecondition, HasSubstr("not applied")));
  EXPECT_THAT(run.graph().SetBufferHandle(0, a.get(), -1),
              FailsWith(kInvalid, HasSubstr("buffer handle -1")));
  EXPECT_THAT(run.graph().SetBufferHandle(100, a.get(), 1),
              FailsWith(kInvalid, HasSubstr("no such tensor")));
  // Delegate A cannot set a buffer for a tensor that is in a buffer of delegate
  // B.
  EXPECT_THAT(run.graph().SetBufferHandle(3, a.get(), 1),
              FailsWith(kPrecondition, HasSubstr("a buffer of delegate B")));
  // One buffer cannot hold two tensors.
  const int handle = a->CreateBuffer(16);
  EXPECT_THAT(run.graph().SetBufferHandle(0, a.get(), handle), IsOk());
  EXPECT_THAT(run.graph().SetBufferHandle(2, a.get(), handle),
              FailsWith(kInvalid, HasSubstr("which tensor 0 has")));
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(LineModel(3)));
}

TEST(DelegateBuffers, AFailedCopyLeavesTheTensorStale) {
  const ModelSpec model = LineModel(3);
  bool fails = true;
  FakeSpec spec = Device("A", {0});
  spec.copy_from = [&](int) {
    return fails ? absl::AbortedError("no copy") : absl::OkStatus();
  };
  const auto log = std::make_shared<FakeLog>();
  ByteRun run(model);
  ASSERT_THAT(run.Apply(spec, log), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  EXPECT_THAT(
      run.graph().Invoke(),
      FailsWith(absl::StatusCode::kAborted,
                testing::AllOf(HasSubstr("tensor 1"), HasSubstr("operator 1"),
                               HasSubstr("no copy"))));
  fails = false;
  EXPECT_EQ(run.Invoke(1), ExpectedOutputs(model)[1]);
  EXPECT_EQ(log->copies_from, 1u);

  FakeSpec last = Device("A", {2});
  fails = true;
  last.copy_from = spec.copy_from;
  ByteRun output(model);
  ASSERT_THAT(output.Apply(last), IsOk());
  ASSERT_THAT(FeedBytes(output.graph(), 0), IsOk());
  EXPECT_THAT(output.graph().Invoke(),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("tensor 3")));
  EXPECT_THAT(output.graph().EnsureReadable(3),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("tensor 3")));
  fails = false;
  EXPECT_THAT(output.graph().EnsureReadable(3), IsOk());
  EXPECT_EQ(BytesOf(output.graph().output(0)), ExpectedOutputs(model)[0]);
}

// The delegate frees a buffer that holds the only copy of a tensor's content.
TEST(DelegateBuffers, WhatWasLostIsAnErrorToRead) {
  const ModelSpec model = LineModel(3);
  for (const int reader : {1, 2}) {
    SCOPED_TRACE(reader);
    FakeSpec spec = Device("A", {0, 2});
    spec.after_invoke = [&](PartitionContext& context) {
      const size_t output = context.partition().outputs[0];
      if (output == 1) return context.FreeBufferHandle(output);
      return absl::OkStatus();
    };
    if (reader == 2) spec.claims = {0, 1};
    const auto log = std::make_shared<FakeLog>();
    ByteRun run(model, OneEach());
    ASSERT_THAT(run.Apply(spec, log), IsOk());
    ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
    EXPECT_THAT(run.graph().Invoke(),
                FailsWith(kPrecondition,
                          testing::AllOf(HasSubstr("tensor 1"),
                                         HasSubstr("buffer that held it was "
                                                   "freed"))));
    EXPECT_FALSE(run.graph().EnsureReadable(1).ok());
    // After the graph has been allocated again, no tensor is stale.
    ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
    EXPECT_TRUE(log->IsClean());
    EXPECT_EQ(run.Invoke(0), ExpectedOutputs(model)[0]);
  }
}

// A delegate may leave an output in a buffer in one invocation and write the
// output to memory in the next. The content of the buffer is then outdated.
TEST(DelegateBuffers, AreOlderThanWhatIsWrittenAfterThem) {
  const ModelSpec model = LineModel(3);
  const std::vector<Bytes> expected = ExpectedOutputs(model);
  FakeDelegate* device = nullptr;
  size_t invocation = 0;
  FakeSpec spec = Claiming({2});
  spec.after_invoke = [&](PartitionContext& context) {
    if (invocation++ > 0) return absl::OkStatus();
    const size_t bytes = (*context.Write(3))->bytes;
    absl::Status status =
        context.SetBufferHandle(3, device->CreateBuffer(bytes));
    if (status.ok()) status = context.CopyToBuffer(3);
    return status.ok() ? context.MarkStale(3) : status;
  };
  const auto log = std::make_shared<FakeLog>();
  const auto delegate = std::make_shared<FakeDelegate>(spec, log);
  device = delegate.get();
  ByteRun run(model);
  ASSERT_THAT(run.graph().ApplyDelegate(delegate), IsOk());
  run.graph().AllowBufferHandleOutput(true);
  run.Invoke(0);
  run.Invoke(1);
  ASSERT_THAT(run.graph().EnsureReadable(3), IsOk());
  EXPECT_EQ(BytesOf(run.graph().output(0)), expected[1]);
  EXPECT_EQ(log->copies_from, 0u);
}

// The memory of a tensor that is no longer live may already belong to another
// tensor. Copying the buffer's content to this memory would overwrite the other
// tensor.
TEST(DelegateBuffers, AnIntermediateTensorStaysInItsBuffer) {
  const ModelSpec model = LineModel(5);
  const std::vector<Bytes> expected = ExpectedOutputs(model);
  ByteRun run(model);
  ASSERT_THAT(run.Apply(Device("A", {1, 3})), IsOk());
  const Bytes output = run.Invoke(0);
  EXPECT_EQ(output, expected[0]);
  for (size_t t = 1; t < 5; ++t) {
    EXPECT_THAT(run.graph().EnsureReadable(t),
                FailsWith(kPrecondition, HasSubstr("preserve_all_tensors")));
  }
  EXPECT_THAT(run.graph().EnsureReadable(0), IsOk());
  EXPECT_THAT(run.graph().EnsureReadable(5), IsOk());
  EXPECT_THAT(run.graph().EnsureReadable(6), FailsWith(kInvalid, testing::_));
  EXPECT_EQ(BytesOf(run.graph().output(0)), output);
}

// A buffer's content has the shape that the tensor had before Allocate, so the
// content is not read after Allocate.
TEST(DelegateBuffers, AreForgottenWhenTheGraphIsAllocated) {
  for (const bool is_dynamic : {false, true}) {
    FakeSpec spec = Device("A", {2});
    spec.info.allows_dynamic_tensors = is_dynamic;
    const auto log = std::make_shared<FakeLog>();
    ByteRun run(LineModel(3));
    ASSERT_THAT(run.Apply(spec, log), IsOk());
    run.graph().AllowBufferHandleOutput(true);
    run.Invoke(0);
    ASSERT_THAT(run.graph().ResizeInput(0, {2000}), IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    EXPECT_THAT(run.graph().EnsureReadable(3), IsOk());
    EXPECT_EQ(log->copies_from, 0u);
  }
}

// Tensors have no memory in Prepare, so nothing can be copied or marked as
// stale.
TEST(DelegateBuffers, HoldNothingInPrepare) {
  using Call = absl::Status (PartitionContext::*)(size_t);
  const struct {
    Call call;
    const char* message;
  } cases[] = {
      {&PartitionContext::CopyToBuffer, "copied in Prepare; expected in"},
      {&PartitionContext::MarkStale, "marked stale in Prepare; expected in"},
  };
  for (const auto& each : cases) {
    ByteRun run(LineModel(3));
    FakeSpec spec = Device("A", {1});
    spec.kernel_prepare = [&](PartitionContext& context) {
      return (context.*each.call)(2);
    };
    const auto log = std::make_shared<FakeLog>();
    EXPECT_THAT(run.Apply(spec, log),
                FailsWith(kPrecondition, HasSubstr(each.message)));
    EXPECT_TRUE(log->IsClean());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(LineModel(3)));
  }
}

}  // namespace
}  // namespace stowage::harness
