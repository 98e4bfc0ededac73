// SPDX-License-Identifier: Apache-2.0
// Tests that delegates leave no trace. After delegates have been applied and
// removed, the graph is in its original state. A resized graph equals a graph
// that was created with the new shape.
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <functional>
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
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

struct Kind {
  const char* name;
  bool is_dynamic = false;
  bool wants_shapes = false;
  bool is_transparent = false;
  bool has_buffers = false;
  // The nodes that each delegate claims, in the order in which the delegates
  // are applied.
  std::vector<std::vector<int>> claims;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class DelegateKind : public testing::TestWithParam<Kind> {
 protected:
  static FakeSpec SpecOf(const std::vector<int>& claims) {
    FakeSpec spec = Claiming(claims);
    spec.info.allows_dynamic_tensors = GetParam().is_dynamic;
    spec.info.wants_shapes = GetParam().wants_shapes;
    spec.is_transparent = GetParam().is_transparent;
    spec.has_buffers = GetParam().has_buffers;
    return spec;
  }
  static void ApplyAll(ByteRun* run, const std::shared_ptr<FakeLog>& log) {
    for (const std::vector<int>& claims : GetParam().claims) {
      ASSERT_THAT(run->Apply(SpecOf(claims), log), IsOk());
    }
  }
};

TEST_P(DelegateKind, GivesTheSameBytes) {
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  EXPECT_GT(log->invocations, 0u);
}

TEST_P(DelegateKind, LeavesNothingWhenRemoved) {
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const std::string before = Describe(run.graph());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  EXPECT_NE(Describe(run.graph()), before);
  run.InvokeAll();
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_TRUE(run.graph().delegates().empty());
  EXPECT_TRUE(log->IsClean());
  EXPECT_EQ(log->delegates_destroyed, GetParam().claims.size());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

// Returns the peak memory use of the process so far, in KiB.
int64_t PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_P(DelegateKind, MayComeAndGoAThousandTimes) {
  const int rounds = support::kIsSanitized ? 100 : 1000;
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const std::string before = Describe(run.graph());
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  int64_t peak = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds / 10) peak = PeakMemory();
    ApplyAll(&run, log);
    ASSERT_EQ(run.InvokeAll(2), (std::vector<Bytes>{expected[0], expected[1]}));
    ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
    ASSERT_EQ(Describe(run.graph()), before);
    log->run.clear();
  }
  EXPECT_TRUE(log->IsClean());
  EXPECT_EQ(log->delegates_destroyed, rounds * GetParam().claims.size());
  // The limit leaves room for the log, which grows by one number for each
  // buffer.
  if (!support::kIsSanitized) {
    EXPECT_LT(PeakMemory() - peak, 4096);
  }
}

// The graph is resized several times, once to the shape that it already has.
TEST_P(DelegateKind, AfterAResizeIsAsIfMadeWithThatShape) {
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  run.Invoke(0);
  for (const int32_t bytes : {5, 300, 16, 16, 1}) {
    SCOPED_TRACE(bytes);
    ASSERT_THAT(run.graph().ResizeInput(0, {bytes}), IsOk());
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    ByteRun fresh(BranchedModel());
    ASSERT_THAT(fresh.graph().ResizeInput(0, {bytes}), IsOk());
    ApplyAll(&fresh, std::make_shared<FakeLog>());
    EXPECT_EQ(Describe(run.graph()), Describe(fresh.graph()));
    ByteRun alone(BranchedModel());
    ASSERT_THAT(alone.graph().ResizeInput(0, {bytes}), IsOk());
    ASSERT_THAT(alone.graph().Allocate(), IsOk());
    const std::vector<Bytes> expected = alone.InvokeAll();
    EXPECT_EQ(run.InvokeAll(), expected);
    EXPECT_EQ(fresh.InvokeAll(), expected);
  }
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_TRUE(log->IsClean());
}

TEST_P(DelegateKind, AResizeToTheSameShapeDoesNothing) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  EXPECT_EQ(run.Invoke(0), expected[0]);
  const size_t kernels = log->kernels_created;
  const size_t prepared = log->kernels_prepared;
  ASSERT_THAT(run.graph().ResizeInput(0, {16}), IsOk());
  // The graph is still allocated after the call.
  EXPECT_EQ(run.Invoke(1), expected[1]);
  EXPECT_EQ(log->kernels_created, kernels);
  EXPECT_EQ(log->kernels_prepared, prepared);
}

TEST_P(DelegateKind, AfterAResizeMakesKernelsAnewOrPreparesThemAgain) {
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  const size_t kernels = log->kernels_created;
  const size_t asked = log->graphs_prepared;
  ASSERT_THAT(run.graph().ResizeInput(0, {5}), IsOk());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const bool stays = GetParam().is_dynamic;
  EXPECT_EQ(log->kernels_created, stays ? kernels : 2 * kernels);
  EXPECT_EQ(log->kernels_destroyed, stays ? 0 : kernels);
  EXPECT_EQ(log->graphs_prepared, stays ? asked : 2 * asked);
  EXPECT_GE(log->kernels_prepared, 2 * kernels);
}

// A delegate that cannot be applied after a resize is removed, and the other
// delegates stay applied.
TEST_P(DelegateKind, ThatFailsAfterAResizeIsTakenAwayAlone) {
  if (GetParam().claims[0].size() == 6) GTEST_SKIP() << "nothing is left";
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  FakeSpec fails = SpecOf({3, 4});
  fails.has_buffers = true;
  fails.info.name = "picky";
  fails.kernel_prepare = [](PartitionContext& context) {
    return context.graph().tensor(0).bytes == 5
               ? absl::AbortedError("five bytes")
               : absl::OkStatus();
  };
  const auto failed = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(fails, failed), IsOk());
  ASSERT_THAT(run.graph().ResizeInput(0, {5}), IsOk());
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("five bytes")));
  EXPECT_TRUE(failed->IsClean());
  EXPECT_EQ(failed->delegates_destroyed, 1u);
  const std::vector<AppliedDelegate> delegates = run.graph().delegates();
  ASSERT_EQ(delegates.size(), GetParam().claims.size() + 1);
  EXPECT_THAT(delegates.back().status,
              FailsWith(absl::StatusCode::kAborted, HasSubstr("picky")));
  EXPECT_THAT(delegates.front().status, IsOk());
  ByteRun alone(BranchedModel());
  ASSERT_THAT(alone.graph().ResizeInput(0, {5}), IsOk());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  EXPECT_EQ(run.InvokeAll(), alone.InvokeAll());
}

// At this size, the tensors exceed the memory limit even without delegates. The
// delegates are applied again at a smaller size.
TEST_P(DelegateKind, SurvivesAResizeThatDoesNotFit) {
  InterpreterOptions options;
  options.memory_limit = size_t{1} << 20;
  ByteRun run(BranchedModel(), options);
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  ASSERT_THAT(run.graph().ResizeInput(0, {1 << 24}), IsOk());
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(absl::StatusCode::kResourceExhausted, testing::_));
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(absl::StatusCode::kFailedPrecondition, testing::_));
  ASSERT_THAT(run.graph().ResizeInput(0, {16}), IsOk());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_EQ(run.graph().delegates().size(), GetParam().claims.size());
  log->run.clear();
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  EXPECT_FALSE(log->run.empty());
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_TRUE(log->IsClean());
}

// After a call of the public function Prepare, no tensor points to freed
// memory.
TEST_P(DelegateKind, IsAllocatedAgainAfterPrepare) {
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ApplyAll(&run, log);
  const std::string before = Describe(run.graph());
  ASSERT_THAT(run.graph().Prepare(), IsOk());
  EXPECT_EQ(run.graph().input(0).data, nullptr);
  EXPECT_EQ(run.graph().tensor(kBranchedVariable).data, nullptr);
  EXPECT_FALSE(run.graph().Invoke().ok());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

const Kind kKinds[] = {
    {"Opaque", false, false, false, false, {{0, 1, 4}}},
    {"OpaqueOfTwo", false, false, false, false, {{1, 2}, {0, 5}}},
    {"OpaqueOfAll", false, false, false, false, {{0, 1, 2, 3, 4, 5}}},
    {"Transparent", false, false, true, false, {{0, 1, 4}}},
    {"TransparentOfTwo", false, false, true, false, {{1, 2}, {0, 3, 5}}},
    {"Dynamic", true, false, false, false, {{0, 1, 2}}},
    {"DynamicOfTwo", true, false, false, false, {{1, 2}, {0, 5}}},
    {"WantsShapes", true, true, false, false, {{0, 1, 2}}},
    {"WantsShapesOfTwo", true, true, false, false, {{1, 2}, {0, 3}}},
    {"Buffers", false, false, false, true, {{0, 1, 5}}},
    {"BuffersOfTwo", false, false, false, true, {{0, 1}, {2, 5}}},
};

INSTANTIATE_TEST_SUITE_P(, DelegateKind, testing::ValuesIn(kKinds),
                         [](const auto& one) {
                           return std::string(one.param.name);
                         });

// A delegate that is refused a thousand times leaves no trace.
TEST(RemovedDelegate, MayFailAThousandTimes) {
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const std::string before = Describe(run.graph());
  const auto log = std::make_shared<FakeLog>();
  FakeSpec spec = Claiming({0, 1, 5});
  spec.has_buffers = true;
  int calls = 0;
  spec.kernel_prepare = [&](PartitionContext&) {
    return ++calls % 2 == 0 ? absl::AbortedError("every second")
                            : absl::OkStatus();
  };
  for (int round = 0; round < 1000; ++round) {
    ASSERT_FALSE(run.Apply(spec, log).ok());
    ASSERT_EQ(Describe(run.graph()), before);
  }
  EXPECT_EQ(log->kernels_created, 2000u);
  EXPECT_TRUE(log->IsClean());
}

TEST(RemovedDelegate, MayBeAppliedAgain) {
  const auto log = std::make_shared<FakeLog>();
  FakeSpec spec = Claiming({0, 1, 5});
  spec.has_buffers = true;
  const auto delegate = std::make_shared<FakeDelegate>(spec, log);
  ByteRun run(BranchedModel());
  for (int round = 0; round < 3; ++round) {
    ASSERT_THAT(run.graph().ApplyDelegate(delegate), IsOk());
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
    ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  }
  EXPECT_TRUE(log->IsClean());
}

// If the workspaces of a delegate exceed the memory limit at one shape, only
// that delegate is removed.
TEST(ResizedDelegate, WhoseWorkspaceDoesNotFitIsTakenAway) {
  InterpreterOptions options;
  options.memory_limit = size_t{1} << 20;
  ByteRun run(BranchedModel(), options);
  ASSERT_THAT(run.Apply(Claiming({0})), IsOk());
  FakeSpec spec = Named("large", {1});
  spec.kernel_prepare = [](PartitionContext& context) {
    const bool is_large = context.graph().tensor(0).bytes == 5;
    // Each of the three workspaces is within the limit, but their sum is not.
    for (int i = 0; is_large && i < 3; ++i) {
      const auto added = context.AddWorkspace(size_t{1} << 19, 16);
      if (!added.ok()) return added.status();
    }
    return absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(run.graph().ResizeInput(0, {5}), IsOk());
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(absl::StatusCode::kResourceExhausted, testing::_));
  const std::vector<AppliedDelegate> delegates = run.graph().delegates();
  ASSERT_EQ(delegates.size(), 2u);
  EXPECT_THAT(delegates[0].status, IsOk());
  EXPECT_EQ(delegates[1].name, "large");
  EXPECT_FALSE(delegates[1].status.ok());
  run.Invoke(0);
}

// A delegate that does not allow dynamic tensors is prepared only once, even if
// the graph is allocated again, because its kernels may have packed weights.
TEST(StaticDelegate, IsPreparedOnce) {
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  ByteRun run(BranchedModel());
  const auto log = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(Claiming({1, 2}), log), IsOk());
  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    EXPECT_EQ(run.InvokeAll(), expected);
  }
  EXPECT_EQ(log->kernels_created, 1u);
  EXPECT_EQ(log->kernels_prepared, 1u);
}

}  // namespace
}  // namespace stowage::harness
