// SPDX-License-Identifier: Apache-2.0
// Real models: the delegate claims the nodes that are known to run, and each of
// them computes what the interpreter's kernel does.
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

using support::DifferenceOf;
using support::RecordedGraph;
using support::RunLoneNode;

// "0-3,5" as 0, 1, 2, 3, 5.
std::set<int> NodesOf(absl::string_view text) {
  std::set<int> nodes;
  for (const absl::string_view range :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<std::string> ends = absl::StrSplit(range, '-');
    int first = 0;
    int last = 0;
    EXPECT_TRUE(absl::SimpleAtoi(ends.front(), &first)) << range;
    EXPECT_TRUE(absl::SimpleAtoi(ends.back(), &last)) << range;
    for (int node = first; node <= last; ++node) nodes.insert(node);
  }
  return nodes;
}

std::map<std::string, std::set<int>> KnownClaims() {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/delegates/models_xnnpack.tsv");
  std::map<std::string, std::set<int>> claims;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() == 2 && cells[0] != "model") {
      claims[cells[0]] = NodesOf(cells[1]);
    }
  }
  return claims;
}

// What the library has beside the interface that the table comes from: means of
// whole quantized images, SOFTMAX of UINT8.
bool IsKnownToBeMore(const RecordedGraph& graph, int node) {
  const OperatorSpec& spec = graph.node(node);
  return (spec.name == "AVERAGE_POOL_2D" || spec.name == "SOFTMAX") &&
         graph.tensor(spec.outputs[0]).type != ElementType::kFloat32;
}

// The interpreter turns constants of FLOAT16 into FLOAT32 by itself.
bool IsHalfConstant(const RecordedGraph& graph, int node) {
  const OperatorSpec& spec = graph.node(node);
  return spec.name == "DEQUANTIZE" &&
         graph.tensor(spec.inputs[0]).type == ElementType::kFloat16;
}

class XnnpackModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = support::RealDataFolder("STOWAGE_MODELS");
    if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    auto model = Model::Read(absl::StrCat(*folder, "/", GetParam(), ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    InterpreterOptions options;
    options.preserve_all_tensors = true;
    auto interpreter = Interpreter::Create(*model_, options);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    interpreter_ = *std::move(interpreter);
    Subgraph& graph = interpreter_->primary();
    ASSERT_TRUE(graph.Allocate().ok());
    InputSource inputs(/*seed=*/1);
    ASSERT_TRUE(inputs(graph, 0).ok());
    ASSERT_TRUE(graph.Invoke().ok());
    graph_ = std::make_unique<RecordedGraph>(graph, resolver_);
  }

  std::vector<int> Claims() {
    std::vector<int> claims;
    for (const int node : graph_->execution_plan()) {
      if (delegate_->CanRun(*graph_, node)) claims.push_back(node);
    }
    return claims;
  }

  std::unique_ptr<const Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
  OperatorResolver resolver_ = BuiltinOperators();
  std::unique_ptr<RecordedGraph> graph_;
  std::unique_ptr<Delegate> delegate_ = *CreateDelegate("xnnpack");
};

TEST_P(XnnpackModel, ClaimsWhatIsKnownToRun) {
  std::set<int> missing = KnownClaims().at(GetParam());
  for (const int node : Claims()) {
    if (missing.erase(node) == 0 && !IsKnownToBeMore(*graph_, node)) {
      ADD_FAILURE() << graph_->spec().OperatorPlace(static_cast<size_t>(node))
                    << " is claimed";
    }
  }
  for (const int node : missing) {
    if (IsHalfConstant(*graph_, node)) continue;
    ADD_FAILURE() << graph_->spec().OperatorPlace(static_cast<size_t>(node))
                  << " is not claimed";
  }
}

TEST_P(XnnpackModel, EachNodeComputesWhatTheKernelDoes) {
  double worst_steps = 0;
  double worst_real = 0;
  for (const int node : Claims()) {
    const std::string place =
        graph_->spec().OperatorPlace(static_cast<size_t>(node));
    const auto output = RunLoneNode(*delegate_, *graph_, node, /*times=*/3);
    ASSERT_TRUE(output.ok()) << place << ": " << output.status();
    const Tensor& recorded = graph_->tensor(graph_->node(node).outputs[0]);
    const double difference = DifferenceOf(recorded, *output);
    const bool is_real = recorded.type == ElementType::kFloat32;
    EXPECT_LE(difference, is_real ? 1e-5 : 1) << place;
    double& worst = is_real ? worst_real : worst_steps;
    worst = std::max(worst, difference);
  }
  RecordProperty("worst_steps", absl::StrCat(worst_steps));
  RecordProperty("worst_relative", absl::StrCat(worst_real));
}

TEST_P(XnnpackModel, EachNodeComputesTheSameOnSeveralThreads) {
  for (const int threads : {2, 4}) {
    const auto pooled =
        CreateDelegate(absl::StrCat("xnnpack:threads=", threads));
    ASSERT_TRUE(pooled.ok()) << pooled.status();
    for (const int node : Claims()) {
      EXPECT_EQ(*RunLoneNode(**pooled, *graph_, node),
                *RunLoneNode(*delegate_, *graph_, node))
          << graph_->spec().OperatorPlace(static_cast<size_t>(node));
    }
  }
}

std::vector<std::string> KnownModels() {
  std::vector<std::string> models;
  for (const auto& [model, nodes] : KnownClaims()) models.push_back(model);
  return models;
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, XnnpackModel, testing::ValuesIn(KnownModels()),
                         NameOf);

}  // namespace
}  // namespace stowage::harness
