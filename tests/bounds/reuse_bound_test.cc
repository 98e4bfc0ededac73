// SPDX-License-Identifier: Apache-2.0
// Tests the lower bound of the cost of sharing bytes: by hand, by comparison
// with all plans of small problems, and under changes that must scale the
// bound.
#include "src/bounds/reuse_bound.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/problem.h"
#include "tests/bounds/costly_problems.h"
#include "tests/support/least_cost.h"

namespace stowage {
namespace {

constexpr uint64_t kWork = uint64_t{1} << 22;

ReuseBound BoundOf(const ProblemSpec& spec, uint64_t units = kWork) {
  return BoundReuse(Problem::Create(spec).value(), units, nullptr);
}

// Returns records of these sizes, which are live one after the other. Every two
// of them pay `cost` if they share a byte.
ProblemSpec InTurn(const std::vector<size_t>& sizes, size_t capacity,
                   uint64_t cost = 1) {
  ProblemSpec spec;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto task = static_cast<TaskId>(i);
    spec.records.emplace_back(sizes[i], task, task);
    for (size_t j = 0; j < i; ++j) {
      spec.constraints.prefer_apart.push_back({j, i, cost});
    }
  }
  spec.capacity = capacity;
  return spec;
}

// Ten records in two places form the fewest pairs, 2 * 10, if each place has
// five records. This is Turan's theorem.
TEST(ReuseBound, EqualRecordsInTwoPlaces) {
  EXPECT_EQ(BoundOf(InTurn(std::vector<size_t>(10, 64), 128)).cost, 20u);
}

TEST(ReuseBound, RecordsThatFitSideBySideCostNothing) {
  const ReuseBound bound = BoundOf(InTurn({64, 64}, 128));
  EXPECT_EQ(bound.cost, 0u);
  EXPECT_TRUE(bound.proofs.empty());
}

// Two of the three records must overlap, if only by one byte. A pair pays its
// whole cost for any overlap, so the bound is the cost of the cheapest pair.
TEST(ReuseBound, APairPaysItsCostWhateverItsOverlap) {
  ProblemSpec spec = InTurn({10, 10, 10}, 29);
  spec.constraints.prefer_apart = {{0, 1, 5}, {1, 2, 7}, {0, 2, 6}};
  EXPECT_EQ(BoundOf(spec).cost, 5u);
}

// The bound is the cost of the cheapest pair even if the capacity is two and a
// half times the common size of the records.
TEST(ReuseBound, CutsSharesToTheBytesThatMustOverlap) {
  ProblemSpec spec = InTurn({2, 2, 2}, 5);
  spec.constraints.prefer_apart = {{0, 1, 2}, {1, 2, 3}, {0, 2, 3}};
  EXPECT_EQ(BoundOf(spec).cost, 2u);
}

TEST(ReuseBound, WithoutACapacityNothingIsKnown) {
  ProblemSpec spec = InTurn({8, 8}, 8);
  spec.capacity.reset();
  EXPECT_EQ(BoundOf(spec).cost, 0u);
}

TEST(ReuseBound, RecordsThatMustBeApartNeverPay) {
  ProblemSpec spec = InTurn({8, 8, 8}, 16, 3);
  spec.constraints.apart = {{0, 1}};
  // One of the two remaining pairs pays.
  EXPECT_EQ(BoundOf(spec).cost, 3u);
}

TEST(ReuseBound, HolesTakeRoom) {
  ProblemSpec spec = InTurn({8, 8}, 24);
  EXPECT_EQ(BoundOf(spec).cost, 0u);
  spec.constraints.holes = {{8, 17, 0, 1, 0}};
  EXPECT_EQ(BoundOf(spec).cost, 1u);
  // A hole at only one of the two tasks leaves enough room for the record of
  // the other task.
  spec.constraints.holes = {{8, 17, 0, 0, 0}};
  EXPECT_EQ(BoundOf(spec).cost, 0u);
}

TEST(ReuseBound, RecordsAtFixedOffsetsTakeRoom) {
  ProblemSpec spec = InTurn({8, 8, 9}, 24);
  spec.records[2] = {9, 0, 1};
  spec.constraints.prefer_apart = {{0, 1, 4}};
  spec.fixed_offsets = {absl::nullopt, absl::nullopt, 8};
  EXPECT_EQ(BoundOf(spec).cost, 4u);
}

// With an alignment of 8, three records of 5 bytes need 8 + 8 + 5 = 21 bytes if
// they do not overlap, which exceeds the capacity.
TEST(ReuseBound, AlignmentTakesRoom) {
  ProblemSpec spec = InTurn({5, 5, 5}, 20);
  spec.alignments = {8, 8, 8};
  EXPECT_EQ(BoundOf(spec).cost, 1u);
  spec.capacity = 21;
  EXPECT_EQ(BoundOf(spec).cost, 0u);
}

TEST(ReuseBound, PoolsAddUp) {
  ProblemSpec spec = InTurn({8, 8, 8, 8}, 0);
  spec.capacity.reset();
  spec.constraints.pools = {{"a", 8}, {"b", 8}};
  spec.constraints.choices = {{{0, 0}}, {{0, 0}}, {{1, 0}}, {{1, 0}}};
  const ReuseBound bound = BoundOf(spec);
  EXPECT_EQ(bound.cost, 2u);
  EXPECT_EQ(bound.proofs.size(), 2u);
  // A record that may also be placed in the other pool need not share bytes.
  spec.constraints.choices[3].push_back({0, 0});
  EXPECT_EQ(BoundOf(spec).cost, 1u);
}

TEST(ReuseBound, TheLargestCostsDoNotOverflow) {
  constexpr uint64_t kMax = ~uint64_t{0};
  EXPECT_EQ(BoundOf(InTurn({8, 8}, 8, kMax)).cost, kMax);
  ProblemSpec spec = InTurn({8, 8, 8}, 16);
  spec.constraints.prefer_apart = {
      {0, 1, kMax / 2}, {1, 2, kMax / 4}, {0, 2, kMax / 5}};
  EXPECT_LE(BoundOf(spec).cost, kMax / 5);
  EXPECT_GE(BoundOf(spec).cost, kMax / 5 - 8);
  // With costs this large, the arithmetic may lose a cost of 1, but the bound
  // must not exceed this cost.
  spec.constraints.prefer_apart.back().cost = 1;
  EXPECT_LE(BoundOf(spec).cost, 1u);
}

TEST(ReuseBound, NoPlanCostsLess) {
  Random random(1);
  size_t feasible = 0;
  size_t costly = 0;
  size_t tight = 0;
  for (size_t k = 0; k < 1500; ++k) {
    SCOPED_TRACE(absl::StrCat("problem ", k));
    const ProblemSpec spec = RandomCostlySpec(&random);
    if (!Problem::Create(spec).ok()) continue;
    const absl::optional<uint64_t> least = support::LeastCostOfAllPlans(spec);
    if (!least) continue;
    const uint64_t bound = BoundOf(spec, 1 << 18).cost;
    ASSERT_LE(bound, *least);
    ++feasible;
    if (*least == 0) continue;
    ++costly;
    if (bound == *least) ++tight;
  }
  EXPECT_GT(feasible, 500u);
  EXPECT_GT(costly, 300u);
  EXPECT_GT(tight * 4, costly * 3);
}

TEST(ReuseBound, ScalesWithCostsAndNotWithSizesOrTheDirectionOfTime) {
  Random random(2);
  for (size_t k = 0; k < 100; ++k) {
    SCOPED_TRACE(absl::StrCat("problem ", k));
    const ProblemSpec spec = RandomCostlySpec(&random);
    if (!Problem::Create(spec).ok()) continue;
    const uint64_t bound = BoundOf(spec).cost;
    EXPECT_EQ(BoundOf(spec).cost, bound);
    ProblemSpec dear = spec;
    for (auto& wish : dear.constraints.prefer_apart) wish.cost *= 5;
    EXPECT_EQ(BoundOf(dear).cost, 5 * bound);
    ProblemSpec large = spec;
    large.alignments.assign(spec.records.size(), 1);
    const uint64_t unaligned = BoundOf(large).cost;
    for (auto& record : large.records) record.tensor_size *= 3;
    for (auto& hole : large.constraints.holes) {
      hole.begin *= 3;
      hole.end *= 3;
    }
    for (auto& fixed : large.fixed_offsets) {
      if (fixed) *fixed *= 3;
    }
    *large.capacity *= 3;
    EXPECT_EQ(BoundOf(large).cost, unaligned);
    ProblemSpec reversed = spec;
    for (auto& record : reversed.records) {
      record = {record.tensor_size, 20 - record.last_task,
                20 - record.first_task};
    }
    for (auto& hole : reversed.constraints.holes) {
      hole = {hole.begin, hole.end, 20 - hole.last_task, 20 - hole.first_task,
              0};
    }
    EXPECT_EQ(BoundOf(reversed).cost, bound);
  }
}

// More work never lowers the bound, and the same work yields the same proof.
TEST(ReuseBound, DependsOnTheWorkAlone) {
  Random random(3);
  std::vector<size_t> sizes;
  for (size_t i = 0; i < 40; ++i) sizes.push_back(1 + random.Below(30));
  ProblemSpec spec = InTurn(sizes, 100);
  uint64_t last = 0;
  for (const uint64_t units : {10U, 20'000U, 100'000U, 4'000'000U}) {
    const ReuseBound bound = BoundOf(spec, units);
    EXPECT_GE(bound.cost, last);
    last = bound.cost;
    const ReuseBound again = BoundOf(spec, units);
    ASSERT_EQ(again.cost, bound.cost);
    ASSERT_EQ(again.proofs.size(), bound.proofs.size());
    for (size_t p = 0; p < bound.proofs.size(); ++p) {
      ASSERT_EQ(again.proofs[p].cliques.size(), bound.proofs[p].cliques.size());
      for (size_t c = 0; c < bound.proofs[p].cliques.size(); ++c) {
        EXPECT_EQ(again.proofs[p].cliques[c].records,
                  bound.proofs[p].cliques[c].records);
        EXPECT_EQ(again.proofs[p].cliques[c].weight,
                  bound.proofs[p].cliques[c].weight);
      }
    }
  }
  EXPECT_GT(last, 0u);
}

}  // namespace
}  // namespace stowage
