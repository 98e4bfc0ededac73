// SPDX-License-Identifier: Apache-2.0
// Tests that XNNPACK computes the nodes that the delegate claims. XNNPACK runs
// operators through the function xnn_run_operator. This executable defines a
// function of the same name, which counts the calls and then calls XNNPACK's
// function.
#include <dlfcn.h>
#include <xnnpack.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "gtest/gtest.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

size_t operator_runs = 0;

// Returns the shipped model with weights, and the real models if they are
// available.
std::vector<std::string> ModelPaths() {
  std::vector<std::string> paths = {STOWAGE_SOURCE_DIR
                                    "/data/models/residual_int8.tflite"};
  if (const auto folder = support::RealDataFolder("STOWAGE_MODELS")) {
    for (std::string& path : support::FilesIn(*folder, ".tflite")) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

// Returns the number of steps that XNNPACK runs. All other steps are copies.
size_t CountSteps(const Subgraph& graph) {
  size_t steps = 0;
  for (const AppliedDelegate& delegate : graph.delegates()) {
    for (const AppliedPartition& partition : delegate.partitions) {
      steps += partition.steps;
      for (const int node : partition.nodes) {
        const std::string& name =
            graph.spec().operators[static_cast<size_t>(node)].name;
        if (name == "EXPAND_DIMS" || name == "RESHAPE" || name == "SQUEEZE") {
          --steps;
        }
      }
    }
  }
  return steps;
}

// Invokes the model without and then with the delegate, and checks the number
// of calls of XNNPACK. Returns the number of steps that XNNPACK runs.
size_t CheckCalls(const std::string& path) {
  const auto model = Model::Read(path);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return 0;
  auto interpreter = Interpreter::Create(**model);
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  if (!interpreter.ok()) return 0;
  Subgraph& graph = (*interpreter)->primary();
  EXPECT_TRUE(graph.Allocate().ok());
  operator_runs = 0;
  EXPECT_TRUE(graph.Invoke().ok());
  EXPECT_EQ(operator_runs, 0) << "without the delegate";

  auto delegate = CreateDelegate("xnnpack");
  EXPECT_TRUE(delegate.ok()) << delegate.status();
  if (!delegate.ok()) return 0;
  const absl::Status applied = graph.ApplyDelegate(*std::move(delegate));
  EXPECT_TRUE(applied.ok()) << applied;
  operator_runs = 0;
  EXPECT_TRUE(graph.Allocate().ok());
  // Allocate() runs the steps with outputs that depend only on constants and
  // are read outside the delegate. Invoke() does not run them again.
  const size_t folded = operator_runs;
  const bool may_fold = absl::c_any_of(
      graph.spec().tensors, [](const TensorSpec& t) { return t.is_folded; });
  EXPECT_TRUE(folded == 0 || may_fold) << "before an invocation";
  const size_t steps = CountSteps(graph);
  operator_runs = 0;
  for (size_t invocation = 1; invocation <= 2; ++invocation) {
    EXPECT_TRUE(graph.Invoke().ok());
    EXPECT_EQ(operator_runs, invocation * (steps - folded));
  }
  return steps;
}

TEST(XnnpackCalls, AreAsManyAsTheDelegateHasSteps) {
  size_t steps = 0;
  for (const std::string& path : ModelPaths()) {
    SCOPED_TRACE(path);
    steps += CheckCalls(path);
  }
  EXPECT_GT(steps, 0);
}

}  // namespace
}  // namespace stowage::harness

extern "C" xnn_status xnn_run_operator(xnn_operator_t op,
                                       pthreadpool_t threadpool) {
  ++stowage::harness::operator_runs;
  static auto* const real = reinterpret_cast<decltype(&xnn_run_operator)>(
      dlsym(RTLD_NEXT, "xnn_run_operator"));
  return real(op, threadpool);
}
