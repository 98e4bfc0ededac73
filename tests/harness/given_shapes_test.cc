// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/given_shapes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/net_builder.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tflite::BuiltinOperator;
using tflite::TensorType;

constexpr size_t kX = 0;  // the input of the model of this test
constexpr size_t kReshaped = 6;
constexpr size_t kOutput = 7;

// Returns a model that reshapes its input from [n, 4, 2], where n is open, to
// [n, 8]. SHAPE, GATHER and CONCATENATION compute the new shape. The model
// declares [1, 1] for the result.
NetBuilder Chain() {
  NetBuilder net;
  const int32_t x = net.Input({1, 4, 2});
  net.graph().tensors[kX].name = "x";
  net.graph().tensors[kX].shape_signature = {-1, 4, 2};
  net.SetType(TensorType::INT32);
  const int32_t shape = net.Add(BuiltinOperator::SHAPE, {x}, {3},
                                tflite::ShapeOptionsT{{}, TensorType::INT32});
  const int32_t first = net.List({0});
  const int32_t batch = net.Add(BuiltinOperator::GATHER, {shape, first}, {1},
                                tflite::GatherOptionsT());
  const int32_t eight = net.List({8});
  const int32_t wanted = net.Add(BuiltinOperator::CONCATENATION, {batch, eight},
                                 {2}, tflite::ConcatenationOptionsT());
  net.SetType(TensorType::FLOAT32);
  const int32_t reshaped = net.Add(BuiltinOperator::RESHAPE, {x, wanted},
                                   {1, 1}, tflite::ReshapeOptionsT());
  net.graph().tensors[kReshaped].shape_signature = {-1, -1};
  const int32_t output =
      net.Add(BuiltinOperator::NEG, {reshaped}, {1, 1}, tflite::NegOptionsT());
  net.graph().tensors[kOutput].shape_signature = {-1, -1};
  net.graph().tensors[kOutput].name = "y";
  net.MarkOutput(output);
  return net;
}

std::unique_ptr<const Model> Parse(const std::string& bytes) {
  absl::StatusOr<std::unique_ptr<const Model>> model = Model::Parse(bytes, "m");
  EXPECT_THAT(model.status(), IsOk());
  return *std::move(model);
}

struct ResolveCase {
  const char* name;
  std::vector<GivenShape> given;
  const char* error;  // null if there is none
};

TEST(ResolveShapes, FindsTensorsAndSaysWhatIsWrong) {
  NetBuilder net = Chain();
  ModelSpec spec = net.spec();
  tflite::SignatureDefT& signature = spec.signatures.emplace_back();
  signature.inputs.push_back(std::make_unique<tflite::TensorMapT>());
  signature.inputs.back()->name = "image";
  signature.inputs.back()->tensor_index = kX;
  const std::string bytes = Build(spec);
  const std::unique_ptr<const Model> model = Parse(bytes);
  const ResolveCase cases[] = {
      {"by name", {{"x", {5, 4, 2}}}, nullptr},
      {"by number", {{"0", {5, 4, 2}}}, nullptr},
      {"by the name in a signature", {{"image", {5, 4, 2}}}, nullptr},
      {"another rank",
       {{"x", {5, 8}}},
       "m: subgraph 0: shape of 'x': tensor 0 \"x\" is given [5, 8]; expected "
       "[-1, 4, 2]"},
      {"another extent",
       {{"x", {5, 4, 3}}},
       "m: subgraph 0: shape of 'x': tensor 0 \"x\" is given [5, 4, 3]; "
       "expected [-1, 4, 2]"},
      {"no such input",
       {{"z", {1}}},
       "m: subgraph 0: shape of 'z': no such tensor; expected an input (\"x\", "
       "or a number from 0), or the name or number of another tensor below 8"},
      {"a constant",
       {{"2", {1}}},
       "m: subgraph 0: shape of '2': tensor 2 is a constant, whose shape is "
       "fixed by the model; expected an input, or an output of an operator "
       "without a kernel"},
      {"twice",
       {{"x", {5, 4, 2}}, {"image", {5, 4, 2}}},
       "m: subgraph 0: shape of 'image': tensor 0 \"x\" is given twice; "
       "expected one shape for each tensor"},
  };
  for (const ResolveCase& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<GivenTensors> found =
        ResolveShapes(*model, 0, c.given);
    if (c.error == nullptr) {
      ASSERT_THAT(found.status(), IsOk());
      EXPECT_THAT(*found, ElementsAre(testing::Pair(kX, ElementsAre(5, 4, 2))));
    } else {
      EXPECT_EQ(found.status().message(), c.error);
    }
  }
}

TEST(ResolveShapes, RefusesMoreBytesThanThereAre) {
  NetBuilder net;
  net.MarkOutput(net.Add(BuiltinOperator::NEG, {net.Input({1, 1, 1, 1})},
                         {1, 1, 1, 1}, tflite::NegOptionsT()));
  const std::string bytes = Build(net.spec());
  constexpr int32_t kMost = 0x7FFFFFFF;
  EXPECT_THAT(ResolveShapes(*Parse(bytes), 0, {{"0", {kMost, kMost, kMost, 9}}})
                  .status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("m: subgraph 0: shape of '0': ")));
}

TEST(ResolveShapes, RefusesATensorThatNothingWrites) {
  NetBuilder net;
  const int32_t x = net.Input({4});
  const int32_t unwritten = net.Tensor({0});
  net.MarkOutput(
      net.Add(BuiltinOperator::NEG, {x}, {4}, tflite::NegOptionsT()));
  net.MarkOutput(unwritten);
  const std::string bytes = Build(net.spec());
  EXPECT_THAT(
      ResolveShapes(*Parse(bytes), 0, {{"1", {4}}}).status(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("nothing writes tensor 1; expected an input")));
}

TEST(FindKnownShapes, FollowsTheArithmeticOfShapes) {
  const std::string bytes = Build(Chain().spec());
  const std::unique_ptr<const Model> model = Parse(bytes);
  const absl::StatusOr<KnownShapes> given =
      FindKnownShapes(*model, BuiltinOperators(), 0, {{kX, {5, 4, 2}}});
  ASSERT_THAT(given.status(), IsOk());
  for (const size_t t : {kReshaped, kOutput}) {
    EXPECT_THAT(given->at({0, t}).shape, ElementsAre(5, 8));
    EXPECT_FALSE(given->at({0, t}).is_open);
  }
  // If no shape is given, the batch is open, and so are all shapes that depend
  // on it.
  const absl::StatusOr<KnownShapes> open =
      FindKnownShapes(*model, BuiltinOperators(), 0, {});
  ASSERT_THAT(open.status(), IsOk());
  for (const size_t t : {kX, kReshaped, kOutput}) {
    EXPECT_TRUE(open->at({0, t}).is_open) << t;
  }
  EXPECT_THAT(open->at({0, kOutput}).shape, ElementsAre(1, 8));
}

TEST(FindKnownShapes, RefusesAShapeThatAnOperatorContradicts) {
  const std::string bytes = Build(Chain().spec());
  EXPECT_THAT(
      FindKnownShapes(*Parse(bytes), BuiltinOperators(), 0,
                      {{kX, {5, 4, 2}}, {kOutput, {5, 9}}})
          .status(),
      FailsWith(
          absl::StatusCode::kInvalidArgument,
          "m: subgraph 0: tensor 7 \"y\": its operator computes [5, 8], not "
          "[5, 9] as given; expected no given shape, or the computed one"));
}

// Returns a model whose input of shape [n, 2], with open n, goes through a loop
// with two variables. The body negates the first variable. If `body_joins` is
// true, the body concatenates the second variable, of shape [1], with itself;
// otherwise the body leaves it unchanged. The condition is always true.
ModelSpec Loop(bool body_joins) {
  NetBuilder net;
  const int32_t x = net.Input({1, 2});
  net.graph().tensors[0].shape_signature = {-1, 2};
  const int32_t one = net.Input({1});
  const int32_t y = net.Tensor({1, 2});
  net.graph().tensors.back().shape_signature = {-1, 2};
  const int32_t z = net.Tensor({1});
  tflite::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 2;
  net.AddOperator(BuiltinOperator::WHILE, {x, one}, {y, z})
      .options.Set(std::move(options));
  net.MarkOutput(y);
  net.MarkOutput(z);
  net.BeginSubgraph();
  net.Input({1, 2});
  net.Input({1});
  net.SetType(TensorType::BOOL);
  net.MarkOutput(net.Constant<uint8_t>({1}, {1}));
  net.SetType(TensorType::FLOAT32);
  net.BeginSubgraph();
  const int32_t v = net.Input({1, 2});
  net.graph().tensors[0].shape_signature = {-1, 2};
  const int32_t w = net.Input({1});
  net.MarkOutput(
      net.Add(BuiltinOperator::NEG, {v}, {1, 2}, tflite::NegOptionsT()));
  net.graph().tensors.back().shape_signature = {-1, 2};
  net.MarkOutput(body_joins ? net.Add(BuiltinOperator::CONCATENATION, {w, w},
                                      {2}, tflite::ConcatenationOptionsT())
                            : w);
  return net.spec();
}

TEST(FindKnownShapes, FollowsLoops) {
  const std::string bytes = Build(Loop(false));
  const absl::StatusOr<KnownShapes> known =
      FindKnownShapes(*Parse(bytes), BuiltinOperators(), 0, {{0, {7, 2}}});
  ASSERT_THAT(known.status(), IsOk());
  EXPECT_THAT(known->at({0, 2}).shape, ElementsAre(7, 2));
  EXPECT_FALSE(known->at({0, 2}).is_open);
  EXPECT_THAT(known->at({2, 0}).shape, ElementsAre(7, 2));
  EXPECT_THAT(known->at({2, 2}).shape, ElementsAre(7, 2));
  EXPECT_FALSE(known->at({2, 2}).is_open);
}

TEST(FindKnownShapes, LeaveOpenWhatALoopChanges) {
  const std::string bytes = Build(Loop(true));
  const absl::StatusOr<KnownShapes> known =
      FindKnownShapes(*Parse(bytes), BuiltinOperators(), 0, {{0, {7, 2}}});
  ASSERT_THAT(known.status(), IsOk());
  EXPECT_FALSE(known->at({0, 2}).is_open);
  EXPECT_TRUE(known->at({0, 3}).is_open);
}

TEST(FindKnownShapes, EndForRecursion) {
  ModelSpec spec = Loop(false);
  spec.graphs[2].operators.push_back(spec.graphs[0].operators[0]);
  spec.graphs[2].operators.back().inputs = {0, 1};
  spec.graphs[2].tensors.push_back({{1, 2}});
  spec.graphs[2].tensors.push_back({{1}});
  spec.graphs[2].operators.back().outputs = {3, 4};
  const std::string bytes = Build(spec);
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Parse(bytes, "m");
  ASSERT_THAT(model.status(), IsOk());
  EXPECT_THAT(FindKnownShapes(**model, BuiltinOperators(), 0, {}).status(),
              IsOk());
}

struct OpenCase {
  const char* name;
  LifetimeRules rules;
  std::vector<GivenShape> given;
  size_t tensors;
  size_t records;
  std::vector<size_t> sizes;
};

TEST(ParseTrace, CountsOpenShapesUnderAllRules) {
  const std::string bytes = Build(Chain().spec());
  const std::vector<GivenShape> given = {{"x", {5, 4, 2}}};
  // Under the rules `cpu`, values computed from shapes are in the persistent
  // arena.
  const OpenCase cases[] = {
      {"plain", LifetimeRules::kPlain, {}, 3, 1, {12, 4, 8, 32}},
      {"plain, given", LifetimeRules::kPlain, given, 0, 0, {12, 4, 8, 160}},
      {"cpu", LifetimeRules::kCpu, {}, 3, 3, {32, 32, 32}},
      {"cpu, given", LifetimeRules::kCpu, given, 0, 0, {160, 160, 160}},
      {"micro, given",
       LifetimeRules::kMicro,
       given,
       0,
       0,
       {160, 16, 16, 16, 160, 160}},
  };
  for (const OpenCase& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<ModelTrace> trace =
        ParseTrace(bytes, "m", c.rules, {}, {ShadowMode::kNone, c.given});
    ASSERT_THAT(trace.status(), IsOk());
    EXPECT_EQ(trace->open.tensors, c.tensors);
    EXPECT_EQ(trace->open.records, c.records);
    std::vector<size_t> sizes;
    for (const auto& record : trace->problem.records) {
      sizes.push_back(record.tensor_size);
    }
    EXPECT_EQ(sizes, c.sizes);
    if (c.tensors == 0) {
      EXPECT_EQ(trace->open.first, "");
      continue;
    }
    EXPECT_EQ(trace->open.first, "subgraph 0, tensor 0 \"x\": [-1, 4, 2]");
    EXPECT_THAT(trace->open.inputs, ElementsAre("x=1x4x2"));
  }
}

// A value that depends on a shape is computed once, before the run. All shapes
// are known afterwards.
TEST(KnownValues, AreComputedBeforeARun) {
  const std::string bytes = Build(Chain().spec());
  const std::unique_ptr<const Model> model = Parse(bytes);
  for (const ShadowMode mode : {ShadowMode::kNone, ShadowMode::kAll}) {
    InterpreterOptions options;
    options.shadow = mode;
    auto interpreter = Interpreter::Create(*model, options);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& graph = (*interpreter)->primary();
    for (const int32_t batch : {1, 5, 2}) {
      ASSERT_THAT(graph.ResizeInput(0, {batch, 4, 2}), IsOk());
      ASSERT_THAT(graph.Allocate(), IsOk());
      EXPECT_EQ(graph.plan().prepared_nodes, 5);
      EXPECT_THAT(graph.output(0).shape, ElementsAre(batch, 8));
      std::fill_n(graph.input(0).as<float>(), batch * 8, 3.0F);
      ASSERT_THAT(graph.Invoke(), IsOk());
      ASSERT_THAT(graph.Invoke(), IsOk());
      if (mode == ShadowMode::kAll) continue;
      EXPECT_THAT(graph.output(0).span<float>(), testing::Each(-3.0F));
    }
  }
}

// Returns the trace of a model in the folder of dynamic models.
absl::StatusOr<ModelTrace> TraceOf(const std::string& folder,
                                   const std::string& name,
                                   std::vector<GivenShape> given,
                                   ModelTraceOptions options = {}) {
  return ReadModelTrace(folder + "/models/" + name + ".tflite",
                        [&](absl::string_view bytes, absl::string_view file) {
                          return ParseTrace(bytes, file, LifetimeRules::kPlain,
                                            options,
                                            {ShadowMode::kNone, given});
                        });
}

TEST(OpenShapes, OfRealModels) {
  const absl::optional<std::string> folder =
      support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  absl::StatusOr<ModelTrace> open = TraceOf(*folder, "ocr_dr", {});
  ASSERT_THAT(open.status(), IsOk());
  EXPECT_EQ(open->open.records, 53);
  EXPECT_THAT(open->open.inputs, ElementsAre("image=1x200x50x1"));
  ModelTraceOptions all;
  all.include_io = true;
  struct RealCase {
    const char* model;
    std::vector<GivenShape> given;
    size_t subgraph;
  };
  for (const RealCase& c :
       {RealCase{"ocr_dr", {{"image", {2, 200, 50, 1}}}, 0},
        RealCase{"litert_add_unknown_dimensions", {{"0", {1, 5, 3, 3}}}, 0},
        RealCase{"litert_simple_add_dynamic",
                 {{"arg0", {6, 128, 4}}, {"arg1", {6, 128, 4}}},
                 0},
        RealCase{"quantizer_two_signatures", {{"0", {9}}}, 0},
        RealCase{"quantizer_two_signatures", {{"0", {9}}}, 1}}) {
    SCOPED_TRACE(c.model);
    all.subgraph = c.subgraph;
    open = TraceOf(*folder, c.model, c.given, all);
    ASSERT_THAT(open.status(), IsOk());
    EXPECT_EQ(open->open.tensors, 0) << open->open.first;
  }
}

}  // namespace
}  // namespace stowage::harness
