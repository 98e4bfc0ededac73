// SPDX-License-Identifier: Apache-2.0
// Tests real models in which the delegate runs all nodes that it claims. The
// outputs must be close to the outputs of the interpreter's kernels, and must
// have the same bits under every plan.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/delegates/xnnpack/known_claims.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

using support::DistanceOf;
using support::LargestOf;
using Bytes = std::vector<uint8_t>;

// The outputs of three invocations, one after the other.
using Outputs = std::vector<Bytes>;

class XnnpackWholeModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto folder = support::RealDataFolder("STOWAGE_MODELS");
    if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    auto model = Model::Read(absl::StrCat(*folder, "/", GetParam(), ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  // Runs the model. `delegate` is the text that creates the delegate, or empty
  // to run the model without a delegate.
  Outputs Run(const InterpreterOptions& options, const std::string& delegate) {
    auto interpreter = Interpreter::Create(*model_, options);
    EXPECT_TRUE(interpreter.ok()) << interpreter.status();
    if (!interpreter.ok()) return {};
    Subgraph& graph = (*interpreter)->primary();
    if (!delegate.empty()) {
      auto made = CreateDelegate(delegate);
      EXPECT_TRUE(made.ok()) << made.status();
      const absl::Status applied = graph.ApplyDelegate(*std::move(made));
      EXPECT_TRUE(applied.ok()) << applied;
    }
    const absl::Status allocated = graph.Allocate();
    EXPECT_TRUE(allocated.ok()) << allocated;
    InputSource inputs(/*seed=*/1);
    Outputs outputs;
    for (size_t invocation = 0; invocation < 3; ++invocation) {
      EXPECT_TRUE(inputs(graph, invocation).ok());
      const absl::Status status = graph.Invoke();
      EXPECT_TRUE(status.ok()) << status;
      for (size_t i = 0; status.ok() && i < graph.output_count(); ++i) {
        const auto bytes = graph.output(i).span<uint8_t>();
        outputs.emplace_back(bytes.begin(), bytes.end());
      }
    }
    interpreter_ = *std::move(interpreter);
    return outputs;
  }

  // Returns the outputs of the graph that partitions write. If there are none,
  // returns the outputs of the last partition.
  std::vector<size_t> DelegatedOutputs() {
    const Subgraph& graph = interpreter_->primary();
    std::vector<size_t> of_graph;
    std::vector<size_t> of_last;
    for (const AppliedDelegate& delegate : graph.delegates()) {
      for (const AppliedPartition& partition : delegate.partitions) {
        of_last = partition.outputs;
        absl::c_copy_if(of_last, std::back_inserter(of_graph), [&](size_t t) {
          return absl::c_linear_search(graph.spec().outputs, t);
        });
      }
    }
    return of_graph.empty() ? of_last : of_graph;
  }

  std::unique_ptr<const Model> model_;
  std::unique_ptr<Interpreter> interpreter_;  // of the last Run()
};

// The difference from the kernels may be at most 1.5 times that of XNNPACK's
// own runtime. Quantized outputs may differ by one more step, and FLOAT32
// outputs may always differ by 5e-6 of the largest element.
TEST_P(XnnpackWholeModel, IsNearTheKernels) {
  InterpreterOptions options;
  options.preserve_all_tensors = true;
  options.splits_partitions = false;
  Run(options, "");
  const std::unique_ptr<Interpreter> kernels = std::move(interpreter_);
  Run(options, "xnnpack");
  const double known = 1.5 * AllKnownModels().at(GetParam()).difference;
  for (const size_t output : DelegatedOutputs()) {
    const Tensor& expected = kernels->primary().tensor(output);
    const Tensor& computed = interpreter_->primary().tensor(output);
    const bool is_real = expected.type == ElementType::kFloat32;
    EXPECT_LE(DistanceOf(expected, computed.span<uint8_t>()),
              is_real ? std::max(known, 5e-6 * LargestOf(expected)) : known + 1)
        << computed.name;
  }
}

TEST_P(XnnpackWholeModel, DoesNotDependOnThePlan) {
  InterpreterOptions options;
  options.moves_arena = true;
  const Outputs expected = Run(options, "xnnpack");
  for (const Strategy* strategy : AllStrategies()) {
    if (!strategy->info().features.Has(Feature::kOffsets)) continue;
    options.strategy = strategy->info().name;
    options.moves_arena = !options.moves_arena;
    EXPECT_EQ(Run(options, "xnnpack"), expected) << options.strategy;
  }
  options = {};
  options.preserve_all_tensors = true;
  options.splits_partitions = false;
  EXPECT_EQ(Run(options, "xnnpack"), expected) << "preserving all tensors";
}

TEST_P(XnnpackWholeModel, DoesNotDependOnTheNumberOfThreads) {
  const Outputs expected = Run({}, "xnnpack");
  EXPECT_EQ(Run({}, "xnnpack:threads=2"), expected);
  EXPECT_EQ(Run({}, "xnnpack:threads=4"), expected);
}

// Steps are planned like operators, so the arena is about as large as without
// the delegate. The small difference is due to partitions, which may change the
// order of the operators.
TEST_P(XnnpackWholeModel, TakesAsMuchOfTheArenaAsWithoutIt) {
  Run({}, "");
  const size_t without = interpreter_->primary().plan().arena_bytes;
  Run({}, "xnnpack");
  const Subgraph& graph = interpreter_->primary();
  EXPECT_LE(graph.plan().arena_bytes, without + without / 20);
  for (const AppliedDelegate& delegate : graph.delegates()) {
    EXPECT_EQ(delegate.workspace_bytes, 0);
    if (delegate.partitions.empty()) continue;
    EXPECT_EQ(delegate.memory[0].what, "operators and packed weights");
    EXPECT_GT(delegate.memory[0].bytes, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(, XnnpackWholeModel, testing::ValuesIn(KnownModels()),
                         TestNameOf);

}  // namespace
}  // namespace stowage::harness
