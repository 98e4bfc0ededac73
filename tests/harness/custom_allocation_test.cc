// SPDX-License-Identifier: Apache-2.0
// Tests tensors in memory provided by the caller.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/delegated_run.h"
#include "tests/harness/fake_delegate.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Provides memory that is followed by an inaccessible page, so every access
// past the end of the memory is detected.
class PageEnd {
 public:
  explicit PageEnd(size_t bytes) : bytes_(bytes) {
    page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* const mapped = mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
    if (mapped == MAP_FAILED) std::abort();
    begin_ = static_cast<uint8_t*>(mapped);
    if (mprotect(begin_ + page_, page_, PROT_NONE) != 0) std::abort();
  }
  ~PageEnd() { munmap(begin_, 2 * page_); }
  PageEnd(const PageEnd&) = delete;
  PageEnd& operator=(const PageEnd&) = delete;

  absl::Span<uint8_t> span() const { return {begin_ + page_ - bytes_, bytes_}; }
  void MakeReadOnly() {
    if (mprotect(begin_, page_, PROT_READ) != 0) std::abort();
  }

 private:
  size_t bytes_;
  size_t page_ = 0;
  uint8_t* begin_ = nullptr;
};

void Feed(absl::Span<uint8_t> memory, size_t invocation) {
  for (size_t byte = 0; byte < memory.size(); ++byte) {
    memory[byte] = static_cast<uint8_t>(byte * 37 + invocation * 11 + 2);
  }
}

struct Place {
  const char* name;
  size_t tensor = 0;
  size_t bytes = 0;  // bytes of the tensor
};

class CustomMemory : public testing::TestWithParam<Place> {};

// With and without delegates, memory of exactly the required size is accepted,
// and memory with one byte less is refused.
TEST_P(CustomMemory, IsUsedIfThereIsEnough) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  for (const bool is_delegated : {false, true}) {
    SCOPED_TRACE(is_delegated);
    ByteRun run(BranchedModel());
    if (is_delegated) {
      ASSERT_THAT(run.Apply(Claiming({3, 4, 5})), IsOk());
    }
    const PageEnd exact(GetParam().bytes);
    ASSERT_THAT(
        run.graph().SetCustomAllocation(GetParam().tensor, exact.span(), false),
        IsOk());
    EXPECT_THAT(run.graph().Invoke(), FailsWith(kPrecondition, testing::_));
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    EXPECT_EQ(run.graph().tensor(GetParam().tensor).data, exact.span().data());
    EXPECT_FALSE(run.graph().plan().offsets[GetParam().tensor]);
    EXPECT_EQ(run.InvokeAll(), expected);

    const PageEnd little(GetParam().bytes - 1);
    ASSERT_THAT(run.graph().SetCustomAllocation(GetParam().tensor,
                                                little.span(), false),
                IsOk());
    const std::string tensor =
        run.graph().spec().TensorPlace(GetParam().tensor);
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(
          run.graph().Allocate(),
          FailsWith(kInvalid, AllOf(HasSubstr(tensor), HasSubstr("at least"))));
      EXPECT_THAT(run.graph().Invoke(), FailsWith(kPrecondition, testing::_));
    }
    // Provides the first memory again so that the graph can be allocated.
    std::fill(exact.span().begin(), exact.span().end(), 0);
    ASSERT_THAT(
        run.graph().SetCustomAllocation(GetParam().tensor, exact.span(), false),
        IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    run.graph().ResetVariables();
    EXPECT_EQ(run.InvokeAll(), expected);
  }
}

TEST_P(CustomMemory, IsExchangedBetweenRuns) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  for (const bool moves : {false, true}) {
    InterpreterOptions options;
    options.moves_arena = moves;
    ByteRun run(BranchedModel(), options);
    const auto log = std::make_shared<FakeLog>();
    ASSERT_THAT(run.Apply(Claiming({0, 1, 5}), log), IsOk());
    const PageEnd a(GetParam().bytes);
    const PageEnd b(GetParam().bytes);
    const size_t tensor = GetParam().tensor;
    ASSERT_THAT(run.graph().SetCustomAllocation(tensor, a.span(), false),
                IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    const size_t prepared = log->kernels_prepared;
    for (size_t i = 0; i < 3; ++i) {
      const PageEnd& to = i % 2 == 0 ? b : a;
      const PageEnd& from = i % 2 == 0 ? a : b;
      std::copy(from.span().begin(), from.span().end(), to.span().begin());
      ASSERT_THAT(run.graph().SetCustomAllocation(tensor, to.span(), false),
                  IsOk());
      EXPECT_FALSE(run.graph().Invoke().ok());
      ASSERT_THAT(run.graph().Allocate(), IsOk());
      EXPECT_EQ(run.Invoke(i), expected[i]);
    }
    // Allocate only checked the size. No kernel was prepared again, and the
    // variable kept its content.
    EXPECT_EQ(log->kernels_prepared, prepared);
  }
}

INSTANTIATE_TEST_SUITE_P(
    CustomAllocation, CustomMemory,
    testing::Values(Place{"Input", 0, 16}, Place{"Variable", 1, 24},
                    Place{"SharedInPlace", 3, 20}, Place{"Intermediate", 4, 21},
                    Place{"DelegateNodesOutput", 6, 21},
                    Place{"Output", 7, 30}),
    [](const auto& one) { return std::string(one.param.name); });

// Allocate does not reset a variable in memory of the caller, so the initial
// value of the variable is the content of this memory.
TEST(CustomAllocation, OfAVariableIsNotReset) {
  ByteRun run(BranchedModel());
  const PageEnd memory(24);
  Feed(memory.span(), 1);
  const Bytes value(memory.span().begin(), memory.span().end());
  ASSERT_THAT(
      run.graph().SetCustomAllocation(kBranchedVariable, memory.span(), false),
      IsOk());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_EQ(BytesOf(run.graph().tensor(kBranchedVariable)), value);
  run.graph().ResetVariables();
  EXPECT_EQ(BytesOf(run.graph().tensor(kBranchedVariable)), value);
}

TEST(CustomAllocation, IsCheckedWhenItIsSet) {
  ByteModel model;
  const size_t in = model.AddInput(16);
  const size_t constant = model.AddConstant({1, 2, 3});
  model.MarkOutput(model.Add("Mix", {in, constant}));
  ByteRun run(model.spec());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  alignas(64) uint8_t memory[128] = {};
  EXPECT_THAT(run.graph().SetCustomAllocation(in, {memory + 8, 64}),
              FailsWith(kInvalid, AllOf(HasSubstr("tensor 0"),
                                        HasSubstr("8 bytes after a multiple of "
                                                  "64"))));
  EXPECT_THAT(run.graph().SetCustomAllocation(in, {}),
              FailsWith(kInvalid, HasSubstr("is null")));
  EXPECT_THAT(
      run.graph().SetCustomAllocation(in, absl::Span<uint8_t>(nullptr, 64)),
      FailsWith(kInvalid, HasSubstr("is null")));
  EXPECT_THAT(run.graph().SetCustomAllocation(constant, {memory, 64}),
              FailsWith(kInvalid, HasSubstr("a place in an arena")));
  EXPECT_THAT(run.graph().SetCustomAllocation(100, {memory, 64}),
              FailsWith(kInvalid, HasSubstr("no such tensor")));
  // The refused calls have not changed the interpreter.
  EXPECT_EQ(run.Invoke(0), ExpectedOutputs(model.spec())[0]);
  EXPECT_THAT(run.graph().SetCustomAllocation(in, {memory, 64}), IsOk());
}

// The size of the memory is checked again after the tensor has been resized.
TEST(CustomAllocation, IsCheckedAgainAfterAResize) {
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.Apply(Claiming({0, 1})), IsOk());
  const PageEnd memory(40);
  ASSERT_THAT(run.graph().SetCustomAllocation(0, memory.span(), false), IsOk());
  ASSERT_THAT(run.graph().ResizeInput(0, {41}), IsOk());
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(kInvalid, HasSubstr("40 bytes; expected 41")));
  ASSERT_THAT(run.graph().ResizeInput(0, {40}), IsOk());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  ByteRun fresh(BranchedModel());
  ASSERT_THAT(fresh.graph().ResizeInput(0, {40}), IsOk());
  ASSERT_THAT(fresh.graph().Allocate(), IsOk());
  EXPECT_EQ(run.InvokeAll(), fresh.InvokeAll());
}

TEST(CustomAllocation, HasSpareBytesForTheDelegateThatReadsIt) {
  FakeSpec spec = Claiming({0});
  spec.info.spare_bytes = 16;
  for (const size_t bytes : {16u, 31u, 32u}) {
    SCOPED_TRACE(bytes);
    const PageEnd memory(bytes);
    ByteRun run(BranchedModel());
    ASSERT_THAT(run.graph().SetCustomAllocation(0, memory.span(), false),
                IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    const absl::Status status = run.Apply(spec);
    if (bytes == 32) {
      EXPECT_THAT(status, IsOk());
    } else {
      // The memory has no room for the spare bytes, so the delegate is refused
      // and nothing reads past the end of the memory.
      EXPECT_THAT(status,
                  FailsWith(kInvalid, AllOf(HasSubstr("tensor 0"),
                                            HasSubstr("16 spare ones"))));
      EXPECT_EQ(run.graph().execution_plan().size(), 6u);
    }
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  }
}

// Every input of a delegate that is not a constant is followed by the spare
// bytes that the delegate requests.
TEST(CustomAllocation, ArenasAndComputedTensorsHaveSpareBytes) {
  ByteModel model;
  const size_t in = model.AddInput(64);
  const size_t state = model.AddVariable(64);
  const size_t sum = model.Add("Accumulate", {in, state});
  const size_t expanded = model.Add("Expand", {sum});
  model.MarkOutput(model.Add("Mix", {expanded, in, state}));
  FakeSpec spec = Claiming({2});
  spec.info.spare_bytes = 4096;
  spec.info.allows_dynamic_tensors = true;
  spec.before_invoke = [](PartitionContext& context) {
    uint32_t sum_of_all = 0;
    for (const size_t t : context.partition().inputs) {
      const Tensor& input = **context.Read(t);
      const auto* const end = input.as<uint8_t>() + input.bytes;
      for (size_t i = 0; i < 4096; ++i) sum_of_all += end[i];
    }
    return sum_of_all == 1 ? absl::AbortedError("never") : absl::OkStatus();
  };
  InterpreterOptions options;
  options.guard_bytes = 1;
  for (const bool moves : {false, true}) {
    options.moves_arena = moves;
    ByteRun run(model.spec(), options);
    ASSERT_THAT(run.Apply(spec), IsOk());
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(model.spec()));
  }
}

// Spare bytes count against the memory limit: once for the arena and, if there
// are variables, once more for the memory of the variables.
TEST(CustomAllocation, SpareBytesCountAgainstTheMemoryLimit) {
  for (const bool has_variable : {false, true}) {
    ByteModel model;
    const size_t in = model.AddInput(16);
    model.MarkOutput(has_variable
                         ? model.Add("Accumulate", {in, model.AddVariable(16)})
                         : model.Add("Mix", {in}));
    InterpreterOptions options;
    options.memory_limit = size_t{1} << 20;
    FakeSpec spec = Claiming({0});
    // With a variable, the spare bytes are counted twice: once after the arena
    // and once after the variables.
    const size_t max = options.memory_limit / (has_variable ? 2 : 1);
    for (const size_t bytes : {max - 4096, max}) {
      spec.info.spare_bytes = bytes;
      ByteRun run(model.spec(), options);
      ASSERT_THAT(run.graph().Allocate(), IsOk());
      const absl::Status status = run.Apply(spec);
      if (bytes == max) {
        EXPECT_THAT(status, FailsWith(kExhausted, testing::_));
      } else {
        EXPECT_THAT(status, IsOk());
      }
    }
  }
}

// Records the size of the arena, including the spare bytes after the planned
// bytes.
class ArenaSize : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution& execution) override {
    bytes = execution.arena.size();
    return absl::OkStatus();
  }
  size_t bytes = 0;
};

TEST(CustomAllocation, SpareBytesGoWithTheDelegate) {
  ArenaSize size;
  InterpreterOptions options;
  options.observers = {&size};
  ByteRun run(BranchedModel(), options);
  FakeSpec spec = Claiming({0});
  spec.info.spare_bytes = 4096;
  spec.info.allows_dynamic_tensors = true;
  spec.kernel_prepare = [](PartitionContext& context) {
    return context.graph().tensor(0).bytes == 5 ? absl::AbortedError("planted")
                                                : absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  run.Invoke(0);
  EXPECT_EQ(size.bytes, run.graph().plan().arena_bytes + 4096);
  ASSERT_THAT(run.graph().ResizeInput(0, {5}), IsOk());
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("planted")));
  run.Invoke(0);
  EXPECT_LT(size.bytes, run.graph().plan().arena_bytes + 4096);
}

TEST(CustomAllocation, MayBeReadOnlyForAnInput) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel(), 2);
  for (const bool has_fallback : {false, true}) {
    InterpreterOptions options;
    options.delegate_fallback = has_fallback;
    ByteRun run(BranchedModel(), options);
    PageEnd memory(16);
    Feed(memory.span(), 0);
    memory.MakeReadOnly();
    FakeSpec spec = Claiming({0, 1});
    bool fails = has_fallback;
    spec.after_invoke = [&](PartitionContext&) {
      return fails ? absl::AbortedError("planted") : absl::OkStatus();
    };
    ASSERT_THAT(run.Apply(spec), IsOk());
    ASSERT_THAT(run.graph().SetCustomAllocation(0, memory.span(), false),
                IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    ASSERT_THAT(run.graph().Invoke(), IsOk());
    EXPECT_EQ(BytesOf(run.graph().output(0)), expected[0]);
  }
}

TEST(CustomAllocation, OfAComputedShapeIsRefused) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t expanded = model.Add("Expand", {in});
  model.MarkOutput(expanded);
  ByteRun run(model.spec());
  const PageEnd memory(64);
  // Memory may be provided before the interpreter knows that the shape is
  // computed; Allocate then fails. Once the interpreter knows that the shape is
  // computed, SetCustomAllocation fails.
  EXPECT_THAT(run.graph().SetCustomAllocation(expanded, memory.span(), false),
              IsOk());
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(kPrecondition, AllOf(HasSubstr("tensor 1"),
                                             HasSubstr("depends on data"))));
  ByteRun known(model.spec());
  ASSERT_THAT(known.graph().Allocate(), IsOk());
  EXPECT_THAT(known.graph().SetCustomAllocation(expanded, memory.span(), false),
              FailsWith(kInvalid, HasSubstr("a place in an arena")));
  EXPECT_EQ(known.InvokeAll(), ExpectedOutputs(model.spec()));
}

// The size of `mixed` depends on a computed shape, so the memory that the
// caller provides for it can be checked only during the run.
TEST(CustomAllocation, IsTooLittleForASizeThatIsComputed) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t mixed = model.Add("Mix", {model.Add("Expand", {in})}, 3);
  model.MarkOutput(mixed);
  // `expanded` has 3 bytes for the first feed and 14 bytes for the second.
  // `mixed` has 3 bytes more than `expanded`.
  const std::vector<Bytes> expected = ExpectedOutputs(model.spec(), 2);
  for (const bool is_delegated : {false, true}) {
    ByteRun run(model.spec());
    if (is_delegated) {
      FakeSpec spec = Claiming({1});
      spec.info.allows_dynamic_tensors = true;
      ASSERT_THAT(run.Apply(spec), IsOk());
    }
    const PageEnd memory(6);
    ASSERT_THAT(run.graph().SetCustomAllocation(mixed, memory.span(), false),
                IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(run.Invoke(0), expected[0]);
      ASSERT_THAT(FeedBytes(run.graph(), 1), IsOk());
      EXPECT_THAT(run.graph().Invoke(),
                  FailsWith(kInvalid, AllOf(HasSubstr("tensor 2"),
                                            HasSubstr("expected 17"))));
    }
  }
}

// Memory that the caller provides for a tensor inside a partition has no
// effect. The outputs are right with the delegate, and they are right after the
// delegate has been removed.
TEST(CustomAllocation, InsideAPartitionHasNoEffectUntilItIsRemoved) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.Apply(Claiming({0, 1, 2})), IsOk());
  const PageEnd memory(20);
  const absl::Status status =
      run.graph().SetCustomAllocation(3, memory.span(), false);
  if (status.ok()) {
    ASSERT_THAT(run.graph().Allocate(), IsOk());
  }
  EXPECT_EQ(run.InvokeAll(), expected);
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_EQ(run.InvokeAll(), expected);
}

}  // namespace
}  // namespace stowage::harness
