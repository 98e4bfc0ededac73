// SPDX-License-Identifier: Apache-2.0
// One truth about a model: a trace has the records that the interpreter plans,
// under either rules.
#include "stowage/harness/cpu_trace.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/profile.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/model_spec.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;

// What the interpreter hands to whoever plans.
absl::StatusOr<ArenaRecords> PlannedRecords(const Model& model,
                                            LifetimeRules rules,
                                            IoLifetime io) {
  ArenaRecords planned;
  InterpreterOptions options;
  options.lifetimes = rules;
  options.io_lifetime = io;
  options.planner =
      [&](const ArenaRecords& records) -> absl::StatusOr<OffsetsAssignment> {
    planned = records;
    OffsetsAssignment apart;
    for (const TensorUsageRecord<size_t>& record : records.records) {
      apart.offsets.push_back(apart.total_size);
      apart.total_size += AlignUp(record.tensor_size, 64);
    }
    return apart;
  };
  const auto interpreter = Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  const absl::Status status = (*interpreter)->primary().Allocate();
  if (!status.ok()) return status;
  return planned;
}

// One line for each record.
std::vector<std::string> Lines(const Trace& trace) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < trace.records.size(); ++i) {
    lines.push_back(absl::StrCat(
        trace.ids[i], ": ", trace.records[i].tensor_size, " bytes, tasks ",
        trace.records[i].first_task, " to ", trace.records[i].last_task));
  }
  return lines;
}

Trace TraceOf(const ArenaRecords& records) {
  Trace trace;
  trace.records = records.records;
  for (const size_t t : records.tensors) trace.ids.push_back(absl::StrCat(t));
  return trace;
}

// Without temporaries, which are in no model, without what the interpreter has
// in its persistent arena, and without what custom operators write, whose
// shapes converters do not know.
Trace WithoutOthers(const Trace& trace, const SubgraphSpec& graph) {
  std::set<size_t> others;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].is_variable) others.insert(t);
  }
  for (const OperatorSpec& op : graph.operators) {
    if (op.is_custom) others.insert(op.outputs.begin(), op.outputs.end());
  }
  Trace result;
  for (size_t i = 0; i < trace.records.size(); ++i) {
    size_t tensor = 0;
    EXPECT_TRUE(absl::SimpleAtoi(trace.ids[i], &tensor));
    if (tensor >= graph.tensors.size() || others.count(tensor) > 0) continue;
    result.ids.push_back(trace.ids[i]);
    result.records.push_back(trace.records[i]);
  }
  return result;
}

void ExpectOneTruth(const std::string& path, const Model& model) {
  SCOPED_TRACE(path);
  for (const IoLifetime io : {IoLifetime::kKeep, IoLifetime::kUse}) {
    ModelTraceOptions options;
    options.io_lifetime = io;
    const auto cpu = PlannedRecords(model, LifetimeRules::kCpu, io);
    ASSERT_TRUE(cpu.ok()) << cpu.status();
    const auto trace = ReadCpuModelTrace(path, options);
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(Lines(trace->trace), Lines(TraceOf(*cpu)));
    EXPECT_EQ(OffsetsLowerBound(trace->trace.records),
              OffsetsLowerBound(cpu->records));
    EXPECT_EQ(NaiveSize(trace->trace.records), NaiveSize(cpu->records));
    if (trace->computed_operators > 0) continue;

    const auto plain = PlannedRecords(model, LifetimeRules::kPlain, io);
    ASSERT_TRUE(plain.ok()) << plain.status();
    options.include_io = true;
    const auto plain_trace = ReadModelTrace(path, options);
    ASSERT_TRUE(plain_trace.ok()) << plain_trace.status();
    const SubgraphSpec& graph = model.subgraphs()[0];
    EXPECT_EQ(Lines(WithoutOthers(plain_trace->trace, graph)),
              Lines(WithoutOthers(TraceOf(*plain), graph)));
  }
}

// Expects one truth about the models of a folder. Those that no interpreter of
// ours runs have no such records: weights are left out of some of our own.
void ExpectOneTruthIn(const std::string& folder) {
  size_t checked = 0;
  for (const std::string& path : support::FilesIn(folder, ".tflite")) {
    const auto model = Model::Read(path);
    if (!model.ok() || !Interpreter::Create(**model).ok()) continue;
    ExpectOneTruth(path, **model);
    ++checked;
  }
  EXPECT_GT(checked, 0u) << folder;
}

TEST(OneTruth, HoldsOnOurModels) {
  ExpectOneTruthIn(absl::StrCat(STOWAGE_SOURCE_DIR, "/data/models"));
}

TEST(OneTruth, HoldsOnModelsInUse) {
  const auto models = support::RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  ExpectOneTruthIn(*models);
}

// Both rules see one table of types.
TEST(OneTruth, HoldsForTypesThatNoOperatorComputesWith) {
  for (const tflite::TensorType type :
       {tflite::TensorType::BFLOAT16, tflite::TensorType::INT2,
        tflite::TensorType::UINT4, tflite::TensorType::FLOAT8_E5M2}) {
    SCOPED_TRACE(tflite::EnumNameTensorType(type));
    ModelSpec spec = ExampleModel();
    // An input that nothing reads.
    spec.graphs[0].tensors.push_back({{1000}, type, 0, "unread"});
    spec.graphs[0].inputs.push_back(6);
    const std::string bytes = Build(spec);
    ModelTraceOptions options;
    options.include_io = true;
    const auto plain = ParseModelTrace(bytes, "m.tflite", options);
    const auto cpu = ParseCpuTrace(bytes, "m.tflite");
    ASSERT_TRUE(plain.ok()) << plain.status();
    ASSERT_TRUE(cpu.ok()) << cpu.status();
    EXPECT_EQ(Lines(plain->trace).back(), Lines(cpu->trace).back());
  }
}

// sum -> relu in place: one record, under the id of the first. The input and
// the output are in without being asked for.
TEST(CpuTrace, HasWhatSharesInPlaceOnce) {
  const auto trace = ParseCpuTrace(Build(ExampleModel()), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->trace.lifetimes, "cpu");
  EXPECT_EQ(trace->operator_count, 4u);
  EXPECT_EQ(trace->computed_operators, 0u);
  EXPECT_EQ(trace->folded_tensors, 1u);
  EXPECT_THAT(trace->trace.ids, ElementsAre("0", "3", "4", "5"));
}

TEST(CpuTrace, RefusesWhatThereIsNoOperatorFor) {
  ModelSpec spec = ExampleModel();
  spec.codes[2] = {tflite::BuiltinOperator::CUSTOM, "Unheard"};
  const auto status = ParseCpuTrace(Build(spec), "m.tflite").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("Unheard"));
  EXPECT_TRUE(ParseModelTrace(Build(spec), "m.tflite").ok());
}

TEST(CpuTrace, RefusesASubgraphThatTheModelDoesNotHave) {
  ModelTraceOptions options;
  options.subgraph = 1;
  EXPECT_THAT(
      ParseCpuTrace(Build(ExampleModel()), "m.tflite", options),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "m.tflite: no subgraph 1: the model has 1, numbered from 0"));
}

}  // namespace
}  // namespace stowage::harness
