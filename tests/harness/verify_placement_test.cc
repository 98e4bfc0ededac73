// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/verify_placement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/program_of_model.h"
#include "stowage/verify_values.h"
#include "tests/programs/value_model.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;

constexpr InPlace kView = InPlace::kUnmodified | InPlace::kInput0;

// Returns a plan for five nodes, which compute in this order: a; b from a, in
// place; c as a view of b; d from c, in place; and the output from b and d. If
// d took over the memory of c, it would overwrite b, which is read later.
MemoryPlan FiveNodes() {
  MemoryPlan plan;
  plan.graph.tensors.assign(6, {8, Storage::kArena});
  plan.graph.nodes = {{{0}, {1}, {}, InPlace::kInput0},
                      {{1}, {2}, {}, InPlace::kInput0},
                      {{2}, {3}, {}, kView},
                      {{3}, {4}, {}, InPlace::kInput0},
                      {{2, 4}, {5}, {}, InPlace::kNever}};
  plan.graph.inputs = {0};
  plan.graph.outputs = {5};
  plan.lifetimes = PlanLifetimes(plan.graph);
  plan.prepared_nodes = plan.graph.nodes.size();
  plan.alignment = 4;
  EXPECT_THAT(
      PlaceTensors(plan.graph, plan.lifetimes, 0, plan.last_node(), 4, &plan),
      IsOk());
  return plan;
}

TEST(VerifyPlacement, AcceptsThePlanOfTheRules) {
  EXPECT_THAT(VerifyPlacement(FiveNodes(), true), IsOk());
}

TEST(VerifyPlacement, FindsAViewThatIsOverwritten) {
  MemoryPlan plan = FiveNodes();
  plan.lifetimes[4].root = plan.lifetimes[2].root;
  plan.places.assign(5, "operator");
  const absl::Status status = VerifyPlacement(plan, true);
  EXPECT_TRUE(absl::IsInternal(status));
  EXPECT_EQ(status.message().substr(0, 33),
            "operator: tensor 2 is damaged at ");
}

TEST(VerifyPlacement, FindsAnInputThatIsNotKept) {
  MemoryPlan plan = FiveNodes();
  plan.offsets[plan.lifetimes[5].root] = plan.offsets[0];
  EXPECT_TRUE(absl::IsInternal(VerifyPlacement(plan, true)));
  EXPECT_THAT(VerifyPlacement(plan, false), IsOk());
}

// InPlaceOf knows operators only by name. It must agree with the registered
// operators.
TEST(InPlaceOf, AgreesWithTheOperators) {
  const OperatorResolver resolver = BuiltinOperators();
  size_t shared = 0;
  for (const auto& [key, registration] : resolver.all()) {
    SCOPED_TRACE(registration.name);
    OperatorSpec op;
    op.name = registration.name;
    op.is_custom = registration.is_custom;
    EXPECT_EQ(InPlaceOf(op), registration.in_place);
    shared += registration.in_place != InPlace::kNever ? 1 : 0;
  }
  EXPECT_GT(shared, 30u);
}

// Returns a random graph with views and with nodes that work in place. Each
// node reads one or two earlier tensors.
ArenaGraph RandomGraph(Random* random) {
  ArenaGraph graph;
  const size_t nodes = 4 + random->Below(6);
  const size_t inputs = 1 + random->Below(2);
  for (size_t t = 0; t < inputs + nodes; ++t) {
    const size_t bytes = random->Below(6) == 0 ? 16 : 8;
    graph.tensors.push_back({bytes, Storage::kArena});
    if (t < inputs) graph.inputs.push_back(t);
  }
  for (size_t n = 0; n < nodes; ++n) {
    ArenaNode node;
    const size_t output = inputs + n;
    // Recent tensors are read more often.
    const auto read = [&] {
      const size_t back = 1 + random->Below(1 + random->Below(output));
      node.inputs.push_back(output - std::min(back, output));
    };
    read();
    if (random->Below(2) == 0) read();
    node.outputs = {output};
    const uint64_t kind = random->Below(4);
    if (kind == 0) {
      node.in_place = kView;
      graph.tensors[output].bytes = graph.tensors[node.inputs[0]].bytes;
    } else if (kind < 3) {
      node.in_place = InPlace::kInput0 | InPlace::kInput1;
    }
    graph.nodes.push_back(node);
  }
  graph.outputs = {inputs + nodes - 1};
  return graph;
}

// A plan made by the rules is safe. After one of its tensors has been moved,
// the check finds a fault if and only if a run on bytes fails.
TEST(VerifyPlacement, AgreesWithARunOfBytes) {
  Random random(1);
  size_t faults = 0;
  const size_t count = support::Sampled(20000);
  for (size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    MemoryPlan plan;
    plan.graph = RandomGraph(&random);
    plan.lifetimes = PlanLifetimes(plan.graph);
    plan.prepared_nodes = plan.graph.nodes.size();
    ASSERT_THAT(
        PlaceTensors(plan.graph, plan.lifetimes, 0, plan.last_node(), 4, &plan),
        IsOk());
    ASSERT_THAT(VerifyPlacement(plan, true), IsOk());
    // Moves one tensor either to the memory that its node may take over or to a
    // random offset.
    GraphPoints graph = PointsOfGraph(plan, true);
    ASSERT_FALSE(SomeRunFails(graph.points, graph.offsets));
    const ArenaNode& node =
        plan.graph.nodes[random.Below(plan.graph.nodes.size())];
    const size_t moved = node.outputs[0];
    graph.offsets[moved] = random.Below(2) == 0
                               ? graph.offsets[node.inputs[0]]
                               : absl::optional<size_t>(4 * random.Below(6));
    const bool fails = SomeRunFails(graph.points, graph.offsets);
    ASSERT_EQ(FindValueFault(graph.points, graph.offsets).has_value(), fails);
    faults += fails ? 1 : 0;
  }
  EXPECT_GT(faults, count / 10);
  EXPECT_LT(faults, count - count / 10);
}

// Under every kind of sharing, every model that can be prepared gets a sound
// plan.
TEST(VerifyPlacement, AcceptsThePlansOfAllModels) {
  size_t prepared = 0;
  for (const char* const variable :
       {"STOWAGE_MODELS", "STOWAGE_DYNAMIC", "STOWAGE_MICRO"}) {
    const absl::optional<std::string> folder =
        support::RealDataFolder(variable);
    if (!folder) continue;
    for (const std::string& path : support::FilesIn(*folder, ".tflite")) {
      SCOPED_TRACE(path);
      const absl::StatusOr<std::unique_ptr<const Model>> model =
          Model::Read(path);
      if (!model.ok()) continue;
      for (const Sharing sharing :
           {Sharing::kFixed, Sharing::kGroups, Sharing::kNone}) {
        InterpreterOptions options;
        options.sharing = sharing;
        options.strategy = "greedy_by_size";
        const auto interpreter =
            Interpreter::Create(**model, BuiltinOperators(), options);
        if (!interpreter.ok()) break;
        // Only a fault is reported as an internal error.
        EXPECT_FALSE(absl::IsInternal((*interpreter)->subgraph(0).Allocate()));
        ++prepared;
      }
    }
  }
  if (prepared == 0) GTEST_SKIP() << "no folder of models is named";
}

}  // namespace
}  // namespace stowage::harness
