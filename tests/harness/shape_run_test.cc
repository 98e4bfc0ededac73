// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shape_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
#include "tests/harness/byte_models.h"
#include "tests/harness/open_models.h"
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

// Remembers where the arena was.
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

// A model with a plan for all values.
struct ShapedPlan {
  LoadedModel model{AttentionModel()};
  RunOptions options;
  DynamicPlan plan;
};

void PlanShapes(const ShapeParameters& open, const RunOptions& options,
                ShapedPlan* planned) {
  planned->options = options;
  const absl::StatusOr<DynamicModel> found =
      DynamicProblemOfRun(*planned->model, options, open);
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
    ShapedPlan planned;
    PlanShapes(AttentionShapes(), options, &planned);
    ArenaObserver observer;
    planned.options.plan.observers = {&observer};
    std::vector<GivenTensors> shapes;
    for (const int32_t s : {16, 64, 1, 33, 16})
      shapes.push_back({{0, {2, s, 8}}});
    const absl::StatusOr<std::vector<RunResult>> results =
        RunModelAt(*planned.model, planned.options, shapes);
    ASSERT_THAT(results, IsOk());
    ASSERT_THAT(*results, SizeIs(shapes.size()));
    for (size_t i = 0; i < shapes.size(); ++i) {
      RunOptions alone = options;
      alone.plan.shapes[{0, 0}] = shapes[i][0];
      const absl::StatusOr<RunResult> expected =
          RunModel(*planned.model, alone);
      ASSERT_THAT(expected, IsOk());
      EXPECT_EQ((*results)[i].outputs[0].shape, expected->outputs[0].shape);
      EXPECT_EQ((*results)[i].outputs[0].sha256, expected->outputs[0].sha256);
      EXPECT_LE((*results)[i].arena_bytes, planned.plan.reserve);
    }
    EXPECT_EQ((*results)[1].arena_bytes, planned.plan.reserve);
    EXPECT_EQ((*results)[0].arena_bytes, (*results)[4].arena_bytes);
    // The arena stays where it is.
    ASSERT_THAT(observer.arenas(), SizeIs(1));
    EXPECT_GE(observer.arenas().begin()->second, planned.plan.reserve);
    size_t at = 99;
    const absl::StatusOr<CheckReport> check =
        CheckPlan(*planned.model, BuiltinOperators(),
                  CheckOptionsAt(planned.options, shapes, &at));
    ASSERT_THAT(check, IsOk());
    EXPECT_TRUE(check->is_safe()) << check->Text();
    EXPECT_EQ(at, 4);
  }
}

// A planner that gives all tensors one place is found at the shape at which it
// does.
TEST(ShapeRun, FindsAPlanThatIsUnsafeAtOneShape) {
  ShapedPlan planned;
  PlanShapes(AttentionShapes(), RunOptions(), &planned);
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
      *planned.model, BuiltinOperators(),
      CheckOptionsAt(planned.options,
                     {{{0, {2, 16, 8}}}, {{0, {2, 33, 8}}}, {{0, {2, 1, 8}}}},
                     &at));
  ASSERT_THAT(check, IsOk());
  EXPECT_FALSE(check->is_safe());
  EXPECT_EQ(at, 1);
}

TEST(ShapeRun, RefusesShapesAboveTheReserve) {
  ShapedPlan planned;
  PlanShapes(AttentionShapes(), RunOptions(), &planned);
  EXPECT_THAT(RunModelAt(*planned.model, planned.options, {{{0, {2, 65, 8}}}}),
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
