// SPDX-License-Identifier: Apache-2.0
// Tests the number of bytes that a plan needs to avoid the cost of a pair.
#include "stowage/explain/free_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/constraints.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/strategy.h"

namespace stowage::views {
namespace {

using ::testing::HasSubstr;

// Returns a plan of three records that follow each other in time. Every two of
// the records prefer to be apart.
ProblemFile Chain(std::vector<size_t> offsets) {
  ProblemFile file;
  file.problem.records = {{8, 0, 0}, {8, 1, 1}, {8, 2, 2}};
  file.problem.names = {"a", "b", "c"};
  file.problem.constraints.prefer_apart = {{0, 1, 5}, {1, 2, 3}, {0, 2, 1}};
  file.plan.offsets = std::move(offsets);
  return file;
}

absl::StatusOr<std::vector<FreedPair>> FreeAll(ProblemFile file,
                                               const std::string& strategy) {
  const absl::StatusOr<PlanView> view =
      ViewPlan(std::move(file), {"plan", strategy});
  if (!view.ok()) return view.status();
  SolveOptions options;
  options.node_budget = 10000;
  return FreePairs(*view, view->paid, strategy, options);
}

struct FreedRow {
  uint64_t cost;
  absl::optional<size_t> total_size;
  bool is_least;
};

void ExpectFreed(const absl::StatusOr<std::vector<FreedPair>>& freed,
                 const std::vector<FreedRow>& rows) {
  ASSERT_TRUE(freed.ok()) << freed.status();
  ASSERT_EQ(freed->size(), rows.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ((*freed)[k].pair.cost, rows[k].cost);
    EXPECT_EQ((*freed)[k].total_size, rows[k].total_size);
    EXPECT_EQ((*freed)[k].is_least, rows[k].is_least);
  }
}

TEST(FreePairs, SaysHowManyBytesSaveAPayment) {
  // All records share the same bytes. Each payment can be avoided with 16
  // bytes.
  ExpectFreed(FreeAll(Chain({0, 0, 0}), "optimal"),
              {{5, 16, true}, {3, 16, true}, {1, 16, true}});
  // At least 24 bytes are needed to avoid the last payment, because with 16
  // bytes, a different pair would pay more.
  ExpectFreed(FreeAll(Chain({0, 8, 0}), "optimal"), {{1, 24, true}});
}

TEST(FreePairs, SaysThatAPlanCanBeImproved) {
  ExpectFreed(FreeAll(Chain({0, 0, 16}), "optimal"), {{5, 24, true}});
}

TEST(FreePairs, IgnoresTheCapacity) {
  ProblemFile file = Chain({0, 8, 0});
  file.problem.capacity = 16;
  ExpectFreed(FreeAll(file, "optimal"), {{1, 24, true}});
  file.problem.capacity.reset();
  file.problem.constraints.pools = {{"sram", 16}};
  file.plan.chosen_pools = {0, 0, 0};
  ExpectFreed(FreeAll(file, "optimal"), {{1, 24, true}});
}

TEST(FreePairs, SaysThatNothingFreesMembersOfAGroup) {
  ProblemFile file = Chain({0, 4, 16});
  file.problem.constraints.places.resize(3);
  file.problem.constraints.places[0].group = 0;
  file.problem.constraints.places[1].group = 0;
  file.problem.constraints.places[1].at = 4;
  ExpectFreed(FreeAll(file, "optimal"), {{5, absl::nullopt, false}});
}

TEST(FreePairs, SaysThatAStrategyFindsNone) {
  ExpectFreed(FreeAll(Chain({0, 8, 0}), "greedy_by_size"),
              {{1, absl::nullopt, false}});
}

// In total, moving a record to the second pool needs as many bytes as moving it
// above the other records.
TEST(FreePairs, MayTakeAnotherPool) {
  ProblemFile file = Chain({0, 0, 0});
  file.problem.constraints.pools = {{"sram", 16}, {"dram", {}}};
  file.plan.chosen_pools = {0, 0, 0};
  ExpectFreed(FreeAll(file, "optimal"),
              {{5, 16, true}, {3, 16, true}, {1, 16, true}});
}

}  // namespace
}  // namespace stowage::views
