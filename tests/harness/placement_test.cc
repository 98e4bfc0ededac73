// SPDX-License-Identifier: Apache-2.0
// Tests which strategy or planner places the tensors of the arena. The test is
// a separate executable because the strategies that it registers stay
// registered.
#include "src/harness/placement.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/lifetimes.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;

// Returns a chain in which node i reads tensor i and writes tensor i + 1.
ArenaGraph Row(size_t nodes, size_t bytes) {
  ArenaGraph graph;
  graph.tensors.assign(nodes + 1, {bytes, Storage::kArena});
  for (size_t i = 0; i < nodes; ++i) {
    graph.nodes.push_back({{i}, {i + 1}, {}, InPlace::kNever});
  }
  graph.inputs = {0};
  graph.outputs = {nodes};
  return graph;
}

absl::StatusOr<MemoryPlan> Place(const ArenaGraph& graph,
                                 const InterpreterOptions& options) {
  MemoryPlan plan;
  plan.graph = graph;
  plan.lifetimes = PlanLifetimes(graph);
  plan.prepared_nodes = graph.nodes.size();
  plan.alignment = options.tensor_alignment;
  const absl::Status status = PlaceFirst(options, &plan);
  if (!status.ok()) return status;
  return plan;
}

// The end of the tensor overflows 64 bits. If it wrapped around, the arena
// would be small and the tensor would be outside it.
TEST(Placement, RefusesAPlanOfTheCallersThatWraps) {
  InterpreterOptions options;
  options.planner = [](const ArenaRecords& records) {
    OffsetsAssignment plan;
    plan.offsets.assign(records.records.size(), 0);
    plan.offsets[1] = size_t{0} - 64;
    return plan;
  };
  EXPECT_THAT(
      Place(Row(2, 600), options),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "tensor 1: offset 18446744073709551552 in the plan overflows "
                "64 bits at its end"));
  // With 64 bytes the tensor would end at 2^64, which does not fit in 64 bits
  // either.
  EXPECT_FALSE(Place(Row(2, 64), options).ok());
  EXPECT_TRUE(Place(Row(2, 63), options).ok());
}

// Defines a strategy whose name sorts before the names of all strategies of the
// library.
class FirstByName : public Strategy {
 public:
  FirstByName(std::string name, Feature kind) {
    info_.name = std::move(name);
    info_.summary = "for a test";
    info_.complexity = "O(1)";
    info_.source = "own";
    info_.features = {kind};
  }
  const StrategyInfo& info() const override { return info_; }

 private:
  StrategyInfo info_;
};

class GivesUp final : public FirstByName {
 public:
  GivesUp() : FirstByName("aaa_gives_up", Feature::kObjects) {}
  absl::StatusOr<Solution> Solve(const Problem&,
                                 const SolveOptions&) const override {
    return absl::ResourceExhaustedError("too many records");
  }
};

// Places the tensors one after another.
class Stacks final : public FirstByName {
 public:
  Stacks() : FirstByName("aaa_stacks", Feature::kOffsets) {}
  absl::StatusOr<Solution> Solve(const Problem& problem,
                                 const SolveOptions&) const override {
    OffsetsAssignment plan;
    for (size_t i = 0; i < problem.size(); ++i) {
      const size_t offset =
          AlignUp(plan.total_size, problem.alignments().Of(i));
      plan.offsets.push_back(offset);
      plan.total_size = offset + problem.records()[i].tensor_size;
    }
    return plan;
  }
};

TEST(Placement, GoesOnWithTheOtherStrategiesWhereOneGivesUp) {
  ASSERT_TRUE(RegisterStrategy(std::make_unique<GivesUp>()).ok());
  InterpreterOptions options;
  options.kind = PlanKind::kObjects;
  const auto placement = Place(Row(3, 64), options);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_EQ(placement->arena_bytes, 192u);
}

TEST(Placement, AsksStrategiesThatPlanOffsetsAlone) {
  ASSERT_TRUE(RegisterStrategy(std::make_unique<Stacks>()).ok());
  const auto smallest = Place(Row(1, 64), InterpreterOptions());
  ASSERT_TRUE(smallest.ok()) << smallest.status();
  EXPECT_EQ(smallest->strategy, "aaa_stacks");
  EXPECT_EQ(smallest->arena_bytes, 128u);
}

TEST(Placement, RefusesAStrategyThatCannotPlanTheKind) {
  InterpreterOptions options;
  options.strategy = "arena_best_fit";
  options.kind = PlanKind::kObjects;
  EXPECT_EQ(Place(Row(2, 64), options).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace stowage::harness
