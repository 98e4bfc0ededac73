// SPDX-License-Identifier: Apache-2.0
// Tests delegates that are refused. After the refusal, the graph must be
// unchanged and must still run.
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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

struct Refusal {
  const char* name;
  std::function<void(FakeSpec*)> fault;
  absl::StatusCode code;
  std::string message;  // part of the message
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.name;
}

absl::Status Planted() { return absl::AbortedError("planted"); }

template <typename Result = absl::Status>
Result Throw() {
  throw std::runtime_error("planted");
}

// Returns a function whose n-th call, counted from 1, returns true. All other
// calls return false.
std::function<bool()> IsCall(int n) {
  const auto left = std::make_shared<int>(n);
  return [left] { return --*left == 0; };
}

void Claim(FakeSpec* spec, std::vector<int> nodes) {
  spec->claim = [nodes](const DelegateGraph&) { return nodes; };
}

void InKernelPrepare(FakeSpec* spec,
                     std::function<absl::Status(PartitionContext&)> call) {
  spec->kernel_prepare = std::move(call);
}

class RefusedDelegate : public testing::TestWithParam<Refusal> {
 protected:
  // The delegate claims nodes that form two partitions with nodes of the
  // interpreter between them.
  static FakeSpec Faulty() {
    FakeSpec spec = Named("faulty", {0, 1, 5});
    GetParam().fault(&spec);
    return spec;
  }
};

InterpreterOptions LimitedMemory() {
  InterpreterOptions options;
  options.memory_limit = size_t{1} << 20;
  return options;
}

TEST_P(RefusedDelegate, LeavesTheGraphAsItWas) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  ByteRun run(BranchedModel(), LimitedMemory());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const std::string before = Describe(run.graph());
  EXPECT_EQ(run.Invoke(0), expected[0]);
  const auto log = std::make_shared<FakeLog>();
  EXPECT_THAT(run.Apply(Faulty(), log),
              FailsWith(GetParam().code, HasSubstr(GetParam().message)));
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_TRUE(run.graph().delegates().empty());
  EXPECT_TRUE(log->IsClean());
  EXPECT_EQ(log->delegates_destroyed, 1u);
  // The graph was not allocated again, so the variables have kept their
  // content.
  EXPECT_EQ(run.Invoke(1), expected[1]);
  EXPECT_EQ(run.Invoke(2), expected[2]);
}

TEST_P(RefusedDelegate, LeavesTheOneBeforeApplied) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  ByteRun run(BranchedModel(), LimitedMemory());
  const auto first = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(Claiming({2}), first), IsOk());
  const std::string before = Describe(run.graph());
  EXPECT_FALSE(run.Apply(Faulty()).ok());
  EXPECT_EQ(Describe(run.graph()), before);
  ASSERT_EQ(run.graph().delegates().size(), 1u);
  EXPECT_EQ(first->kernels_created, 1u);
  EXPECT_EQ(first->kernels_prepared, 1u);
  EXPECT_EQ(run.InvokeAll(), expected);
  EXPECT_EQ(first->invocations, 3u);
}

// A delegate that is applied after a refused delegate works as if the refused
// one had never been applied.
TEST_P(RefusedDelegate, LeavesNothingInTheWayOfTheNext) {
  ByteRun run(BranchedModel(), LimitedMemory());
  EXPECT_FALSE(run.Apply(Faulty()).ok());
  FakeSpec sound;
  sound.has_buffers = true;
  EXPECT_THAT(run.Apply(sound), IsOk());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

// With the fallback, Allocate succeeds without the delegate. The error is
// reported only in the status of the delegate.
TEST_P(RefusedDelegate, IsLeftOutOfTheOptionsWithFallback) {
  InterpreterOptions options = LimitedMemory();
  options.delegate_fallback = true;
  const auto log = std::make_shared<FakeLog>();
  options.delegates.push_back(RequestOf(Faulty(), log));
  ByteRun run(BranchedModel(), options);
  EXPECT_THAT(run.graph().Allocate(), IsOk());
  ASSERT_EQ(run.graph().delegates().size(), 1u);
  EXPECT_THAT(run.graph().delegates()[0].status,
              FailsWith(GetParam().code, HasSubstr(GetParam().message)));
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  EXPECT_TRUE(log->IsClean());
}

// Without the fallback, Allocate returns the error of the delegate, but still
// allocates the graph without the delegate.
TEST_P(RefusedDelegate, OfTheOptionsIsAnErrorOfAllocate) {
  InterpreterOptions options = LimitedMemory();
  options.delegates.push_back(RequestOf(Faulty()));
  ByteRun run(BranchedModel(), options);
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(GetParam().code, HasSubstr(GetParam().message)));
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

std::string NameOfRefusal(const testing::TestParamInfo<Refusal>& info) {
  return info.param.name;
}

const Refusal kClaims[] = {
    {"InfoThrows", [](FakeSpec* s) { s->in_info = [] { Throw<void>(); }; },
     kInternal, "info threw: planted"},
    {"PrepareFails",
     [](FakeSpec* s) {
       s->prepare = [](const DelegateGraph&) { return Planted(); };
     },
     kAborted, "delegate faulty: planted"},
    {"PrepareThrows",
     [](FakeSpec* s) {
       s->prepare = [](const DelegateGraph&) { return Throw(); };
     },
     kInternal, "delegate faulty: Prepare threw: planted"},
    {"CanRunThrows",
     [](FakeSpec* s) { s->can_run = [](int) { return Throw<bool>(); }; },
     kInternal, "delegate faulty: ClaimNodes threw: planted"},
    {"ClaimNodesFails",
     [](FakeSpec* s) {
       s->claim = [](const DelegateGraph&) -> absl::StatusOr<std::vector<int>> {
         return Planted();
       };
     },
     kAborted, "delegate faulty: planted"},
    {"ClaimsTwice",
     [](FakeSpec* s) {
       Claim(s, {0, 1, 0});
     },
     kInvalid, "delegate faulty: claims node 0 twice"},
    {"ClaimsNegative",
     [](FakeSpec* s) {
       Claim(s, {0, -1});
     },
     kInvalid, "claims node -1 which is not in the execution plan"},
    {"ClaimsBeyond", [](FakeSpec* s) { Claim(s, {100}); }, kInvalid,
     "claims node 100 which is not in the execution plan"},
};

const Refusal kKernels[] = {
    {"CreateFails",
     [](FakeSpec* s) {
       s->create = [](const DelegatePartition&) { return Planted(); };
     },
     kAborted, "delegate faulty: delegate node "},
    {"CreateFailsForTheSecondPartition",
     [](FakeSpec* s) {
       s->create = [is = IsCall(2)](const DelegatePartition&) {
         return is() ? Planted() : absl::OkStatus();
       };
     },
     kAborted, ": planted"},
    {"CreateThrows",
     [](FakeSpec* s) {
       s->create = [](const DelegatePartition&) { return Throw(); };
     },
     kInternal, "CreateKernel threw: planted"},
    {"CreatesNull", [](FakeSpec* s) { s->creates_null = true; }, kInternal,
     "CreateKernel returned null"},
    {"KernelPrepareFails",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext&) { return Planted(); });
     },
     kAborted, "delegate faulty: delegate node "},
    {"KernelPrepareOfTheSecondFails",
     [](FakeSpec* s) {
       InKernelPrepare(s, [is = IsCall(2)](PartitionContext&) {
         return is() ? Planted() : absl::OkStatus();
       });
     },
     kAborted, ": planted"},
    {"KernelPrepareOfADynamicOneFails",
     [](FakeSpec* s) {
       s->info.allows_dynamic_tensors = true;
       s->info.wants_shapes = true;
       InKernelPrepare(s, [is = IsCall(2)](PartitionContext&) {
         return is() ? Planted() : absl::OkStatus();
       });
     },
     kAborted, ": planted"},
    {"KernelPrepareFailsWithBuffers",
     [](FakeSpec* s) {
       s->has_buffers = true;
       InKernelPrepare(s, [](PartitionContext&) { return Planted(); });
     },
     kAborted, ": planted"},
    {"KernelPrepareThrowsANumber",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext&) -> absl::Status { throw 7; });
     },
     kInternal, "Prepare threw an exception"},
};

const Refusal kSteps[] = {
    {"StepsThrow",
     [](FakeSpec* s) {
       s->steps = [](std::vector<PartitionStep>*) { Throw<void>(); };
     },
     kInternal, "Steps threw: planted"},
    {"AStepReadsWhatIsNotThere",
     [](FakeSpec* s) {
       s->is_transparent = true;
       s->steps = [](std::vector<PartitionStep>* steps) {
         steps->front().reads.push_back(kBranchedOutput);
       };
     },
     kInvalid, "step 0 (Mix) reads tensor 7; expected an input"},
    {"AStepReadsBeyond",
     [](FakeSpec* s) {
       s->is_transparent = true;
       s->steps = [](std::vector<PartitionStep>* steps) {
         steps->front().reads.push_back(1000);
       };
     },
     kInvalid, "reads tensor 1000"},
    {"AStepWritesItsInput",
     [](FakeSpec* s) {
       s->is_transparent = true;
       s->steps = [](std::vector<PartitionStep>* steps) {
         steps->front().writes.push_back(0);
       };
     },
     kInvalid, "writes tensor 0; expected an output of a node"},
    {"TwoStepsWriteOneTensor",
     [](FakeSpec* s) {
       s->is_transparent = true;
       s->steps = [](std::vector<PartitionStep>* steps) {
         steps->push_back(steps->back());
       };
     },
     kInvalid, "expected an output of a node of the partition, once"},
    {"NoStepWritesAnOutput",
     [](FakeSpec* s) {
       s->is_transparent = true;
       s->steps = [](std::vector<PartitionStep>* steps) {
         steps->back().writes.clear();
       };
     },
     kInvalid, "no step writes tensor"},
};

void AddWorkspace(FakeSpec* spec, size_t bytes, size_t alignment) {
  InKernelPrepare(spec, [=](PartitionContext& context) {
    return context.AddWorkspace(bytes, alignment).status();
  });
}

const Refusal kRequests[] = {
    {"AsksForHalfOfAllBytes",
     [](FakeSpec* s) { AddWorkspace(s, size_t{1} << 63, 16); }, kExhausted,
     "workspace: 9223372036854775808 bytes"},
    {"AsksForAllBytes", [](FakeSpec* s) { AddWorkspace(s, ~size_t{0}, 16); },
     kExhausted, "workspace: "},
    {"AsksForMoreThanTheLimitTogether",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         for (int i = 0; i < 3; ++i) {
           const auto added = context.AddWorkspace(size_t{1} << 19, 16);
           if (!added.ok()) return added.status();
         }
         return absl::OkStatus();
       });
     },
     kExhausted, ""},
    {"AsksForAlignment3", [](FakeSpec* s) { AddWorkspace(s, 64, 3); }, kInvalid,
     "workspace: alignment 3; expected a power of two"},
    {"AsksForAlignment0", [](FakeSpec* s) { AddWorkspace(s, 64, 0); }, kInvalid,
     "workspace: alignment 0; expected a power of two"},
    {"AsksForAlignmentBeyondMemory",
     [](FakeSpec* s) { AddWorkspace(s, 64, size_t{1} << 63); }, kExhausted,
     "aligned to 9223372036854775808"},
    {"AsksForStepsThatAreNotThere",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         return context.AddWorkspace(8, 16, 0, 1).status();
       });
     },
     kInvalid, "workspace: steps [0, 1]; expected steps below 1"},
    {"MakesAnOutputDynamic",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         return context.MakeOutputDynamic(context.partition().outputs[0]);
       });
     },
     kPrecondition, "made dynamic; expected a shape that does not"},
    {"ResizesAnOutput",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         return context.ResizeOutput(context.partition().outputs[0], {3});
       });
     },
     kPrecondition, "resized to [3] in Prepare; expected [20]"},
    {"ResizesToAnImpossibleShape",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         return context.ResizeOutput(context.partition().outputs[0], {-3});
       });
     },
     kInvalid, "tensor 2"},
    {"ResizesAnInput",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         return context.ResizeOutput(0, {3});
       });
     },
     kInvalid, "tensor 0"},
    {"GivesANegativeHandle",
     [](FakeSpec* s) {
       InKernelPrepare(s, [](PartitionContext& context) {
         return context.SetBufferHandle(context.partition().outputs[0], -1);
       });
     },
     kInvalid, "buffer handle -1"},
};

INSTANTIATE_TEST_SUITE_P(Claims, RefusedDelegate, testing::ValuesIn(kClaims),
                         NameOfRefusal);
INSTANTIATE_TEST_SUITE_P(Kernels, RefusedDelegate, testing::ValuesIn(kKernels),
                         NameOfRefusal);
INSTANTIATE_TEST_SUITE_P(Steps, RefusedDelegate, testing::ValuesIn(kSteps),
                         NameOfRefusal);
INSTANTIATE_TEST_SUITE_P(Requests, RefusedDelegate,
                         testing::ValuesIn(kRequests), NameOfRefusal);

TEST(ClaimedNodes, AreAskedForOnce) {
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(FakeSpec(), log), IsOk());
  EXPECT_EQ(log->graphs_prepared, 1u);
  ASSERT_EQ(log->asked.size(), 6u);
  for (const auto& [node, times] : log->asked) EXPECT_EQ(times, 1u) << node;
}

TEST(ClaimedNodes, OfAnotherDelegateAndDeadOnesAreRefused) {
  for (const int node : {0, 1, 6}) {
    ByteRun run(BranchedModel());
    ASSERT_THAT(run.Apply(Claiming({0, 1})), IsOk());
    FakeSpec greedy;
    greedy.claim = [node](const DelegateGraph&) {
      return std::vector<int>{node};
    };
    EXPECT_THAT(
        run.Apply(greedy),
        FailsWith(kInvalid,
                  HasSubstr(node == 6 ? "node 6 which another delegate runs"
                                      : "which is not in the execution plan")));
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  }
}

TEST(ClaimedNodes, NullIsAnError) {
  ByteRun run(BranchedModel());
  EXPECT_THAT(run.graph().ApplyDelegate(nullptr),
              FailsWith(kInvalid, HasSubstr("null; expected")));
  EXPECT_THAT(run.interpreter().ApplyDelegate(nullptr),
              FailsWith(kInvalid, HasSubstr("null; expected")));
}

TEST(ClaimedNodes, OneDelegateIsAppliedOnce) {
  const auto delegate = std::make_shared<FakeDelegate>(Claiming({1}));
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.graph().ApplyDelegate(delegate), IsOk());
  const std::string before = Describe(run.graph());
  EXPECT_THAT(run.graph().ApplyDelegate(delegate),
              FailsWith(kPrecondition, HasSubstr("is applied already")));
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));

  InterpreterOptions options;
  options.delegates.assign(2, CreatedBy([&] { return delegate; }));
  ByteRun twice(BranchedModel(), options);
  EXPECT_THAT(twice.graph().Allocate(),
              FailsWith(kPrecondition, HasSubstr("is applied already")));
  EXPECT_EQ(twice.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

TEST(ClaimedNodes, NothingClaimedChangesNothing) {
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const std::string before = Describe(run.graph());
  ASSERT_THAT(run.Apply(Claiming({})), IsOk());
  EXPECT_EQ(Describe(run.graph()), before);
  ASSERT_EQ(run.graph().delegates().size(), 1u);
  EXPECT_TRUE(run.graph().delegates()[0].partitions.empty());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

TEST(ClaimedNodes, TheListOfNodesToClaimIsOfOperators) {
  for (const int node : {-1, 6}) {
    ByteRun run(BranchedModel());
    ApplyOptions options;
    options.claim = {node};
    EXPECT_THAT(run.graph().ApplyDelegate(
                    std::make_shared<FakeDelegate>(FakeSpec()), options),
                FailsWith(kInvalid, HasSubstr("expected ids from 0 to 5")));
  }
}

}  // namespace
}  // namespace stowage::harness
