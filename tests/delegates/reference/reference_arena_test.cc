// SPDX-License-Identifier: Apache-2.0
// Measures the arenas of real models in which a delegate runs the nodes that
// XNNPACK can run. If each node is a step, the arena is as large as without a
// delegate. If each partition has a workspace, the arena is larger, because
// partitions cannot share the tensors inside their workspaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/xnnpack/known_claims.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;

// Lower bounds of the arenas, summed over 36 models. The bound of a model is
// the largest number of bytes that are live at any task. Graph inputs are kept,
// nothing shares memory in place, nothing is aligned, and kernels have no
// temporaries.
constexpr size_t kBoundWithoutDelegate = 47'806'366;
constexpr size_t kBoundWithWorkspaces = 52'959'343;

size_t ArenaOf(const Model& model, const std::vector<int>& claim,
               const std::string& text) {
  InterpreterOptions options;
  options.tensor_alignment = kMinTensorAlignment;
  auto interpreter = Interpreter::Create(model, options);
  EXPECT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  EXPECT_THAT(graph.Allocate(), IsOk());
  auto delegate = CreateDelegate(text);
  EXPECT_THAT(delegate, IsOk());
  ApplyOptions apply;
  apply.claim = claim;
  EXPECT_THAT(graph.ApplyDelegate(
                  std::shared_ptr<Delegate>(*std::move(delegate)), apply),
              IsOk());
  return graph.plan().arena_bytes;
}

TEST(ReferenceArena, IsWithinFivePercentOfTheBounds) {
  const auto folder = support::RealDataFolder("STOWAGE_MODELS");
  if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  size_t transparent = 0;
  size_t opaque = 0;
  for (const auto& [name, known] : AllKnownModels()) {
    SCOPED_TRACE(name);
    const auto model = Model::Read(absl::StrCat(*folder, "/", name, ".tflite"));
    ASSERT_THAT(model, IsOk());
    const std::vector<int> claim(known.nodes.begin(), known.nodes.end());
    transparent += ArenaOf(**model, claim, "reference:memory=transparent");
    opaque += ArenaOf(**model, claim, "reference");
  }
  EXPECT_LE(transparent, kBoundWithoutDelegate * 21 / 20);
  EXPECT_LE(opaque, kBoundWithWorkspaces * 21 / 20);
  RecordProperty("transparent", absl::StrCat(transparent));
  RecordProperty("opaque", absl::StrCat(opaque));
}

}  // namespace
}  // namespace stowage::harness
