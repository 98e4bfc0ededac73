// SPDX-License-Identifier: Apache-2.0
// Tests how the memory of partitions is planned, and which errors the checks
// find in its use.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/checks.h"
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
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FakeSpec Transparent(std::vector<int> nodes) {
  FakeSpec spec = Claiming(std::move(nodes));
  spec.is_transparent = true;
  return spec;
}

TEST(DelegatedMemory, OpaqueHasNoPlaceForWhatIsInside) {
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_NE(run.graph().tensor(5).data, nullptr);
  ASSERT_THAT(run.Apply(Claiming({1, 2, 3, 4})), IsOk());
  const MemoryPlan& plan = run.graph().plan();
  for (const size_t inside : {3u, 5u}) {
    EXPECT_FALSE(plan.offsets[inside]) << inside;
    EXPECT_FALSE(plan.lifetimes[inside].first) << inside;
    EXPECT_EQ(run.graph().tensor(inside).data, nullptr) << inside;
  }
  // The partition is task 1. Its inputs and outputs are live at this task, and
  // its workspaces are live at this task only.
  ASSERT_THAT(run.graph().execution_plan(), ElementsAre(0, 6, 5));
  size_t workspaces = 0;
  for (size_t t = run.graph().spec().tensors.size(); t < plan.lifetimes.size();
       ++t) {
    if (plan.lifetimes[t].first != size_t{1}) continue;
    EXPECT_EQ(plan.lifetimes[t].last, size_t{1});
    ++workspaces;
  }
  EXPECT_EQ(workspaces, 3u);
  EXPECT_EQ(plan.lifetimes[2].last, size_t{1});
  EXPECT_EQ(plan.lifetimes[4].first, size_t{1});
}

TEST(DelegatedMemory, TransparentIsPlannedAsIfThereWereNoDelegate) {
  ByteRun alone(BranchedModel());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.Apply(Transparent({0, 1, 2, 3, 4, 5})), IsOk());
  EXPECT_EQ(run.graph().delegates()[0].partitions[0].steps, 6u);
  const MemoryPlan& plan = run.graph().plan();
  EXPECT_EQ(plan.arena_bytes, alone.graph().plan().arena_bytes);
  EXPECT_EQ(plan.places[3], "delegate node 6 (fake), step 3 (Mix)");
  for (size_t t = 0; t < run.graph().spec().tensors.size(); ++t) {
    EXPECT_EQ(plan.lifetimes[t].first, alone.graph().plan().lifetimes[t].first);
    EXPECT_EQ(plan.lifetimes[t].last, alone.graph().plan().lifetimes[t].last);
    EXPECT_EQ(plan.lifetimes[t].root, alone.graph().plan().lifetimes[t].root);
  }
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

// A workspace of a transparent partition is live from the first step that uses
// it to the last one.
TEST(DelegatedMemory, TransparentTensorsAreLiveDuringTheirSteps) {
  ByteRun run(BranchedModel());
  FakeSpec spec = Transparent({0, 1, 2, 3});
  spec.kernel_prepare = [](PartitionContext& context) {
    return context.AddWorkspace(1000, 16, 1, 2).status();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  const MemoryPlan& plan = run.graph().plan();
  size_t found = 0;
  for (size_t t = 0; t < plan.lifetimes.size(); ++t) {
    if (plan.graph.tensors[t].bytes != 1000) continue;
    EXPECT_EQ(plan.lifetimes[t].first, size_t{1});
    EXPECT_EQ(plan.lifetimes[t].last, size_t{2});
    ++found;
  }
  EXPECT_EQ(found, 1u);
}

// Only the delegate may write to a workspace between two steps that use the
// workspace.
TEST(DelegatedMemory, AWorkspaceKeepsItsContentForItsSteps) {
  PoisonChecker poison(0x7F);
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&poison, &touch};
  options.moves_arena = true;
  ByteRun run(BranchedModel(), options);
  FakeSpec spec = Transparent({0, 1, 2, 3});
  size_t index = 0;
  spec.kernel_prepare = [&](PartitionContext& context) {
    const auto added = context.AddWorkspace(9, 16, 1, 3);
    if (added.ok()) index = *added;
    return added.status();
  };
  spec.after_invoke = [&](PartitionContext& context) {
    if (context.step() == 0) return absl::OkStatus();
    uint8_t* const bytes = context.workspace(index).data();
    if (context.step() > 1) {
      EXPECT_EQ(bytes[8], context.step() - 1);
    }
    bytes[8] = static_cast<uint8_t>(context.step());
    return absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

TEST(DelegatedMemory, ChecksNameTheStep) {
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&touch};
  ByteRun run(BranchedModel(), options);
  FakeSpec spec = Transparent({0, 1, 2, 3});
  spec.after_invoke = [](PartitionContext& context) {
    // The last step reads t2 again, so no step before it may change t2.
    if (context.step() != 2) return absl::OkStatus();
    auto* const bytes =
        const_cast<uint8_t*>(context.graph().tensor(2).as<uint8_t>());
    bytes[3] ^= 1;
    return absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  EXPECT_THAT(
      run.graph().Invoke(),
      FailsWith(absl::StatusCode::kDataLoss,
                AllOf(HasSubstr("delegate node 6 (fake), step 2 (Scratch)"),
                      HasSubstr("touch check: changes byte 3 of tensor 2"))));
}

TEST(DelegatedMemory, PreservingAllGivesEachNodeAPartition) {
  for (const bool is_transparent : {false, true}) {
    for (const bool splits : {true, false}) {
      SCOPED_TRACE(splits);
      InterpreterOptions options;
      options.preserve_all_tensors = true;
      options.splits_partitions = splits;
      ByteRun alone(BranchedModel(), options);
      ASSERT_THAT(alone.graph().Allocate(), IsOk());
      ByteRun run(BranchedModel(), options);
      FakeSpec spec = Claiming({0, 1, 2, 3});
      spec.is_transparent = is_transparent;
      ASSERT_THAT(run.Apply(spec), IsOk());
      EXPECT_EQ(run.graph().delegates()[0].partitions.size(), splits ? 4u : 1u);
      EXPECT_EQ(run.Invoke(0), alone.Invoke(0));
      for (size_t t = 0; t < run.graph().spec().tensors.size(); ++t) {
        const bool is_inside = !splits && (t == 2 || t == 3);
        if (is_inside && !is_transparent) {
          EXPECT_FALSE(run.graph().EnsureReadable(t).ok());
          continue;
        }
        EXPECT_THAT(run.graph().EnsureReadable(t), IsOk()) << t;
        EXPECT_EQ(BytesOf(run.graph().tensor(t)),
                  BytesOf(alone.graph().tensor(t)))
            << t;
      }
    }
  }
}

// The arena, with all its content, is moved to other memory before every
// invocation.
TEST(DelegatedMemory, MayMoveBetweenInvocations) {
  InterpreterOptions options;
  options.moves_arena = true;
  for (const bool is_transparent : {false, true}) {
    ByteRun run(BranchedModel(), options);
    FakeSpec spec = Claiming({0, 1, 2, 4});
    spec.is_transparent = is_transparent;
    ASSERT_THAT(run.Apply(spec), IsOk());
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  }
}

// The plans are safe regardless of which nodes are delegated.
TEST(DelegatedMemory, PlansAreSafe) {
  const LoadedModel model(BranchedModel());
  for (const bool is_transparent : {false, true}) {
    for (int set = 1; set < 64; ++set) {
      FakeSpec spec = Claiming({});
      for (int i = 0; i < 6; ++i) {
        if ((set >> i & 1) != 0) spec.claims->push_back(i);
      }
      spec.is_transparent = is_transparent;
      CheckOptions options;
      options.plan.strategy = "greedy_by_size";
      options.plan.delegates.push_back(RequestOf(spec));
      options.invocations = 2;
      options.feed = FeedBytes;
      const auto report = CheckPlan(*model, ByteOperators(), options);
      ASSERT_THAT(report, IsOk());
      EXPECT_TRUE(report->is_safe()) << set << ": " << report->Text();
    }
  }
}

}  // namespace
}  // namespace stowage::harness
