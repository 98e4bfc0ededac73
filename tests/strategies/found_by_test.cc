// SPDX-License-Identifier: Apache-2.0
// Tests what a solution reports about its origin: which part of a strategy
// found the plan, and what proves the bound. Also tests how a running search
// reports the part and the proof.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/construct/linear_program.h"
#include "stowage/base/random.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "tests/strategies/optimal_inputs.h"
#include "tests/support/plan_request.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;
using ::testing::IsSupersetOf;

// Returns the name of the part in `found_by`, without the details in
// parentheses that follow the name.
std::string PartOf(const std::string& found_by) {
  return found_by.substr(0, found_by.find(" ("));
}

Records RandomRecords(uint64_t seed, size_t count) {
  Random random(seed);
  Records records(count);
  for (ByteRecord& record : records) {
    record.tensor_size = 1 + random.Below(uint64_t{1} << random.Below(12));
    record.first_task = random.Below(count);
    record.last_task = record.first_task + random.Below(count / 4 + 1);
  }
  return records;
}

TEST(FoundBy, IsTheStrategyWhereItHasNoParts) {
  const Records records = {{4, 0, 1}, {8, 1, 2}, {4, 2, 2}};
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    for (const Strategy* strategy : AllStrategies()) {
      PlanRequest request;
      request.strategy = strategy->info().name;
      request.kind = kind;
      const auto plan = Plan(records, request);
      if (!plan.ok()) continue;  // the strategy makes only the other kind
      const bool has_parts =
          request.strategy == "optimal" || request.strategy == "skyline";
      EXPECT_EQ(plan->found_by == request.strategy, !has_parts)
          << plan->found_by;
      EXPECT_EQ(NameOf(plan->bound_proof), kind == PlanKind::kOffsets
                                               ? "bytes live at task 1"
                                               : "positional maximums");
    }
  }
}

// The sets contain the names of parts that docs/search.md lists.
TEST(FoundBy, IsOneOfThePartsThatAreDocumented) {
  const std::set<std::string> offsets = {
      "stack",          "peak sweep",        "skyline dive",   "best fit",
      "exact search",   "overlap search",    "genetic search", "local peaks",
      "greedy_by_size", "greedy_by_breadth", "arena_best_fit"};
  const std::set<std::string> objects = {
      "naive",          "equality",      "greedy_in_order", "greedy_by_breadth",
      "greedy_by_size", "class program", "object tree"};
  std::set<std::string> seen;
  std::set<std::string> proofs;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Records records = RandomRecords(seed, 3 + seed);
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanRequest request = ByNodes(seed % 3 == 0 ? 1000 : 20000);
      request.kind = kind;
      const auto plan = Plan(records, request);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const std::string part = PartOf(plan->found_by);
      const auto& known = kind == PlanKind::kOffsets ? offsets : objects;
      EXPECT_EQ(known.count(part), 1u) << plan->found_by;
      seen.insert(part);
      proofs.insert(NameOf(plan->bound_proof));
    }
  }
  // The test would show little if one part found all plans, so it requires
  // plans of these two parts and, if a solver is linked, proofs by chain
  // weights.
  EXPECT_THAT(seen, IsSupersetOf({"peak sweep", "exact search"}));
  EXPECT_EQ(proofs.count("chain weights") > 0,
            CreateLinearProgram() != nullptr);
}

struct Reports {
  std::vector<SearchProgress> all;
  absl::StatusOr<Solution> solution = Solution();
};

Reports Follow(const Records& records, PlanRequest request) {
  Reports reports;
  support::TestObserver observer([&](const SearchProgress& progress) {
    reports.all.push_back(progress);
    return true;
  });
  request.search.observer = &observer;
  reports.solution = Plan(records, request);
  return reports;
}

TEST(SearchProgress, TellsOfAllPlansAndBoundsAndNeverWorse) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Records records = RandomRecords(seed, 10 + 3 * seed);
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanRequest request = ByNodes(5000);
      request.kind = kind;
      const Reports reports = Follow(records, request);
      ASSERT_TRUE(reports.solution.ok()) << reports.solution.status();
      ASSERT_FALSE(reports.all.empty());
      for (size_t k = 1; k < reports.all.size(); ++k) {
        const SearchProgress& before = reports.all[k - 1];
        const SearchProgress& now = reports.all[k];
        ASSERT_LE(now.total_size, before.total_size);
        ASSERT_GE(now.lower_bound, before.lower_bound);
        ASSERT_GE(now.nodes, before.nodes);
        ASSERT_FALSE(now.found_by.empty());
      }
      EXPECT_EQ(reports.all.back().total_size, reports.solution->total_size);
      EXPECT_EQ(reports.all.back().lower_bound, reports.solution->lower_bound);
      EXPECT_EQ(reports.all.back().found_by, reports.solution->found_by);
    }
  }
}

// If there is a capacity, the search also reports plans that exceed it. The
// search also reports the bound, which finally shows that no plan is within the
// capacity.
TEST(SearchProgress, GoesOnWithoutAPlanWithinTheCapacity) {
  const Records records = RandomRecords(5, 60);
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    PlanRequest request = ByNodes(20000);
    request.kind = kind;
    const auto smallest = Plan(records, request);
    ASSERT_TRUE(smallest.ok()) << smallest.status();
    if (smallest->lower_bound == smallest->total_size) {
      request.capacity = smallest->total_size;
    }
    const Reports reports = Follow(records, request);
    ASSERT_TRUE(reports.solution.ok()) << reports.solution.status();
    ASSERT_FALSE(reports.all.empty());
    EXPECT_EQ(reports.all.back().lower_bound, reports.solution->lower_bound);
  }
}

TEST(BoundProvedBy, NamesWhatHolds) {
  const absl::optional<size_t> fixed[] = {20, absl::nullopt, absl::nullopt};
  const Records records = {{4, 0, 1}, {8, 1, 2}, {4, 2, 2}};
  PlanRequest request = ByNodes(1000);
  request.fixed_offsets = fixed;
  EXPECT_EQ(NameOf(Plan(records, request)->bound_proof), "fixed records");
  request.fixed_offsets = {};
  request.capacity = 11;
  const auto none = Plan(records, request);
  ASSERT_EQ(none->status, SolutionStatus::kInfeasible);
  EXPECT_EQ(NameOf(none->bound_proof), "bytes live at task 1");
  EXPECT_EQ(none->found_by, "");
}

TEST(BoundProvedBy, IsTheSearchAboveWhatIsLive) {
  Random random(3);
  size_t searched = 0;
  for (int round = 0; round < 1000; ++round) {
    const Records records = TinyRecords(&random, 6);
    std::vector<size_t> alignments;
    for (size_t i = 0; i < records.size(); ++i) {
      alignments.push_back(size_t{1} << random.Below(4));
    }
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanRequest request = ByNodes(1000000);
      request.kind = kind;
      if (kind == PlanKind::kOffsets) {
        request.alignments = Alignments(alignments);
      }
      const auto plan = Plan(records, request);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const bool is_above = plan->bound_proof.kind == BoundProof::Kind::kSearch;
      EXPECT_EQ(NameOf(plan->bound_proof) == "exhaustive search below it",
                is_above);
      const bool has_weights = !plan->chain_weights.records.empty();
      EXPECT_EQ(NameOf(plan->bound_proof) == "chain weights", has_weights);
      searched += is_above ? 1 : 0;
    }
  }
  EXPECT_GT(searched, 0u);
}

}  // namespace
}  // namespace stowage
