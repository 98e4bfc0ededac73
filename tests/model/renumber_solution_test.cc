// SPDX-License-Identifier: Apache-2.0
#include "stowage/model/renumber_solution.h"

#include <cstdint>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kNone = RecordMap::kNone;

TEST(RenumberSolution, PlacesRecordsAboveThoseThatStandForThem) {
  OffsetsAssignment plan = {{64, 0}, 96};
  plan.pools = {1, 0};
  const Solution renumbered =
      Renumbered(Solution(plan), {{1, 0, 0}, {0, 0, 8}});
  EXPECT_THAT(renumbered.offsets()->offsets, ElementsAre(0, 64, 72));
  EXPECT_THAT(renumbered.offsets()->pools, ElementsAre(0, 1, 1));
  EXPECT_EQ(renumbered.offsets()->total_size, 96u);
}

TEST(RenumberSolution, ARecordWithoutAnotherLiesAtItsOwnOffset) {
  const Solution renumbered =
      Renumbered(Solution(OffsetsAssignment{{16}, 32}), {{kNone, 0}, {640, 0}});
  EXPECT_THAT(renumbered.offsets()->offsets, ElementsAre(640, 16));
}

// Every field that does not concern records is unchanged.
TEST(RenumberSolution, KeepsWhatIsNotAboutRecords) {
  Solution solution(OffsetsAssignment{{0}, 8});
  solution.status = SolutionStatus::kOptimal;
  solution.reason = "a reason";
  solution.strategy = "mine";
  solution.seed = 7;
  solution.found_by = "a part";
  solution.total_size = 8;
  solution.lower_bound = 6;
  solution.bound_proof = {BoundProof::Kind::kBytesLive, 3};
  solution.cost = 5;
  solution.cost_bound = 4;
  solution.nodes = 9;
  solution.time_ns = 2000;
  const Solution renumbered = Renumbered(solution, {{0}});
  EXPECT_EQ(renumbered.status, SolutionStatus::kOptimal);
  EXPECT_EQ(renumbered.reason, "a reason");
  EXPECT_EQ(renumbered.strategy, "mine");
  EXPECT_EQ(renumbered.seed, 7u);
  EXPECT_EQ(renumbered.found_by, "a part");
  EXPECT_EQ(renumbered.total_size, 8u);
  EXPECT_EQ(renumbered.lower_bound, 6u);
  EXPECT_EQ(NameOf(renumbered.bound_proof), "bytes live at task 3");
  EXPECT_EQ(renumbered.cost, 5u);
  EXPECT_EQ(renumbered.cost_bound, 4u);
  EXPECT_EQ(renumbered.nodes, 9u);
  EXPECT_EQ(renumbered.time_ns, 2000);
}

TEST(RenumberSolution, ProofsOfACostListTheOtherRecords) {
  Solution solution;
  solution.cost_proofs = {{{{{0, 1}, 16}}, 16}};
  const Solution renumbered = Renumbered(solution, {{1, kNone, 0}});
  ASSERT_EQ(renumbered.cost_proofs.size(), 1u);
  EXPECT_THAT(renumbered.cost_proofs[0].cliques[0].records, ElementsAre(0, 2));
  // A record that represents two others has no number of its own, so its proof
  // is left out.
  EXPECT_THAT(Renumbered(solution, {{1, 0, 0}}).cost_proofs, IsEmpty());
}

TEST(RenumberSolution, LeavesOutProofsOfTheSolvedRecords) {
  Solution solution;
  solution.search_proof.records = {0};
  solution.chain_weights.records = {0};
  const Solution renumbered = Renumbered(solution, {{0}});
  EXPECT_THAT(renumbered.search_proof.records, IsEmpty());
  EXPECT_THAT(renumbered.chain_weights.records, IsEmpty());
  EXPECT_FALSE(renumbered.has_plan());
}

TEST(RenumberSolution, AConflictStaysIrreducibleOnlyRecordForRecord) {
  Solution solution;
  solution.status = SolutionStatus::kInfeasible;
  solution.conflict = {0, 2};
  solution.conflict_is_irreducible = true;
  solution.conflict_witnesses = {{0}, {0}};
  const Solution same = Renumbered(solution, {{1, 0, 2, kNone}});
  EXPECT_THAT(same.conflict, ElementsAre(1, 2));
  EXPECT_TRUE(same.conflict_is_irreducible);
  EXPECT_EQ(same.conflict_witnesses.size(), 2u);
  const Solution turned = Renumbered(solution, {{2, 1, 0}});
  EXPECT_THAT(turned.conflict, ElementsAre(0, 2));
  EXPECT_TRUE(turned.conflict_is_irreducible);
  EXPECT_THAT(turned.conflict_witnesses, IsEmpty());
  const Solution more = Renumbered(solution, {{0, 0, 1, 2}});
  EXPECT_THAT(more.conflict, ElementsAre(0, 1, 3));
  EXPECT_FALSE(more.conflict_is_irreducible);
  EXPECT_THAT(more.conflict_witnesses, IsEmpty());
}

TEST(RenumberSolution, AProofNamesTheFirstRecordThatIsStoodFor) {
  Solution solution;
  solution.bound_proof = {BoundProof::Kind::kFixedEnd, 1};
  EXPECT_EQ(Describe(Renumbered(solution, {{0, 0, 1, 1}}).bound_proof),
            "the end of record 2 at its fixed offset");
}

}  // namespace
}  // namespace stowage
