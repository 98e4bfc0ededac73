// SPDX-License-Identifier: Apache-2.0
// Tests models on several streams: which operators run at the same time, which
// plans are safe, and whether the checks find unsafe plans.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/recorder.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/stacked_plan.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using testing::AllOf;
using testing::HasSubstr;

constexpr uint8_t kPattern = 0xA5;
constexpr size_t kBytes = 64;

// Returns this model:
//
//   tensor   0 in   1 a   2 b   3 c   4 d   5 out
//
//   stream 0   0: a ──> 1: b ──> 2: c ──> 4: out
//                 \                      ^
//   stream 1       ──────> 3: d ────────/
//
// In the file d comes after c, so a plan for the sequence may place d in the
// memory of b.
ByteModel Branches(const std::string& c, const std::string& d) {
  ByteModel model;
  const size_t in = model.AddInput(kBytes);
  const size_t ta = model.Add("Mix", {in});
  const size_t tb = model.Add("Mix", {ta});
  const size_t tc = model.Add(c, {tb});
  const size_t td = model.Add(d, {ta, in});
  model.MarkOutput(model.Add("Mix", {tc, td}));
  return model;
}

std::map<size_t, size_t> SafePlan() {
  return {{0, 0}, {1, 64}, {2, 128}, {3, 192}, {4, 256}, {5, 320}};
}
// Returns a plan that places d in the memory of b.
std::map<size_t, size_t> PlanOfSequence() {
  return {{0, 0}, {1, 64}, {2, 128}, {3, 192}, {4, 128}, {5, 256}};
}

// Provides two operators that force the worst order: ReadLate reads its input
// only after WriteNow has written its output, and WriteNow writes only after
// ReadLate has begun.
class Rendezvous {
 public:
  OperatorResolver Operators() {
    OperatorResolver resolver = ByteOperators();
    const OperatorRegistration* mix = resolver.Find("Mix", true);
    const auto create = mix->create;
    const auto prepare = [create](OperatorContext& context) {
      return create()->Prepare(context);
    };
    resolver.Add(
        CustomOperator("ReadLate", prepare, [=](OperatorContext& context) {
          has_begun_ = true;
          while (!has_written_) {
            std::this_thread::yield();
          }
          return create()->Invoke(context);
        }));
    resolver.Add(
        CustomOperator("WriteNow", prepare, [=](OperatorContext& context) {
          while (!has_begun_) {
            std::this_thread::yield();
          }
          absl::Status status = create()->Invoke(context);
          has_written_ = true;
          return status;
        }));
    return resolver;
  }

 private:
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> has_written_{false};
};

struct Outcome {
  absl::Status status;
  std::vector<uint8_t> output;
};

Outcome RunOnce(const ByteModel& model, const OperatorResolver& resolver,
                const InterpreterOptions& options) {
  const LoadedModel loaded(model.spec());
  auto interpreter = Interpreter::Create(*loaded, resolver, options);
  if (!interpreter.ok()) return {interpreter.status(), {}};
  Subgraph& graph = (*interpreter)->primary();
  Outcome run;
  run.status = graph.Allocate();
  if (run.status.ok()) run.status = FeedBytes(graph, 0);
  if (run.status.ok()) run.status = graph.Invoke();
  if (!run.status.ok()) return run;
  const Tensor& output = graph.output(0);
  run.output.assign(output.as<uint8_t>(), output.as<uint8_t>() + output.bytes);
  return run;
}

InterpreterOptions OnTwoStreams(std::map<size_t, size_t> offsets) {
  InterpreterOptions options;
  options.streams = 2;
  options.planner = PlanAt(std::move(offsets));
  return options;
}

std::vector<uint8_t> Expected() {
  const Outcome run = RunOnce(Branches("Mix", "Mix"), ByteOperators(), {});
  EXPECT_THAT(run.status, IsOk());
  return run.output;
}

TEST(StreamRun, BranchesRunAtTheSameTime) {
  const Outcome run =
      RunOnce(Branches("ReadLate", "WriteNow"), Rendezvous().Operators(),
              OnTwoStreams(SafePlan()));
  EXPECT_THAT(run.status, IsOk());
  EXPECT_EQ(run.output, Expected());
}

TEST(StreamRun, ChecksPassUnderASafePlan) {
  for (int i = 0; i < 20; ++i) {
    PoisonChecker poison(kPattern);
    TouchChecker touch;
    Recorder recorder;
    Profiler profiler;
    InterpreterOptions options = OnTwoStreams(SafePlan());
    options.observers = {&poison, &touch, &recorder, &profiler};
    Rendezvous rendezvous;
    const Outcome run = RunOnce(Branches("ReadLate", "WriteNow"),
                                rendezvous.Operators(), options);
    EXPECT_THAT(run.status, IsOk());
    EXPECT_EQ(run.output, Expected());
    EXPECT_EQ(profiler.Operators().size(), 5U);
  }
}

// The thread sanitizer would report the planted race as well, so builds with
// this sanitizer leave out these tests.
#ifndef __SANITIZE_THREAD__
TEST(StreamRun, APlanOfTheSequenceGivesWrongBytes) {
  Rendezvous rendezvous;
  const Outcome run =
      RunOnce(Branches("ReadLate", "WriteNow"), rendezvous.Operators(),
              OnTwoStreams(PlanOfSequence()));
  EXPECT_THAT(run.status, IsOk());
  EXPECT_NE(run.output, Expected());
}

TEST(StreamRun, TheTouchCheckFindsAPlanOfTheSequence) {
  PoisonChecker poison(kPattern);
  TouchChecker touch;
  InterpreterOptions options = OnTwoStreams(PlanOfSequence());
  options.observers = {&poison, &touch};
  Rendezvous rendezvous;
  EXPECT_THAT(
      RunOnce(Branches("ReadLate", "WriteNow"), rendezvous.Operators(), options)
          .status,
      FailsWith(
          absl::StatusCode::kDataLoss,
          AllOf(HasSubstr("touch check: it or an operator beside it changes "
                          "byte"),
                HasSubstr("tensor 2 \"t2\""),
                HasSubstr("of the arena, which tensor 4 \"t4\" (tasks [3, 4]) "
                          "has, too"))));
}
#endif

// The plan that is unsafe on two streams is safe on one.
TEST(StreamRun, APlanOfTheSequenceIsSafeInASequence) {
  PoisonChecker poison(kPattern);
  TouchChecker touch;
  InterpreterOptions options = OnTwoStreams(PlanOfSequence());
  options.streams = 1;
  options.observers = {&poison, &touch};
  const Outcome run = RunOnce(Branches("Mix", "Mix"), ByteOperators(), options);
  EXPECT_THAT(run.status, IsOk());
  EXPECT_EQ(run.output, Expected());
}

// Operator 0 depends only on constants, so it is computed before the run and
// never executed in a run. The input "u" has no reader, so its memory is free
// after operator 0. Operators 1 and 2 run on different streams.
ModelSpec FoldedFirst() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::RESHAPE},
                 {tflite::BuiltinOperator::ADD}};
  model.buffers = {{},
                   {{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64}},
                   {{4, 0, 0, 0}}};
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors.assign(7, TensorDraft{{4}});
  graph.tensors[0].name = "u";
  graph.tensors[1].buffer = 1;
  graph.tensors[2] = {{1}, tflite::TensorType::INT32, 2};
  graph.inputs = {0, 5};
  graph.outputs = {4};
  graph.operators = {{0, {1, 2}, {3}}, {1, {3, 3}, {4}}, {1, {5, 5}, {6}}};
  return model;
}

TEST(StreamRun, WhatIsComputedBeforeTheRunHasFinished) {
  const LoadedModel loaded(FoldedFirst());
  TouchChecker touch;
  PoisonChecker poison(kPattern);
  InterpreterOptions options;
  options.streams = 2;
  options.lifetimes = LifetimeRules::kMicro;
  options.observers = {&poison, &touch};
  auto interpreter = Interpreter::Create(*loaded, options);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  const auto& offsets = graph.plan().offsets;
  EXPECT_EQ(offsets.at(0), offsets.at(4)) << "the output lies where u was";
  ASSERT_THAT(FeedBytes(graph, 0), IsOk());
  EXPECT_THAT(graph.Invoke(), IsOk());
}

// Returns a byte of an arena. AddressSanitizer is disabled here because it
// would report the access if the byte is not live.
ABSL_ATTRIBUTE_NO_SANITIZE_ADDRESS uint8_t PeekAt(const uint8_t* byte) {
  return *byte;
}

// Records the first byte of a tensor before each operator, and whether the
// tensor is live at that operator.
class Spy : public ExecutionObserver {
 public:
  explicit Spy(size_t tensor) : tensor_(tensor) {}

  absl::Status BeforeOperator(const Execution& at) override {
    const uint8_t byte = PeekAt(at.tensors[tensor_].as<uint8_t>());
    seen_[at.node] = {byte, at.IsLive(tensor_, at.node)};
    return absl::OkStatus();
  }

  std::pair<uint8_t, bool> seen(size_t node) const { return seen_.at(node); }

 private:
  size_t tensor_;
  std::map<size_t, std::pair<uint8_t, bool>> seen_;
};

// Both b and d read a, and c runs after b on the same stream. The bytes of a
// may be filled only after d has read them, no matter how early c runs.
TEST(StreamRun, BytesAreFilledOnceTheLastUserHasFinished) {
  PoisonChecker poison(0x00);
  Spy spy(1);
  InterpreterOptions options = OnTwoStreams(SafePlan());
  options.observers = {&poison, &spy};
  const Outcome run = RunOnce(Branches("Mix", "Mix"), ByteOperators(), options);
  EXPECT_THAT(run.status, IsOk());
  EXPECT_EQ(run.output, Expected());
  EXPECT_TRUE(spy.seen(1).second);
  EXPECT_NE(spy.seen(3).first, 0x00);
  EXPECT_TRUE(spy.seen(3).second);
  EXPECT_EQ(spy.seen(4).first, 0x00);
  EXPECT_FALSE(spy.seen(4).second);
}

// Operator e could take over the memory of b, which c also reads. In a
// sequence, e takes it over, because c has finished before; on two streams, c
// may still be running.
TEST(StreamRun, NothingIsTakenOverThatAnotherStreamReads) {
  ByteModel model;
  const size_t in = model.AddInput(kBytes);
  const size_t a = model.Add("Mix", {in});
  const size_t b = model.Add("Copy", {a});
  const size_t c = model.Add("Mix", {b});
  const size_t d = model.Add("Copy", {b});
  const size_t e = model.Add("MixInPlace", {d});
  model.MarkOutput(model.Add("Mix", {c, e}));
  const Outcome expected = RunOnce(model, ByteOperators(), {});
  for (const size_t streams : {size_t{1}, size_t{2}}) {
    const LoadedModel loaded(model.spec());
    PoisonChecker poison(kPattern);
    TouchChecker touch;
    InterpreterOptions options;
    options.streams = streams;
    options.planner = StackRecords;
    options.observers = {&poison, &touch};
    auto interpreter = Interpreter::Create(*loaded, ByteOperators(), options);
    ASSERT_THAT(interpreter, IsOk());
    ASSERT_THAT((*interpreter)->primary().Prepare(), IsOk());
    EXPECT_EQ((*interpreter)->primary().plan().lifetimes[e].root == e,
              streams == 2);
    const Outcome run = RunOnce(model, ByteOperators(), options);
    EXPECT_THAT(run.status, IsOk());
    EXPECT_EQ(run.output, expected.output);
  }
}

// Operators that use variables or call subgraphs keep the order of the file.
TEST(StreamRun, WhatHasStateStaysInOrder) {
  ByteModel model;
  const size_t in = model.AddInput(kBytes);
  const size_t sum = model.AddVariable(kBytes);
  const size_t other = model.Add("CallOnce", {in});
  const size_t a = model.Add("Accumulate", {in, sum});
  const size_t b = model.Add("Mix", {in});
  const size_t c = model.Add("Accumulate", {b, sum});
  model.MarkOutput(model.Add("Mix", {a, c, other}));
  model.BeginSubgraph();
  model.Add("Mix", {model.AddConstant({1, 2, 3})});
  const Outcome expected = RunOnce(model, ByteOperators(), {});
  ASSERT_THAT(expected.status, IsOk());
  for (size_t streams = 2; streams <= 4; ++streams) {
    PoisonChecker poison(kPattern);
    TouchChecker touch;
    InterpreterOptions options;
    options.streams = streams;
    options.planner = StackRecords;
    options.observers = {&poison, &touch};
    const Outcome run = RunOnce(model, ByteOperators(), options);
    EXPECT_THAT(run.status, IsOk());
    EXPECT_EQ(run.output, expected.output);
  }
}

TEST(StreamRun, AnErrorOfOneStreamEndsTheRunAndTheNextRunIsWhole) {
  const LoadedModel loaded(Branches("Mix", "RefuseOdd").spec());
  PoisonChecker poison(kPattern);
  TouchChecker touch;
  InterpreterOptions options = OnTwoStreams(SafePlan());
  options.observers = {&poison, &touch};
  auto interpreter = Interpreter::Create(*loaded, ByteOperators(), options);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  size_t refused = 0;
  for (size_t invocation = 0; invocation < 20; ++invocation) {
    ASSERT_THAT(FeedBytes(graph, invocation), IsOk());
    const absl::Status status = graph.Invoke();
    if (absl::IsInvalidArgument(status)) {
      EXPECT_THAT(std::string(status.message()), HasSubstr("operator 3"));
      ++refused;
    } else {
      EXPECT_THAT(status, IsOk());
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 20U);
}

// Cancels the run when operator `node` begins.
class CancelAsItBegins : public ExecutionObserver {
 public:
  explicit CancelAsItBegins(size_t node) : node_(node) {}
  void set_graph(Subgraph* graph) { graph_ = graph; }

  absl::Status BeforeOperator(const Execution& at) override {
    if (at.node == node_) graph_->Cancel();
    return absl::OkStatus();
  }

 private:
  size_t node_;
  Subgraph* graph_ = nullptr;
};

TEST(StreamRun, CanBeCancelled) {
  const LoadedModel loaded(Branches("Mix", "Mix").spec());
  CancelAsItBegins cancel(1);
  InterpreterOptions options = OnTwoStreams(SafePlan());
  options.observers = {&cancel};
  auto interpreter = Interpreter::Create(*loaded, ByteOperators(), options);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  cancel.set_graph(&graph);
  EXPECT_THAT(graph.Invoke(),
              FailsWith(absl::StatusCode::kCancelled, HasSubstr("cancelled")));
}

TEST(StreamRun, CheckPlanComparesWithASequence) {
  const LoadedModel loaded(Branches("Mix", "Mix").spec());
  CheckOptions options;
  options.plan = OnTwoStreams(SafePlan());
  options.feed = FeedBytes;
  options.compares_all = true;
  options.invocations = 3;
  const auto report = CheckPlan(*loaded, ByteOperators(), options);
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(report->is_safe()) << report->Text();
}

// The planner is given the users of each record. The interval of a record
// extends from its first user to its last.
TEST(StreamRun, RecordsHaveUsers) {
  const LoadedModel loaded(Branches("Mix", "Mix").spec());
  auto interpreter =
      Interpreter::Create(*loaded, ByteOperators(), OnTwoStreams(SafePlan()));
  ASSERT_THAT(interpreter, IsOk());
  ASSERT_THAT((*interpreter)->primary().Prepare(), IsOk());
  const ArenaRecords records = (*interpreter)->primary().plan().Records();
  ASSERT_EQ(records.users.size(), 6U);
  EXPECT_THAT(records.users[1], testing::ElementsAre(0, 1, 3));
  EXPECT_THAT(records.users[4], testing::ElementsAre(3, 4));
  EXPECT_EQ(records.records[4].first_task, 3U);
  EXPECT_EQ(records.records[4].last_task, 4U);
}

// A model without branches runs as a sequence on any number of streams, so its
// strategy does not have to support partial orders.
TEST(StreamRun, AChainRunsInASequence) {
  ByteModel model;
  model.MarkOutput(model.Add("Mix", {model.Add("Mix", {model.AddInput(8)})}));
  InterpreterOptions options;
  options.streams = 4;
  options.strategy = "greedy_by_size";
  EXPECT_THAT(RunOnce(model, ByteOperators(), options).status, IsOk());
}

TEST(StreamRun, ShapesThatDependOnDataAreRefused) {
  ByteModel model;
  const size_t in = model.AddInput(kBytes);
  const size_t a = model.Add("Expand", {in});
  model.MarkOutput(model.Add("Mix", {a, in}));
  InterpreterOptions options;
  options.streams = 2;
  EXPECT_THAT(
      RunOnce(model, ByteOperators(), options).status,
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("operator 0 (CUSTOM \"Expand\"): the shape of its "
                          "output depends on data, with 2 streams; expected "
                          "shapes that are known before the run, or 1 "
                          "stream")));
}

TEST(StreamRun, TheNumberOfStreamsIsChecked) {
  for (const size_t streams : {size_t{0}, size_t{65}}) {
    InterpreterOptions options;
    options.streams = streams;
    EXPECT_THAT(
        RunOnce(Branches("Mix", "Mix"), ByteOperators(), options).status,
        FailsWith(absl::StatusCode::kInvalidArgument,
                  absl::StrCat("streams: ", streams, "; expected 1 to 64")));
  }
}

}  // namespace
}  // namespace stowage::harness
