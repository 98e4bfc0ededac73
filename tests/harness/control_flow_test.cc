// SPDX-License-Identifier: Apache-2.0
// Tests models with branches, loops and views under every check and for every
// plan. The expected results come from an interpreter that computes with values
// and therefore has no memory that tensors could share.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/harness/checks.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/program_problem.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "stowage/verify_values.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace stowage::harness {
namespace {

using nlohmann::json;
using support::IsOk;
using testing::HasSubstr;

constexpr ProgramCopies kAllCopies[] = {
    ProgramCopies::kMade, ProgramCopies::kChosen, ProgramCopies::kNone};

constexpr char kFolder[] = STOWAGE_SOURCE_DIR "/tests/data/control_flow/";

// Returns the models and the results of their runs. Each line of truth.jsonl
// has the inputs that are the same in all runs of a model and, for each run,
// the input "c" and the outputs.
const std::vector<json>& Truth() {
  static const std::vector<json>* const lines = new std::vector<json>(
      support::LoadJsonLines("../control_flow/truth.jsonl"));
  return *lines;
}

std::string PathOf(const json& line) {
  return absl::StrCat(kFolder, line["name"].get<std::string>(), ".tflite");
}

std::unique_ptr<const Model> ReadModel(const std::string& path) {
  absl::StatusOr<std::unique_ptr<const Model>> model = Model::Read(path);
  EXPECT_THAT(model.status(), IsOk());
  return model.ok() ? *std::move(model) : nullptr;
}

void Fill(const json& values, Tensor* tensor) {
  size_t i = 0;
  for (const json& value : values.is_array() ? values : json::array({values})) {
    if (tensor->type == ElementType::kFloat32) {
      tensor->as<float>()[i++] = value.get<float>();
    } else if (tensor->type == ElementType::kInt32) {
      tensor->as<int32_t>()[i++] = value.get<int32_t>();
    } else {
      FAIL() << "an input of type " << ElementTypeName(tensor->type);
    }
  }
}

// Fills the inputs of a run. An input that `line` names gets its value from
// `line`; every other input gets the value "c" of the run.
absl::Status Feed(const json& line, const json& run, Subgraph* graph) {
  for (size_t i = 0; i < graph->input_count(); ++i) {
    Tensor& input = graph->input(i);
    const bool is_named = line["inputs"].contains(input.name);
    Fill(is_named ? line["inputs"][input.name] : run["c"], &input);
  }
  return absl::OkStatus();
}

json OutputOf(const Tensor& tensor) {
  json values = json::array();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (tensor.type == ElementType::kFloat32) {
      values.push_back(tensor.as<float>()[i]);
    } else {
      values.push_back(tensor.as<int32_t>()[i]);
    }
  }
  return values;
}

void ExpectRuns(const json& line, const InterpreterOptions& options) {
  const std::unique_ptr<const Model> model = ReadModel(PathOf(line));
  ASSERT_NE(model, nullptr);
  const auto interpreter = Interpreter::Create(*model, options);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  for (const json& run : line["runs"]) {
    SCOPED_TRACE(absl::StrCat("c = ", run["c"].dump()));
    ASSERT_THAT(Feed(line, run, &graph), IsOk());
    ASSERT_THAT(graph.Invoke(), IsOk());
    ASSERT_EQ(graph.output_count(), run["outputs"].size());
    for (size_t i = 0; i < graph.output_count(); ++i) {
      EXPECT_EQ(OutputOf(graph.output(i)), run["outputs"][i]) << "output " << i;
    }
  }
}

class ControlFlowModels : public testing::TestWithParam<size_t> {
 protected:
  static const json& line() { return Truth()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(
    All, ControlFlowModels, testing::Range<size_t>(0, Truth().size()),
    [](const testing::TestParamInfo<size_t>& tested) {
      return Truth()[tested.param]["name"].get<std::string>();
    });

TEST_P(ControlFlowModels, ComputeTheTruth) { ExpectRuns(line(), {}); }

TEST_P(ControlFlowModels, ComputeTheTruthUnderEveryCheck) {
  PoisonChecker poison(0xA5);
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&poison, &touch};
  options.guard_bytes = 64;
  options.moves_arena = true;
  ExpectRuns(line(), options);
}

TEST_P(ControlFlowModels, ComputeTheTruthUnderEveryStrategyAndChoiceOfCopies) {
  for (const Strategy* strategy : AllStrategies()) {
    if (!strategy->info().features.Has(Feature::kOffsets)) continue;
    for (const ProgramCopies copies : kAllCopies) {
      SCOPED_TRACE(absl::StrCat(strategy->info().name, ", copies ",
                                ProgramCopiesName(copies)));
      PoisonChecker poison(0x7F);
      TouchChecker touch;
      InterpreterOptions options;
      options.strategy = std::string(strategy->info().name);
      options.copies = copies;
      options.node_budget = 2000;
      options.observers = {&poison, &touch};
      options.guard_bytes = 64;
      ExpectRuns(line(), options);
    }
  }
}

// Subgraphs that call each other share one arena, and the plan of each subgraph
// is safe for the values in the arena.
TEST_P(ControlFlowModels, HaveOneArena) {
  const std::unique_ptr<const Model> model = ReadModel(PathOf(line()));
  ASSERT_NE(model, nullptr);
  size_t made = 0;
  for (const ProgramCopies copies : kAllCopies) {
    SCOPED_TRACE(ProgramCopiesName(copies));
    InterpreterOptions options;
    options.copies = copies;
    const auto interpreter = Interpreter::Create(*model, options);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& graph = (*interpreter)->primary();
    ASSERT_THAT(graph.Allocate(), IsOk());
    const ProgramPlan* const program = graph.plan().program.get();
    ASSERT_NE(program, nullptr);
    EXPECT_EQ(program->subgraphs.size(), model->subgraphs().size());
    EXPECT_EQ(graph.plan().arena_bytes, program->planned.total_size);
    const auto fault =
        FindValueFault(program->planned.points, program->planned.offsets);
    EXPECT_FALSE(fault) << DescribeValueFault(program->program,
                                              program->planned.points, *fault);
    const size_t copied = program->planned.copied_bytes;
    if (copies == ProgramCopies::kMade) made = copied;
    EXPECT_LE(copied, made);
    const MemoryReport report = MemoryReportOf(graph);
    EXPECT_EQ(report.arena.used, program->planned.total_size);
    EXPECT_LE(report.arena.requested, report.arena.aligned);
    EXPECT_LE(report.arena.aligned, report.arena.used);
    EXPECT_EQ(report.copied, copied);
  }
}

void ExpectSafe(const json& line, InterpreterOptions plan) {
  const std::unique_ptr<const Model> model = ReadModel(PathOf(line));
  ASSERT_NE(model, nullptr);
  for (const ProgramCopies copies : kAllCopies) {
    SCOPED_TRACE(ProgramCopiesName(copies));
    plan.copies = copies;
    CheckOptions options;
    options.plan = plan;
    options.invocations = line["runs"].size();
    options.compares_all = true;
    options.feed = [&line](Subgraph& graph, size_t invocation) {
      return Feed(line, line["runs"][invocation], &graph);
    };
    const absl::StatusOr<CheckReport> report =
        CheckPlan(*model, BuiltinOperators(), options);
    ASSERT_THAT(report.status(), IsOk());
    EXPECT_TRUE(report->is_safe()) << report->Text();
  }
}

TEST_P(ControlFlowModels, PassTheCheckOfPlans) { ExpectSafe(line(), {}); }

TEST_P(ControlFlowModels, PassTheCheckOfPlansWithShadows) {
  InterpreterOptions plan;
  plan.shadow = ShadowMode::kAll;
  ExpectSafe(line(), plan);
}

// These models have no calls, but they view values and overwrite them. Some
// other runtimes share memory wrongly in such models.
TEST(ViewModels, PassTheCheckOfPlans) {
  for (const char* name : {"made_residual_reshape_f32",
                           "made_residual_reshape_i32", "made_view_of_view"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<const Model> model =
        ReadModel(absl::StrCat(kFolder, name, ".tflite"));
    ASSERT_NE(model, nullptr);
    CheckOptions options;
    options.compares_all = true;
    options.feed = InputSource(1);
    const absl::StatusOr<CheckReport> report =
        CheckPlan(*model, BuiltinOperators(), options);
    ASSERT_THAT(report.status(), IsOk());
    EXPECT_TRUE(report->is_safe()) << report->Text();
  }
}

// Values that a loop swaps are copied through planned scratch memory.
TEST(ControlFlow, ASwapHasScratchMemoryInTheArena) {
  const std::unique_ptr<const Model> model =
      ReadModel(absl::StrCat(kFolder, "made_while_swap.tflite"));
  ASSERT_NE(model, nullptr);
  InterpreterOptions options;
  options.strategy = "optimal";
  const auto interpreter = Interpreter::Create(*model, options);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  const ProgramPlan& program = *graph.plan().program;
  ASSERT_EQ(program.scratch.size(), 1U);
  const auto& [node, places] = *program.scratch.begin();
  EXPECT_EQ(program.program.functions[0].nodes[node.second].name, "WHILE");
  // Only the end of an iteration needs scratch memory; the start of the loop
  // does not.
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].bytes, 0U);
  EXPECT_GT(places[1].bytes, 0U);
  EXPECT_LE(places[1].offset + places[1].bytes, graph.plan().arena_bytes);
}

TEST(ControlFlow, ALoopHasAMaximumOfTurns) {
  for (const json& line : Truth()) {
    if (line["name"] != "made_while_count") continue;
    const std::unique_ptr<const Model> model = ReadModel(PathOf(line));
    ASSERT_NE(model, nullptr);
    for (const uint64_t max_turns : {6u, 7u}) {
      InterpreterOptions options;
      options.max_turns = max_turns;
      const auto interpreter = Interpreter::Create(*model, options);
      ASSERT_THAT(interpreter.status(), IsOk());
      Subgraph& graph = (*interpreter)->primary();
      ASSERT_THAT(graph.Allocate(), IsOk());
      for (const json& run : line["runs"]) {
        ASSERT_THAT(Feed(line, run, &graph), IsOk());
        const absl::Status status = graph.Invoke();
        if (run["c"].get<uint64_t>() <= max_turns) {
          EXPECT_THAT(status, IsOk());
          continue;
        }
        EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
        EXPECT_THAT(std::string(status.message()),
                    HasSubstr("(WHILE): the loop makes more than 6 turns"));
      }
    }
  }
}

}  // namespace
}  // namespace stowage::harness
