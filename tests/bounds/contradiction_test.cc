// SPDX-License-Identifier: Apache-2.0
// Tests which problems are found to be infeasible before any strategy runs, and
// which records are in the conflict.
#include "src/bounds/contradiction.h"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "tests/support/constraint_vectors.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::ConstraintVector;
using support::IsOk;
using ::testing::ElementsAre;
using Records = std::vector<size_t>;

// Returns four records of 8 bytes. The first two conflict with each other, and
// so do the last two.
ProblemSpec FourRecords() {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 4, 5}, {8, 5, 6}};
  spec.fixed_offsets.resize(4);
  return spec;
}

RecordPlace InGroupZero(size_t at) {
  RecordPlace place;
  place.group = 0;
  place.at = at;
  return place;
}

RecordPlace BetweenBytes(size_t min, absl::optional<size_t> max) {
  RecordPlace place;
  place.min = min;
  place.max = max;
  return place;
}

struct ContradictionCase {
  const char* name;
  std::function<void(ProblemSpec*)> change;
  const char* reason;  // null if there is no contradiction
  Records conflict;
  bool is_irreducible;
};

void CheckContradictions(const std::vector<ContradictionCase>& cases) {
  for (const ContradictionCase& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec = FourRecords();
    c.change(&spec);
    const auto problem = Problem::Create(spec);
    ASSERT_THAT(problem, IsOk());
    const absl::optional<Solution> found = FindContradiction(*problem);
    ASSERT_EQ(found.has_value(), c.reason != nullptr)
        << (found ? found->reason : "");
    if (!found) continue;
    EXPECT_EQ(found->status, SolutionStatus::kInfeasible);
    EXPECT_EQ(found->reason, c.reason);
    EXPECT_EQ(found->conflict, c.conflict);
    EXPECT_EQ(found->conflict_is_irreducible, c.is_irreducible);
  }
}

TEST(ContradictionTest, FixedRecordsShareNoByte) {
  CheckContradictions(
      {{"two overlap",
        [](auto* s) {
          s->fixed_offsets = {4, 8, {}, {}};
        },
        "at fixed offsets, tensor 0 and tensor 1 both hold bytes [8, 12) at "
        "task 1",
        {0, 1},
        true},
       {"side by side",
        [](auto* s) {
          s->fixed_offsets = {0, 8, 0, 8};
        },
        nullptr,
        {},
        false},
       {"one exceeds the capacity anyway",
        [](auto* s) {
          s->fixed_offsets = {4, 8, {}, {}};
          s->capacity = 15;
        },
        "at fixed offsets, tensor 0 and tensor 1 both hold bytes [8, 12) at "
        "task 1",
        {0, 1},
        false},
       {"never both live",
        [](auto* s) {
          s->fixed_offsets = {4, 8, {}, {}};
          s->constraints.never = {{0, 1}};
        },
        nullptr,
        {},
        false},
       {"apart at all times",
        [](auto* s) {
          s->fixed_offsets = {4, {}, {}, 8};
          s->constraints.apart = {{3, 2, 0}};
        },
        "at fixed offsets, tensor 0 and tensor 3 both hold bytes [8, 12); "
        "expected them to share no byte at any time",
        {0, 3},
        true},
       {"in a hole",
        [](auto* s) {
          s->fixed_offsets = {{}, {}, 8, {}};
          s->constraints.holes = {{0, 8, 0, 9}, {14, 20, 0, 4}};
        },
        "at fixed offsets, tensor 2 holds bytes [14, 16) in hole 1 at task 4",
        {2},
        true},
       {"unordered",
        [](auto* s) {
          s->fixed_offsets = {{}, 0, 4, {}};
          s->constraints.order =
              TaskOrder::FromStreams({{0, 1, 2, 3}, {4, 5, 6}}, {}).value();
          s->constraints.users = {{{0, 1}, {1, 2}, {4, 5}, {5, 6}}};
        },
        "at fixed offsets, tensor 1 and tensor 2 both hold bytes [4, 8), and "
        "task 1 of the first and task 4 of the second may run at once",
        {1, 2},
        true}});
}

TEST(ContradictionTest, GroupsAreFixedAsAWhole) {
  CheckContradictions(
      {{"by its fixed member",
        [](auto* s) {
          s->fixed_offsets = {{}, 16, {}, 4};
          s->constraints.places = {InGroupZero(12), {}, {}, InGroupZero(0)};
        },
        "at fixed offsets, tensor 0 and tensor 1 both hold bytes [16, 24) at "
        "task 1",
        {0, 1, 3},
        false},
       {"members share bytes",
        [](auto* s) {
          s->fixed_offsets = {4, {}, {}, {}};
          s->constraints.places = {InGroupZero(0), InGroupZero(4), {}, {}};
        },
        nullptr,
        {},
        false},
       {"a member out of its range",
        [](auto* s) {
          s->fixed_offsets = {4, {}, {}, {}};
          s->constraints.places = {InGroupZero(0), InGroupZero(4), {}, {}};
          s->constraints.places[1].max = 15;
        },
        "no start of a group at byte 0 or above suits the ranges, alignments "
        "and fixed offsets of records 0 and 1",
        {0, 1},
        false},
       {"a member misaligned",
        [](auto* s) {
          s->alignments = {1, 4, 1, 1};
          s->fixed_offsets = {5, {}, {}, {}};
          s->constraints.places = {InGroupZero(0), InGroupZero(4), {}, {}};
        },
        "no start of a group at byte 0 or above suits the ranges, alignments "
        "and fixed offsets of records 0 and 1",
        {0, 1},
        false}});
}

TEST(ContradictionTest, SomeStartSuitsAllRanges) {
  CheckContradictions(
      {{"nothing aligned in the range",
        [](auto* s) {
          s->alignment = 16;
          s->constraints.places = {{}, BetweenBytes(1, 20), {}, {}};
        },
        "no offset suits the ranges, alignments and fixed offsets of record 1",
        {1},
        true},
       {"aligned at its last byte",
        [](auto* s) {
          s->alignment = 16;
          s->constraints.places = {{}, BetweenBytes(1, 24), {}, {}};
        },
        nullptr,
        {},
        false},
       {"a group between two ranges",
        [](auto* s) {
          s->constraints.places = {
              InGroupZero(0), InGroupZero(8), InGroupZero(16), {}};
          s->constraints.places[0].min = 9;
          s->constraints.places[2].max = 32;
        },
        "no start of a group at byte 0 or above suits the ranges, alignments "
        "and fixed offsets of records 0 and 2",
        {0, 2},
        false},
       {"a group below byte 0",
        [](auto* s) {
          s->constraints.places = {InGroupZero(0), {}, {}, InGroupZero(16)};
          s->constraints.places[3].max = 23;
        },
        "no start of a group at byte 0 or above suits the ranges, alignments "
        "and fixed offsets of record 3",
        {3},
        true}});
}

TEST(ContradictionTest, OfRecordsInOnePoolOnly) {
  const auto with_pools = [](ProblemSpec* s) {
    s->fixed_offsets = {4, 8, {}, {}};
    s->constraints.pools = {{"fast", {}}, {"slow", {}}};
  };
  CheckContradictions(
      {{"any pool", with_pools, nullptr, {}, false},
       {"one may go elsewhere",
        [&](auto* s) {
          with_pools(s);
          s->constraints.choices = {{{0, 0}}, {{0, 0}, {1, 0}}, {}, {}};
        },
        nullptr,
        {},
        false},
       {"each in its own",
        [&](auto* s) {
          with_pools(s);
          s->constraints.choices = {{{0, 0}}, {{1, 0}}, {}, {}};
        },
        nullptr,
        {},
        false},
       {"both in one",
        [&](auto* s) {
          with_pools(s);
          s->constraints.choices = {{{1, 0}}, {{1, 0}}, {}, {}};
        },
        "at fixed offsets, tensor 0 and tensor 1 both hold bytes [8, 12) of "
        "pool 'slow' at task 1",
        {0, 1},
        true},
       {"the one that a group has in common",
        [&](auto* s) {
          with_pools(s);
          s->constraints.places = {InGroupZero(0), {}, InGroupZero(0), {}};
          s->constraints.choices = {{{0, 0}, {1, 0}}, {{1, 0}}, {{1, 0}}, {}};
        },
        "at fixed offsets, tensor 0 and tensor 1 both hold bytes [8, 12) of "
        "pool 'slow' at task 1",
        {0, 1},
        true},
       {"none that a group has in common",
        [&](auto* s) {
          s->constraints.pools = {{"a", {}}, {"b", {}}, {"c", {}}};
          s->constraints.places = {InGroupZero(0), InGroupZero(2),
                                   InGroupZero(8), InGroupZero(9)};
          s->constraints.choices = {
              {{0, 1}, {1, 1}}, {}, {{1, 1}, {2, 1}}, {{2, 1}, {0, 1}}};
        },
        "no pool is allowed for all records of a group: records 0, 2 and 3",
        {0, 2, 3},
        false},
       {"a hole of the other pool",
        [&](auto* s) {
          with_pools(s);
          s->constraints.choices = {{{1, 0}}, {}, {}, {}};
          s->constraints.holes = {{0, 99, 0, 9, 0}};
        },
        nullptr,
        {},
        false}});
}

// Some records may be placed only in certain pools. At one task, these records
// need more bytes than these pools have in total.
TEST(ContradictionTest, OfPoolsThatAreTooSmallTogether) {
  const auto with_pools = [](ProblemSpec* s) {
    s->fixed_offsets.clear();
    s->names = {"a", "b", "c", "d"};
    s->constraints.pools = {{"fast", 12}, {"slow", 12}, {"far", {}}};
    s->constraints.choices = {{{0, 0}}, {{0, 0}}, {{0, 0}, {1, 1}}, {}};
  };
  CheckContradictions(
      {{"one pool for two records",
        with_pools,
        "'a' and 'b' are live at task 1 and may lie in pool 'fast' alone: 16 "
        "bytes, more than its capacity of 12",
        {0, 1},
        true},
       {"records without names",
        [&](auto* s) {
          with_pools(s);
          s->names.clear();
        },
        "records 0 and 1 are live at task 1 and may lie in pool 'fast' "
        "alone: 16 bytes, more than its capacity of 12",
        {0, 1},
        true},
       {"alignment may cost more",
        [&](auto* s) {
          with_pools(s);
          s->alignment = 2;
        },
        "'a' and 'b' are live at task 1 and may lie in pool 'fast' alone: 16 "
        "bytes, more than its capacity of 12",
        {0, 1},
        false},
       {"two pools for three records",
        [&](auto* s) {
          with_pools(s);
          s->records.emplace_back(9, 1, 1);
          s->names.push_back("e");
          s->constraints.pools[0].capacity = 13;
          s->constraints.choices = {
              {{0, 0}}, {{1, 0}}, {}, {}, {{0, 0}, {1, 0}}};
        },
        nullptr,
        {},
        false},
       {"two pools, which are too small for three records",
        [&](auto* s) {
          with_pools(s);
          s->records.emplace_back(9, 1, 1);
          s->names.push_back("e");
          s->constraints.choices = {
              {{0, 0}}, {{1, 0}}, {}, {}, {{1, 0}, {0, 0}}};
        },
        "'a', 'b' and 'e' are live at task 1 and may lie in pools 'fast' and "
        "'slow' alone: 25 bytes, more than the capacities of 24",
        {0, 1, 4},
        false},
       {"all pools, for records that may lie anywhere",
        [&](auto* s) {
          with_pools(s);
          s->constraints.pools.pop_back();
          s->constraints.pools[0].capacity = 7;
          s->constraints.pools[1].capacity = 8;
          s->constraints.choices.clear();
        },
        "'a' and 'b' are live at task 1 and may lie in pools 'fast' and 'slow' "
        "alone: 16 bytes, more than the capacities of 15",
        {0, 1},
        false},
       {"a pool without a capacity",
        [&](auto* s) {
          with_pools(s);
          s->constraints.pools[0].capacity.reset();
        },
        nullptr,
        {},
        false},
       {"a group may share its bytes",
        [&](auto* s) {
          with_pools(s);
          s->constraints.places = {InGroupZero(0), InGroupZero(0), {}, {}};
        },
        nullptr,
        {},
        false},
       {"branches of a condition are never live together",
        [&](auto* s) {
          with_pools(s);
          s->constraints.never = {{0, 1}};
        },
        nullptr,
        {},
        false}});
}

TEST(ContradictionTest, OfWhatFitsNoPoolAlone) {
  const auto with_pools = [](ProblemSpec* s) {
    s->fixed_offsets.clear();
    s->constraints.pools = {{"fast", 7}, {"slow", 15}};
  };
  CheckContradictions(
      {{"one pool is large enough", with_pools, nullptr, {}, false},
       {"not the one allowed",
        [&](auto* s) {
          with_pools(s);
          s->constraints.choices = {{}, {{0, 0}}, {{1, 4}}, {}};
        },
        "the pools allowed for record 1 have room for 7 bytes at most; "
        "expected 8",
        {1},
        true},
       {"room above its range alone",
        [&](auto* s) {
          with_pools(s);
          s->constraints.places.resize(4);
          s->constraints.places[2].min = 8;
        },
        "the pools allowed for record 2 have room for 15 bytes at most; "
        "expected 16",
        {2},
        true},
       {"a group",
        [&](auto* s) {
          with_pools(s);
          s->constraints.places = {InGroupZero(0), {}, InGroupZero(8), {}};
        },
        "the pools allowed for records 0 and 2 have room for 15 bytes at most; "
        "expected 16",
        {0, 2},
        false},
       {"one without a limit",
        [&](auto* s) {
          with_pools(s);
          s->constraints.pools[1].capacity.reset();
          s->constraints.places = {InGroupZero(0), {}, InGroupZero(8), {}};
        },
        nullptr,
        {},
        false}});
}

TEST(ContradictionTest, IsWhatSolveReturns) {
  ProblemSpec spec = FourRecords();
  spec.fixed_offsets = {4, 8, absl::nullopt, absl::nullopt};
  spec.names = {"a", "b", "c", "d"};
  for (const char* strategy : {"greedy_by_size", "optimal"}) {
    const auto solution = Solve(*Problem::Create(spec), strategy);
    ASSERT_THAT(solution, IsOk());
    EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
    EXPECT_FALSE(solution->has_plan());
    EXPECT_EQ(solution->reason,
              "at fixed offsets, tensor 'a' and tensor 'b' both hold bytes "
              "[8, 12) at task 1");
    EXPECT_THAT(solution->conflict, ElementsAre(0, 1));
    EXPECT_TRUE(solution->conflict_is_irreducible);
  }
}

// Every vector is a valid problem. A contradiction may be found only in vectors
// that have no plan.
TEST(ContradictionTest, IsFoundInInfeasibleVectorsAlone) {
  size_t found = 0;
  for (const std::string& family : support::ConstraintFamilies()) {
    for (const ConstraintVector& vector :
         support::LoadConstraintVectors(family)) {
      SCOPED_TRACE(vector.name);
      const auto problem = Problem::Create(vector.spec);
      ASSERT_THAT(problem, IsOk());
      const auto contradiction = FindContradiction(*problem);
      if (!contradiction) {
        // In the family "pinned", a problem is infeasible only because of fixed
        // records, and this contradiction is always found.
        EXPECT_FALSE(family == "pinned" && vector.is_infeasible);
        continue;
      }
      ++found;
      EXPECT_TRUE(vector.is_infeasible) << contradiction->reason;
    }
  }
  EXPECT_GE(found, 27u);
}

}  // namespace
}  // namespace stowage
