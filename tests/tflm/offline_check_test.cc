// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/offline_check.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/solution.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_plan.h"
#include "tests/support/example_model.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Holds a model and the bytes to which the model refers.
struct Parsed {
  explicit Parsed(const ModelSpec& spec) : bytes(Build(spec)) {
    auto parsed = Model::Parse(bytes, "m");
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    if (parsed.ok()) model = *std::move(parsed);
  }
  std::string bytes;
  std::unique_ptr<const Model> model;
};

OfflineVerdict Check(const Parsed& parsed, std::vector<int32_t> offsets,
                     const OfflineCheckOptions& options = {}) {
  const auto verdict = CheckOfflinePlan(
      *parsed.model, OfflinePlan{1, std::move(offsets)}, options);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.value_or(OfflineVerdict());
}

std::vector<std::string> Messages(const Parsed& parsed,
                                  const OfflineVerdict& verdict) {
  std::vector<std::string> messages;
  for (const OfflineViolation& violation : verdict.violations) {
    messages.push_back(Describe(*parsed.model, verdict, violation));
  }
  return messages;
}

// The tensors have 16 bytes each and are live at these tasks:
//
//   0 input [0, 2]   2 scale [1, 2]   3 sum [2, 4]
//   4 relu [3, 4]    5 output [4, 4]
TEST(CheckOfflinePlan, AcceptsSoundPlans) {
  struct Case {
    const char* name;
    std::vector<int32_t> offsets;
    size_t head;
  };
  const Case cases[] = {
      {"every tensor", {0, -1, 16, 32, 0, 16}, 48},
      {"entries of constants mean nothing", {0, -7, 16, 32, 0, 16}, 48},
      {"none", {-1, -1, -1, -1, -1, -1}, 48},
      {"some, and the device fits the others around",
       {-1, -1, 16, -1, 0, -1},
       48},
      {"room that is wasted", {0, -1, 16, 1024, 0, 16}, 1040},
  };
  const Parsed parsed(ExampleModel());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const OfflineVerdict verdict = Check(parsed, c.offsets);
    EXPECT_THAT(Messages(parsed, verdict), IsEmpty());
    EXPECT_EQ(verdict.head_bytes, c.head);
  }
}

TEST(CheckOfflinePlan, SaysWhatIsWrong) {
  struct Case {
    const char* name;
    std::vector<int32_t> offsets;
    size_t capacity;
    const char* message;
  };
  const Case cases[] = {
      {"before the arena",
       {-16, -1, -1, -1, -1, -1},
       kLargestArena,
       "tensor 0 \"input\": offset -16, before the arena; expected -1 or at "
       "least 0"},
      {"misaligned",
       {-1, -1, -1, 8, -1, -1},
       kLargestArena,
       "tensor 3 \"sum\": offset 8; expected a multiple of 16"},
      {"past every arena",
       {-1, -1, -1, 2147483632, -1, -1},
       kLargestArena,
       "tensor 3 \"sum\": bytes [2147483632, 2147483648), past the end of the "
       "arena"},
      {"past the capacity",
       {0, -1, 16, 32, 0, 16},
       47,
       "tensor 3 \"sum\": bytes [32, 48), past the end of the arena"},
      {"past it when the device places",
       {-1, -1, -1, -1, -1, -1},
       32,
       "past the end of the arena"},
      {"two at one place",
       {0, -1, 0, -1, -1, -1},
       kLargestArena,
       "tensor 0 \"input\" and tensor 2 \"scale\": share bytes [0, 16), both "
       "live at task 1"},
  };
  const Parsed parsed(ExampleModel());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    OfflineCheckOptions options;
    options.capacity = c.capacity;
    const OfflineVerdict verdict = Check(parsed, c.offsets, options);
    EXPECT_THAT(Messages(parsed, verdict), ElementsAre(HasSubstr(c.message)));
    EXPECT_EQ(verdict.head_bytes, absl::nullopt);
  }
}

TEST(CheckOfflinePlan, NamesEveryPair) {
  const Parsed parsed(ExampleModel());
  const OfflineVerdict verdict = Check(parsed, {0, -1, 0, 0, 0, 0});
  EXPECT_EQ(verdict.violations.size(), 6u);
}

TEST(CheckOfflinePlan, RefusesAPlanOfAnotherModel) {
  const Parsed parsed(ExampleModel());
  EXPECT_THAT(CheckOfflinePlan(*parsed.model, OfflinePlan{1, {0}}).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "m: a plan with 1 offsets; expected one for each of "
                        "its 6 tensors"));
  EXPECT_THAT(CheckOfflinePlan(*parsed.model,
                               OfflinePlan{2, std::vector<int32_t>(6, -1)})
                  .status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "m: a plan for 2 subgraphs; expected 1"));
}

// Returns the model input -> ADD(state) -> sum -> RELU -> output, where `state`
// is a variable of 16 bytes.
ModelSpec WithVariable() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::ADD},
                 {tflite::BuiltinOperator::RELU}};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {{{1, 4}, tflite::TensorType::FLOAT32, 0, "input"},
                   {{1, 4}, tflite::TensorType::FLOAT32, 0, "state", true},
                   {{1, 4}, tflite::TensorType::FLOAT32, 0, "sum"},
                   {{1, 4}, tflite::TensorType::FLOAT32, 0, "output"}};
  graph.inputs = {0};
  graph.outputs = {3};
  graph.operators = {{0, {0, 1}, {2}}, {1, {2}, {3}}};
  return model;
}

TEST(CheckOfflinePlan, KeepsTheStateOfVariables) {
  struct Case {
    const char* name;
    std::vector<int32_t> offsets;
    std::vector<std::string> messages;
  };
  const Case cases[] = {
      {"without an offset it is not in the head", {0, -1, 16, 0}, {}},
      {"above all else", {0, 32, 16, 0}, {}},
      {"on a tensor that is live later",
       {0, 32, 16, 32},
       {"tensor 1 \"state\" and tensor 3 \"output\": share bytes [32, 48), "
        "both "
        "live at task 2"}},
      {"where the device places a tensor later", {0, 32, 16, -1}, {}},
      {"where the device places a tensor later, lowest",
       {32, 0, 16, -1},
       {"tensor 1 \"state\", a variable: tensor 3 \"output\" is placed on the "
        "device at bytes [0, 16) of it, and destroys its state at task 2"}},
  };
  const Parsed parsed(WithVariable());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Messages(parsed, Check(parsed, c.offsets)),
                ElementsAreArray(c.messages));
  }
}

// Returns the model input, workspace -> CUSTOM -> output, whose tensors are 0,
// 1 and 2. Tensor 3 belongs to no operator.
ModelSpec WithCustomOperator() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::CUSTOM, "npu"},
                 {tflite::BuiltinOperator::RELU}};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {{{16}, tflite::TensorType::INT8, 0, "input"},
                   {{64}, tflite::TensorType::INT8, 0, "workspace"},
                   {{16}, tflite::TensorType::INT8, 0, "output"},
                   {{16}, tflite::TensorType::INT8, 0, "other"}};
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  return model;
}

TEST(CheckOfflinePlan, LetsACustomOperatorShareItsBytesIfAsked) {
  const Parsed parsed(WithCustomOperator());
  const OfflineVerdict unasked = Check(parsed, {0, 0, 0, -1});
  EXPECT_THAT(Messages(parsed, unasked), IsEmpty());
  EXPECT_EQ(unasked.undecided.size(), 3u);
  OfflineCheckOptions options;
  options.allow_custom_overlap = true;
  const OfflineVerdict verdict = Check(parsed, {0, 0, 0, -1}, options);
  EXPECT_THAT(Messages(parsed, verdict), IsEmpty());
  EXPECT_EQ(verdict.allowed.size(), 3u);
  EXPECT_THAT(verdict.undecided, IsEmpty());
  EXPECT_EQ(verdict.head_bytes, 64u);
}

TEST(CheckOfflinePlan, RefusesWhatOtherOperatorsCouldSee) {
  struct Case {
    const char* name;
    std::vector<OperatorDraft> operators;
    std::vector<int32_t> inputs;
    std::vector<int32_t> outputs;
  };
  const Case cases[] = {
      {"both bring data", {{0, {0, 1}, {2}}}, {0, 1}, {2}},
      {"both are used after it", {{0, {0}, {1, 2}}}, {0}, {1, 2}},
      {"an input is read again", {{0, {0, 1}, {2}}, {1, {0}, {3}}}, {0}, {2}},
      {"an earlier operator works on an input of the next",
       {{0, {1}, {2}}, {0, {2, 1, 0}, {3}}},
       {0},
       {3}},
      {"the operator is not custom", {{1, {0}, {1, 2}}}, {0}, {2}},
  };
  OfflineCheckOptions options;
  options.allow_custom_overlap = true;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ModelSpec spec = WithCustomOperator();
    spec.graphs[0].operators = c.operators;
    spec.graphs[0].inputs = c.inputs;
    spec.graphs[0].outputs = c.outputs;
    const Parsed parsed(spec);
    EXPECT_FALSE(Check(parsed, {0, 0, 0, -1}, options).violations.empty());
  }
}

TEST(CheckOfflinePlan, TakesWorkspaceToBeLiveAtItsOperatorsAlone) {
  ModelSpec spec = WithCustomOperator();
  // The first operator runs on the processor, the second on the accelerator.
  spec.graphs[0].operators = {{1, {0}, {3}}, {0, {3, 1}, {2}}};
  const Parsed parsed(spec);
  OfflineCheckOptions options;
  options.allow_custom_overlap = true;
  EXPECT_THAT(Messages(parsed, Check(parsed, {0, 0, 64, 64}, options)),
              IsEmpty());
}

// Returns a model of three operators: IF, ADD, which reads "kept", and IF. Both
// IF operators call subgraph 1, so its tensors are live twice.
ModelSpec WithSubgraphCalledTwice() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::IF},
                 {tflite::BuiltinOperator::ADD},
                 {tflite::BuiltinOperator::RELU}};
  model.buffers.emplace_back();
  tflite::IfOptionsT branches;
  branches.then_subgraph_index = 1;
  branches.else_subgraph_index = 1;
  tflite::BuiltinOptionsUnion options;
  options.Set(std::move(branches));
  GraphSpec& main = model.graphs.emplace_back();
  main.tensors = {{{1}, tflite::TensorType::BOOL},
                  {{4}, tflite::TensorType::FLOAT32, 0, "kept"},
                  {{4}, tflite::TensorType::FLOAT32, 0, "first"},
                  {{4}, tflite::TensorType::FLOAT32, 0, "sum"},
                  {{4}, tflite::TensorType::FLOAT32, 0, "second"}};
  main.inputs = {0, 1};
  main.outputs = {4};
  main.operators = {{0, {0, 1}, {2}, {}, options},
                    {1, {1, 2}, {3}},
                    {0, {0, 3}, {4}, {}, options}};
  GraphSpec& called = model.graphs.emplace_back();
  called.tensors = {{{4}, tflite::TensorType::FLOAT32, 0, "in"},
                    {{4}, tflite::TensorType::FLOAT32, 0, "out"}};
  called.inputs = {0};
  called.outputs = {1};
  called.operators = {{2, {0}, {1}}};
  return model;
}

TEST(CheckOfflinePlan, MindsEveryRunOfASubgraph) {
  const Parsed parsed(WithSubgraphCalledTwice());
  // Tensor "in" is at the offset of "kept", which is read between the two runs
  // of the subgraph.
  const auto verdict = CheckOfflinePlan(
      *parsed.model, OfflinePlan{2, {0, 16, 32, 48, 64, 16, 80}});
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_THAT(Messages(parsed, *verdict),
              ElementsAre(HasSubstr("share bytes [16, 32)")));
  // The tensors of the subgraph have no offset. The device would place them
  // without considering the first run.
  const auto placed = CheckOfflinePlan(
      *parsed.model, OfflinePlan{2, {0, 16, 32, 48, 64, -1, -1}});
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_FALSE(placed->violations.empty());
}

TEST(PlanOffline, MindsEveryRunOfASubgraph) {
  const Parsed parsed(WithSubgraphCalledTwice());
  const auto planning = PlanOffline(*parsed.model, "greedy_by_size");
  ASSERT_TRUE(planning.ok()) << planning.status();
  const std::vector<int32_t>& offsets = planning->plan.offsets;
  EXPECT_NE(offsets[1], offsets[5]);
  EXPECT_NE(offsets[1], offsets[6]);
}

// Returns the same model with a variable as the second tensor of subgraph 1.
ModelSpec WithVariableInSubgraph() {
  ModelSpec model = WithSubgraphCalledTwice();
  GraphSpec& called = model.graphs[1];
  called.tensors.insert(called.tensors.begin() + 1,
                        {{4}, tflite::TensorType::FLOAT32, 0, "state", true});
  called.operators = {{1, {0, 1}, {2}}};
  called.outputs = {2};
  return model;
}

TEST(CheckOfflinePlan, RefusesAVariableThatTheDeviceGivesNoMemory) {
  const Parsed parsed(WithVariableInSubgraph());
  const auto verdict = CheckOfflinePlan(
      *parsed.model, OfflinePlan{2, {0, 16, 32, 48, 64, 80, -1, 96}});
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_THAT(Messages(parsed, *verdict),
              ElementsAre("subgraph 1, tensor 1 \"state\", a variable: no "
                          "memory, for the device takes the offset of tensor 1 "
                          "for its own; expected -1 there"));
}

TEST(PlanOffline, LeavesFreeWhatTheDeviceTakesForVariables) {
  const Parsed parsed(WithVariableInSubgraph());
  const auto planning = PlanOffline(*parsed.model, "greedy_by_size");
  ASSERT_TRUE(planning.ok()) << planning.status();
  EXPECT_EQ(planning->plan.offsets[1], kPlacedOnDevice);
  EXPECT_NE(planning->plan.offsets[2], kPlacedOnDevice);
}

TEST(PlanOffline, GivesOffsetsToTensorsInTheHead) {
  const Parsed parsed(ExampleModel());
  const auto planning = PlanOffline(*parsed.model, "optimal");
  ASSERT_TRUE(planning.ok()) << planning.status();
  EXPECT_EQ(planning->head_bytes, 48u);
  EXPECT_EQ(planning->solution.status, SolutionStatus::kOptimal);
  EXPECT_EQ(planning->plan.offsets[1], kPlacedOnDevice);  // a constant
  EXPECT_THAT(Check(parsed, planning->plan.offsets).violations, IsEmpty());
}

TEST(PlanOffline, GivesOffsetsToChosenTensorsAlone) {
  const Parsed parsed(ExampleModel());
  const auto planning =
      PlanOffline(*parsed.model, "greedy_by_size", {}, {{3, 5, 1}});
  ASSERT_TRUE(planning.ok()) << planning.status();
  for (const size_t tensor : {0U, 1U, 2U, 4U}) {
    EXPECT_EQ(planning->plan.offsets[tensor], kPlacedOnDevice) << tensor;
  }
  EXPECT_NE(planning->plan.offsets[3], kPlacedOnDevice);
}

TEST(PlanOffline, LeavesVariablesInTheTail) {
  const Parsed parsed(WithVariable());
  const auto planning = PlanOffline(*parsed.model, "naive");
  ASSERT_TRUE(planning.ok()) << planning.status();
  EXPECT_EQ(planning->plan.offsets[1], kPlacedOnDevice);
}

TEST(PlanOffline, RefusesAHeadThatNoDeviceHas) {
  ModelSpec spec = ExampleModel();
  for (const size_t tensor : {0U, 3U, 4U, 5U}) {
    spec.graphs[0].tensors[tensor].shape = {1 << 29, 4};
  }
  const Parsed parsed(spec);
  EXPECT_THAT(PlanOffline(*parsed.model, "naive").status(),
              FailsWith(absl::StatusCode::kOutOfRange,
                        HasSubstr("expected at most 1073741824")));
}

TEST(PlanOffline, RefusesTensorsThatDoNotExist) {
  const Parsed parsed(ExampleModel());
  EXPECT_THAT(PlanOffline(*parsed.model, "naive", {}, {{6}}).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "m: no tensor 6; expected less than 6"));
}

// Returns the model input -> RELU -> middle -> MEAN -> output, where MEAN has
// scratch memory. Under the rules of the device, the input is free when MEAN
// runs, so the device would place the scratch memory on the input.
ModelSpec WithScratchAfterTheInput() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::RELU},
                 {tflite::BuiltinOperator::MEAN}};
  model.buffers.emplace_back();
  model.buffers.push_back({std::vector<uint8_t>(4)});
  GraphSpec& graph = model.graphs.emplace_back();
  const auto tensor = [](std::vector<int32_t> shape, const char* name) {
    return TensorDraft{std::move(shape), tflite::TensorType::INT8, 0, name};
  };
  graph.tensors = {tensor({1, 64}, "input"),
                   tensor({1, 64}, "middle"),
                   tensor({64}, "output"),
                   {{1}, tflite::TensorType::INT32, 1, "axis"}};
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators = {{0, {0}, {1}}, {1, {1, 3}, {2}}};
  return model;
}

// Returns whether any other buffer shares bytes with the input or the output.
bool SharesEnds(const OfflineVerdict& verdict) {
  for (const OfflineBuffer& a : verdict.buffers) {
    if (a.buffer.tensor != 0 && a.buffer.tensor != 2) continue;
    for (const OfflineBuffer& b : verdict.buffers) {
      if (&a == &b) continue;
      if (a.offset < b.offset + b.buffer.record.tensor_size &&
          b.offset < a.offset + a.buffer.record.tensor_size) {
        return true;
      }
    }
  }
  return false;
}

TEST(PlanOffline, HoldsInputsAndOutputs) {
  const Parsed parsed(WithScratchAfterTheInput());
  for (const char* strategy :
       {"naive", "greedy_by_size", "micro_first_fit", "optimal"}) {
    SCOPED_TRACE(strategy);
    const auto used = PlanOffline(*parsed.model, strategy);
    const auto held = PlanOffline(*parsed.model, strategy, {}, absl::nullopt,
                                  IoLifetime::kKeep);
    ASSERT_TRUE(used.ok()) << used.status();
    ASSERT_TRUE(held.ok()) << held.status();
    // The check places the buffers without an offset in the same way as the
    // device.
    const auto verdict = CheckOfflinePlan(*parsed.model, held->plan);
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_FALSE(SharesEnds(*verdict));
    EXPECT_EQ(verdict->head_bytes, held->head_bytes);
    EXPECT_GE(held->head_bytes, used->head_bytes);
  }
}

TEST(CheckOfflinePlan, RefusesWhatTheDevicePlacesOnAnInputThatIsHeld) {
  const Parsed parsed(WithScratchAfterTheInput());
  OfflineCheckOptions options;
  const std::vector<int32_t> offsets = {0, 64, 128, -1};
  EXPECT_THAT(Messages(parsed, Check(parsed, offsets, options)), IsEmpty());
  options.io_lifetime = IoLifetime::kKeep;
  EXPECT_THAT(Messages(parsed, Check(parsed, offsets, options)),
              testing::Contains(AllOf(
                  HasSubstr("tensor 0 \"input\" and scratch memory of operator "
                            "1 (MEAN): share bytes"),
                  HasSubstr("both live at task 2"))));
}

TEST(PlanOffline, RefusesToHoldWhatGetsNoOffset) {
  const Parsed parsed(ExampleModel());
  EXPECT_THAT(
      PlanOffline(*parsed.model, "naive", {}, {{3, 5}}, IoLifetime::kKeep)
          .status(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "m: tensor 0 \"input\": it is to be held for the whole run, "
                "but is not among the tensors that get offsets; expected it "
                "there"));
}

}  // namespace
}  // namespace stowage
