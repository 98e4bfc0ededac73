// SPDX-License-Identifier: Apache-2.0
// Tests the nodes of real models that XNNPACK is known to run: the delegate
// must claim them, and must compute the same for each of them as the
// interpreter's kernel.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/delegates/xnnpack/known_claims.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

using support::DistanceOf;
using support::RecordedGraph;
using support::RecordRun;
using support::RunLoneNode;

// Returns whether the delegate may run the node although it is not in the table
// of known claims. The table was recorded with a different interface of
// XNNPACK, which supports neither means of whole quantized images nor SOFTMAX
// of UINT8.
bool IsKnownToBeMore(const RecordedGraph& graph, int node) {
  const OperatorSpec& spec = graph.node(node);
  return (spec.name == "AVERAGE_POOL_2D" || spec.name == "SOFTMAX") &&
         graph.tensor(spec.outputs[0]).type != ElementType::kFloat32;
}

class XnnpackModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = support::RealDataFolder("STOWAGE_MODELS");
    if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    auto model = Model::Read(absl::StrCat(*folder, "/", GetParam(), ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto interpreter = RecordRun(*model_, /*seed=*/1);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    interpreter_ = *std::move(interpreter);
    graph_ =
        std::make_unique<RecordedGraph>(interpreter_->primary(), resolver_);
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
  std::set<int> missing = AllKnownModels().at(GetParam()).nodes;
  for (const int node : Claims()) {
    if (missing.erase(node) == 0 && !IsKnownToBeMore(*graph_, node)) {
      ADD_FAILURE() << graph_->spec().OperatorPlace(static_cast<size_t>(node))
                    << " is claimed";
    }
  }
  for (const int node : missing) {
    ADD_FAILURE() << graph_->spec().OperatorPlace(static_cast<size_t>(node))
                  << " is not claimed";
  }
}

TEST_P(XnnpackModel, EachNodeComputesWhatTheKernelDoes) {
  for (const int node : Claims()) {
    const std::string place =
        graph_->spec().OperatorPlace(static_cast<size_t>(node));
    const auto output = RunLoneNode(*delegate_, *graph_, node, /*times=*/3);
    ASSERT_TRUE(output.ok()) << place << ": " << output.status();
    const Tensor& recorded = graph_->tensor(graph_->node(node).outputs[0]);
    const bool is_real = recorded.type == ElementType::kFloat32;
    EXPECT_LE(DistanceOf(recorded, *output),
              is_real ? 1e-5 * support::LargestOf(recorded) : 1)
        << place;
  }
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

INSTANTIATE_TEST_SUITE_P(, XnnpackModel, testing::ValuesIn(KnownModels()),
                         TestNameOf);

}  // namespace
}  // namespace stowage::harness
