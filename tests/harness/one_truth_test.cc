// SPDX-License-Identifier: Apache-2.0
// Tests that a trace has the same records as the interpreter's plan, under both
// sets of rules and for every model. Shadows replace operators without kernels,
// so no model is excluded for lack of kernels.
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/example_model.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

using Record = TensorUsageRecord<size_t>;

// Returns the operators of the library. For each operator of the model that the
// library lacks, adds an operator whose kernel is a shadow.
OperatorResolver OperatorsFor(const Model& model) {
  OperatorResolver resolver = BuiltinOperators();
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (resolver.WhyUnsupported(op).empty()) continue;
      OperatorRegistration shadow(op.name);
      shadow.is_custom = op.is_custom;
      shadow.OfVersions(1, std::numeric_limits<int32_t>::max())
          .Creates<ShadowKernel>();
      resolver.Add(std::move(shadow));
    }
  }
  return resolver;
}

struct Planned {
  ArenaRecords arena;  // the records that an interpreter passes to a planner
  std::vector<size_t> bytes;  // of every tensor of the model
  std::vector<Shape> shapes;  // of every tensor of the model
  // The tensors that are computed before the model runs and are kept
  // afterwards.
  std::vector<size_t> known;
  bool is_whole = false;  // all shapes are known before the model runs
};

absl::StatusOr<Planned> PlanOf(const Model& model, InterpreterOptions options) {
  Planned planned;
  options.planner =
      [&](const ArenaRecords& records) -> absl::StatusOr<OffsetsAssignment> {
    planned.arena = records;
    OffsetsAssignment apart;
    for (const Record& record : records.records) {
      apart.offsets.push_back(apart.total_size);
      apart.total_size += AlignUp(record.tensor_size, 64);
    }
    return apart;
  };
  const OperatorResolver resolver = OperatorsFor(model);
  const auto interpreter = Interpreter::Create(model, resolver, options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  const absl::Status status = graph.Allocate();
  if (!status.ok()) return status;
  for (size_t t = 0; t < graph.spec().tensors.size(); ++t) {
    planned.bytes.push_back(graph.tensor(t).bytes);
    planned.shapes.push_back(graph.tensor(t).shape);
    if (graph.tensor(t).has_known_value) planned.known.push_back(t);
  }
  planned.is_whole =
      graph.plan().prepared_nodes == graph.spec().operators.size();
  return planned;
}

using Records = std::map<size_t, Record>;  // by tensor

Records ByTensor(const ArenaRecords& planned) {
  Records records;
  for (size_t i = 0; i < planned.records.size(); ++i) {
    EXPECT_TRUE(
        records.insert({planned.tensors[i], planned.records[i]}).second);
  }
  return records;
}

Records ByTensor(const ProblemSpec& problem) {
  Records records;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    size_t tensor = 0;
    EXPECT_TRUE(absl::SimpleAtoi(problem.names[i], &tensor))
        << problem.names[i];
    EXPECT_TRUE(records.insert({tensor, problem.records[i]}).second);
  }
  return records;
}

std::string Line(size_t tensor, const Record& record) {
  return absl::StrCat(tensor, ": ", record.tensor_size, " bytes, tasks ",
                      record.first_task, " to ", record.last_task);
}

std::vector<std::string> Lines(const Records& records) {
  std::vector<std::string> lines;
  for (const auto& [tensor, record] : records) {
    lines.push_back(Line(tensor, record));
  }
  return lines;
}

// Names a model that cannot be tested, and part of the error that gives the
// reason.
struct Exemption {
  const char* file;
  const char* reason;
};

constexpr Exemption kNotRead[] = {
    // The file lacks the content of the weights.
    {"keyword_int8.tflite", "as in a model whose constants were removed"},
    {"input_written.tflite", "expected one writer"},
};
// The shapes of these models are unknown, even with shadows.
constexpr Exemption kNotPlanned[] = {
    {"computed.tflite", "the shape is not known"},
    {"variable_resized.tflite", "the shape is not known"},
};

bool IsExempt(const std::string& path, const absl::Status& status,
              absl::Span<const Exemption> exemptions) {
  return absl::c_any_of(exemptions, [&](const Exemption& exemption) {
    return absl::EndsWith(path, absl::StrCat("/", exemption.file)) &&
           absl::StrContains(status.message(), exemption.reason);
  });
}

class OneTruth : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto model = Model::Read(GetParam());
    if (IsExempt(GetParam(), model.status(), kNotRead)) {
      GTEST_SKIP() << model.status();
    }
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  const SubgraphSpec& graph() const { return model_->subgraphs()[0]; }

  std::unique_ptr<const Model> model_;
};

TEST_P(OneTruth, HoldsUnderCpu) {
  for (const IoLifetime io : {IoLifetime::kKeep, IoLifetime::kUse}) {
    InterpreterOptions interpreter;
    interpreter.lifetimes = LifetimeRules::kCpu;
    interpreter.io_lifetime = io;
    const auto planned = PlanOf(*model_, interpreter);
    ASSERT_TRUE(planned.ok()) << planned.status();
    ModelTraceOptions options;
    options.io_lifetime = io;
    const auto trace = CpuTraceOf(*model_, OperatorsFor(*model_), options);
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(Lines(ByTensor(trace->problem)), Lines(ByTensor(planned->arena)));
    EXPECT_EQ(OffsetsLowerBound(trace->problem.records),
              OffsetsLowerBound(planned->arena.records));
    EXPECT_EQ(NaiveSize(trace->problem.records),
              NaiveSize(planned->arena.records));
  }
}

// Computes, from the records of a plan, the records that a trace under `plain`
// must have. A trace under `plain` needs no operators, so it lacks the
// temporaries of operators, each of which is live only during its operator. In
// such a trace, variables are live from the first task to the last, whereas the
// interpreter keeps them in its persistent arena.
Records WithoutOperators(const Planned& planned, const SubgraphSpec& graph) {
  Records records;
  for (const auto& [tensor, record] : ByTensor(planned.arena)) {
    if (tensor < graph.tensors.size()) {
      records[tensor] = record;
    } else {
      EXPECT_EQ(record.first_task, record.last_task) << "temporary " << tensor;
    }
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (!graph.tensors[t].is_variable) continue;
    EXPECT_EQ(records.count(t), 0u) << "variable " << t;
    records[t] = {planned.bytes[t], 0, graph.operators.size() - 1};
  }
  return records;
}

// Sets the sizes of records to 0 if the shape in the file is not the shape that
// the operator computes, because the converter was wrong or did not know the
// operator. Only the lifetimes of these records are compared.
void ForgetSizesOfOtherShapes(const SubgraphSpec& graph, const Planned& planned,
                              Records* records) {
  for (auto& [tensor, record] : *records) {
    if (graph.tensors[tensor].shape != planned.shapes[tensor]) {
      record.tensor_size = 0;
    }
  }
}

TEST_P(OneTruth, HoldsUnderPlain) {
  for (const IoLifetime io : {IoLifetime::kKeep, IoLifetime::kUse}) {
    InterpreterOptions interpreter;
    interpreter.lifetimes = LifetimeRules::kPlain;
    interpreter.io_lifetime = io;
    auto planned = PlanOf(*model_, interpreter);
    ASSERT_TRUE(planned.ok()) << planned.status();
    if (!planned->is_whole) {
      // Shadows give tensors the shapes that the model declares.
      interpreter.shadow = ShadowMode::kAll;
      planned = PlanOf(*model_, interpreter);
      if (IsExempt(GetParam(), planned.status(), kNotPlanned)) {
        GTEST_SKIP() << planned.status();
      }
      ASSERT_TRUE(planned.ok()) << planned.status();
      ASSERT_TRUE(planned->is_whole);
    }
    ModelTraceOptions options;
    options.io_lifetime = io;
    options.include_io = true;
    const auto trace = ReadModelTrace(GetParam(), options);
    ASSERT_TRUE(trace.ok()) << trace.status();
    Records expected = WithoutOperators(*planned, graph());
    Records traced = ByTensor(trace->problem);
    // The rules `plain` use no kernels, so no value is known under them.
    for (const size_t t : planned->known) traced.erase(t);
    ForgetSizesOfOtherShapes(graph(), *planned, &expected);
    ForgetSizesOfOtherShapes(graph(), *planned, &traced);
    EXPECT_EQ(Lines(traced), Lines(expected));
  }
}

std::vector<std::string> Models() {
  std::vector<std::string> folders = {
      absl::StrCat(STOWAGE_SOURCE_DIR, "/data/models"),
      absl::StrCat(STOWAGE_SOURCE_DIR, "/fuzz/seeds/interpreter")};
  if (const auto in_use = support::RealDataFolder("STOWAGE_MODELS")) {
    folders.push_back(*in_use);
  }
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    for (std::string& path : support::FilesIn(folder, ".tflite")) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = absl::StrCat(info.index, "_",
                                  info.param.substr(info.param.rfind('/') + 1));
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, OneTruth, testing::ValuesIn(Models()), NameOf);

// All models are tested except for those that are listed as exempt.
TEST(OneTruthOfOurModels, IsTested) { EXPECT_GE(Models().size(), 24u); }

TEST(OneTruthOfModelsInUse, IsTested) {
  if (!support::RealDataFolder("STOWAGE_MODELS")) {
    GTEST_SKIP() << "STOWAGE_MODELS is not set";
  }
}

// The rules `plain` and `cpu` compute the size of every type in the same way.
TEST(OneTruthOfTypes, HoldsForThoseThatNoOperatorComputesWith) {
  for (const tflite::TensorType type :
       {tflite::TensorType::BFLOAT16, tflite::TensorType::INT2,
        tflite::TensorType::UINT4, tflite::TensorType::FLOAT8_E5M2}) {
    SCOPED_TRACE(tflite::EnumNameTensorType(type));
    ModelSpec spec = ExampleModel();
    // Nothing reads this input.
    spec.graphs[0].tensors.push_back({{1000}, type, 0, "unread"});
    spec.graphs[0].inputs.push_back(6);
    const std::string bytes = Build(spec);
    ModelTraceOptions options;
    options.include_io = true;
    const auto plain = ParseModelTrace(bytes, "m.tflite", options);
    const auto cpu = ParseTrace(bytes, "m.tflite", LifetimeRules::kCpu);
    ASSERT_TRUE(plain.ok()) << plain.status();
    ASSERT_TRUE(cpu.ok()) << cpu.status();
    EXPECT_EQ(Lines(ByTensor(plain->problem)).back(),
              Lines(ByTensor(cpu->problem)).back());
  }
}

}  // namespace
}  // namespace stowage::harness
