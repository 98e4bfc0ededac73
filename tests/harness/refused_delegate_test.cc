// SPDX-License-Identifier: Apache-2.0
// Tests delegates that are refused after the nodes of earlier delegates were
// prepared again. Also tests what remains if these nodes cannot be prepared or
// planned once more.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/assignment.h"
#include "stowage/error_payload.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/shared_arena.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/delegated_run.h"
#include "tests/harness/fake_delegate.h"
#include "tests/harness/stacked_plan.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a model in which the shape of t4 depends on data. In such a graph,
// all nodes are prepared again when a delegate is applied.
//
//   node    0 Mix  1 Scratch  2 Expand  3 Accumulate  4 Mix
//   reads   t0     t2         t3        t4, t1        t5, t2
ModelSpec ExpandingModel() {
  ByteModel model;
  const size_t in = model.AddInput(16);
  const size_t state = model.AddVariable(16);
  const size_t mixed = model.Add("Mix", {in}, 4);
  const size_t scratch = model.Add("Scratch", {mixed}, 2);
  const size_t expanded = model.Add("Expand", {scratch});
  const size_t sum = model.Add("Accumulate", {expanded, state});
  model.MarkOutput(model.Add("Mix", {sum, mixed}));
  return model.spec();
}

FakeSpec DynamicNamed(const std::string& name, std::vector<int> nodes) {
  FakeSpec spec = Named(name, std::move(nodes));
  spec.info.allows_dynamic_tensors = true;
  return spec;
}

// Returns a delegate that is refused, because its kernel fails in Prepare.
FakeSpec Refused(std::vector<int> nodes) {
  FakeSpec spec = DynamicNamed("refused", std::move(nodes));
  spec.kernel_prepare = [](PartitionContext&) {
    return absl::AbortedError("planted");
  };
  return spec;
}

// Returns a delegate whose kernels fail in every call of Prepare from call
// number `call` on. Calls are counted over all kernels of the delegate.
FakeSpec FailingFrom(int call, std::vector<int> nodes) {
  FakeSpec spec = DynamicNamed("earlier", std::move(nodes));
  spec.kernel_prepare = [call,
                         calls = std::make_shared<int>(0)](PartitionContext&) {
    return ++*calls >= call ? absl::DataLossError("no more") : absl::OkStatus();
  };
  return spec;
}

std::vector<std::string> AppliedNames(const Subgraph& graph) {
  std::vector<std::string> names;
  for (const AppliedDelegate& delegate : graph.delegates()) {
    if (delegate.status.ok()) names.push_back(delegate.name);
  }
  return names;
}

// The earlier delegate is prepared three times: when it is applied, when the
// refused delegate is applied, and after the refusal.
TEST(RefusedDelegate, LeavesAnEarlierOneOutThatCannotBePreparedAgain) {
  const std::vector<Bytes> expected = ExpectedOutputs(ExpandingModel());
  PoisonChecker poison(0x7F);
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&poison, &touch};
  ByteRun run(ExpandingModel(), options);
  const auto log = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(DynamicNamed("first", {3}), log), IsOk());
  ASSERT_THAT(run.Apply(FailingFrom(3, {0}), log), IsOk());
  EXPECT_EQ(run.Invoke(0), expected[0]);
  EXPECT_THAT(run.Apply(Refused({1}), log),
              FailsWith(kAborted, AllOf(HasSubstr("(refused): planted"),
                                        HasSubstr("(earlier): no more"))));
  EXPECT_THAT(AppliedNames(run.graph()), ElementsAre("first"));
  ASSERT_EQ(run.graph().delegates().size(), 2u);
  EXPECT_THAT(run.graph().delegates()[1].status,
              FailsWith(kLoss, HasSubstr("(earlier): no more")));
  // The graph is allocated as if only the first delegate had been applied.
  ByteRun alone(ExpandingModel(), options);
  ASSERT_THAT(alone.Apply(DynamicNamed("first", {3})), IsOk());
  EXPECT_EQ(Describe(run.graph()), Describe(alone.graph()));
  EXPECT_EQ(run.InvokeAll(), expected);
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_TRUE(log->IsClean());
}

// A delegate is applied, refused and removed while another subgraph has the
// shared arena. Afterwards the graph gets the arena back, and its variables
// have their earlier values.
TEST(RefusedDelegate, LeavesAGraphWithoutTheSharedArenaAsItWas) {
  for (ModelSpec (*const spec)() : {BranchedModel, ExpandingModel}) {
    const std::vector<Bytes> expected = ExpectedOutputs(spec());
    InterpreterOptions options;
    options.shared_arena = std::make_shared<SharedArena>();
    ByteRun run(spec(), options);
    ByteRun other(spec(), options);
    ASSERT_THAT(run.graph().Allocate(), IsOk());
    EXPECT_EQ(run.Invoke(0), expected[0]);
    ASSERT_THAT(other.graph().Allocate(), IsOk());
    EXPECT_THAT(run.Apply(Refused({1})),
                FailsWith(kAborted, HasSubstr("planted")));
    EXPECT_EQ(run.Invoke(1), expected[1]);
    ASSERT_THAT(other.graph().TakeArena(), IsOk());
    EXPECT_EQ(other.Invoke(0), expected[0]);
    ASSERT_THAT(run.graph().TakeArena(), IsOk());
    EXPECT_EQ(run.Invoke(2), expected[2]);
    ASSERT_THAT(run.Apply(DynamicNamed("sound", {1})), IsOk());
    ASSERT_THAT(other.graph().TakeArena(), IsOk());
    ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
    EXPECT_EQ(run.InvokeAll(), expected);
  }
}

// The error names the earlier delegate, although the error occurs while a later
// delegate is applied. The earlier delegate cannot be prepared again, so the
// graph runs without delegates.
TEST(RefusedDelegate, KeepsTheNameOfTheOneThatFailed) {
  ByteRun run(ExpandingModel());
  FakeSpec earlier = FailingFrom(2, {0});
  ASSERT_THAT(run.Apply(earlier), IsOk());
  const absl::Status status = run.Apply(DynamicNamed("sound", {1}));
  EXPECT_THAT(status, FailsWith(kLoss, HasSubstr("(earlier): no more")));
  EXPECT_EQ(DelegateOf(status), "earlier");
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(ExpandingModel()));
}

// An earlier delegate must be removed if it cannot be prepared again after a
// later delegate was refused. With the fallback, Allocate succeeds
// nevertheless.
TEST(RefusedDelegate, LeavesAnEarlierOneOutWithTheFallback) {
  InterpreterOptions options;
  options.delegate_fallback = true;
  options.delegates = {RequestOf(FailingFrom(3, {0})), RequestOf(Refused({1})),
                       RequestOf(DynamicNamed("last", {3}))};
  ByteRun run(ExpandingModel(), options);
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(AppliedNames(run.graph()), ElementsAre("last"));
  EXPECT_EQ(run.graph().delegates().size(), 3u);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(ExpandingModel()));
}

// Returns operators of which Mix fails in Prepare while *fails is true.
OperatorResolver WithPicky(const bool* fails) {
  OperatorResolver resolver = ByteOperators();
  const OperatorRegistration mix = *resolver.Find("Mix", true);
  const std::shared_ptr<Kernel> kernel = mix.create();
  resolver.Add(CustomOperator(
      "Mix",
      [kernel, fails](OperatorContext& context) {
        return *fails ? absl::DataLossError("out of order")
                      : kernel->Prepare(context);
      },
      [kernel](OperatorContext& context) { return kernel->Invoke(context); }));
  return resolver;
}

// Returns a delegate that fails and that makes all operators fail from then on.
FakeSpec Spoiling(bool* fails) {
  FakeSpec spec = Refused({1});
  spec.kernel_prepare = [fails](PartitionContext&) {
    *fails = true;
    return absl::AbortedError("planted");
  };
  return spec;
}

TEST(RefusedDelegate, LeavesOperatorsThatCannotBePreparedWithoutMemory) {
  const std::vector<Bytes> expected = ExpectedOutputs(ExpandingModel());
  bool fails = false;
  ByteRun run(ExpandingModel(), {}, WithPicky(&fails));
  ASSERT_THAT(run.Apply(DynamicNamed("earlier", {3})), IsOk());
  EXPECT_EQ(run.Invoke(0), expected[0]);
  EXPECT_THAT(run.Apply(Spoiling(&fails)),
              FailsWith(kAborted, AllOf(HasSubstr("(refused): planted; and "),
                                        HasSubstr("out of order"))));
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(kPrecondition, HasSubstr("invoked without memory")));
  EXPECT_EQ(run.graph().input(0).data, nullptr);
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(kLoss, HasSubstr("out of order")));
  // The graph can be allocated as soon as the operators no longer fail.
  fails = false;
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(AppliedNames(run.graph()), ElementsAre("earlier"));
  EXPECT_EQ(run.InvokeAll(), expected);
}

// If a delegate comes after the refused one in the options, its status gives
// the reason why it was not applied.
TEST(RefusedDelegate, LeavesNoGraphForThoseAfterIt) {
  bool fails = false;
  InterpreterOptions options;
  options.delegates = {RequestOf(DynamicNamed("earlier", {3})),
                       RequestOf(Spoiling(&fails)),
                       RequestOf(DynamicNamed("last", {0}))};
  ByteRun run(ExpandingModel(), options, WithPicky(&fails));
  EXPECT_THAT(run.graph().Allocate(),
              FailsWith(kAborted, HasSubstr("planted")));
  const std::vector<AppliedDelegate> delegates = run.graph().delegates();
  ASSERT_EQ(delegates.size(), 3u);
  EXPECT_THAT(delegates[2].status,
              FailsWith(kPrecondition, HasSubstr("not prepared")));
  EXPECT_FALSE(run.graph().Invoke().ok());
  fails = false;
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(AppliedNames(run.graph()), ElementsAre("earlier"));
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(ExpandingModel()));
}

// The planner provided by the caller fails when the graph has to be planned
// again, so the graph has no memory.
TEST(RefusedDelegate, LeavesAPlanThatCannotBeMadeWithoutMemory) {
  const std::vector<Bytes> expected = ExpectedOutputs(ExpandingModel());
  bool fails = false;
  InterpreterOptions options;
  options.planner =
      [&](const ArenaRecords& records) -> absl::StatusOr<OffsetsAssignment> {
    if (fails) return absl::UnavailableError("no plan");
    OffsetsAssignment plan;
    for (const auto& record : records.records) {
      plan.offsets.push_back(plan.total_size);
      plan.total_size += (record.tensor_size + 63) / 64 * 64;
    }
    return plan;
  };
  ByteRun run(ExpandingModel(), options);
  ASSERT_THAT(run.Apply(DynamicNamed("earlier", {0})), IsOk());
  EXPECT_EQ(run.Invoke(0), expected[0]);
  EXPECT_THAT(run.Apply(Spoiling(&fails)),
              FailsWith(kAborted, AllOf(HasSubstr("(refused): planted; and "),
                                        HasSubstr("no plan"))));
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(kPrecondition, HasSubstr("invoked without memory")));
  fails = false;
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(AppliedNames(run.graph()), ElementsAre("earlier"));
  EXPECT_EQ(run.InvokeAll(), expected);
}

// After a resize, the static delegates are applied again one after another. If
// the graph cannot be prepared before all of them are applied, the next call of
// Allocate applies the remaining ones.
TEST(RefusedDelegate, KeepsThoseThatAreToBeAppliedAgain) {
  bool fails = false;
  ByteRun run(BranchedModel(), {}, WithPicky(&fails));
  const auto log = std::make_shared<FakeLog>();
  FakeSpec first = DynamicNamed("first", {1});
  bool spoils = false;
  first.kernel_prepare = [&](PartitionContext& context) {
    if (!spoils) return absl::OkStatus();
    fails = true;
    // The kernel makes an output dynamic, so all nodes after it are prepared
    // again.
    return context.MakeOutputDynamic(context.partition().outputs[0]);
  };
  ASSERT_THAT(run.Apply(first, log), IsOk());
  ASSERT_THAT(run.Apply(Named("static", {2}), log), IsOk());
  ASSERT_THAT(run.graph().ResizeInput(0, {5}), IsOk());
  spoils = true;
  EXPECT_THAT(run.graph().Prepare(), FailsWith(kLoss, HasSubstr("order")));
  EXPECT_FALSE(run.graph().Invoke().ok());
  spoils = false;
  fails = false;
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(AppliedNames(run.graph()), ElementsAre("static"));
  ByteRun alone(BranchedModel());
  ASSERT_THAT(alone.graph().ResizeInput(0, {5}), IsOk());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  EXPECT_EQ(run.InvokeAll(), alone.InvokeAll());
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  EXPECT_TRUE(log->IsClean());
}

// Delegates are refused, because a partition would be a single task, which
// belongs to no stream.
TEST(RefusedDelegate, WithSeveralStreams) {
  InterpreterOptions options;
  options.streams = 2;
  options.planner = StackRecords;
  ByteRun run(BranchedModel(), options);
  EXPECT_THAT(run.Apply(Named("nn", {1})),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("delegate nn: with 2 streams; expected 1 "
                                  "stream with a delegate")));
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  ByteRun alone(BranchedModel());
  ASSERT_THAT(alone.graph().Allocate(), IsOk());
  EXPECT_EQ(run.InvokeAll(), alone.InvokeAll());
}

}  // namespace
}  // namespace stowage::harness
