// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/recorder.h"

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "tests/harness/byte_models.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

void RunModel(const ByteModel& model, std::vector<ExecutionObserver*> observers,
              size_t invocations) {
  const LoadedModel loaded(model.spec());
  InterpreterOptions options;
  options.observers = std::move(observers);
  auto interpreter = Interpreter::Create(*loaded, ByteOperators(), options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_TRUE(graph.Allocate().ok());
  for (size_t i = 0; i < invocations; ++i) {
    ASSERT_TRUE(FeedBytes(graph, i).ok());
    ASSERT_TRUE(graph.Invoke().ok());
  }
}

// Returns a model of the operators Accumulate, Scratch and CallOnce, each of
// which reads the output of the previous one. Scratch has a temporary, and
// CallOnce runs Mix in subgraph 1.
//
//   tensor  0 in  1 variable  2 Accumulate  3 Scratch  4 CallOnce  5 temporary
ByteModel ModelWithEverything() {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t variable = model.AddVariable(8);
  const size_t sum = model.Add("Accumulate", {in, variable});
  model.MarkOutput(model.Add("CallOnce", {model.Add("Scratch", {sum})}));
  model.BeginSubgraph();
  model.Add("Mix", {model.AddConstant({1, 2})});
  return model;
}

TEST(Recorder, SeesWhoTouchesWhat) {
  Recorder recorder;
  RunModel(ModelWithEverything(), {&recorder}, 2);
  // An event has the fields subgraph, invocation, node, tensor and is_write.
  using Event = std::tuple<size_t, size_t, size_t, size_t, bool>;
  std::vector<Event> events;
  absl::Duration before;
  for (const Recorder::Event& event : recorder.events()) {
    events.emplace_back(event.subgraph, event.invocation, event.node,
                        event.tensor, event.is_write);
    EXPECT_GE(event.time, before);
    before = event.time;
  }
  EXPECT_THAT(events,
              ElementsAre(Event(0, 0, 0, 0, false), Event(0, 0, 0, 1, false),
                          Event(0, 0, 0, 1, true), Event(0, 0, 0, 2, true),
                          Event(0, 0, 1, 2, false), Event(0, 0, 1, 3, true),
                          Event(0, 0, 1, 5, true), Event(0, 0, 2, 3, false),
                          Event(1, 0, 0, 0, false), Event(1, 0, 0, 1, true),
                          Event(0, 0, 2, 4, true),
                          // The second invocation does not call the subgraph.
                          Event(0, 1, 0, 0, false), Event(0, 1, 0, 1, false),
                          Event(0, 1, 0, 1, true), Event(0, 1, 0, 2, true),
                          Event(0, 1, 1, 2, false), Event(0, 1, 1, 3, true),
                          Event(0, 1, 1, 5, true), Event(0, 1, 2, 3, false),
                          Event(0, 1, 2, 4, true)));
}

TEST(Profiler, CountsAndSums) {
  Profiler profiler;
  RunModel(ModelWithEverything(), {&profiler}, 3);
  const std::vector<Profiler::Entry> operators = profiler.Operators();
  ASSERT_THAT(operators, SizeIs(4));
  EXPECT_EQ(operators[0].name, "Accumulate");
  EXPECT_EQ(operators[3].name, "Mix");
  EXPECT_EQ(operators[3].subgraph, 1);
  absl::Duration total;
  for (const Profiler::Entry& entry : operators) {
    EXPECT_EQ(entry.runs, entry.subgraph == 0 ? 3 : 1) << entry.name;
    EXPECT_LE(entry.shortest * static_cast<double>(entry.runs), entry.total);
    total += entry.total;
  }
  const std::vector<Profiler::TypeEntry> types = profiler.Types();
  ASSERT_THAT(types, SizeIs(4));
  for (size_t i = 0; i < types.size(); ++i) {
    total -= types[i].total;
    if (i == 0) continue;
    EXPECT_GE(types[i - 1].total, types[i].total);
  }
  EXPECT_EQ(total, absl::ZeroDuration());
}

// Waits before and after each operator. The waiting time must not count as time
// of the operator.
class Dawdler : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution&) override { return Wait(); }
  absl::Status AfterOperator(const Execution&) override { return Wait(); }

 private:
  static absl::Status Wait() {
    absl::SleepFor(absl::Milliseconds(1));
    return absl::OkStatus();
  }
};

TEST(Profiler, LastOfTheListDoesNotTimeTheOthers) {
  ByteModel model;
  model.MarkOutput(model.Add("Mix", {model.AddInput(8)}));
  Dawdler dawdler;
  Profiler inside;
  Profiler outside;
  RunModel(model, {&outside, &dawdler, &inside}, 1);
  EXPECT_GE(outside.Operators()[0].total,
            inside.Operators()[0].total + absl::Milliseconds(2));
}

}  // namespace
}  // namespace stowage::harness
