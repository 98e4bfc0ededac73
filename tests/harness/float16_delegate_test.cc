// SPDX-License-Identifier: Apache-2.0
// Tests delegates that directly read float16 constants that the model converts
// with DEQUANTIZE.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "tests/harness/delegated_run.h"
#include "tests/harness/fake_delegate.h"
#include "tests/support/net_builder.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using ::testing::ElementsAre;

// Returns a model with these nodes: 0 and 1, DEQUANTIZE of the constants t1 and
// t2 into t3 and t4; 2, RELU of the input t0 into t5; 3, ADD of t5 and t3 into
// t6; 4, ADD of t6 and t4 into t7; 5, MUL of t7 and t3 into the output t8.
ModelSpec Float16Model() {
  using tflite::BuiltinOperator;
  using tflite::TensorType;
  NetBuilder net;
  const int32_t in = net.Input({4});
  net.SetType(TensorType::FLOAT16);
  const int32_t a =
      net.Constant<uint16_t>({4}, {0x3C00, 0x4000, 0x4200, 0xBC00});
  const int32_t b =
      net.Constant<uint16_t>({4}, {0x3800, 0x3555, 0x0001, 0x7BFF});
  net.SetType(TensorType::FLOAT32);
  const int32_t wide_a = net.Add(BuiltinOperator::DEQUANTIZE, {a}, {4});
  const int32_t wide_b = net.Add(BuiltinOperator::DEQUANTIZE, {b}, {4});
  const int32_t x = net.Add(BuiltinOperator::RELU, {in}, {4});
  const int32_t y =
      net.Add(BuiltinOperator::ADD, {x, wide_a}, {4}, tflite::AddOptionsT());
  const int32_t z =
      net.Add(BuiltinOperator::ADD, {y, wide_b}, {4}, tflite::AddOptionsT());
  net.MarkOutput(
      net.Add(BuiltinOperator::MUL, {z, wide_a}, {4}, tflite::MulOptionsT()));
  return net.spec();
}

class WideKernel : public DelegateKernel {
 public:
  absl::Status Prepare(PartitionContext&) override { return absl::OkStatus(); }
  absl::Status Invoke(PartitionContext& context) override {
    for (const size_t t : context.partition().outputs) {
      if (absl::Status status = context.Write(t).status(); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
};

// Claims nodes and reads float16 constants. Records the partitions but computes
// nothing.
class WideDelegate : public Delegate {
 public:
  explicit WideDelegate(std::set<int> claims) : claims_(std::move(claims)) {}

  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = "wide";
    info.reads_float16_constants = true;
    return info;
  }
  bool CanRun(const DelegateGraph& graph, int node) override {
    if (node == 3) {
      EXPECT_EQ(graph.Float16Source(3), 1u);
      EXPECT_EQ(graph.Float16Source(4), 2u);
      for (const size_t t : {0u, 1u, 2u, 5u, 6u, 7u, 8u}) {
        EXPECT_EQ(graph.Float16Source(t), kAbsent) << t;
      }
    }
    return claims_.count(node) > 0;
  }
  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph&, const DelegatePartition& partition) override {
    partitions.push_back(partition);
    return std::make_unique<WideKernel>();
  }

  std::vector<DelegatePartition> partitions;

 private:
  std::set<int> claims_;
};

struct Applied {
  ByteRun run{Float16Model(), {}, BuiltinOperators()};
  std::shared_ptr<WideDelegate> delegate;

  explicit Applied(std::set<int> claims, const InterpreterOptions& options = {})
      : run(Float16Model(), options, BuiltinOperators()),
        delegate(std::make_shared<WideDelegate>(std::move(claims))) {
    EXPECT_THAT(run.graph().ApplyDelegate(delegate), IsOk());
  }
};

TEST(Float16Delegate, ReadsConstantsAndReplacesDequantize) {
  Applied applied({2, 3, 4, 5});
  ASSERT_EQ(applied.delegate->partitions.size(), 1u);
  const DelegatePartition& partition = applied.delegate->partitions[0];
  EXPECT_THAT(partition.nodes, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(partition.inputs, ElementsAre(0, 1, 2));
  EXPECT_THAT(partition.outputs, ElementsAre(8));
  EXPECT_THAT(applied.run.graph().execution_plan(), ElementsAre(6));
  const std::vector<int> replaced =
      applied.run.graph().delegates()[0].partitions[0].nodes;
  EXPECT_THAT(replaced, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(applied.run.graph().tensor(3).data, nullptr);
  ASSERT_THAT(applied.run.graph().Invoke(), IsOk());
}

// A DEQUANTIZE node never forms a partition by itself, although it comes before
// the other nodes in the model.
TEST(Float16Delegate, DequantizeIsNoPartitionOfItsOwn) {
  for (const bool claims_them : {false, true}) {
    std::set<int> claims = {3, 4, 5};
    if (claims_them) claims.insert({0, 1});
    Applied applied(claims);
    ASSERT_EQ(applied.delegate->partitions.size(), 1u);
    EXPECT_THAT(applied.delegate->partitions[0].nodes, ElementsAre(3, 4, 5));
    EXPECT_THAT(applied.delegate->partitions[0].inputs, ElementsAre(1, 2, 5));
    EXPECT_THAT(applied.run.graph().execution_plan(), ElementsAre(2, 6));
  }
}

TEST(Float16Delegate, DequantizeStaysWhereAnotherNeedsIt) {
  // Node 0 stays because node 5, which is not delegated, reads its result t3.
  // Node 3 nevertheless reads the float16 constant.
  Applied applied({3, 4});
  EXPECT_THAT(applied.delegate->partitions[0].inputs, ElementsAre(1, 2, 5));
  std::vector<int> plan(applied.run.graph().execution_plan().begin(),
                        applied.run.graph().execution_plan().end());
  EXPECT_THAT(plan, testing::UnorderedElementsAre(0, 2, 6, 5));
  // Node 3 is the first reader of node 0's result, and no partition comes
  // before node 3. Node 0 is therefore claimed but not delegated.
  Applied late({0, 4});
  ASSERT_EQ(late.delegate->partitions.size(), 1u);
  EXPECT_THAT(late.delegate->partitions[0].nodes, ElementsAre(4));
}

// A DEQUANTIZE node whose readers are not delegated becomes part of the last
// partition before these readers.
TEST(Float16Delegate, DequantizeIsClaimedForOthers) {
  Applied applied({0, 2, 4});
  ASSERT_EQ(applied.delegate->partitions.size(), 2u);
  const DelegatePartition& first = applied.delegate->partitions[0];
  EXPECT_THAT(first.nodes, ElementsAre(2, 0));
  EXPECT_THAT(first.inputs, ElementsAre(0, 1));
  EXPECT_THAT(first.outputs, ElementsAre(3, 5));
  EXPECT_THAT(applied.delegate->partitions[1].nodes, ElementsAre(4));
  EXPECT_THAT(applied.delegate->partitions[1].inputs, ElementsAre(2, 6));
  EXPECT_THAT(applied.run.graph().execution_plan(), ElementsAre(6, 3, 7, 5));
  EXPECT_NE(applied.run.graph().tensor(3).data, nullptr);
  ASSERT_THAT(applied.run.graph().RemoveDelegates(), IsOk());
  ByteRun alone(Float16Model(), {}, BuiltinOperators());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  EXPECT_EQ(Describe(applied.run.graph()), Describe(alone.graph()));
}

// ApplyOptions::claim lists only one of the two DEQUANTIZE nodes, so only that
// node is claimed.
TEST(Float16Delegate, DequantizeIsClaimedForOthersWhereItIsListed) {
  for (const int listed : {0, 1}) {
    ByteRun run(Float16Model(), {}, BuiltinOperators());
    const auto delegate =
        std::make_shared<WideDelegate>(std::set<int>{0, 1, 2});
    ApplyOptions options;
    options.claim = {listed, 2};
    ASSERT_THAT(run.graph().ApplyDelegate(delegate, options), IsOk());
    ASSERT_EQ(delegate->partitions.size(), 1u);
    EXPECT_THAT(delegate->partitions[0].nodes, ElementsAre(2, listed));
  }
}

TEST(Float16Delegate, TwoPartitionsReadOneConstant) {
  Applied applied({3, 5});
  ASSERT_EQ(applied.delegate->partitions.size(), 2u);
  EXPECT_THAT(applied.delegate->partitions[0].inputs, ElementsAre(1, 5));
  EXPECT_THAT(applied.delegate->partitions[1].inputs, ElementsAre(1, 7));
  std::vector<int> plan(applied.run.graph().execution_plan().begin(),
                        applied.run.graph().execution_plan().end());
  EXPECT_THAT(plan, testing::UnorderedElementsAre(1, 2, 6, 4, 7));
}

Bytes RunOnce(ByteRun* run) {
  Tensor& input = run->graph().input(0);
  for (size_t i = 0; i < 4; ++i) {
    input.as<float>()[i] = 0.5F + static_cast<float>(i);
  }
  EXPECT_THAT(run->graph().Invoke(), IsOk());
  return BytesOf(run->graph().output(0));
}

TEST(Float16Delegate, IsUndone) {
  ByteRun alone(Float16Model(), {}, BuiltinOperators());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  const std::string before = Describe(alone.graph());
  const Bytes expected = RunOnce(&alone);
  Applied applied({2, 3, 4, 5});
  ASSERT_THAT(applied.run.graph().RemoveDelegates(), IsOk());
  EXPECT_EQ(Describe(applied.run.graph()), before);
  EXPECT_EQ(RunOnce(&applied.run), expected);
}

// A delegate that does not read float16 constants reads the results of the
// DEQUANTIZE nodes instead.
TEST(Float16Delegate, OthersReadFloat32) {
  ByteRun alone(Float16Model(), {}, BuiltinOperators());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  const Bytes expected = RunOnce(&alone);
  for (int set = 0; set < 64; ++set) {
    FakeSpec spec = Claiming({});
    for (int i = 0; i < 6; ++i) {
      if ((set >> i & 1) != 0) spec.claims->push_back(i);
    }
    for (const bool is_transparent : {false, true}) {
      SCOPED_TRACE(set);
      spec.is_transparent = is_transparent;
      InterpreterOptions options;
      options.moves_arena = true;
      ByteRun run(Float16Model(), options, BuiltinOperators());
      ASSERT_THAT(run.Apply(spec), IsOk());
      for (int i = 0; i < 2; ++i) EXPECT_EQ(RunOnce(&run), expected);
      ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
      EXPECT_EQ(RunOnce(&run), expected);
    }
  }
}

// A step whose outputs depend only on constants runs during allocation, not in
// Invoke.
TEST(Float16Delegate, AStepComputesDequantizeOnce) {
  ByteRun run(Float16Model(), {}, BuiltinOperators());
  FakeSpec spec = Claiming({0, 2, 3});
  spec.is_transparent = true;
  const auto log = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(spec, log), IsOk());
  EXPECT_THAT(log->run, ElementsAre("DEQUANTIZE"));
  for (int allocation = 0; allocation < 2; ++allocation) {
    log->run.clear();
    const Bytes first = RunOnce(&run);
    EXPECT_EQ(RunOnce(&run), first);
    EXPECT_THAT(log->run, ElementsAre("RELU", "ADD", "RELU", "ADD"));
    log->run.clear();
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    EXPECT_THAT(log->run, ElementsAre("DEQUANTIZE"));
  }
}

// If a step fails during allocation, its delegate is removed, and the other
// delegates stay.
TEST(Float16Delegate, FailsToComputeDequantize) {
  ByteRun alone(Float16Model(), {}, BuiltinOperators());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  const std::string before = Describe(alone.graph());
  const Bytes expected = RunOnce(&alone);
  bool fails = true;
  FakeSpec spec = Named("failing", {0, 1});
  spec.is_transparent = true;
  spec.before_invoke = [&](PartitionContext&) {
    return fails ? absl::AbortedError("planted") : absl::OkStatus();
  };
  const auto is_planted = support::FailsWith(
      kAborted, testing::HasSubstr("delegate node 6 (failing), step 0 "));
  ByteRun run(Float16Model(), {}, BuiltinOperators());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(run.Apply(spec), is_planted);
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_EQ(RunOnce(&run), expected);
  fails = false;
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(run.Apply(Claiming({5})), IsOk());
  EXPECT_EQ(RunOnce(&run), expected);
  fails = true;
  EXPECT_THAT(run.graph().Allocate(), is_planted);
  const std::vector<AppliedDelegate> delegates = run.graph().delegates();
  ASSERT_EQ(delegates.size(), 2u);
  EXPECT_EQ(delegates[0].name, "failing");
  EXPECT_THAT(delegates[0].status, is_planted);
  EXPECT_THAT(delegates[1].status, IsOk());
  EXPECT_EQ(RunOnce(&run), expected);
}

// If all tensors must be preserved, the results of the DEQUANTIZE nodes are
// computed, too.
TEST(Float16Delegate, DequantizeStaysWhereAllIsPreserved) {
  InterpreterOptions options;
  options.preserve_all_tensors = true;
  Applied applied({2, 3, 4, 5}, options);
  EXPECT_EQ(applied.run.graph().execution_plan().size(), 6u);
  EXPECT_NE(applied.run.graph().tensor(3).data, nullptr);
}

}  // namespace
}  // namespace stowage::harness
