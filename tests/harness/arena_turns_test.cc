// SPDX-License-Identifier: Apache-2.0
// Tests subgraphs of one or several interpreters that take turns in using one
// arena. The subgraphs have variables, calls and resized inputs, or faults that
// the checks must find in any subgraph.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/combine.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Adds a subgraph that mixes its input and adds the result to a variable. The
// tensors have `bytes` bytes.
void AddAccumulator(size_t bytes, ByteModel* model) {
  const size_t in = model->AddInput(bytes);
  const size_t state = model->AddVariable(bytes);
  const size_t mixed = model->Add("Mix", {in});
  const size_t sum = model->Add("Accumulate", {mixed, state});
  model->MarkOutput(model->Add("Mix", {sum, mixed}));
}

// Returns a model with one accumulator for each of these tensor sizes.
ByteModel Accumulators(const std::vector<size_t>& sizes) {
  ByteModel model;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) model.BeginSubgraph();
    AddAccumulator(sizes[i], &model);
  }
  return model;
}

class Turns {
 public:
  explicit Turns(
      const ByteModel& model,
      std::shared_ptr<SharedArena> arena = std::make_shared<SharedArena>(),
      InterpreterOptions options = {})
      : model_(model.spec()) {
    options.shared_arena = std::move(arena);
    absl::StatusOr<std::unique_ptr<Interpreter>> created =
        Interpreter::Create(*model_, ByteOperators(), options);
    EXPECT_THAT(created.status(), IsOk());
    interpreter_ = *std::move(created);
  }
  Subgraph& graph(size_t i) { return interpreter_->subgraph(i); }

 private:
  LoadedModel model_;
  std::unique_ptr<Interpreter> interpreter_;
};

std::vector<uint8_t> OutputOf(const Subgraph& graph) {
  const auto* const data = graph.output(0).as<uint8_t>();
  return std::vector<uint8_t>(data, data + graph.output(0).bytes);
}

// Runs the graph on the inputs for `invocation`, and returns its output.
std::vector<uint8_t> RunOn(Subgraph* graph, size_t invocation) {
  EXPECT_THAT(FeedBytes(*graph, invocation), IsOk());
  EXPECT_THAT(graph->Invoke(), IsOk());
  return OutputOf(*graph);
}

TEST(ArenaTurns, TheArenaIsAsLargeAsTheLargestNeeds) {
  const auto arena = std::make_shared<SharedArena>();
  Turns turns(Accumulators({64, 4096, 128}), arena);
  size_t largest = 0;
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_THAT(turns.graph(i).Allocate(), IsOk());
    largest = std::max(largest, turns.graph(i).plan().arena_bytes);
    EXPECT_EQ(arena->bytes(), largest);
  }
}

TEST(ArenaTurns, VariablesAreKeptAndPlansNotMadeAgain) {
  const ByteModel model = Accumulators({64, 256});
  Turns turns(model);
  Turns apart(model, nullptr);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_THAT(turns.graph(i).Allocate(), IsOk());
    ASSERT_THAT(apart.graph(i).Allocate(), IsOk());
  }
  const MemoryPlan* const plan = &turns.graph(0).plan();
  const std::vector<absl::optional<size_t>> offsets = plan->offsets;
  for (size_t k = 0; k < 4; ++k) {
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_THAT(turns.graph(i).TakeArena(), IsOk());
      EXPECT_EQ(RunOn(&turns.graph(i), k), RunOn(&apart.graph(i), k));
    }
  }
  EXPECT_EQ(turns.graph(0).plan().offsets, offsets);
}

TEST(ArenaTurns, WhoeverHasNotTheArenaHasNoMemoryAndCannotRun) {
  Turns turns(Accumulators({64, 64}));
  EXPECT_THAT(turns.graph(0).TakeArena(),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("expected a call of Allocate first")));
  ASSERT_THAT(turns.graph(0).Allocate(), IsOk());
  ASSERT_THAT(turns.graph(1).Allocate(), IsOk());
  EXPECT_EQ(turns.graph(0).input(0).data, nullptr);
  EXPECT_EQ(turns.graph(0).output(0).data, nullptr);
  EXPECT_THAT(turns.graph(0).Invoke(),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("expected TakeArena first, since the shared "
                                  "arena was taken away")));
  EXPECT_THAT(turns.graph(1).Invoke(), IsOk());
  ASSERT_THAT(turns.graph(0).TakeArena(), IsOk());
  EXPECT_NE(turns.graph(0).input(0).data, nullptr);
  EXPECT_EQ(turns.graph(1).input(0).data, nullptr);
}

TEST(ArenaTurns, TakeArenaHasNoEffectWithAnArenaOfItsOwn) {
  Turns apart(Accumulators({64, 64}), nullptr);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_THAT(apart.graph(i).Allocate(), IsOk());
  }
  ASSERT_THAT(FeedBytes(apart.graph(0), 0), IsOk());
  ASSERT_THAT(apart.graph(1).TakeArena(), IsOk());
  ASSERT_THAT(apart.graph(0).TakeArena(), IsOk());
  EXPECT_EQ(apart.graph(0).input(0).as<uint8_t>()[0], 2);
  EXPECT_THAT(apart.graph(0).Invoke(), IsOk());
}

// Tries to take the arena while another subgraph is running, which must fail.
class Competitor : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution& /*at*/) override {
    if (other == nullptr) return absl::OkStatus();
    for (const absl::Status& status :
         {other->TakeArena(), other->Allocate(), other->RemoveDelegates()}) {
      EXPECT_THAT(status, FailsWith(absl::StatusCode::kFailedPrecondition,
                                    HasSubstr("subgraph 0: it is running")));
      ++refused;
    }
    return absl::OkStatus();
  }
  Subgraph* other = nullptr;
  size_t refused = 0;
};

TEST(ArenaTurns, TheArenaOfARunningSubgraphIsNotTaken) {
  Competitor competitor;
  InterpreterOptions options;
  options.observers = {&competitor};
  const ByteModel model = Accumulators({64, 64});
  Turns turns(model, std::make_shared<SharedArena>(), options);
  Turns apart(model, nullptr);
  ASSERT_THAT(apart.graph(1).Allocate(), IsOk());
  ASSERT_THAT(turns.graph(1).Allocate(), IsOk());
  EXPECT_EQ(RunOn(&turns.graph(1), 0), RunOn(&apart.graph(1), 0));
  ASSERT_THAT(turns.graph(0).Allocate(), IsOk());
  competitor.other = &turns.graph(1);
  EXPECT_THAT(turns.graph(0).Invoke(), IsOk());
  EXPECT_EQ(competitor.refused, 9u);
  // The rejected calls have not changed anything, not even variables.
  competitor.other = nullptr;
  ASSERT_THAT(turns.graph(1).TakeArena(), IsOk());
  EXPECT_EQ(RunOn(&turns.graph(1), 1), RunOn(&apart.graph(1), 1));
}

TEST(ArenaTurns, InterpretersOfOtherAlignmentsShareOneLimit) {
  const ByteModel small = Accumulators({48});
  const ByteModel large = Accumulators({1024});
  const auto arena = std::make_shared<SharedArena>(1 << 16);
  InterpreterOptions aligned;
  aligned.tensor_alignment = 4096;
  Turns first(large, arena);
  Turns last(small, arena, aligned);
  Turns apart(large, nullptr);
  ASSERT_THAT(first.graph(0).Allocate(), IsOk());
  ASSERT_THAT(apart.graph(0).Allocate(), IsOk());
  {
    Turns second(small, arena);
    ASSERT_THAT(second.graph(0).Allocate(), IsOk());
    EXPECT_EQ(first.graph(0).input(0).data, nullptr);
  }
  ASSERT_THAT(last.graph(0).Allocate(), IsOk());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(last.graph(0).input(0).data) % 4096,
            0u);
  ASSERT_THAT(first.graph(0).TakeArena(), IsOk());
  EXPECT_EQ(RunOn(&first.graph(0), 0), RunOn(&apart.graph(0), 0));
}

TEST(ArenaTurns, TheLimitDoesNotDependOnWhoIsFirst) {
  const ByteModel model = Accumulators({64, 4096});
  const auto runs_in = [&](size_t limit, size_t first) {
    Turns turns(model, std::make_shared<SharedArena>(limit));
    return turns.graph(first).Allocate().ok() &&
           turns.graph(1 - first).Allocate().ok() &&
           turns.graph(first).TakeArena().ok();
  };
  size_t limit = 4096;
  while (!runs_in(limit, 0)) limit += 64;
  EXPECT_TRUE(runs_in(limit, 1));
  EXPECT_FALSE(runs_in(limit - 64, 1));
}

TEST(ArenaTurns, WhoeverCannotBeAllocatedLeavesOthersAllocated) {
  Turns turns(Accumulators({64, 4096}), std::make_shared<SharedArena>(8192));
  Turns apart(Accumulators({64, 4096}), nullptr);
  ASSERT_THAT(turns.graph(0).Allocate(), IsOk());
  ASSERT_THAT(apart.graph(0).Allocate(), IsOk());
  EXPECT_EQ(RunOn(&turns.graph(0), 0), RunOn(&apart.graph(0), 0));
  EXPECT_THAT(turns.graph(1).Allocate(),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        HasSubstr("the memory limit")));
  ASSERT_THAT(turns.graph(0).TakeArena(), IsOk());
  EXPECT_EQ(RunOn(&turns.graph(0), 1), RunOn(&apart.graph(0), 1));
}

// Memory provided by the caller may be replaced even while another subgraph has
// the arena. In this case, Allocate only checks the new memory.
TEST(ArenaTurns, MemoryOfTheCallerIsReplacedMeanwhile) {
  const ByteModel model = Accumulators({64, 64});
  Turns turns(model);
  Turns apart(model, nullptr);
  alignas(64) uint8_t memory[2][64] = {};
  const size_t input = turns.graph(0).spec().inputs[0];
  ASSERT_THAT(turns.graph(0).SetCustomAllocation(input, memory[0]), IsOk());
  ASSERT_THAT(turns.graph(0).Allocate(), IsOk());
  ASSERT_THAT(turns.graph(1).Allocate(), IsOk());
  ASSERT_THAT(apart.graph(0).Allocate(), IsOk());
  for (size_t k = 0; k < 4; ++k) {
    if (k % 2 == 0) {
      ASSERT_THAT(turns.graph(1).TakeArena(), IsOk());
    }
    ASSERT_THAT(turns.graph(0).SetCustomAllocation(input, memory[k % 2]),
                IsOk());
    ASSERT_THAT(turns.graph(0).Allocate(), IsOk());
    EXPECT_EQ(RunOn(&turns.graph(0), k), RunOn(&apart.graph(0), k));
  }
}

TEST(ArenaTurns, TheLimitIsThatOfTheArena) {
  Turns turns(Accumulators({64, 4096}), std::make_shared<SharedArena>(4096));
  ASSERT_THAT(turns.graph(0).Allocate(), IsOk());
  EXPECT_THAT(turns.graph(1).Allocate(),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        HasSubstr("the memory limit")));
  InterpreterOptions options;
  options.memory_limit = 4096;
  options.shared_arena = std::make_shared<SharedArena>();
  const LoadedModel model(Accumulators({64}).spec());
  EXPECT_THAT(Interpreter::Create(*model, ByteOperators(), options).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("expected the limit of the arena alone")));
}

// The calls that a caller may make on a subgraph.
enum class Act { kAllocate, kTake, kResize, kInvoke };

// Makes the same calls on subgraphs that share an arena and on subgraphs with
// separate arenas. The outputs must be equal.
class Caller {
 public:
  explicit Caller(const ByteModel& model)
      : turns_(model), apart_(model, nullptr) {}

  void Call(Act act, size_t i, int32_t size, size_t invocation) {
    Subgraph& mine = turns_.graph(i);
    switch (act) {
      case Act::kAllocate:
        RC_ASSERT(mine.Allocate().ok());
        RC_ASSERT(apart_.graph(i).Allocate().ok());
        is_allocated_[i] = true;
        user_ = i;
        break;
      case Act::kTake:
        RC_ASSERT(mine.TakeArena().ok() == is_allocated_[i]);
        if (is_allocated_[i]) user_ = i;
        break;
      case Act::kResize:
        // All other subgraphs have variables, which have constant sizes.
        if (i != kResizable || mine.input(0).shape == Shape{size}) break;
        RC_ASSERT(mine.ResizeInput(0, {size}).ok());
        RC_ASSERT(apart_.graph(i).ResizeInput(0, {size}).ok());
        is_allocated_[i] = false;
        break;
      case Act::kInvoke:
        if (is_allocated_[i] && user_ == i) {
          RC_ASSERT(RunOn(&mine, invocation) ==
                    RunOn(&apart_.graph(i), invocation));
        } else {
          RC_ASSERT(mine.Invoke().code() ==
                    absl::StatusCode::kFailedPrecondition);
        }
    }
  }

  static constexpr size_t kGraphs = 3;
  static constexpr size_t kResizable = 2;

 private:
  Turns turns_;
  Turns apart_;
  size_t user_ = kGraphs;
  std::vector<bool> is_allocated_ = std::vector<bool>(kGraphs);
};

RC_GTEST_PROP(
    ArenaTurns, ComputeTheSameAsApart,
    (const std::vector<std::tuple<uint8_t, uint8_t, uint8_t>>& acts)) {
  ByteModel model = Accumulators(
      {*rc::gen::inRange<size_t>(1, 200), *rc::gen::inRange<size_t>(1, 200)});
  model.BeginSubgraph();
  const size_t in = model.AddInput(32);
  model.MarkOutput(model.Add("Mix", {model.Add("Mix", {in}, 5), in}));
  Caller caller(model);
  for (size_t k = 0; k < acts.size(); ++k) {
    const auto& [act, graph, size] = acts[k];
    caller.Call(static_cast<Act>(act % 4), graph % Caller::kGraphs, 1 + size,
                k);
  }
}

CheckOptions CheckOfBoth() {
  CheckOptions options;
  options.feed = FeedBytes;
  options.followers = {{1, FeedBytes}};
  options.invocations = 3;
  return options;
}

TEST(ArenaTurns, AFaultInALaterOneIsFound) {
  const LoadedModel model(Accumulators({64, 200}).spec());
  CheckOptions options = CheckOfBoth();
  options.poison = false;
  options.touch = false;
  // The planner puts all tensors of 200 bytes or more in the same place.
  options.plan.planner =
      [](const ArenaRecords& records) -> absl::StatusOr<OffsetsAssignment> {
    OffsetsAssignment plan;
    size_t end = 0;
    for (const auto& record : records.records) {
      const bool is_wrong = record.tensor_size >= 200;
      plan.offsets.push_back(is_wrong ? 0 : end);
      if (!is_wrong) end += (record.tensor_size + 63) / 64 * 64;
      plan.total_size =
          std::max(plan.total_size, plan.offsets.back() + record.tensor_size);
    }
    return plan;
  };
  const absl::StatusOr<CheckReport> report =
      CheckPlan(*model, ByteOperators(), options);
  ASSERT_THAT(report.status(), IsOk());
  ASSERT_TRUE(report->difference.has_value()) << report->Text();
  EXPECT_EQ(report->difference->subgraph, 1u);
  EXPECT_FALSE(report->bisection.has_value());
}

TEST(ArenaTurns, ChecksRefuseWhatTheyCannotRun) {
  const LoadedModel model(Accumulators({64, 200}).spec());
  struct Case {
    const char* name;
    CheckedFollower follower;
    const char* message;
  };
  for (const Case& c :
       {Case{"no such subgraph", {2, FeedBytes}, "no subgraph 2"},
        Case{"the first again", {0, FeedBytes}, "is listed twice"},
        Case{"no inputs", {1, nullptr}, "expected a feed for subgraph 1"}}) {
    SCOPED_TRACE(c.name);
    CheckOptions options = CheckOfBoth();
    options.followers = {c.follower};
    EXPECT_THAT(
        CheckPlan(*model, ByteOperators(), options).status(),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

// The output of one model is the input of another, and both models use one
// arena.
TEST(ArenaTurns, ModelsHandOnWhatTheyCompute) {
  const LoadedModel first(Accumulators({64}).spec());
  const LoadedModel second(Accumulators({64}).spec());
  CheckOptions options;
  options.feed = FeedBytes;
  options.followers = {{0, FeedBytes, &*second}};
  options.hand_overs = {{0, 0, 1, 0}};
  options.invocations = 3;
  for (const bool compares_all : {false, true}) {
    options.compares_all = compares_all;
    const absl::StatusOr<CheckReport> report =
        CheckPlan(*first, ByteOperators(), options);
    ASSERT_THAT(report.status(), IsOk());
    EXPECT_TRUE(report->is_safe()) << report->Text();
  }
  struct Case {
    const char* name;
    HandOver hand_over;
    const char* message;
  };
  for (const Case& c :
       {Case{"backwards", {1, 0, 0, 0}, "expected a later one below 2"},
        Case{"to no turn", {0, 0, 2, 0}, "expected a later one below 2"},
        Case{"no output", {0, 1, 1, 0}, "expected an output below 1"},
        Case{"no input", {0, 0, 1, 1}, "and an input below 1"}}) {
    SCOPED_TRACE(c.name);
    options.hand_overs = {c.hand_over};
    EXPECT_THAT(
        CheckPlan(*first, ByteOperators(), options).status(),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
  options.hand_overs = {{0, 0, 1, 0}, {0, 0, 1, 0}};
  EXPECT_THAT(CheckPlan(*first, ByteOperators(), options).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("gets two outputs")));
  const LoadedModel larger(Accumulators({65}).spec());
  options.followers = {{0, FeedBytes, &*larger}};
  options.hand_overs = {{0, 0, 1, 0}};
  EXPECT_THAT(CheckPlan(*first, ByteOperators(), options).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("input 0 has 65 bytes; expected 64")));
}

// Runs the signatures of real models, first together in one arena and then each
// of them alone.
TEST(ArenaTurns, SignaturesOfRealModels) {
  const absl::optional<std::string> folder =
      support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  size_t models = 0;
  for (const std::string& path :
       support::FilesIn(*folder + "/models", ".tflite")) {
    SCOPED_TRACE(path);
    const absl::StatusOr<std::unique_ptr<const Model>> model =
        Model::Read(path);
    ASSERT_THAT(model.status(), IsOk());
    std::vector<size_t> subgraphs;
    for (const SignatureSpec& signature : (*model)->signatures()) {
      subgraphs.push_back(signature.subgraph);
    }
    if (subgraphs.size() < 2) continue;
    RunOptions together;
    together.subgraph = subgraphs[0];
    together.invocations = 2;
    together.poison = together.touch = true;
    for (size_t i = 1; i < subgraphs.size(); ++i) {
      together.followers.push_back({subgraphs[i], {}});
    }
    const absl::StatusOr<CheckReport> report =
        CheckPlan(**model, BuiltinOperators(), CheckOptionsOf(together));
    ASSERT_THAT(report.status(), IsOk());
    EXPECT_TRUE(report->is_safe()) << report->Text();
    const absl::StatusOr<RunResult> result = RunModel(**model, together);
    ASSERT_THAT(result.status(), IsOk());
    ASSERT_THAT(result->followers, SizeIs(subgraphs.size() - 1));
    for (size_t i = 0; i < subgraphs.size(); ++i) {
      RunOptions alone;
      alone.subgraph = subgraphs[i];
      alone.invocations = 2;
      const absl::StatusOr<RunResult> expected = RunModel(**model, alone);
      ASSERT_THAT(expected.status(), IsOk());
      const RunResult& found = i == 0 ? *result : result->followers[i - 1];
      EXPECT_EQ(found.arena_bytes, expected->arena_bytes);
      for (size_t k = 0; k < expected->outputs.size(); ++k) {
        EXPECT_EQ(found.outputs[k].sha256, expected->outputs[k].sha256);
      }
    }
    ++models;
  }
  EXPECT_GT(models, 1u);
}

}  // namespace
}  // namespace stowage::harness
