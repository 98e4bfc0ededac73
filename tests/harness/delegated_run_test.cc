// SPDX-License-Identifier: Apache-2.0
// Tests runs, traces and bisections of models in which delegates run some
// nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/error_payload.h"
#include "stowage/harness/bisect_delegate.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/run_model.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/verify.h"
#include "tests/delegates/faulty_delegate.h"
#include "tests/harness/output_hashes.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::unique_ptr<const Model> ReadModel(const std::string& path) {
  auto model = Model::Read(path);
  EXPECT_THAT(model, IsOk());
  return model.ok() ? *std::move(model) : nullptr;
}

// Returns the model with the operators CONV_2D (0), DEPTHWISE_CONV_2D (1),
// CONV_2D (2), ADD (3), CONV_2D (4), AVERAGE_POOL_2D (5), RESHAPE (6),
// FULLY_CONNECTED (7) and SOFTMAX (8).
std::unique_ptr<const Model> Residual() {
  return ReadModel(STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite");
}

DelegateRequest Reference(std::vector<int> claim,
                          absl::string_view options = "") {
  ApplyOptions apply;
  apply.claim = std::move(claim);
  auto request = RequestDelegate(
      options.empty() ? "reference" : absl::StrCat("reference:", options),
      apply);
  EXPECT_THAT(request, IsOk());
  return *std::move(request);
}

DelegateRequest Faulty(const std::string& options) {
  DelegateRequest request;
  request.name = "faulty";
  request.create = [options]() -> absl::StatusOr<std::shared_ptr<Delegate>> {
    auto delegate = CreateFaultyDelegate(options);
    if (!delegate.ok()) return delegate.status();
    return std::shared_ptr<Delegate>(*std::move(delegate));
  };
  return request;
}

RunOptions With(DelegateRequest request) {
  RunOptions options;
  options.plan.delegates.push_back(std::move(request));
  return options;
}

TEST(DelegatedRun, ReportsPartitionsAndPlan) {
  const auto model = Residual();
  const auto alone = RunModel(*model, {});
  const auto result = RunModel(*model, With(Reference({2, 3, 4, 7})));
  ASSERT_THAT(alone, IsOk());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->operators, 9);
  EXPECT_THAT(result->execution_plan, ElementsAre(0, 1, 9, 5, 6, 10, 8));
  ASSERT_THAT(result->delegates, SizeIs(1));
  const AppliedDelegate& delegate = result->delegates[0];
  EXPECT_EQ(delegate.name, "reference");
  EXPECT_THAT(delegate.status, IsOk());
  ASSERT_THAT(delegate.partitions, SizeIs(2));
  EXPECT_EQ(delegate.partitions[0].node, 9);
  EXPECT_THAT(delegate.partitions[0].nodes, ElementsAre(2, 3, 4));
  EXPECT_THAT(delegate.partitions[0].outputs, ElementsAre(11));
  EXPECT_THAT(delegate.partitions[1].nodes, ElementsAre(7));
  EXPECT_EQ(HashesOf(result), HashesOf(alone));
}

TEST(DelegatedRun, HasTheWholePlanWithoutDelegates) {
  const auto result = RunModel(*Residual(), {});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->operators, 9);
  EXPECT_THAT(result->execution_plan, SizeIs(9));
  EXPECT_THAT(result->delegates, IsEmpty());
  EXPECT_FALSE(result->arena_without_delegates);
}

// All nodes are in one partition, so its input, output and workspace are live
// at the same time. The arena is therefore larger than without a delegate.
TEST(DelegatedRun, SaysWhatTheArenaIsWithoutDelegates) {
  const auto model = Residual();
  RunOptions options = With(Reference({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  options.plan.strategy = "greedy_by_size";
  const auto result = RunModel(*model, options);
  options.plan.delegates.clear();
  const auto alone = RunModel(*model, options);
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(alone, IsOk());
  EXPECT_EQ(result->arena_without_delegates, alone->arena_bytes);
  EXPECT_GT(result->arena_bytes, alone->arena_bytes);
}

TEST(DelegatedRun, ReportsTheMemoryOfDelegates) {
  const auto model = Residual();
  const auto alone = RunModel(*model, {});
  const auto result =
      RunModel(*model, With(Reference({2, 3, 4}, "memory=private")));
  ASSERT_THAT(alone, IsOk());
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(result->memory.delegates, SizeIs(1));
  const AppliedDelegate& delegate = result->memory.delegates[0];
  EXPECT_EQ(delegate.workspace_bytes, 0);
  size_t beside = 0;
  std::string lines;
  for (const DelegateMemory& memory : delegate.memory) {
    beside += memory.bytes;
    lines = absl::StrCat(lines, memory.bytes, " of ", memory.what);
  }
  EXPECT_GT(beside, 0);
  // Operators that were replaced no longer have operator data.
  EXPECT_LT(result->memory.operator_data, alone->memory.operator_data);
  EXPECT_EQ(result->memory.Total(), beside + result->memory.arena.used +
                                        result->memory.operator_data +
                                        result->memory.metadata);
  EXPECT_THAT(result->memory.Text(),
              HasSubstr("delegate reference: 0 bytes of workspace in the "
                        "arena; beside it "));
}

TEST(DelegatedRun, ProfilesNodesAndSteps) {
  Profiler profiler;
  RunOptions options = With(Reference({2, 3, 4}, "memory=transparent"));
  options.plan.observers.push_back(&profiler);
  ASSERT_THAT(RunModel(*Residual(), options), IsOk());
  std::vector<std::string> entries;
  for (const Profiler::Entry& entry : profiler.Operators()) {
    entries.push_back(absl::StrCat(entry.id, ".", entry.step));
  }
  EXPECT_THAT(entries, ElementsAre("0.0", "1.0", "9.0", "9.1", "9.2", "5.0",
                                   "6.0", "7.0", "8.0"));
}

TEST(DelegatedRun, FailsWhereADelegateDoes) {
  const auto model = Residual();
  for (const auto& [fault, code, message] :
       std::vector<std::tuple<std::string, absl::StatusCode, std::string>>{
           {"prepare", absl::StatusCode::kUnimplemented, "it has no weights"},
           {"kernel", absl::StatusCode::kInternal, "it has no such kernel"},
           {"invoke", absl::StatusCode::kInternal,
            "delegate node 9 (faulty): the device has vanished"}}) {
    const auto result =
        RunModel(*model, With(Faulty(absl::StrCat("fault=", fault))));
    EXPECT_THAT(result, FailsWith(code, HasSubstr(message)));
    EXPECT_EQ(DelegateOf(result.status()), "faulty");
  }
}

TEST(DelegatedRun, FallsBackAndSaysSo) {
  const auto model = Residual();
  for (const bool checks : {false, true}) {
    RunOptions options;
    options.invocations = 3;
    options.poison = checks;
    options.touch = checks;
    const auto alone = RunModel(*model, options);
    ASSERT_THAT(alone, IsOk());
    for (const char* fault :
         {"fault=prepare", "fault=kernel", "fault=invoke", "fault=invoke,at=2",
          "fault=invoke,at=3,memory=transparent"}) {
      SCOPED_TRACE(fault);
      options.plan.delegates = {Faulty(fault)};
      options.plan.delegate_fallback = true;
      const auto result = RunModel(*model, options);
      ASSERT_THAT(result, IsOk());
      EXPECT_EQ(HashesOf(result), HashesOf(alone));
      ASSERT_THAT(result->delegates, SizeIs(1));
      EXPECT_EQ(result->delegates[0].name, "faulty");
      EXPECT_THAT(result->delegates[0].partitions, IsEmpty());
      EXPECT_THAT(result->delegates[0].status.message(),
                  AllOf(HasSubstr("residual_int8.tflite: subgraph 0"),
                        HasSubstr("it ")));
      EXPECT_THAT(result->execution_plan, SizeIs(9));
      EXPECT_EQ(result->arena_bytes, alone->arena_bytes);
    }
  }
}

TEST(DelegatedRun, DoesWithoutADeviceThatIsMissing) {
  RegisterDelegate({"deviceless", "Runs nowhere", "",
                    [] { return absl::UnavailableError("device: none"); },
                    nullptr});
  auto request = RequestDelegate("deviceless");
  ASSERT_THAT(request, IsOk());
  RunOptions options = With(*std::move(request));
  EXPECT_THAT(RunModel(*Residual(), options),
              FailsWith(absl::StatusCode::kUnavailable,
                        HasSubstr("delegate 'deviceless': device: none")));
  options.plan.delegate_fallback = true;
  const auto result = RunModel(*Residual(), options);
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(result->delegates, SizeIs(1));
  EXPECT_EQ(result->delegates[0].name, "deviceless");
  EXPECT_TRUE(absl::IsUnavailable(result->delegates[0].status));
}

TEST(DelegatedRun, IsForOneSubgraphIfItSaysSo) {
  DelegateRequest request = Reference({0});
  request.subgraph = 1;
  const auto result = RunModel(*Residual(), With(std::move(request)));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->delegates, IsEmpty());
}

std::vector<int> NodesOf(const DelegateBisection& found) {
  std::vector<int> nodes;
  for (const DelegatedOperator& op : found.nodes) nodes.push_back(op.node);
  return nodes;
}

TEST(BisectDelegates, FindsNothingWhereNothingDiffers) {
  const auto found = BisectDelegates(*Residual(), With(Faulty("")));
  ASSERT_THAT(found, IsOk());
  EXPECT_FALSE(found->differs());
  EXPECT_EQ(found->delegated, 9);
  EXPECT_EQ(found->runs, 2);
}

TEST(BisectDelegates, FindsTheNodeThatIsComputedWrongly) {
  const auto model = Residual();
  for (const char* memory : {"opaque", "transparent"}) {
    for (const int wrong : {0, 3, 8}) {
      const auto found = BisectDelegates(
          *model,
          With(Faulty(absl::StrCat("wrong=", wrong, ",memory=", memory))));
      ASSERT_THAT(found, IsOk());
      EXPECT_THAT(found->difference, HasSubstr("output 20 \"probabilities\""));
      EXPECT_THAT(NodesOf(*found), ElementsAre(wrong));
      EXPECT_LE(found->runs, 12);
    }
  }
}

TEST(BisectDelegates, NamesPlaceAndDelegate) {
  const auto found = BisectDelegates(*Residual(), With(Faulty("wrong=3")));
  ASSERT_THAT(found, IsOk());
  ASSERT_THAT(found->nodes, SizeIs(1));
  EXPECT_EQ(found->nodes[0].place, "operator 3 (ADD)");
  EXPECT_EQ(found->nodes[0].delegate, "faulty");
  EXPECT_THAT(found->Text(),
              HasSubstr("  node 3: operator 3 (ADD), by faulty\n"));
}

// The outputs differ only if nodes 2 and 4 are in one partition. They can be in
// one partition only if node 3, which is between them, is delegated as well.
TEST(BisectDelegates, FindsNodesThatAreWrongTogether) {
  const auto found =
      BisectDelegates(*Residual(), With(Faulty("wrong=2,and=4")));
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(NodesOf(*found), ElementsAre(2, 3, 4));
}

TEST(BisectDelegates, FindsTheNodesOfOneOfTwoDelegates) {
  RunOptions options = With(Reference({0, 1, 2, 3}));
  options.plan.delegates.push_back(Faulty("wrong=6"));
  const auto found = BisectDelegates(*Residual(), options);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->delegated, 9);
  EXPECT_THAT(NodesOf(*found), ElementsAre(6));
  EXPECT_EQ(found->nodes[0].request, 1);
}

TEST(BisectDelegates, PassesDifferencesWithinTheTolerance) {
  const auto model = Residual();
  const RunOptions options = With(Faulty("wrong=8"));
  EXPECT_TRUE(BisectDelegates(*model, options, 15)->differs());
  EXPECT_FALSE(BisectDelegates(*model, options, 16)->differs());
}

TEST(BisectDelegates, ComparesEveryInvocation) {
  RunOptions options = With(Faulty("fault=invoke,at=3"));
  options.invocations = 2;
  EXPECT_FALSE(BisectDelegates(*Residual(), options)->differs());
  options.invocations = 3;
  const auto found = BisectDelegates(*Residual(), options);
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(found->difference, HasSubstr("the device has vanished"));
  EXPECT_THAT(found->nodes, SizeIs(1));
}

TEST(BisectDelegates, KeepsTheLimitsThatDelegatesHave) {
  DelegateRequest request = Faulty("wrong=3");
  request.options.claim = {{0, 2, 3, 4, 7}};
  request.options.limits = {{1, 3}};
  const auto found = BisectDelegates(*Residual(), With(std::move(request)));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->delegated, 3);
  EXPECT_THAT(NodesOf(*found), ElementsAre(3));
}

TEST(BisectDelegates, FailsWhereADelegateCannotBeApplied) {
  EXPECT_THAT(BisectDelegates(*Residual(), With(Faulty("fault=kernel"))),
              FailsWith(absl::StatusCode::kInternal,
                        HasSubstr("it has no such kernel")));
}

// Expects that the trace of the reduced graph has the same records as the plan
// of a run.
void ExpectTraceIsWhatRuns(const Model& model,
                           const std::vector<DelegateRequest>& requests,
                           const std::string& strategy) {
  const auto trace = CpuTraceOf(model, BuiltinOperators(), {}, requests);
  ASSERT_THAT(trace, IsOk());
  InterpreterOptions options;
  options.strategy = strategy;
  options.delegates = requests;
  const auto interpreter = Interpreter::Create(model, options);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  EXPECT_EQ(trace->operator_count, graph.plan().graph.nodes.size());
  if (trace->computed_operators > 0) return;
  ProblemSpec spec;
  spec.records = trace->problem.records;
  spec.alignment = options.tensor_alignment;
  spec.place_first = trace->problem.place_first;
  const auto problem = Problem::Create(spec);
  ASSERT_THAT(problem, IsOk());
  const auto solution = Solve(*problem, strategy, {});
  ASSERT_THAT(solution, IsOk());
  EXPECT_EQ(solution->total_size, graph.plan().arena_bytes);
  EXPECT_GE(graph.plan().arena_bytes, OffsetsLowerBound(spec.records));
  EXPECT_FALSE(FindViolation(spec.records, *solution->offsets()));
}

void ExpectTracesAreWhatRuns(const Model& model) {
  std::vector<int> odd;
  std::vector<int> late;
  const size_t count = model.subgraphs()[0].operators.size();
  for (size_t i = 0; i < count; ++i) {
    const auto id = static_cast<int>(i);
    if (i % 2 == 1) odd.push_back(id);
    if (i >= count / 3) late.push_back(id);
  }
  for (const std::vector<int>& claim : {odd, late}) {
    for (const char* memory : {"memory=opaque", "memory=transparent"}) {
      for (const char* strategy :
           {"arena_best_fit", "greedy_by_size", "greedy_best"}) {
        SCOPED_TRACE(absl::StrCat(memory, ", ", strategy, ", ", claim.size(),
                                  " of ", count, " nodes"));
        ExpectTraceIsWhatRuns(model, {Reference(claim, memory)}, strategy);
      }
    }
  }
}

TEST(DelegatedTrace, IsWhatRuns) { ExpectTracesAreWhatRuns(*Residual()); }

TEST(DelegatedTrace, IsWhatRunsOfRealModels) {
  const auto models = support::RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  for (const std::string& path : support::FilesIn(*models, ".tflite")) {
    SCOPED_TRACE(path);
    const auto model = ReadModel(path);
    if (model != nullptr) ExpectTracesAreWhatRuns(*model);
  }
}

}  // namespace
}  // namespace stowage::harness
