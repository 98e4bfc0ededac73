// SPDX-License-Identifier: Apache-2.0
// Tests runs in which the planner chooses which tensors share memory. The
// outputs must have the same bits as without sharing. A tensor that is already
// in place must not be copied. If a planner places a tensor where it must not
// be, the checks must find the fault.
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
#include "model_schema/model_generated.h"
#include "rapidcheck/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/run_model.h"
#include "stowage/problem.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/harness/byte_models.h"
#include "tests/support/net_builder.h"
#include "tests/support/seed_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

InterpreterOptions WithGroups(const std::string& strategy = "skyline") {
  InterpreterOptions options;
  options.strategy = strategy;
  options.sharing = Sharing::kGroups;
  options.tensor_alignment = 16;
  return options;
}

CheckOptions CheckedWithGroups(const std::string& strategy = "skyline") {
  CheckOptions options;
  options.plan = WithGroups(strategy);
  options.feed = FeedBytes;
  options.invocations = 2;
  return options;
}

// Builds a model in which the tensors a and b are computed from the input `in`,
// `whole` joins them, and the output is computed from `whole`.
struct JoinedModel {
  JoinedModel() {
    in = model.AddInput(16);
    a = model.Add("Mix", {in});
    b = model.Add("Mix", {in, in});
    whole = model.Add("Join", {a, b});
    model.MarkOutput(model.Add("Mix", {whole}));
  }

  ByteModel model;
  size_t in = 0;
  size_t a = 0;
  size_t b = 0;
  size_t whole = 0;
};

TEST(SharingRun, InputsOfAConcatenationLieInIt) {
  const JoinedModel joined;
  const LoadedModel loaded(joined.model.spec());
  const auto interpreter =
      Interpreter::Create(*loaded, ByteOperators(), WithGroups());
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_TRUE(graph.Allocate().ok());
  const auto* const whole =
      static_cast<const uint8_t*>(graph.tensor(joined.whole).data);
  EXPECT_EQ(graph.tensor(joined.a).data, whole);
  EXPECT_EQ(graph.tensor(joined.b).data, whole + 16);
  const auto report = CheckPlan(*loaded, ByteOperators(), CheckedWithGroups());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->is_safe()) << report->Text();
}

// A planner provided by the caller may place the inputs of the concatenation
// outside the output. It must not place an input where the concatenation writes
// another input.
TEST(SharingRun, ChecksFindWhatAPlannerMayNotDo) {
  const JoinedModel joined;
  const LoadedModel loaded(joined.model.spec());
  const size_t out = joined.whole + 1;
  const struct {
    const char* name;
    size_t a;
    size_t b;
    size_t whole;
    const char* error;  // empty if there is none
  } cases[] = {
      {"all in place", 16, 32, 16, ""},
      {"one of them in place", 64, 32, 16, ""},
      {"all apart", 64, 80, 16, ""},
      {"the second lies where the first goes", 64, 16, 16, "touch check"},
      {"the first lies where the second goes", 32, 64, 16, "touch check"},
      {"the second lies on the first", 16, 16, 32, "touch check"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    CheckOptions options = CheckedWithGroups();
    options.poison = true;
    options.touch = true;
    options.plan.planner = PlanAt({{joined.in, 0},
                                   {joined.a, c.a},
                                   {joined.b, c.b},
                                   {joined.whole, c.whole},
                                   {out, 128}});
    const auto report = CheckPlan(*loaded, ByteOperators(), options);
    ASSERT_TRUE(report.ok()) << report.status();
    if (*c.error == '\0') {
      EXPECT_TRUE(report->is_safe()) << report->Text();
    } else {
      EXPECT_FALSE(report->is_safe());
      EXPECT_THAT(report->Text(), HasSubstr(c.error));
    }
  }
}

TEST(SharingRun, RefusesWhatGroupsAreNotFor) {
  const LoadedModel loaded(JoinedModel().model.spec());
  InterpreterOptions options = WithGroups("");
  options.streams = 2;
  EXPECT_THAT(Interpreter::Create(*loaded, ByteOperators(), options),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "sharing: groups, with several streams; expected "
                        "offsets and one stream"));
  options.streams = 1;
  options.kind = PlanKind::kObjects;
  EXPECT_THAT(Interpreter::Create(*loaded, ByteOperators(), options),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "sharing: groups, with shared objects; expected "
                        "offsets and one stream"));
}

// Adds ABS and NEG of a new input of this shape to the model. Returns their two
// outputs, which have the same shape.
std::vector<int32_t> TwoOf(NetBuilder* net, const NetBuilder::Shape& shape) {
  const int32_t x = net->Input(shape);
  return {net->Add(BuiltinOperator::ABS, {x}, shape),
          net->Add(BuiltinOperator::NEG, {x}, shape)};
}

void AddEnd(NetBuilder* net, const std::vector<int32_t>& tensors,
            const NetBuilder::Shape& shape) {
  for (const int32_t t : tensors) {
    net->MarkOutput(net->Add(BuiltinOperator::NEG, {t}, shape));
  }
}

NetBuilder Concatenated(const NetBuilder::Shape& shape, int axis,
                        const NetBuilder::Shape& whole) {
  NetBuilder net;
  tflite::ConcatenationOptionsT options;
  options.axis = axis;
  AddEnd(&net,
         {net.Add(BuiltinOperator::CONCATENATION, TwoOf(&net, shape), whole,
                  options)},
         whole);
  return net;
}

NetBuilder Packed() {
  NetBuilder net;
  tflite::PackOptionsT options;
  options.values_count = 2;
  options.axis = 0;
  AddEnd(
      &net,
      {net.Add(BuiltinOperator::PACK, TwoOf(&net, {4, 4}), {2, 4, 4}, options)},
      {2, 4, 4});
  return net;
}

NetBuilder Cut(BuiltinOperator code) {
  NetBuilder net;
  const bool is_split = code == BuiltinOperator::SPLIT;
  const int32_t x = net.Input({2, 16});
  const int32_t whole = net.Add(BuiltinOperator::ABS, {x}, {2, 16});
  const NetBuilder::Shape part =
      is_split ? NetBuilder::Shape{1, 16} : NetBuilder::Shape{16};
  std::vector<int32_t> inputs = {whole};
  if (is_split) inputs.insert(inputs.begin(), net.Numbers({}, {0}));
  const std::vector<int32_t> outputs = {net.Tensor(part), net.Tensor(part)};
  OperatorDraft& op = net.AddOperator(code, inputs, outputs);
  if (is_split) {
    tflite::SplitOptionsT options;
    options.num_splits = 2;
    op.options.Set(options);
  } else {
    tflite::UnpackOptionsT options;
    options.num = 2;
    options.axis = 0;
    op.options.Set(options);
  }
  AddEnd(&net, outputs, part);
  return net;
}

// Returns a model in which `whole` is computed from the input, and the output
// is computed from `whole` by an operator that moves elements.
NetBuilder Moved(BuiltinOperator code, const NetBuilder::Shape& shape,
                 const std::vector<std::vector<int32_t>>& numbers,
                 const NetBuilder::Shape& moved) {
  NetBuilder net;
  const int32_t x = net.Input(shape);
  std::vector<int32_t> inputs = {net.Add(BuiltinOperator::ABS, {x}, shape)};
  for (const std::vector<int32_t>& values : numbers) {
    inputs.push_back(
        net.Numbers({static_cast<int32_t>(values.size())}, values));
  }
  const int32_t output = net.Tensor(moved);
  OperatorDraft& op = net.AddOperator(code, inputs, {output});
  if (code == BuiltinOperator::STRIDED_SLICE) {
    op.options.Set(tflite::StridedSliceOptionsT());
  }
  AddEnd(&net, {output}, moved);
  return net;
}

// Returns a model that concatenates two tensors of different scales. The first
// tensor has the scale of the output.
NetBuilder Rescaled() {
  NetBuilder net;
  net.SetType(tflite::TensorType::UINT8, 0.5F, 128);
  const int32_t x = net.Input({1, 64});
  const int32_t same = net.Add(BuiltinOperator::RELU, {x}, {1, 64});
  net.SetType(tflite::TensorType::UINT8, 0.25F, 128);
  const int32_t other = net.Add(BuiltinOperator::RELU, {x}, {1, 64});
  net.SetType(tflite::TensorType::UINT8, 0.5F, 128);
  tflite::ConcatenationOptionsT options;
  options.axis = 1;
  const int32_t whole =
      net.Add(BuiltinOperator::CONCATENATION, {same, other}, {1, 128}, options);
  net.MarkOutput(net.Add(BuiltinOperator::RELU, {whole}, {1, 128}));
  return net;
}

TEST(SharingRun, OperatorsCopyNothingThatLiesInPlace) {
  const struct {
    const char* name;
    NetBuilder net;
    size_t avoided;  // bytes that are not copied
  } cases[] = {
      {"concatenation", Concatenated({1, 4, 4}, 1, {1, 8, 4}), 128},
      {"of the innermost axis", Concatenated({1, 4, 4}, 2, {1, 4, 8}), 0},
      {"of the outermost axis that is not 1",
       Concatenated({1, 1, 16}, 2, {1, 1, 32}), 128},
      {"second part not aligned", Concatenated({1, 3}, 1, {1, 6}), 12},
      {"PACK", Packed(), 128},
      {"SPLIT", Cut(BuiltinOperator::SPLIT), 128},
      {"UNPACK", Cut(BuiltinOperator::UNPACK), 128},
      {"bytes brought to another scale", Rescaled(), 64},
      {"SLICE",
       Moved(BuiltinOperator::SLICE, {4, 16}, {{1, 0}, {2, 16}}, {2, 16}), 128},
      {"SLICE within rows",
       Moved(BuiltinOperator::SLICE, {4, 16}, {{0, 0}, {4, 8}}, {4, 8}), 0},
      {"SLICE within one row",
       Moved(BuiltinOperator::SLICE, {4, 16}, {{2, 4}, {1, 8}}, {1, 8}), 32},
      {"SLICE that is not aligned",
       Moved(BuiltinOperator::SLICE, {4, 16}, {{2, 1}, {1, 8}}, {1, 8}), 0},
      {"SLICE of nothing",
       Moved(BuiltinOperator::SLICE, {4, 16}, {{1, 0}, {0, 16}}, {0, 16}), 0},
      {"STRIDED_SLICE",
       Moved(BuiltinOperator::STRIDED_SLICE, {4, 16}, {{1, 0}, {3, 16}, {1, 1}},
             {2, 16}),
       128},
      {"STRIDED_SLICE of every other row",
       Moved(BuiltinOperator::STRIDED_SLICE, {4, 16}, {{0, 0}, {4, 16}, {2, 1}},
             {2, 16}),
       0},
      {"STRIDED_SLICE backwards",
       Moved(BuiltinOperator::STRIDED_SLICE, {1, 16},
             {{0, -1}, {1, -17}, {1, -1}}, {1, 16}),
       0},
      {"TRANSPOSE that moves a dimension of 1",
       Moved(BuiltinOperator::TRANSPOSE, {1, 4, 4}, {{1, 0, 2}}, {4, 1, 4}),
       64},
      {"TRANSPOSE that moves elements",
       Moved(BuiltinOperator::TRANSPOSE, {4, 4}, {{1, 0}}, {4, 4}), 0},
      {"TILE once", Moved(BuiltinOperator::TILE, {4, 4}, {{1, 1}}, {4, 4}), 64},
      {"TILE twice", Moved(BuiltinOperator::TILE, {4, 4}, {{2, 1}}, {8, 4}), 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const LoadedModel loaded(c.net.spec());
    for (const Sharing sharing : {Sharing::kGroups, Sharing::kFixed}) {
      RunOptions options;
      options.plan = WithGroups();
      options.plan.sharing = sharing;
      options.poison = true;
      options.touch = true;
      const auto result = RunModel(*loaded, options);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->copies_avoided,
                sharing == Sharing::kGroups ? c.avoided : 0);
      const auto report =
          CheckPlan(*loaded, BuiltinOperators(), CheckOptionsOf(options));
      ASSERT_TRUE(report.ok()) << report.status();
      EXPECT_TRUE(report->is_safe()) << report->Text();
    }
  }
}

// The trace has the same groups as the records that the interpreter passes to a
// planner.
TEST(SharingRun, TheTraceHasTheGroups) {
  const NetBuilder net = Concatenated({1, 4, 4}, 1, {1, 8, 4});
  ModelTraceOptions options;
  options.sharing = Sharing::kGroups;
  const auto trace =
      ParseTrace(Build(net.spec()), "m.tflite", LifetimeRules::kCpu, options);
  ASSERT_TRUE(trace.ok()) << trace.status();
  // The records are x, abs, neg, whole and out, in this order.
  const std::vector<RecordPlace>& places = trace->problem.constraints.places;
  ASSERT_EQ(places.size(), 5u);
  EXPECT_EQ(places[0].group, kNoGroup);
  EXPECT_EQ(places[1].group, places[3].group);
  EXPECT_EQ(places[2].at, 64u);
  EXPECT_TRUE(Problem::Create(trace->problem).ok());
  options.sharing_alignment = 128;
  const auto coarse =
      ParseTrace(Build(net.spec()), "m.tflite", LifetimeRules::kCpu, options);
  ASSERT_TRUE(coarse.ok()) << coarse.status();
  EXPECT_EQ(coarse->problem.constraints.places[2].group, kNoGroup);
  options.sharing_alignment = 0;
  EXPECT_EQ(
      ParseTrace(Build(net.spec()), "m.tflite", LifetimeRules::kCpu, options)
          .status()
          .code(),
      absl::StatusCode::kInvalidArgument);
  options.sharing = Sharing::kNone;
  const auto none =
      ParseTrace(Build(net.spec()), "m.tflite", LifetimeRules::kCpu, options);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->problem.constraints.places.empty());
}

TEST(SharingRun, SeedModelsGiveTheSameBits) {
  for (const SeedModel& seed : SeedModels()) {
    SCOPED_TRACE(seed.name);
    const LoadedModel loaded(seed.spec);
    CheckOptions options = CheckedWithGroups("");
    options.feed = InputSource(/*seed=*/1);
    const auto report = CheckPlan(*loaded, BuiltinOperators(), options);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->is_safe()) << report->Text();
  }
}

// Returns a random model with joins. The sizes of its tensors are multiples of
// 16 bytes, so the parts of each whole are aligned.
ByteModel AnyModelWithJoins() {
  ByteModel model;
  std::vector<size_t> tensors = {
      model.AddInput(16 * *rc::gen::inRange<size_t>(1, 4))};
  const auto any = [&] {
    const size_t back = std::min<size_t>(tensors.size(), 4);
    return tensors[tensors.size() - 1 - *rc::gen::inRange<size_t>(0, back)];
  };
  const auto steps = *rc::gen::inRange<size_t>(1, 12);
  for (size_t i = 0; i < steps; ++i) {
    const auto name = *rc::gen::element<std::string>(
        "Join", "Join", "Mix", "MixInPlace", "Copy", "Scratch");
    std::vector<size_t> inputs = {any()};
    if (name == "Join" || *rc::gen::arbitrary<bool>()) inputs.push_back(any());
    tensors.push_back(model.Add(name, inputs));
  }
  model.MarkOutput(tensors.back());
  const size_t other = any();
  if (other != tensors.back() && other != tensors.front()) {
    model.MarkOutput(other);
  }
  return model;
}

RC_GTEST_PROP(SharingRun, GivesTheSameBitsUnderEveryStrategy, ()) {
  const ByteModel model = AnyModelWithJoins();
  const LoadedModel loaded(model.spec());
  for (const char* strategy :
       {"skyline", "greedy_by_size", "arena_best_fit", "naive"}) {
    CheckOptions options = CheckedWithGroups(strategy);
    options.plan.io_lifetime =
        *rc::gen::element(IoLifetime::kKeep, IoLifetime::kUse);
    options.compares_all = *rc::gen::arbitrary<bool>();
    const auto report = CheckPlan(*loaded, ByteOperators(), options);
    RC_LOG() << strategy << "\n";
    if (!report.ok()) RC_FAIL(report.status().ToString());
    if (!report->is_safe()) RC_FAIL(report->Text());
  }
}

}  // namespace
}  // namespace stowage::harness
