// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shape_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/open_models.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ShapeParameters AttentionShapes() {
  ShapeParameters open;
  open.shapes = {{"x", {{2}, {0, "s"}, {8}}}};
  open.parameters = {{"s", 1, 64}};
  return open;
}

// Records the address and the size of the arena each time an operator runs.
class ArenaObserver : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution& at) override {
    arenas_.insert({at.arena.data(), at.arena.size()});
    return absl::OkStatus();
  }
  absl::Status AfterOperator(const Execution&) override {
    return absl::OkStatus();
  }
  const std::set<std::pair<const uint8_t*, size_t>>& arenas() const {
    return arenas_;
  }

 private:
  std::set<std::pair<const uint8_t*, size_t>> arenas_;
};

// A plan for all values of the parameters, and options for runs under it.
struct ShapedPlan {
  RunOptions options;
  DynamicPlan plan;
};

void PlanShapes(const Model& model, const ShapeParameters& open,
                const RunOptions& options, ShapedPlan* planned) {
  planned->options = options;
  const absl::StatusOr<DynamicModel> found =
      DynamicProblemOfRun(model, options, open);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->spec.problem.alignment, options.plan.tensor_alignment);
  const absl::StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(found->spec);
  ASSERT_THAT(problem, IsOk());
  absl::StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
  ASSERT_THAT(plan, IsOk());
  UseOrder(*problem, *plan, &planned->options);
  planned->plan = *std::move(plan);
}

// Runs the model at all shapes in one interpreter. Expects the outputs of a
// separate run at each shape.
void ExpectOutputsOfRunsAlone(const Model& model, const RunOptions& options,
                              const ShapedPlan& planned,
                              const std::vector<GivenTensors>& shapes,
                              std::vector<RunResult>* results) {
  absl::StatusOr<std::vector<RunResult>> found =
      RunModelAt(model, planned.options, shapes);
  ASSERT_THAT(found, IsOk());
  ASSERT_THAT(*found, SizeIs(shapes.size()));
  for (size_t i = 0; i < shapes.size(); ++i) {
    RunOptions alone = options;
    for (const auto& [input, shape] : shapes[i]) {
      alone.plan.shapes[{0, input}] = shape;
    }
    const absl::StatusOr<RunResult> expected = RunModel(model, alone);
    ASSERT_THAT(expected, IsOk());
    const RunResult& result = (*found)[i];
    ASSERT_EQ(result.outputs.size(), expected->outputs.size());
    for (size_t k = 0; k < result.outputs.size(); ++k) {
      EXPECT_EQ(result.outputs[k].shape, expected->outputs[k].shape);
      EXPECT_EQ(result.outputs[k].sha256, expected->outputs[k].sha256);
    }
    EXPECT_LE(result.arena_bytes, planned.plan.reserve);
  }
  *results = *std::move(found);
}

struct RunCase {
  const char* name;
  LifetimeRules lifetimes;
  size_t alignment;
};

TEST(ShapeRun, GivesTheOutputsOfRunsAtEachShape) {
  const RunCase cases[] = {
      {"cpu", LifetimeRules::kCpu, 64},
      {"plain", LifetimeRules::kPlain, 16},
      {"micro", LifetimeRules::kMicro, 128},
  };
  for (const RunCase& each : cases) {
    SCOPED_TRACE(each.name);
    RunOptions options;
    options.plan.lifetimes = each.lifetimes;
    options.plan.tensor_alignment = each.alignment;
    options.invocations = 2;
    options.poison = true;
    options.touch = true;
    const LoadedModel model(AttentionModel());
    ShapedPlan planned;
    PlanShapes(*model, AttentionShapes(), options, &planned);
    ArenaObserver observer;
    planned.options.plan.observers = {&observer};
    std::vector<GivenTensors> shapes;
    for (const int32_t s : {16, 64, 1, 33, 16})
      shapes.push_back({{0, {2, s, 8}}});
    std::vector<RunResult> results;
    ExpectOutputsOfRunsAlone(*model, options, planned, shapes, &results);
    ASSERT_THAT(results, SizeIs(shapes.size()));
    EXPECT_EQ(results[1].arena_bytes, planned.plan.reserve);
    EXPECT_EQ(results[0].arena_bytes, results[4].arena_bytes);
    // The arena does not move when the shape changes.
    ASSERT_THAT(observer.arenas(), SizeIs(1));
    EXPECT_GE(observer.arenas().begin()->second, planned.plan.reserve);
    size_t at = 99;
    const absl::StatusOr<CheckReport> check =
        CheckPlan(*model, BuiltinOperators(),
                  CheckOptionsAt(planned.options, shapes, &at));
    ASSERT_THAT(check, IsOk());
    EXPECT_TRUE(check->is_safe()) << check->Text();
    EXPECT_EQ(at, 4);
  }
}

// Returns shapes in which the first extent of the input is open. Returns
// nothing unless the model has a single input, of rank 2 or more, whose first
// extent is 1.
absl::optional<ShapeParameters> BatchesOf(const Model& model) {
  const SubgraphSpec& graph = model.subgraphs()[0];
  if (graph.inputs.size() != 1) return absl::nullopt;
  const Shape& shape = graph.tensors[graph.inputs[0]].shape;
  if (shape.size() < 2 || shape[0] != 1) return absl::nullopt;
  ShapeParameters open;
  open.shapes = {{"0", {{0, "batch"}}}};
  for (size_t d = 1; d < shape.size(); ++d) {
    open.shapes[0].extents.push_back({shape[d]});
  }
  open.parameters = {{"batch", 1, 3}};
  return open;
}

TEST(ShapeRun, RunsModelsInUseAtEachBatch) {
  const auto folder = support::RealDataFolder("STOWAGE_MODELS");
  if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  // Larger models take too long to run with every check.
  constexpr size_t kLargest = size_t{400} << 10;
  size_t ran = 0;
  for (const std::string& path : support::FilesIn(*folder, ".tflite")) {
    if (std::filesystem::file_size(path) > kLargest) continue;
    SCOPED_TRACE(path);
    const auto model = Model::Read(path);
    ASSERT_THAT(model, IsOk());
    const absl::optional<ShapeParameters> open = BatchesOf(**model);
    RunOptions options;
    options.poison = true;
    options.touch = true;
    // A model with constants as shapes cannot run at several batch sizes.
    if (!open || !DynamicProblemOfRun(**model, options, *open).ok()) continue;
    ShapedPlan planned;
    PlanShapes(**model, *open, options, &planned);
    std::vector<GivenTensors> shapes;
    const SubgraphSpec& graph = (*model)->subgraphs()[0];
    const size_t input = graph.inputs[0];
    for (const int32_t batch : {2, 1, 3}) {
      Shape shape = graph.tensors[input].shape;
      shape[0] = batch;
      shapes.push_back({{input, shape}});
    }
    std::vector<RunResult> results;
    ExpectOutputsOfRunsAlone(**model, options, planned, shapes, &results);
    ++ran;
  }
  EXPECT_GE(ran, 8u);
}

// At one of the shapes, the planner places all tensors at the same offset. The
// check must find the fault at this shape.
TEST(ShapeRun, FindsAPlanThatIsUnsafeAtOneShape) {
  const LoadedModel model(AttentionModel());
  ShapedPlan planned;
  PlanShapes(*model, AttentionShapes(), RunOptions(), &planned);
  const auto sound = planned.options.plan.planner;
  planned.options.plan.planner =
      [&sound](
          const ArenaRecords& records) -> absl::StatusOr<OffsetsAssignment> {
    absl::StatusOr<OffsetsAssignment> offsets = sound(records);
    if (offsets.ok() && records.records[0].tensor_size == 2 * 33 * 8 * 4) {
      offsets->offsets.assign(offsets->offsets.size(), 0);
    }
    return offsets;
  };
  size_t at = 0;
  const absl::StatusOr<CheckReport> check = CheckPlan(
      *model, BuiltinOperators(),
      CheckOptionsAt(planned.options,
                     {{{0, {2, 16, 8}}}, {{0, {2, 33, 8}}}, {{0, {2, 1, 8}}}},
                     &at));
  ASSERT_THAT(check, IsOk());
  EXPECT_FALSE(check->is_safe());
  EXPECT_EQ(at, 1);
}

TEST(ShapeRun, RefusesShapesAboveTheReserve) {
  const LoadedModel model(AttentionModel());
  ShapedPlan planned;
  PlanShapes(*model, AttentionShapes(), RunOptions(), &planned);
  EXPECT_THAT(RunModelAt(*model, planned.options, {{{0, {2, 65, 8}}}}),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        HasSubstr("the reserve of the plan for all values")));
}

TEST(ShapeRun, SaysWhatIsWrong) {
  const LoadedModel model(AttentionModel());
  RunOptions options;
  ShapeParameters scores = AttentionShapes();
  scores.shapes.push_back({"scores", {{2}, {0, "s"}, {0, "s"}}});
  EXPECT_THAT(
      DynamicProblemOfRun(*model, options, scores),
      FailsWith(
          absl::StatusCode::kInvalidArgument,
          HasSubstr("\"scores\" is not an input; expected shapes of inputs")));
  ShapeParameters rank = AttentionShapes();
  rank.shapes[0].extents.pop_back();
  EXPECT_THAT(DynamicProblemOfRun(*model, options, rank),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("is given [2, 1]; expected [-1, -1, 8]")));
  ShapeParameters unknown = AttentionShapes();
  unknown.shapes[0].tensor = "tokens";
  EXPECT_THAT(DynamicProblemOfRun(*model, options, unknown),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("shape of 'tokens': no such tensor")));
  options.plan.sharing = Sharing::kGroups;
  EXPECT_THAT(
      DynamicProblemOfRun(*model, options, AttentionShapes()),
      FailsWith(absl::StatusCode::kUnimplemented,
                HasSubstr("sharing of groups, with parameters; expected")));
  options.plan.sharing = Sharing::kFixed;
  options.dump = "/dev/null/dump";
  EXPECT_THAT(
      RunModelAt(*model, options, {{}, {}}),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("a dump of runs at 2 shapes; expected one run")));
}

}  // namespace
}  // namespace stowage::harness
