// SPDX-License-Identifier: Apache-2.0
// Tests models with resource variables. The models must compute the same
// results whether variables are used in their own memory or are copied. The
// tests cover several invocations, branches and loops, and subgraphs that share
// variables.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "rapidcheck/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "tests/support/net_builder.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using testing::HasSubstr;
using tflite::BuiltinOperator;

constexpr int32_t kElements = 32;

// Builds subgraphs of FLOAT32 tensors that use variables.
class StateNet : public NetBuilder {
 public:
  int32_t Handle(const std::string& name) {
    SetType(tflite::TensorType::RESOURCE);
    const int32_t handle = Tensor({1});
    SetType(tflite::TensorType::FLOAT32);
    tflite::VarHandleOptionsT options;
    options.shared_name = name;
    AddOperator(BuiltinOperator::VAR_HANDLE, {}, {handle}).options.Set(options);
    return handle;
  }
  int32_t State() { return Input({kElements}); }
  int32_t Read(int32_t handle) {
    return Add(BuiltinOperator::READ_VARIABLE, {handle}, {kElements});
  }
  void Assign(int32_t handle, int32_t value) {
    AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {handle, value}, {});
  }
  int32_t Sum(int32_t a, int32_t b) {
    return Add(BuiltinOperator::ADD, {a, b}, {kElements},
               tflite::AddOptionsT());
  }
  int32_t Difference(int32_t a, int32_t b) {
    return Add(BuiltinOperator::SUB, {a, b}, {kElements},
               tflite::SubOptionsT());
  }
  int32_t Zeros() {
    return Constant<float>({kElements}, std::vector<float>(kElements, 0));
  }
  void CallOnce(int32_t subgraph) {
    tflite::CallOnceOptionsT once;
    once.init_subgraph_index = subgraph;
    AddOperator(BuiltinOperator::CALL_ONCE, {}, {}).options.Set(once);
  }
  // Begins the subgraph that CALL_ONCE runs. The subgraph sets the variables to
  // zero.
  void AddInitialization(const std::vector<std::string>& names) {
    BeginSubgraph();
    for (const std::string& name : names) Assign(Handle(name), Zeros());
  }
};

// Returns a model that adds its input to a variable. The output is the new
// value plus the input.
ModelSpec Accumulator() {
  StateNet net;
  const int32_t in = net.State();
  net.CallOnce(1);
  const int32_t handle = net.Handle("sum");
  const int32_t sum = net.Sum(net.Read(handle), in);
  net.Assign(handle, sum);
  net.MarkOutput(net.Sum(net.Read(handle), in));
  net.AddInitialization({"sum"});
  return net.spec();
}

// Returns a model that assigns a variable and uses the old value afterwards.
ModelSpec LateReader() {
  StateNet net;
  const int32_t in = net.State();
  net.CallOnce(1);
  const int32_t handle = net.Handle("sum");
  const int32_t before = net.Read(handle);
  const int32_t sum = net.Sum(before, in);
  net.Assign(handle, sum);
  const int32_t twice = net.Sum(net.Read(handle), in);
  net.MarkOutput(net.Difference(twice, before));
  net.AddInitialization({"sum"});
  return net.spec();
}

// Returns a model that swaps two variables and adds its input to one of them.
ModelSpec Exchange() {
  StateNet net;
  const int32_t in = net.State();
  net.CallOnce(1);
  const int32_t a = net.Handle("a");
  const int32_t b = net.Handle("b");
  const int32_t old_a = net.Read(a);
  const int32_t old_b = net.Read(b);
  net.Assign(a, net.Sum(old_b, in));
  net.Assign(b, old_a);
  net.MarkOutput(net.Difference(net.Read(a), net.Read(b)));
  net.AddInitialization({"a", "b"});
  return net.spec();
}

// Returns a model that assigns its input to a variable. The caller may
// overwrite the input at any time.
ModelSpec Delay() {
  StateNet net;
  const int32_t in = net.State();
  net.CallOnce(1);
  const int32_t handle = net.Handle("last");
  const int32_t before = net.Read(handle);
  net.Assign(handle, in);
  net.MarkOutput(net.Difference(in, before));
  net.AddInitialization({"last"});
  return net.spec();
}

// Returns a model that passes the handle of a variable to a subgraph, which
// adds to the variable.
ModelSpec Composite() {
  StateNet net;
  const int32_t in = net.State();
  net.CallOnce(1);
  const int32_t handle = net.Handle("sum");
  for (int i = 0; i < 2; ++i) {
    const int32_t out = net.Tensor({kElements});
    tflite::StableHLOCompositeOptionsT options;
    options.name = "add";
    options.decomposition_subgraph_index = 2;
    net.AddOperator(BuiltinOperator::STABLEHLO_COMPOSITE, {handle, in}, {out})
        .options_2.Set(options);
    if (i == 1) net.MarkOutput(net.Sum(out, in));
  }
  net.AddInitialization({"sum"});
  net.BeginSubgraph();
  net.SetType(tflite::TensorType::RESOURCE);
  const int32_t passed = net.Input({1});
  net.SetType(tflite::TensorType::FLOAT32);
  const int32_t more = net.State();
  const int32_t sum = net.Sum(net.Read(passed), more);
  net.Assign(passed, sum);
  net.MarkOutput(net.Sum(net.Read(passed), more));
  return net.spec();
}

struct StateCase {
  const char* name;
  ModelSpec (*spec)();
  bool copies_nothing;
};

const StateCase kCases[] = {
    {"Accumulator", Accumulator, true}, {"LateReader", LateReader, false},
    {"Exchange", Exchange, false},      {"Delay", Delay, false},
    {"Composite", Composite, true},
};

class LoadedState {
 public:
  explicit LoadedState(const ModelSpec& spec) : bytes_(Build(spec)) {
    absl::StatusOr<std::unique_ptr<const Model>> model =
        Model::Parse(bytes_, "state.tflite");
    EXPECT_THAT(model.status(), IsOk());
    if (model.ok()) model_ = *std::move(model);
  }
  const Model& operator*() const { return *model_; }

 private:
  std::string bytes_;
  std::unique_ptr<const Model> model_;
};

std::vector<float> Invoke(Subgraph* graph, float value) {
  for (size_t i = 0; i < graph->input_count(); ++i) {
    Tensor& input = graph->input(i);
    for (int64_t k = 0; k < input.elements(); ++k) {
      input.as<float>()[k] = value + static_cast<float>(k % 5);
    }
  }
  EXPECT_THAT(graph->Invoke(), IsOk());
  const absl::Span<const float> output = graph->output(0).span<float>();
  return {output.begin(), output.end()};
}

// Returns the outputs of several invocations, each run under every check.
std::vector<std::vector<float>> RunAll(const Model& model,
                                       InterpreterOptions options) {
  PoisonChecker poison(0x7F);
  TouchChecker touch;
  options.observers = {&poison, &touch};
  options.guard_bytes = 256;
  const auto interpreter = Interpreter::Create(model, options);
  EXPECT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  EXPECT_THAT(graph.Allocate(), IsOk());
  std::vector<std::vector<float>> outputs;
  for (int i = 0; i < 5; ++i) {
    outputs.push_back(Invoke(&graph, static_cast<float>(i + 1)));
  }
  return outputs;
}

InterpreterOptions Copying() {
  InterpreterOptions options;
  options.state_in_place = false;
  options.preserve_all_tensors = true;
  return options;
}

absl::Status Check(const Model& model, size_t invocations) {
  CheckOptions options;
  options.invocations = invocations;
  options.compares_all = true;
  options.feed = InputSource(1);
  const absl::StatusOr<CheckReport> report =
      CheckPlan(model, BuiltinOperators(), options);
  if (!report.ok()) return report.status();
  return report->is_safe() ? absl::OkStatus()
                           : absl::InternalError(report->Text());
}

class StateModels : public testing::TestWithParam<StateCase> {};

INSTANTIATE_TEST_SUITE_P(All, StateModels, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<StateCase>& tested) {
                           return std::string(tested.param.name);
                         });

TEST_P(StateModels, ComputeTheSameInPlaceAndWithCopies) {
  const LoadedState loaded(GetParam().spec());
  const auto expected = RunAll(*loaded, Copying());
  EXPECT_NE(expected[0], expected[1]);
  for (const bool in_place : {true, false}) {
    for (const ProgramCopies copies :
         {ProgramCopies::kMade, ProgramCopies::kChosen, ProgramCopies::kNone}) {
      SCOPED_TRACE(absl::StrCat(in_place, " ", ProgramCopiesName(copies)));
      InterpreterOptions options;
      options.state_in_place = in_place;
      options.copies = copies;
      EXPECT_EQ(RunAll(*loaded, options), expected);
      options.moves_arena = true;
      options.strategy = "greedy_by_size";
      EXPECT_EQ(RunAll(*loaded, options), expected);
    }
  }
  EXPECT_THAT(Check(*loaded, 4), IsOk());
}

TEST_P(StateModels, NeedNoMoreMemoryInPlace) {
  const LoadedState loaded(GetParam().spec());
  size_t arenas[2] = {0, 0};
  for (const bool in_place : {false, true}) {
    InterpreterOptions options;
    options.state_in_place = in_place;
    const auto interpreter = Interpreter::Create(*loaded, options);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& graph = (*interpreter)->primary();
    ASSERT_THAT(graph.Allocate(), IsOk());
    arenas[in_place ? 1 : 0] = graph.plan().arena_bytes;
    if (!in_place) continue;
    const ProgramPlan* const program = graph.plan().program.get();
    ASSERT_NE(program, nullptr);
    EXPECT_GT(program->planned.possible_bytes, 0U);
    EXPECT_EQ(program->planned.copied_bytes == 0, GetParam().copies_nothing);
  }
  EXPECT_LE(arenas[1], arenas[0]);
}

// The touch check also covers the memory of variables, because an operator must
// not change a variable that it does not own.
TEST(StateChecks, KnowTheMemoryOfVariables) {
  struct Writer : ExecutionObserver {
    absl::Status AfterOperator(const Execution& at) override {
      if (at.op->name == name && !at.variables.empty()) {
        at.variables[0][3] ^= 1;
      }
      return absl::OkStatus();
    }
    std::string name;
  };
  const struct {
    const char* after;
    const char* finding;  // empty if there is none
  } cases[] = {
      {"", ""},
      // The old value of the variable is read after VAR_HANDLE, so a change
      // there is a fault.
      {"VAR_HANDLE", "touch check: changes byte 3 of variable"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.after);
    const LoadedState loaded(Accumulator());
    TouchChecker touch;
    Writer writer;
    writer.name = c.after;
    InterpreterOptions options;
    options.observers = {&touch, &writer};
    const auto interpreter = Interpreter::Create(*loaded, options);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& graph = (*interpreter)->primary();
    ASSERT_THAT(graph.Allocate(), IsOk());
    const absl::Status status = graph.Invoke();
    if (*c.finding == '\0') {
      EXPECT_THAT(status, IsOk());
    } else {
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(std::string(status.message()), HasSubstr(c.finding));
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("the memory of variable \"sum\""));
    }
  }
}

// The caller runs two subgraphs that use one variable. A read returns the value
// that was assigned last, regardless of what the caller writes to the inputs in
// the meantime.
TEST(State, IsSharedByTheSubgraphsThatACallerRuns) {
  StateNet net;
  const int32_t in = net.State();
  net.Assign(net.Handle("last"), in);
  net.MarkOutput(net.Sum(in, in));
  net.BeginSubgraph();
  const int32_t more = net.State();
  const int32_t handle = net.Handle("last");
  const int32_t sum = net.Sum(net.Read(handle), more);
  net.Assign(handle, sum);
  net.MarkOutput(net.Sum(net.Read(handle), more));
  const LoadedState loaded(net.spec());
  std::vector<std::vector<float>> expected;
  for (const bool in_place : {false, true}) {
    InterpreterOptions options;
    options.state_in_place = in_place;
    const auto interpreter = Interpreter::Create(*loaded, options);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& first = (*interpreter)->subgraph(0);
    Subgraph& second = (*interpreter)->subgraph(1);
    ASSERT_THAT(first.Allocate(), IsOk());
    ASSERT_THAT(second.Allocate(), IsOk());
    std::vector<std::vector<float>> outputs;
    for (int i = 0; i < 3; ++i) {
      outputs.push_back(Invoke(&first, static_cast<float>(i)));
      for (int64_t k = 0; k < kElements; ++k) {
        first.input(0).as<float>()[k] = -100;
      }
      outputs.push_back(Invoke(&second, 10));
      outputs.push_back(Invoke(&second, 20));
    }
    if (in_place) {
      EXPECT_EQ(outputs, expected);
    } else {
      expected = std::move(outputs);
    }
  }
  EXPECT_EQ(expected[1][0], 20);
  EXPECT_EQ(expected[2][0], 50);
}

// Reset clears the values of variables but keeps their memory.
TEST(State, BeginsAnewAfterReset) {
  const LoadedState loaded(Accumulator());
  const auto interpreter = Interpreter::Create(*loaded);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  const std::vector<float> first = Invoke(&graph, 1);
  EXPECT_NE(Invoke(&graph, 1), first);
  (*interpreter)->Reset();
  EXPECT_EQ(Invoke(&graph, 1), first);
  ASSERT_THAT(graph.Allocate(), IsOk());
  EXPECT_NE(Invoke(&graph, 1), first);
}

// The size of a variable may change when the caller changes a shape.
TEST(State, MayGetAnotherSize) {
  StateNet net;
  const int32_t in = net.State();
  const int32_t handle = net.Handle("last");
  net.Assign(handle, net.Add(BuiltinOperator::RELU, {in}, {kElements}));
  net.MarkOutput(net.Sum(in, in));
  const LoadedState loaded(net.spec());
  const auto interpreter = Interpreter::Create(*loaded);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  for (const int32_t elements : {32, 8, 64, 32}) {
    SCOPED_TRACE(elements);
    ASSERT_THAT(graph.ResizeInput(0, {elements}), IsOk());
    ASSERT_THAT(graph.Allocate(), IsOk());
    EXPECT_EQ(Invoke(&graph, 1).size(), static_cast<size_t>(elements));
    EXPECT_EQ(Invoke(&graph, 2)[1], 6);
  }
}

// Returns a model that reads, adds to and assigns variables in random order.
ModelSpec RandomState() {
  StateNet net;
  const auto variables = *rc::gen::inRange<size_t>(1, 4);
  std::vector<std::string> names;
  for (size_t v = 0; v < variables; ++v) names.push_back(absl::StrCat("v", v));
  std::vector<int32_t> values = {net.State()};
  net.CallOnce(1);
  std::vector<int32_t> handles;
  for (const std::string& name : names) handles.push_back(net.Handle(name));
  const auto steps = *rc::gen::inRange<size_t>(2, 12);
  for (size_t i = 0; i < steps; ++i) {
    const int32_t handle = handles[*rc::gen::inRange<size_t>(0, variables)];
    const auto value = [&] {
      return values[*rc::gen::inRange<size_t>(0, values.size())];
    };
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        values.push_back(net.Read(handle));
        break;
      case 1:
        values.push_back(net.Sum(value(), value()));
        break;
      default:
        net.Assign(handle, value());
        break;
    }
  }
  values.push_back(net.Sum(values.back(), values.front()));
  net.MarkOutput(values.back());
  net.AddInitialization(names);
  return net.spec();
}

RC_GTEST_PROP(State, RandomModelsComputeTheSameInPlace, ()) {
  const LoadedState loaded(RandomState());
  InterpreterOptions options;
  options.strategy = "optimal";
  options.node_budget = 200;
  RC_ASSERT(RunAll(*loaded, options) == RunAll(*loaded, Copying()));
  const absl::Status checked = Check(*loaded, 3);
  RC_ASSERT(checked.ok());
}

// This model keeps its state in place, so nothing is copied and the arena is
// small.
TEST(RecordedState, IsKeptInPlace) {
  const auto folder = support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  const auto model =
      Model::Read(absl::StrCat(*folder, "/models/mww_alexa_v1.tflite"));
  ASSERT_THAT(model.status(), IsOk());
  InterpreterOptions options;
  options.tensor_alignment = 16;
  const auto interpreter = Interpreter::Create(**model, options);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  ASSERT_NE(graph.plan().program, nullptr);
  EXPECT_EQ(graph.plan().program->planned.copied_bytes, 0U);
  EXPECT_EQ(graph.plan().program->planned.possible_bytes, 16048U);
  EXPECT_LE(graph.plan().arena_bytes, 7304U);
  EXPECT_THAT(Check(**model, 3), IsOk());
}

}  // namespace
}  // namespace stowage::harness
