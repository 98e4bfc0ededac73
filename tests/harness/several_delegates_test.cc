// SPDX-License-Identifier: Apache-2.0
// Tests several delegates in one graph. The delegates are static or dynamic,
// work in one or in several subgraphs, and come from the options or from calls
// of ApplyDelegate.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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

std::vector<std::string> NamesOf(const Subgraph& graph) {
  std::vector<std::string> names;
  for (const AppliedDelegate& delegate : graph.delegates()) {
    names.push_back(delegate.name);
  }
  return names;
}

TEST(SeveralDelegates, EachSeesWhatIsLeft) {
  ByteRun run(BranchedModel());
  const auto first = std::make_shared<FakeLog>();
  const auto second = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(Named("A", {0, 1, 5}), first), IsOk());
  // B is also queried about the nodes of A, which have replaced the operators
  // that A claimed.
  FakeSpec rest;
  rest.info.name = "B";
  ASSERT_THAT(run.Apply(rest, second), IsOk());
  EXPECT_EQ(first->asked.size(), 6u);
  std::vector<int> asked;
  for (const auto& [node, times] : second->asked) asked.push_back(node);
  EXPECT_THAT(asked, ElementsAre(2, 3, 4, 6, 7));
  EXPECT_THAT(run.graph().execution_plan(), ElementsAre(6, 8, 7));
  const std::vector<AppliedDelegate> delegates = run.graph().delegates();
  ASSERT_EQ(delegates.size(), 2u);
  ASSERT_EQ(delegates[0].partitions.size(), 2u);
  EXPECT_THAT(delegates[0].partitions[0].nodes, ElementsAre(0, 1));
  EXPECT_THAT(delegates[0].partitions[0].inputs, ElementsAre(0));
  EXPECT_THAT(delegates[0].partitions[0].outputs, ElementsAre(2, 3));
  EXPECT_THAT(delegates[0].partitions[1].nodes, ElementsAre(5));
  ASSERT_EQ(delegates[1].partitions.size(), 1u);
  EXPECT_THAT(delegates[1].partitions[0].nodes, ElementsAre(2, 3, 4));
  EXPECT_THAT(delegates[1].partitions[0].inputs, ElementsAre(1, 2, 3));
  EXPECT_THAT(delegates[1].partitions[0].outputs, ElementsAre(4, 6));
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

TEST(SeveralDelegates, LimitsAreTheirOwnOrThoseOfTheCall) {
  FakeSpec spec = Named("A", {0, 1, 3, 5});
  spec.info.limits.max_partitions = 1;
  ByteRun own(BranchedModel());
  ASSERT_THAT(own.Apply(spec), IsOk());
  ASSERT_EQ(own.graph().delegates()[0].partitions.size(), 1u);
  EXPECT_THAT(own.graph().delegates()[0].partitions[0].nodes,
              ElementsAre(0, 1));
  EXPECT_EQ(own.InvokeAll(), ExpectedOutputs(BranchedModel()));

  ByteRun given(BranchedModel());
  ApplyOptions options;
  options.claim = {0, 3, 5};
  options.limits = PartitionLimits();
  ASSERT_THAT(given.graph().ApplyDelegate(std::make_shared<FakeDelegate>(spec),
                                          options),
              IsOk());
  EXPECT_EQ(given.graph().delegates()[0].partitions.size(), 3u);
  EXPECT_EQ(given.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

TEST(SeveralDelegates, ThoseOfTheResolverComeBeforeThoseOfTheOptions) {
  OperatorResolver resolver = ByteOperators();
  resolver.AddDelegate(
      [] { return std::make_shared<FakeDelegate>(Named("resolver", {0})); });
  InterpreterOptions options;
  options.delegates.push_back(RequestOf(Named("option", {0, 1})));
  options.delegates.push_back(RequestOf(Named("last", {1, 2})));
  ByteRun run(BranchedModel(), options, resolver);
  EXPECT_TRUE(run.graph().delegates().empty());
  ASSERT_THAT(run.Apply(Named("call", {3})), IsOk());
  EXPECT_THAT(NamesOf(run.graph()),
              ElementsAre("resolver", "option", "last", "call"));
  for (const AppliedDelegate& delegate : run.graph().delegates()) {
    EXPECT_EQ(delegate.partitions.size(), 1u) << delegate.name;
  }
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  // Allocate does not apply removed delegates again.
  ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_TRUE(run.graph().delegates().empty());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

TEST(SeveralDelegates, AFunctionThatMakesNoneIsAnError) {
  using Created = absl::StatusOr<std::shared_ptr<Delegate>>;
  const DelegateRequest requests[] = {
      CreatedBy(
          []() -> Created { return absl::UnavailableError("no device"); }),
      CreatedBy([]() -> Created { return nullptr; }),
      CreatedBy([]() -> Created { throw 7; }), CreatedBy(nullptr)};
  for (const DelegateRequest& request : requests) {
    InterpreterOptions options;
    options.delegates = {request, RequestOf(Named("sound", {1}))};
    ByteRun run(BranchedModel(), options);
    EXPECT_FALSE(run.graph().Allocate().ok());
    EXPECT_THAT(NamesOf(run.graph()), ElementsAre("created", "sound"));
    EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
    // The second call of Allocate does not report the error again.
    EXPECT_THAT(run.graph().Allocate(), IsOk());
    options.delegate_fallback = true;
    ByteRun fallback(BranchedModel(), options);
    EXPECT_THAT(fallback.graph().Allocate(), IsOk());
    EXPECT_EQ(fallback.InvokeAll(), ExpectedOutputs(BranchedModel()));
  }
}

// After a resize, the delegates of the options are applied again, but they are
// not created again.
TEST(SeveralDelegates, ThoseOfTheOptionsAreCreatedOnce) {
  for (const bool is_dynamic : {false, true}) {
    FakeSpec spec = Named("option", {1});
    spec.info.allows_dynamic_tensors = is_dynamic;
    size_t created = 0;
    InterpreterOptions options;
    options.delegates.push_back(CreatedBy([&] {
      ++created;
      return std::make_shared<FakeDelegate>(spec);
    }));
    ByteRun run(BranchedModel(), options);
    for (const int32_t bytes : {16, 5}) {
      ASSERT_THAT(run.graph().ResizeInput(0, {bytes}), IsOk());
      ASSERT_THAT(run.graph().Allocate(), IsOk());
      EXPECT_EQ(created, 1u);
      EXPECT_THAT(NamesOf(run.graph()), ElementsAre("option"));
    }
  }
}

// Returns a model with operators after a shape that depends on data.
ModelSpec DynamicModel() {
  ByteModel model;
  const size_t in = model.AddInput(16);
  const size_t state = model.AddVariable(16);
  const size_t x = model.Add("Mix", {in});
  const size_t expanded = model.Add("Expand", {x});
  const size_t scratch = model.Add("Scratch", {expanded, in}, 2);
  const size_t sum = model.Add("Accumulate", {scratch, state});
  model.MarkOutput(model.Add("Mix", {sum, expanded}));
  return model.spec();
}

TEST(SeveralDelegates, TheStaticKindIsRefusedWhereShapesDependOnData) {
  ByteRun run(DynamicModel());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const auto log = std::make_shared<FakeLog>();
  EXPECT_THAT(run.Apply(Named("static", {0}), log),
              FailsWith(kPrecondition,
                        AllOf(HasSubstr("operator 1"), HasSubstr("static"),
                              HasSubstr("depend on data"))));
  // The delegate is refused before any of its functions other than info() is
  // called.
  EXPECT_EQ(log->graphs_prepared, 0u);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(DynamicModel()));
}

TEST(SeveralDelegates, TheDynamicKindRunsWhatDependsOnData) {
  const std::vector<Bytes> expected = ExpectedOutputs(DynamicModel(), 6);
  const std::vector<int> claims[] = {{0},       {1},       {2},
                                     {0, 1},    {1, 2},    {3, 4},
                                     {1, 2, 3}, {0, 2, 4}, {0, 1, 2, 3, 4}};
  for (const std::vector<int>& nodes : claims) {
    for (const bool wants_shapes : {false, true}) {
      for (const bool moves : {false, true}) {
        SCOPED_TRACE(testing::PrintToString(nodes));
        InterpreterOptions options;
        options.moves_arena = moves;
        FakeSpec spec = Named("dynamic", nodes);
        spec.info.allows_dynamic_tensors = true;
        spec.info.wants_shapes = wants_shapes;
        ByteRun run(DynamicModel(), options);
        const auto log = std::make_shared<FakeLog>();
        ASSERT_THAT(run.Apply(spec, log), IsOk());
        EXPECT_EQ(run.InvokeAll(6), expected);
        ASSERT_THAT(run.graph().RemoveDelegates(), IsOk());
        EXPECT_EQ(run.InvokeAll(6), expected);
        EXPECT_TRUE(log->IsClean());
      }
    }
  }
}

// A delegate that makes shapes depend on data must be applied before any static
// delegate. It is refused if a static delegate is already applied.
TEST(SeveralDelegates, NoShapeBecomesDynamicBehindAStaticOne) {
  ByteRun run(BranchedModel());
  const auto first = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(Named("static", {2}), first), IsOk());
  const std::string before = Describe(run.graph());
  FakeSpec spec = Named("dynamic", {0, 1});
  spec.info.allows_dynamic_tensors = true;
  spec.kernel_prepare = [](PartitionContext& context) {
    return context.MakeOutputDynamic(context.partition().outputs.back());
  };
  EXPECT_THAT(
      run.Apply(spec),
      FailsWith(kPrecondition, AllOf(HasSubstr("dynamic"),
                                     HasSubstr("makes a tensor dynamic"))));
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_EQ(first->kernels_prepared, 1u);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
  // In the other order, the static delegate is refused, because a shape depends
  // on data.
  ByteRun other(BranchedModel());
  spec.before_invoke = [](PartitionContext& context) {
    return context.ResizeOutput(context.partition().outputs.back(), {20});
  };
  ASSERT_THAT(other.Apply(spec), IsOk());
  EXPECT_THAT(other.Apply(Named("static", {2})),
              FailsWith(kPrecondition, HasSubstr("depend on data")));
  EXPECT_EQ(other.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

// The second delegate requests shapes and then fails. To compute the shapes,
// the operators that the delegate was to replace are prepared, so they have
// temporaries until the delegate fails.
TEST(SeveralDelegates, AFailedDynamicOneBehindAStaticOneLeavesTemporaries) {
  ByteRun run(BranchedModel());
  ASSERT_THAT(run.Apply(Named("static", {0})), IsOk());
  FakeSpec spec = Named("dynamic", {2, 4});
  spec.info.allows_dynamic_tensors = true;
  spec.info.wants_shapes = true;
  spec.kernel_prepare = [](PartitionContext&) {
    return absl::AbortedError("planted");
  };
  EXPECT_FALSE(run.Apply(spec).ok());
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(BranchedModel()));
}

// While the second delegate was being applied, the temporaries had different
// numbers. After the failure, they must have their earlier numbers again.
TEST(SeveralDelegates, AFailedDynamicOneBehindAnotherLeavesTemporaries) {
  PoisonChecker poison(0x7F);
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&poison, &touch};
  ByteRun run(BranchedModel(), options);
  FakeSpec first = Named("first", {1, 2});
  first.info.allows_dynamic_tensors = true;
  ASSERT_THAT(run.Apply(first), IsOk());
  const std::string before = Describe(run.graph());
  const std::vector<Bytes> expected = ExpectedOutputs(BranchedModel());
  EXPECT_EQ(run.Invoke(0), expected[0]);
  FakeSpec second = Named("second", {0, 3});
  second.info.allows_dynamic_tensors = true;
  second.kernel_prepare = [calls = 0](PartitionContext& context) mutable {
    return ++calls == 1
               ? context.MakeOutputDynamic(context.partition().outputs[0])
               : absl::AbortedError("planted");
  };
  EXPECT_FALSE(run.Apply(second).ok());
  EXPECT_EQ(Describe(run.graph()), before);
  EXPECT_EQ(run.Invoke(1), expected[1]);
  EXPECT_EQ(run.Invoke(2), expected[2]);
}

ModelSpec TwoSubgraphs() {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t x = model.Add("Mix", {in});
  model.MarkOutput(model.Add("CallOnce", {x}));
  model.BeginSubgraph();
  const size_t a = model.AddConstant({1, 2, 3});
  const size_t b = model.Add("Mix", {a});
  model.Add("Mix", {b});
  return model.spec();
}

TEST(SeveralDelegates, OneIsAppliedToAllSubgraphsOrToNone) {
  ByteRun run(TwoSubgraphs());
  const auto log = std::make_shared<FakeLog>();
  const auto all = std::make_shared<FakeDelegate>(Named("all", {0}), log);
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  const std::string before = Describe(run.graph());
  ASSERT_THAT(run.interpreter().ApplyDelegate(all), IsOk());
  EXPECT_EQ(run.graph().delegates()[0].partitions.size(), 1u);
  EXPECT_EQ(run.interpreter().subgraph(1).delegates()[0].partitions.size(), 1u);
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(TwoSubgraphs()));
  EXPECT_EQ(log->run.size(), 4u);
  ASSERT_THAT(run.interpreter().RemoveDelegates(), IsOk());
  EXPECT_TRUE(log->IsClean());

  // The delegate fails in the second subgraph, so it is removed from both
  // subgraphs. A delegate that was applied earlier stays.
  const auto kept = std::make_shared<FakeLog>();
  ASSERT_THAT(run.Apply(Named("kept", {1}), kept), IsOk());
  FakeSpec fails = Named("fails", {0});
  fails.create = [calls = std::make_shared<int>(0)](const DelegatePartition&) {
    return ++*calls == 2 ? absl::AbortedError("the second") : absl::OkStatus();
  };
  const auto failed = std::make_shared<FakeLog>();
  EXPECT_THAT(run.interpreter().ApplyDelegate(
                  std::make_shared<FakeDelegate>(fails, failed)),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("subgraph 1")));
  EXPECT_TRUE(failed->IsClean());
  EXPECT_EQ(failed->delegates_destroyed, 1u);
  EXPECT_THAT(NamesOf(run.graph()), ElementsAre("kept"));
  EXPECT_TRUE(run.interpreter().subgraph(1).delegates().empty());
  ASSERT_THAT(run.interpreter().RemoveDelegates(), IsOk());
  EXPECT_EQ(Describe(run.graph()), before);
}

// Several operators read and write one variable. None of them reads the output
// of another, so only the variable forces them to keep their order.
TEST(SeveralDelegates, EffectsKeepTheirOrder) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t state = model.AddVariable(8);
  std::vector<size_t> outputs;
  for (size_t i = 0; i < 5; ++i) {
    const size_t x = model.Add("Mix", {in}, static_cast<uint8_t>(i));
    outputs.push_back(model.Add("Accumulate", {x, state}));
  }
  for (const size_t t : outputs) model.MarkOutput(t);
  const std::vector<Bytes> expected = ExpectedOutputs(model.spec());
  // The nodes 1, 3, 5, 7 and 9 use the variable. Each of two delegates claims a
  // set of these nodes. The loops try many pairs of sets.
  for (int first = 0; first < 32; ++first) {
    for (int second = 0; second < 32; second += 3) {
      const auto nodes = [](int set) {
        std::vector<int> ids;
        for (int i = 0; i < 5; ++i) {
          if ((set >> i & 1) != 0) ids.push_back(2 * i + 1);
        }
        return ids;
      };
      FakeSpec a = Named("A", nodes(first));
      a.is_transparent = (second & 1) != 0;
      ByteRun run(model.spec());
      ASSERT_THAT(run.Apply(a), IsOk());
      ASSERT_THAT(run.Apply(Named("B", nodes(second))), IsOk());
      ASSERT_EQ(run.InvokeAll(), expected) << first << " " << second;
    }
  }
}

// An output that the delegate has made dynamic has no memory until the kernel
// sets its shape. In this test, the kernel never sets the shape.
TEST(DynamicDelegate, LeavesADynamicOutputWithoutAShape) {
  ByteModel model;
  const size_t in = model.AddInput(16);
  const size_t made = model.Add("MixInPlace", {in}, 4);
  model.MarkOutput(model.Add("Mix", {made, in}, 3));
  ByteRun run(model.spec());
  FakeSpec spec = Claiming({0});
  spec.info.allows_dynamic_tensors = true;
  spec.kernel_prepare = [made](PartitionContext& context) {
    return context.MakeOutputDynamic(made);
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  for (size_t invocation = 0; invocation < 2; ++invocation) {
    ASSERT_THAT(FeedBytes(run.graph(), invocation), IsOk());
    EXPECT_THAT(run.graph().Invoke(),
                FailsWith(absl::StatusCode::kFailedPrecondition,
                          ::testing::HasSubstr("left without a shape")));
  }
}

// Returns a model whose last two nodes are prepared only after the first node
// has computed a shape.
ModelSpec LateModel() {
  ByteModel model;
  const size_t expanded = model.Add("Expand", {model.AddInput(16)});
  const size_t scratched = model.Add("Scratch", {expanded}, 2);
  model.MarkOutput(model.Add("Scratch", {scratched}, 3));
  return model.spec();
}

FakeSpec Dynamic(std::vector<int> nodes) {
  FakeSpec spec = Claiming(std::move(nodes));
  spec.info.allows_dynamic_tensors = true;
  return spec;
}

// The run fails while it prepares the last nodes, after it has added some of
// their temporaries.
TEST(DynamicDelegate, FailsToPrepareInARun) {
  const std::vector<Bytes> expected = ExpectedOutputs(LateModel());
  ByteRun run(LateModel());
  bool fails = true;
  FakeSpec spec = Dynamic({2});
  spec.kernel_prepare = [&](PartitionContext&) {
    return fails ? absl::AbortedError("planted") : absl::OkStatus();
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  EXPECT_THAT(run.graph().Invoke(), FailsWith(kAborted, HasSubstr("planted")));
  EXPECT_THAT(run.Apply(Claiming({1})),
              FailsWith(kPrecondition, HasSubstr("depend on data")));
  fails = false;
  EXPECT_EQ(run.Invoke(0), expected[0]);
  EXPECT_EQ(run.Invoke(1), expected[1]);
}

// The temporaries that a run has added are removed at the start of the next
// run, even if the next run is cancelled.
TEST(DynamicDelegate, IsAppliedAfterARunThatWasCancelled) {
  const std::vector<Bytes> expected = ExpectedOutputs(LateModel());
  for (const std::vector<int>& nodes :
       {std::vector<int>(), std::vector<int>{1, 2}}) {
    ByteRun run(LateModel());
    ASSERT_THAT(run.Apply(Dynamic({2})), IsOk());
    EXPECT_EQ(run.Invoke(0), expected[0]);
    run.graph().Cancel();
    EXPECT_THAT(run.graph().Invoke(),
                FailsWith(absl::StatusCode::kCancelled, testing::_));
    const absl::Status status = run.Apply(Dynamic(nodes));
    EXPECT_THAT(status, IsOk());
    EXPECT_EQ(run.Invoke(1), expected[1]);
    EXPECT_EQ(run.Invoke(2), expected[2]);
  }
}

TEST(DynamicDelegate, MakesAnOutputDynamicInInvoke) {
  ByteRun run(BranchedModel());
  FakeSpec spec = Dynamic({3});
  spec.before_invoke = [](PartitionContext& context) {
    return context.MakeOutputDynamic(context.partition().outputs[0]);
  };
  ASSERT_THAT(run.Apply(spec), IsOk());
  ASSERT_THAT(FeedBytes(run.graph(), 0), IsOk());
  EXPECT_THAT(run.graph().Invoke(),
              FailsWith(kPrecondition,
                        HasSubstr("made dynamic in Invoke; expected in")));
}

// A delegate sets a shape that differs from the one for which the readers of
// the tensor were prepared. The readers are operators and delegates.
TEST(DynamicDelegate, SetsAShapeThatOthersRead) {
  ByteModel model;
  const size_t mixed = model.Add("Mix", {model.AddInput(16)}, 2);
  const size_t scratched = model.Add("Scratch", {mixed}, 3);
  model.MarkOutput(scratched);
  FakeSpec spec = Dynamic({0});
  spec.kernel_prepare = [=](PartitionContext& context) {
    return context.ResizeOutput(mixed, {40});
  };
  std::vector<Bytes> outputs;
  for (const bool is_delegated : {false, true}) {
    ByteRun run(model.spec());
    if (is_delegated) {
      ASSERT_THAT(run.Apply(Dynamic({1})), IsOk());
    }
    ASSERT_THAT(run.Apply(spec), IsOk());
    outputs.push_back(run.Invoke(0));
    EXPECT_EQ(outputs.back().size(), 43u);
  }
  EXPECT_EQ(outputs[0], outputs[1]);

  ByteRun run(model.spec());
  ASSERT_THAT(run.Apply(Claiming({1})), IsOk());
  EXPECT_THAT(run.Apply(spec),
              FailsWith(kPrecondition,
                        HasSubstr("changes the shape of tensor 1; expected")));
  EXPECT_EQ(run.InvokeAll(), ExpectedOutputs(model.spec()));
}

}  // namespace
}  // namespace stowage::harness
