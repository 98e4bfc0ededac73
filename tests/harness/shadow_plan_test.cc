// SPDX-License-Identifier: Apache-2.0
// Tests which operators get a shadow and which shapes shadows compute. Also
// tests that shadows make unsafe sharing visible.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/shadow_run.h"
#include "tests/support/seed_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using tflite::BuiltinOperator;
using tflite::TensorType;

// The tests below check which operators get a shadow.

TEST(ShadowMode, NoneRefusesAndNamesThemAll) {
  Net net = TwoByTwo();
  net.Add({BuiltinOperator::RFFT2D, ""}, {0}, {net.Tensor({1})});
  net.Add({BuiltinOperator::ADD, "", 77}, {1, 1}, {net.Tensor({7})});
  const LoadedModel model(net.spec());
  EXPECT_THAT(
      Interpreter::Create(*model),
      FailsWith(absl::StatusCode::kInvalidArgument,
                AllOf(HasSubstr("unsupported operators: ADD version 77 "
                                "(kernels are for 1 to 5), CUSTOM Unknown, "
                                "RFFT2D; the first is subgraph 0, operator 0 "
                                "(CUSTOM \"Unknown\"); expected"),
                      HasSubstr("--shadow"))));
}

TEST(ShadowMode, MissingKeepsKernels) {
  Net net = TwoByTwo();
  const int32_t sum = net.Tensor({2, 3});
  net.Add({BuiltinOperator::ADD, ""}, {3, 3}, {sum});
  net.Output(sum);
  ShadowRun run(net.spec());
  run.Outputs();
  EXPECT_THAT(run.ShadowedNodes(), ElementsAre(0));
  EXPECT_EQ(run.graph().output(2).span<float>()[0],
            2 * run.graph().output(1).span<float>()[0]);
  const auto shadowed = run.interpreter().ShadowedOperators();
  EXPECT_EQ(shadowed[0].name, "CUSTOM Unknown");
  EXPECT_EQ(shadowed[0].reason, "unsupported: CUSTOM Unknown");
}

TEST(ShadowMode, MissingShadowsWhatAKernelRefuses) {
  Net net;
  const int32_t a = net.Input({2, 2}, TensorType::FLOAT64);
  const int32_t x = net.Tensor({2, 2}, TensorType::FLOAT64);
  net.Add({BuiltinOperator::RSQRT, ""}, {a}, {x});
  net.Output(x);
  ShadowRun run(net.spec());
  run.Outputs();
  const auto shadowed = run.interpreter().ShadowedOperators();
  ASSERT_THAT(shadowed, SizeIs(1));
  EXPECT_THAT(shadowed[0].reason, HasSubstr("its kernel refuses it: input 0"));
}

// The integers that a shadow writes are arbitrary. If a shadow writes indices,
// an operator that reads the indices therefore also needs a shadow.
TEST(ShadowMode, MissingShadowsWhoReadsIntegersOfAShadow) {
  Net net;
  const int32_t a = net.Input({4, 2});
  const int32_t indices = net.Tensor({3}, TensorType::INT32);
  const int32_t rows = net.Tensor({3, 2});
  const int32_t x = net.Tensor({3, 2});
  net.AddCustom("Indices", {a}, {indices});
  net.Add({BuiltinOperator::GATHER, ""}, {a, indices}, {rows});
  net.Add({BuiltinOperator::ADD, ""}, {rows, rows}, {x});
  net.Output(x);
  ShadowRun run(net.spec());
  EXPECT_NE(run.Outputs(0), run.Outputs(1));
  EXPECT_THAT(run.ShadowedNodes(), ElementsAre(0, 1));
  EXPECT_EQ(run.interpreter().ShadowedOperators()[1].reason,
            "it reads integers that a shadow writes");
}

// A subgraph with an operator without a kernel cannot run. A shadow therefore
// replaces the operator that calls the subgraph.
TEST(ShadowMode, MissingShadowsWhoCallsAShadow) {
  Net net;
  const int32_t a = net.Input({4});
  const int32_t x = net.Tensor({4});
  net.Add({BuiltinOperator::STABLEHLO_COMPOSITE, ""}, {a}, {x});
  net.Output(x);
  tflite::StableHLOCompositeOptionsT options;
  options.decomposition_subgraph_index = 1;
  net.spec().graphs[0].operators[0].options_2.Set(options);
  net.spec().graphs.emplace_back();
  const int32_t inner = net.Input({4});
  const int32_t y = net.Tensor({4});
  net.AddCustom("Body", {inner}, {y});
  net.Output(y);
  ShadowRun run(net.spec());
  EXPECT_NE(run.Outputs(0), run.Outputs(1));
  const std::vector<ShadowedOperator> shadowed =
      run.interpreter().ShadowedOperators();
  ASSERT_THAT(shadowed, SizeIs(1));
  EXPECT_EQ(shadowed[0].subgraph, 0u);
  EXPECT_EQ(shadowed[0].reason, "a subgraph that it calls has shadows");
}

// The tests below are about shapes.

TEST(ShadowShapes, OfABatchAreThoseOfTheModel) {
  Net net = TwoByTwo();
  net.at(0).shape_signature = {-1, 5};
  net.at(3).shape_signature = {-1, 3};
  ShadowRun run(net.spec());
  EXPECT_THAT(run.Outputs()[1], SizeIs(2 * 3 * sizeof(float)));
  // The shape of the output is known only for the batch size that the model
  // declares.
  ASSERT_THAT(run.graph().ResizeInput(0, {6, 5}), IsOk());
  EXPECT_THAT(
      run.graph().Allocate(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("operator 0 (CUSTOM \"Unknown\"): tensor 2 \"t2\": "
                          "the shape is not known: tensor 0 \"t0\" is [6, 5], "
                          "not [3, 5] as in the model; expected")));
}

TEST(ShadowShapes, AreNotKnownWhereADimensionIsOpenForNoInput) {
  Net net = TwoByTwo();
  net.at(3).shape_signature = {-1, 3};
  EXPECT_THAT(
      ShadowRun(net.spec()).allocated(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("subgraph 0, operator 0 (CUSTOM \"Unknown\"): tensor "
                          "3 \"t3\": the shape is not known: in the model it "
                          "is [-1, 3], and no input has an open dimension; "
                          "expected a shape in the model, one that is given "
                          "(InterpreterOptions::shapes; --shape "
                          "TENSOR=1x2x3), or a registration with a shadow "
                          "that sets it")));
}

// The model declares no shape for the input of the custom operator; RELU
// computes this shape. A missing shape does not contradict the computed one, so
// the custom operator gets a shadow.
TEST(ShadowShapes, AreThoseOfTheModelIfItHasNoneOfAnInput) {
  Net net;
  const int32_t a = net.Input({4});
  const int32_t x = net.Tensor({});
  const int32_t y = net.Tensor({2, 8});
  net.Add({BuiltinOperator::RELU, ""}, {a}, {x});
  net.AddCustom("Unknown", {x}, {y});
  net.Output(y);
  ShadowRun run(net.spec());
  EXPECT_THAT(run.Outputs(), ElementsAre(SizeIs(16 * sizeof(float))));
}

TEST(ShadowShapes, AreNotKnownWithoutARank) {
  Net net = TwoByTwo();
  net.at(3).shape = {};
  EXPECT_THAT(ShadowRun(net.spec()).allocated(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("tensor 3 \"t3\": the shape is not known: in "
                                  "the model it has no rank")));
  net.at(3).has_rank = true;
  EXPECT_THAT(ShadowRun(net.spec()).Outputs()[1], SizeIs(sizeof(float)));
}

class CountShadow : public ShadowKernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    const absl::Status status =
        context.ResizeOutput(1, {static_cast<int32_t>(context.input(0).bytes)});
    return status.ok() ? ShadowKernel::Prepare(context) : status;
  }
};

TEST(ShadowShapes, AreSetByAShadowOfTheRegistration) {
  OperatorResolver resolver = BuiltinOperators();
  resolver.Add(OperatorRegistration("Unknown").IsCustom().ShadowedBy(
      [] { return std::make_unique<CountShadow>(); }));
  Net net = TwoByTwo();
  net.at(0).shape_signature = {-1, 5};
  net.at(3).shape = {};
  ShadowRun run(net.spec(), ShadowMode::kMissing, resolver);
  EXPECT_THAT(run.Outputs()[1], SizeIs(15 * sizeof(float)));
  ASSERT_THAT(run.graph().ResizeInput(0, {6, 5}), IsOk());
  ASSERT_THAT(run.graph().Allocate(), IsOk());
  EXPECT_THAT(run.Outputs()[1], SizeIs(30 * sizeof(float)));
  // Shadows are not requested here. The operator has a shadow but no kernel, so
  // it is unsupported.
  const LoadedModel model(net.spec());
  EXPECT_THAT(Interpreter::Create(*model, resolver),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("unsupported operators: CUSTOM Unknown")));
}

// The tests below plant faults that are visible only in the outputs of shadows.

CheckOptions WithMissingShadows() {
  CheckOptions options;
  options.feed = FeedBytes;
  options.touch = false;
  options.poison = false;
  options.plan.shadow = ShadowMode::kMissing;
  return options;
}

// Returns whether the model in -> Unknown -> x -> Unknown -> y is safe if its
// tensors are at these offsets.
bool IsSafeAt(size_t in, size_t x, size_t y) {
  Net net;
  net.Input({64}, TensorType::INT8);
  net.Tensor({64}, TensorType::INT8);
  net.Tensor({64}, TensorType::INT8);
  net.AddCustom("Unknown", {0}, {1});
  net.AddCustom("Unknown", {1}, {2});
  net.Output(2);
  const LoadedModel model(net.spec());
  CheckOptions options = WithMissingShadows();
  options.plan.io_lifetime = IoLifetime::kUse;
  options.plan.tensor_alignment = 16;
  options.plan.planner = PlanAt({{0, in}, {1, x}, {2, y}});
  const auto report = CheckPlan(*model, BuiltinOperators(), options);
  EXPECT_THAT(report, IsOk());
  return report.ok() && report->is_safe();
}

TEST(ShadowedPlan, IsUnsafeIfAnOutputLiesOnAnInput) {
  EXPECT_TRUE(IsSafeAt(0, 64, 0));
  // In the first plan, y covers all of x. In the second plan, the end of y
  // overlaps the beginning of x; in the third plan, the beginning of y overlaps
  // the end of x.
  EXPECT_FALSE(IsSafeAt(0, 64, 64));
  EXPECT_FALSE(IsSafeAt(0, 64, 16));
  EXPECT_FALSE(IsSafeAt(0, 64, 112));
}

TEST(ShadowedPlan, IsUnsafeIfATemporaryLiesOnWhatTheOperatorHas) {
  ByteModel model;
  const size_t in = model.AddInput(64);
  const size_t a = model.Add("Mix", {in});
  const size_t b = model.Add("Scratch", {a});
  model.MarkOutput(b);
  const LoadedModel loaded(model.spec());
  CheckOptions options = WithMissingShadows();
  options.plan.shadow = ShadowMode::kAll;
  const auto is_safe = [&](size_t temporary) {
    options.plan.planner =
        PlanAt({{in, 0}, {a, 64}, {b, 128}, {b + 1, temporary}});
    const auto report = CheckPlan(*loaded, ByteOperators(), options);
    EXPECT_THAT(report, IsOk());
    return report.ok() && report->is_safe();
  };
  EXPECT_TRUE(is_safe(192));
  EXPECT_FALSE(is_safe(64));
  EXPECT_FALSE(is_safe(128));
}

// The only output is a string, which has no bytes, so its digest is compared.
TEST(ShadowedPlan, IsUnsafeIfATensorWithoutBytesDiffers) {
  Net net;
  const int32_t in = net.Input({64}, TensorType::INT8);
  const int32_t a = net.Tensor({64}, TensorType::INT8);
  const int32_t b = net.Tensor({64}, TensorType::INT8);
  const int32_t text = net.Tensor({1}, TensorType::STRING);
  net.AddCustom("Unknown", {in}, {a});
  net.AddCustom("Unknown", {a}, {b});
  net.AddCustom("ToText", {a, b}, {text});
  net.Output(text);
  const LoadedModel model(net.spec());
  CheckOptions options = WithMissingShadows();
  options.plan.planner = PlanAt({{0, 0}, {1, 64}, {2, 128}});
  auto report = CheckPlan(*model, BuiltinOperators(), options);
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(report->is_safe());
  EXPECT_THAT(report->shadowed, SizeIs(3));
  options.plan.planner = PlanAt({{0, 0}, {1, 64}, {2, 64}});
  report = CheckPlan(*model, BuiltinOperators(), options);
  ASSERT_THAT(report, IsOk());
  ASSERT_TRUE(report->difference.has_value());
  EXPECT_EQ(report->difference->tensor, static_cast<size_t>(text));
}

// One operator computes a variable, and a later operator changes it. Variables
// are therefore compared only at the end of the run.
TEST(ShadowedPlan, IsSafeWhereAnOperatorComputesAVariable) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t variable = model.Add("Mix", {in});
  model.MarkOutput(model.Add("Accumulate", {in, variable}));
  ModelSpec spec = model.spec();
  spec.graphs[0].tensors[variable].is_variable = true;
  spec.graphs[0].tensors[variable].shape = {8};
  const LoadedModel loaded(spec);
  for (const ShadowMode mode : {ShadowMode::kNone, ShadowMode::kAll}) {
    CheckOptions options;
    options.feed = FeedBytes;
    options.compares_all = true;
    options.plan.shadow = mode;
    const auto report = CheckPlan(*loaded, ByteOperators(), options);
    ASSERT_THAT(report, IsOk());
    EXPECT_TRUE(report->is_safe()) << report->Text();
  }
}

// RESHAPE may use only the shape of its second input and not the content. If
// nothing writes this input, it has no memory.
TEST(ShadowedPlan, IsSafeWhereNothingWritesTheShapeOfReshape) {
  Net net;
  const int32_t x = net.Input({2, 3});
  const int32_t y = net.Tensor({6});
  net.Add({BuiltinOperator::RESHAPE, ""},
          {x, net.Tensor({1}, TensorType::INT32)}, {y});
  net.Output(y);
  const LoadedModel loaded(net.spec());
  for (const ShadowMode mode : {ShadowMode::kNone, ShadowMode::kAll}) {
    CheckOptions options;
    options.feed = FeedBytes;
    options.plan.shadow = mode;
    const auto report = CheckPlan(*loaded, BuiltinOperators(), options);
    ASSERT_THAT(report, IsOk());
    EXPECT_TRUE(report->is_safe()) << report->Text();
  }
}

// For each seed model, the plan with ShadowMode::kAll equals the plan with
// kernels, and the plan is safe.
TEST(ShadowedPlan, OfEverySeedModelIsTheOneOfItsKernels) {
  for (const SeedModel& seed : SeedModels()) {
    // The shapes of this model depend on data, so shadows cannot compute them.
    if (seed.name == "computed") continue;
    const LoadedModel model(seed.spec);
    std::map<ShadowMode, std::vector<absl::optional<size_t>>> offsets;
    for (const ShadowMode mode : {ShadowMode::kNone, ShadowMode::kAll}) {
      CheckOptions options;
      options.feed = FeedZeros;
      options.plan.memory_limit = size_t{64} << 20;
      options.invocations = 2;
      options.compares_all = true;
      options.plan.shadow = mode;
      options.plan.strategy = "greedy_by_size";
      const auto report = CheckPlan(*model, BuiltinOperators(), options);
      ASSERT_THAT(report, IsOk()) << seed.name;
      EXPECT_TRUE(report->is_safe()) << seed.name << report->Text();
      const auto interpreter = Interpreter::Create(*model, options.plan);
      ASSERT_THAT(interpreter, IsOk());
      ASSERT_THAT((*interpreter)->primary().Allocate(), IsOk());
      offsets[mode] = (*interpreter)->primary().plan().offsets;
    }
    EXPECT_EQ(offsets[ShadowMode::kNone], offsets[ShadowMode::kAll])
        << seed.name;
  }
}

}  // namespace
}  // namespace stowage::harness
