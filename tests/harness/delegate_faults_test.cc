// SPDX-License-Identifier: Apache-2.0
// Tests that the checks find errors that delegates make while they run.
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
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

// Returns the model with input t0, constant t1, t2 = Mix(t0, t1), t3 = Mix(t2),
// t4 = Mix(t3), and the output t5 = Mix(t4, t0).
ModelSpec ChainModel() {
  ByteModel model;
  const size_t in = model.AddInput(16);
  const size_t constant = model.AddConstant({1, 2, 3, 4});
  const size_t t2 = model.Add("Mix", {in, constant}, 4);
  const size_t t3 = model.Add("Mix", {t2}, 3);
  const size_t t4 = model.Add("Mix", {t3}, 1);
  model.MarkOutput(model.Add("Mix", {t4, in}, 64));
  return model.spec();
}

struct RunFault {
  const char* name;
  // Plants the fault. Called after a partition of nodes 0 and 1 has run, which
  // reads t0 and t1 and writes t3.
  std::function<absl::Status(PartitionContext&)> fault;
  absl::StatusCode code;
  std::string message;  // part of the message
};

void PrintTo(const RunFault& fault, std::ostream* out) { *out << fault.name; }

uint8_t* DataOf(PartitionContext& context, size_t tensor) {
  const absl::StatusOr<const Tensor*> read = context.Read(tensor);
  EXPECT_TRUE(read.ok()) << read.status();
  return const_cast<uint8_t*>((*read)->as<uint8_t>());
}

class FaultyRun : public testing::TestWithParam<RunFault> {};

TEST_P(FaultyRun, IsAnErrorThatNamesTheDelegateAndTheNextRunIsRight) {
  for (const bool is_transparent : {false, true}) {
    SCOPED_TRACE(is_transparent);
    const std::vector<Bytes> expected = ExpectedOutputs(ChainModel());
    PoisonChecker poison(0x7F);
    TouchChecker touch;
    InterpreterOptions options;
    options.observers = {&poison, &touch};
    ByteRun run(ChainModel(), options);
    bool is_faulty = true;
    FakeSpec spec = Named("faulty", {0, 1});
    spec.is_transparent = is_transparent;
    spec.after_invoke = [&](PartitionContext& context) {
      const bool is_last = !is_transparent || context.step() == 1;
      return is_faulty && is_last ? GetParam().fault(context)
                                  : absl::OkStatus();
    };
    // With this alignment, the workspace is not padded, so the byte after the
    // workspace is not part of its memory.
    spec.kernel_prepare = [](PartitionContext& context) {
      return context.AddWorkspace(13, 16).status();
    };
    ASSERT_THAT(run.Apply(spec), IsOk());
    ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
    EXPECT_THAT(
        run.graph().Invoke(),
        FailsWith(GetParam().code, AllOf(HasSubstr("delegate node 4 (faulty)"),
                                         HasSubstr(GetParam().message))));
    is_faulty = false;
    EXPECT_EQ(run.Invoke(1), expected[1]);
  }
}

const RunFault kTouches[] = {
    {"WritesAByteAfterItsOutput",
     [](PartitionContext& context) {
       Tensor& output = **context.Write(3);
       output.as<uint8_t>()[output.bytes] = 0xEE;
       return absl::OkStatus();
     },
     kLoss, "poison check: writes 0xee"},
    {"WritesAByteAfterItsWorkspace",
     [](PartitionContext& context) {
       // The test has added a workspace of 13 bytes after the workspaces of the
       // kernel.
       size_t i = 0;
       while (context.workspace(i).size() != 13) ++i;
       context.workspace(i).data()[13] = 0xEE;
       return absl::OkStatus();
     },
     kLoss, "poison check: writes 0xee"},
};

const RunFault kInputs[] = {
    {"WritesItsInput",
     [](PartitionContext& context) {
       const absl::StatusOr<const Tensor*> own = context.Read(3);
       EXPECT_TRUE(own.ok());
       // The fault changes the input of the graph. The last step does not read
       // this input, so the fault gets the input's address from the graph.
       auto* const input =
           const_cast<uint8_t*>(context.graph().tensor(0).as<uint8_t>());
       input[15] ^= 1;
       return absl::OkStatus();
     },
     kLoss, "touch check: changes byte 15 of tensor 0"},
};

const RunFault kCalls[] = {
    {"ReadsWhatItDoesNotDeclare",
     [](PartitionContext& context) { return context.Read(5).status(); },
     kInvalid, "tensor 5"},
    {"ReadsNoTensor",
     [](PartitionContext& context) { return context.Read(1000).status(); },
     kInvalid, "tensor 1000: no such tensor"},
    {"WritesWhatItReads",
     [](PartitionContext& context) { return context.Write(0).status(); },
     kInvalid, "tensor 0"},
    {"WritesAConstant",
     [](PartitionContext& context) { return context.Write(1).status(); },
     kInvalid, "tensor 1"},
    {"WritesNoTensor",
     [](PartitionContext& context) { return context.Write(1000).status(); },
     kInvalid, "tensor 1000: no such tensor"},
    {"ResizesItsOutput",
     [](PartitionContext& context) { return context.ResizeOutput(3, {5}); },
     kPrecondition, "resized to [5] in Invoke; expected [23]"},
    {"AsksForAWorkspace",
     [](PartitionContext& context) {
       return context.AddWorkspace(8, 16).status();
     },
     kPrecondition, "requested in Invoke; expected in Prepare"},
    {"MakesItsOutputDynamic",
     [](PartitionContext& context) { return context.MakeOutputDynamic(3); },
     kPrecondition, "made dynamic"},
    {"IsStaleWithoutABuffer",
     [](PartitionContext& context) { return context.MarkStale(3); },
     kPrecondition, "no buffer of the delegate; expected one"},
    {"FreesABufferThatItHasNot",
     [](PartitionContext& context) { return context.FreeBufferHandle(3); },
     kPrecondition, "no buffer of the delegate; expected one"},
    {"FreesABufferTwice",
     [](PartitionContext& context) {
       absl::Status status = context.SetBufferHandle(3, 5);
       if (status.ok()) status = context.FreeBufferHandle(3);
       EXPECT_TRUE(status.ok()) << status;
       EXPECT_EQ(context.buffer_handle(3), -1);
       return context.FreeBufferHandle(3);
     },
     kPrecondition, "no buffer of the delegate; expected one"},
    {"CopiesToABufferThatItHasNot",
     [](PartitionContext& context) {
       return context.CopyToBuffer(context.step() == 0 ? 0 : 3);
     },
     kPrecondition, "no buffer of the delegate; expected one"},
    {"GivesAHandleToNoTensor",
     [](PartitionContext& context) { return context.SetBufferHandle(1000, 5); },
     kInvalid, "tensor 1000: no such tensor"},
    {"Fails", [](PartitionContext&) { return absl::AbortedError("planted"); },
     absl::StatusCode::kAborted, "planted"},
    {"Throws",
     [](PartitionContext&) -> absl::Status {
       throw std::runtime_error("planted");
     },
     kInternal, "Invoke threw: planted; expected an error that it returns"},
    {"ThrowsANumber", [](PartitionContext&) -> absl::Status { throw 7; },
     kInternal, "Invoke threw an exception"},
};

std::string NameOfFault(const testing::TestParamInfo<RunFault>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Inputs, FaultyRun, testing::ValuesIn(kInputs),
                         NameOfFault);
INSTANTIATE_TEST_SUITE_P(Calls, FaultyRun, testing::ValuesIn(kCalls),
                         NameOfFault);
// Under the address sanitizer, a write to these bytes would abort the program.
INSTANTIATE_TEST_SUITE_P(
    Touches, FaultyRun,
    testing::ValuesIn(kHasAddressSanitizer
                          ? std::vector<RunFault>()
                          : std::vector<RunFault>(std::begin(kTouches),
                                                  std::end(kTouches))),
    NameOfFault);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultyRun);

TEST(FaultyDelegate, ChangesAConstantThatItReads) {
  if (kHasAddressSanitizer) GTEST_SKIP() << "the model is on the heap";
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&touch};
  ByteRun run(ChainModel(), options);
  FakeSpec spec = Claiming({0, 1});
  spec.after_invoke = [&](PartitionContext& context) {
    DataOf(context, 1)[3] ^= 1;
    return absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(kLoss, HasSubstr("touch check: changes byte 3 of "
                                         "tensor 1")));
}

// The output is the last tensor in the arena, so the byte after the output is
// outside the arena.
TEST(FaultyDelegate, WritesAByteAfterTheArena) {
  if (kHasAddressSanitizer) GTEST_SKIP() << "the sanitizer ends the program";
  PoisonChecker poison(0x7F);
  InterpreterOptions options;
  options.observers = {&poison};
  ByteRun run(ChainModel(), options);
  FakeSpec spec = Claiming({3});
  spec.after_invoke = [&](PartitionContext& context) {
    const size_t end = run.graph().plan().arena_bytes;
    const absl::optional<size_t> at = run.graph().plan().offsets[5];
    (*context.Write(5))->as<uint8_t>()[end - *at] = 0xEE;
    return absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(kLoss, AllOf(HasSubstr("delegate node 4 (fake)"),
                                     HasSubstr("beyond the plan"))));
}

TEST(FaultyDelegate, ReadsATensorInsideAnotherPartition) {
  for (const bool is_transparent : {false, true}) {
    ByteRun run(ChainModel());
    FakeSpec inside = Claiming({0, 1});
    inside.is_transparent = is_transparent;
    ASSERT_THAT(run.Apply(inside), IsOk());
    FakeSpec spec = Claiming({3});
    spec.before_invoke = [](PartitionContext& context) {
      return context.Read(2).status();
    };
    ASSERT_THAT(run.Apply(spec), IsOk());
    ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
    EXPECT_THAT(
        run.graph().Invoke(),
        FailsWith(kPrecondition, AllOf(HasSubstr("delegate node 5 (fake)"),
                                       HasSubstr("tensor 2"),
                                       HasSubstr("inside delegate node 4"))));
    // If the caller requests to read this tensor, the request is refused, too.
    EXPECT_THAT(
        run.graph().EnsureReadable(2),
        FailsWith(kPrecondition, HasSubstr("inside delegate node 4 (fake)")));
    if (!is_transparent) {
      EXPECT_EQ(run.graph().tensor(2).data, nullptr);
    }
  }
}

// The output keeps the previous content of its memory. CheckPlan fills this
// memory with a different pattern in each of its two runs, so the outputs
// differ.
TEST(FaultyDelegate, LeavesItsOutputUnwritten) {
  const LoadedModel model(ChainModel());
  CheckOptions options;
  FakeSpec spec = Claiming({1});
  const auto unwritten = std::make_shared<Bytes>();
  spec.before_invoke = [unwritten](PartitionContext& context) {
    *unwritten = BytesOf(**context.Write(3));
    return absl::OkStatus();
  };
  spec.after_invoke = [unwritten](PartitionContext& context) {
    std::copy(unwritten->begin(), unwritten->end(),
              (*context.Write(3))->as<uint8_t>());
    return absl::OkStatus();
  };
  options.plan.delegates.push_back(RequestOf(spec));
  options.feed = FeedBytes;
  const absl::StatusOr<CheckReport> report =
      CheckPlan(*model, ByteOperators(), options);
  ASSERT_THAT(report, IsOk());
  EXPECT_FALSE(report->is_safe()) << report->Text();
}

TEST(FaultyDelegate, KeepsPointersOfTheFirstRun) {
  const std::vector<Bytes> expected = ExpectedOutputs(ChainModel());
  for (const bool moves : {false, true}) {
    InterpreterOptions options;
    options.moves_arena = moves;
    ByteRun run(ChainModel(), options);
    const auto kept = std::make_shared<const uint8_t*>(nullptr);
    FakeSpec spec = Claiming({3});
    spec.after_invoke = [kept](PartitionContext& context) {
      const Tensor& input = **context.Read(4);
      if (*kept == nullptr) *kept = input.as<uint8_t>();
      Tensor& output = **context.Write(5);
      std::copy(*kept, *kept + input.bytes, output.as<uint8_t>());
      return absl::OkStatus();
    };
    ASSERT_THAT(run.Apply(spec), IsOk());
    run.Invoke(0);
    const Bytes second = run.Invoke(1);
    // If the arena has moved, the kept pointer points to the former arena,
    // which was filled with 0x5B.
    EXPECT_EQ(second[0] == 0x5B && second[1] == 0x5B, moves);
  }
}

struct CallFromInside {
  const char* name;
  std::function<absl::Status(ByteRun&)> call;
};

void PrintTo(const CallFromInside& call, std::ostream* out) {
  *out << call.name;
}

class FromInside : public testing::TestWithParam<CallFromInside> {};

// The interpreter refuses all calls that a delegate makes to it from inside
// Invoke or any other function of the delegate.
TEST_P(FromInside, IsRefused) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  ByteRun run(BranchedModel());
  size_t refused = 0;
  const auto call = [&] {
    const absl::Status status = GetParam().call(run);
    EXPECT_THAT(status, FailsWith(kPrecondition, HasSubstr("it is running")));
    ++refused;
    return absl::OkStatus();
  };
  FakeSpec spec = Claiming({2, 5});
  spec.has_buffers = true;
  spec.prepare = [&](const DelegateGraph&) { return call(); };
  spec.create = [&](const DelegatePartition&) { return call(); };
  spec.kernel_prepare = [&](PartitionContext&) { return call(); };
  spec.before_invoke = [&](PartitionContext&) { return call(); };
  spec.copy_from = [&](int) { return call(); };
  spec.free_buffer = [&](int) { call().IgnoreError(); };
  ASSERT_THAT(run.Apply(spec), IsOk());
  EXPECT_EQ(refused, 5u);
  EXPECT_EQ(run.InvokeAll(), expected);
  EXPECT_EQ(refused, 5u + 12u);
  EXPECT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_EQ(refused, 5u + 12u + 2u);
  EXPECT_EQ(run.InvokeAll(), expected);
}

INSTANTIATE_TEST_SUITE_P(
    FaultyDelegate, FromInside,
    testing::Values(
        CallFromInside{"Invoke",
                       [](ByteRun& run) { return run.graph().Invoke(); }},
        CallFromInside{"Allocate",
                       [](ByteRun& run) { return run.graph().Allocate(); }},
        CallFromInside{"Prepare",
                       [](ByteRun& run) { return run.graph().Prepare(); }},
        CallFromInside{
            "ResizeInput",
            [](ByteRun& run) { return run.graph().ResizeInput(0, {3}); }},
        CallFromInside{"Apply",
                       [](ByteRun& run) { return run.Apply(FakeSpec()); }},
        CallFromInside{
            "Remove",
            [](ByteRun& run) { return run.graph().RemoveDelegates(); }},
        CallFromInside{
            "EnsureReadable",
            [](ByteRun& run) { return run.graph().EnsureReadable(7); }},
        CallFromInside{"SetCustomAllocation",
                       [](ByteRun& run) {
                         return run.graph().SetCustomAllocation(0, {});
                       }}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(FaultyDelegate, CannotBeDestroyedWhileItIsApplied) {
  const auto log = std::make_shared<FakeLog>();
  {
    ByteRun run(BranchedModel());
    auto delegate = std::make_shared<FakeDelegate>(FakeSpec(), log);
    ASSERT_THAT(run.graph().ApplyDelegate(delegate), IsOk());
    delegate.reset();
    EXPECT_EQ(log->delegates_destroyed, 0u);
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
    EXPECT_EQ(log->kernels_destroyed, 0u);
  }
  EXPECT_EQ(log->delegates_destroyed, 1u);
  EXPECT_TRUE(log->IsClean());
}

TEST(FaultyDelegate, IsCancelledAfterTheStepThatRuns) {
  for (const bool is_transparent : {false, true}) {
    ByteRun run(ChainModel());
    FakeSpec spec = Claiming({0, 1});
    spec.is_transparent = is_transparent;
    bool cancels = true;
    spec.before_invoke = [&](PartitionContext&) {
      if (cancels) run.graph().Cancel();
      return absl::OkStatus();
    };
    const auto log = std::make_shared<FakeLog>();
    ASSERT_THAT(run.Apply(spec, log), IsOk());
    ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
    EXPECT_THAT(
        run.graph().Invoke(),
        FailsWith(
            absl::StatusCode::kCancelled,
            HasSubstr(is_transparent ? "delegate node 4 (fake), step 0 (Mix)"
                                     : "delegate node 4 (fake): cancelled")));
    EXPECT_EQ(log->run.size(), is_transparent ? 1u : 2u);
    cancels = false;
    EXPECT_EQ(run.Invoke(1), ExpectedOutputs(ChainModel())[1]);
  }
}

TEST(FaultyDelegate, ThrowsWhereNobodyCanBeTold) {
  FakeSpec spec = Claiming({1});
  spec.has_buffers = true;
  spec.free_buffer = [](int) { throw 7; };
  spec.memory = [] { throw std::runtime_error("planted"); };
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.Apply(spec), IsOk());
  EXPECT_EQ(run.graph().delegates().size(), 1u);
  EXPECT_TRUE(run.graph().delegates()[0].memory.empty());
  EXPECT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

struct Request {
  const char* name;
  size_t bytes = 0;
  size_t alignment = 1;
};

class WorkspaceRequest : public testing::TestWithParam<Request> {};

TEST_P(WorkspaceRequest, IsHonoured) {
  InterpreterOptions options;
  options.moves_arena = true;
  ByteRun run(ChainModel(), options);
  size_t runs = 0;
  const auto index = std::make_shared<size_t>(0);
  FakeSpec spec = Claiming({1});
  spec.kernel_prepare = [index](PartitionContext& context) {
    EXPECT_TRUE(context.workspace(0).empty());
    const auto workspace =
        context.AddWorkspace(GetParam().bytes, GetParam().alignment);
    if (workspace.ok()) *index = *workspace;
    return workspace.status();
  };
  spec.before_invoke = [&, index](PartitionContext& context) {
    const absl::Span<uint8_t> bytes = context.workspace(*index);
    EXPECT_EQ(bytes.size(), GetParam().bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % GetParam().alignment,
              0u);
    std::fill(bytes.begin(), bytes.end(), 0xEE);
    ++runs;
    return absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(ChainModel()));
  EXPECT_EQ(runs, 3u);
  EXPECT_EQ(run.graph().delegates()[0].workspace_bytes, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(FaultyDelegate, WorkspaceRequest,
                         testing::Values(Request{"NoBytes", 0, 16},
                                         Request{"NoBytesAligned", 0, 4096},
                                         Request{"OneByte", 1, 1},
                                         Request{"AlignedTo16", 100, 16},
                                         Request{"AlignedTo64", 100, 64},
                                         Request{"AlignedTo128", 1000, 128},
                                         Request{"AlignedToAPage", 100, 4096},
                                         Request{"AMegabyte", 1 << 20, 1}),
                         [](const auto& one) {
                           return std::string(one.param.name);
                         });

}  // namespace
}  // namespace stowage::harness
