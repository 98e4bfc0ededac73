// SPDX-License-Identifier: Apache-2.0
// Tests what a problem contains and computes, and which contradictory specs are
// refused.
#include "stowage/problem.h"

#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/error_payload.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/testing/generators.h"
#include "tests/model/extreme_sizes.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using FixedOffsets = std::vector<absl::optional<size_t>>;

ProblemSpec SpecOf(std::vector<ByteRecord> records) {
  ProblemSpec spec;
  spec.records = std::move(records);
  return spec;
}

TEST(ProblemTest, KeepsWhatItIsMadeOf) {
  ProblemSpec spec = SpecOf({{16, 0, 1}, {8, 1, 2}});
  spec.alignments = {4, 8};
  spec.capacity = 100;
  spec.reallocation_graph = UsageGraph{{1}, {}};
  spec.fixed_offsets = {absl::nullopt, 16};
  spec.names = {"a", "b"};
  spec.place_first = {1};
  const auto problem = Problem::Create(spec);
  ASSERT_THAT(problem, IsOk());
  EXPECT_THAT(problem->place_first(), ElementsAre(1));
  EXPECT_EQ(problem->kind(), PlanKind::kOffsets);
  EXPECT_EQ(problem->size(), 2u);
  EXPECT_EQ(problem->records()[1].tensor_size, 8u);
  EXPECT_EQ(problem->alignments().Of(1), 8u);
  EXPECT_EQ(problem->capacity(), 100u);
  EXPECT_EQ(*problem->reallocation_graph(), (UsageGraph{{1}, {}}));
  EXPECT_EQ(problem->fixed_offset(0), absl::nullopt);
  EXPECT_EQ(problem->fixed_offset(1), 16u);
  EXPECT_THAT(problem->names(), ElementsAre("a", "b"));
  EXPECT_THAT(problem->Requires().Names(),
              ElementsAre("offsets", "reallocation_graph", "fixed_offsets"));
}

TEST(ProblemTest, AsksForNothingThatIsNotGiven) {
  const auto problem = Problem::Create(SpecOf({{16, 0, 1}}));
  ASSERT_THAT(problem, IsOk());
  EXPECT_EQ(problem->alignments().Of(0), 1u);
  EXPECT_EQ(problem->capacity(), absl::nullopt);
  EXPECT_EQ(problem->reallocation_graph(), nullptr);
  EXPECT_FALSE(problem->has_fixed_offsets());
  EXPECT_EQ(problem->fixed_offset(0), absl::nullopt);
  EXPECT_THAT(problem->names(), IsEmpty());
  EXPECT_THAT(problem->Requires().Names(), ElementsAre("offsets"));
}

// If no entry of `fixed_offsets` has a value, nothing is fixed, and the problem
// does not need the feature.
TEST(ProblemTest, RequiresFixedOffsetsOnlyIfThereIsOne) {
  ProblemSpec spec = SpecOf({{16, 0, 1}});
  spec.fixed_offsets = {absl::nullopt};
  const auto problem = Problem::Create(spec);
  ASSERT_THAT(problem, IsOk());
  EXPECT_FALSE(problem->Requires().Has(Feature::kFixedOffsets));
}

TEST(ProblemTest, RequiresTheKindOfPlan) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  EXPECT_THAT(Problem::Create(spec)->Requires().Names(),
              ElementsAre("objects"));
}

TEST(ProblemTest, IsBoundedByItsProfileAndItsFixedOffsets) {
  ProblemSpec spec = SpecOf({{16, 0, 7}, {8, 5, 9}, {4, 8, 9}});
  const auto offsets = Problem::Create(spec);
  ASSERT_THAT(offsets, IsOk());
  EXPECT_EQ(LowerBoundOf(*offsets).bytes, 24u);
  EXPECT_EQ(TaskOf(LowerBoundOf(*offsets).proof), 5u);
  EXPECT_EQ(Describe(LowerBoundOf(*offsets).proof), "the bytes live at task 5");
  EXPECT_EQ(NaiveSize(*offsets), 28u);

  spec.fixed_offsets = {absl::nullopt, absl::nullopt, 30};
  const auto fixed = Problem::Create(spec);
  ASSERT_THAT(fixed, IsOk());
  EXPECT_EQ(LowerBoundOf(*fixed).bytes, 34u);
  EXPECT_EQ(TaskOf(LowerBoundOf(*fixed).proof), absl::nullopt);
  EXPECT_EQ(Describe(LowerBoundOf(*fixed).proof),
            "the end of record 2 at its fixed offset");

  spec.fixed_offsets.clear();
  spec.kind = PlanKind::kObjects;
  EXPECT_EQ(Describe(LowerBoundOf(*Problem::Create(spec)).proof),
            "the sum of positional maximums");
}

TEST(ProblemTest, NeedsNoProofOfABoundOfZero) {
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    for (const ProblemSpec& of_zero :
         {SpecOf({}), SpecOf({{0, 0, 7}, {0, 5, 9}})}) {
      ProblemSpec spec = of_zero;
      spec.kind = kind;
      const LowerBound bound = LowerBoundOf(*Problem::Create(spec));
      EXPECT_EQ(bound.bytes, 0u);
      EXPECT_EQ(Describe(bound.proof), "no record needs any bytes");
    }
  }
}

struct ContradictionCase {
  const char* name;
  FixedOffsets fixed;
  size_t alignment;
  absl::StatusCode code;
  const char* message;
  std::vector<size_t> records;
};

TEST(ProblemTest, NamesAllRecordsOfAContradiction) {
  const ContradictionCase cases[] = {
      {"one is misaligned",
       {absl::nullopt, 8, absl::nullopt},
       16,
       absl::StatusCode::kInvalidArgument,
       "record 1: fixed offset 8 is not aligned; expected a multiple of its "
       "alignment 16",
       {1}},
      {"three are misaligned",
       {1, 8, 2},
       16,
       absl::StatusCode::kInvalidArgument,
       "records 0, 1 and 2: fixed offset 1 of record 0 is not aligned; "
       "expected a multiple of its alignment 16",
       {0, 1, 2}},
      {"one ends above all offsets",
       {kMax - 3, absl::nullopt, absl::nullopt},
       4,
       absl::StatusCode::kOutOfRange,
       "record 0: fixed offset 18446744073709551612 and the sum of the sizes "
       "above it exceed 2^64 - 1; expected a sum below 2^64",
       {0}},
  };
  for (const ContradictionCase& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec = SpecOf({{32, 0, 1}, {32, 1, 2}, {32, 2, 3}});
    spec.alignment = c.alignment;
    spec.fixed_offsets = c.fixed;
    const auto problem = Problem::Create(spec);
    EXPECT_THAT(problem, FailsWith(c.code, c.message));
    EXPECT_EQ(RecordsOf(problem.status()), c.records);
  }
}

// A fixed offset is refused if the end of the record, whose size is padded to
// its alignment, would exceed the largest 64-bit number.
TEST(ProblemTest, RefusesAFixedOffsetWhosePaddingIsOneByteTooMuch) {
  ProblemSpec spec = SpecOf({{1, 0, 0}});
  spec.alignment = 4;
  spec.fixed_offsets = {kMax - 3};
  EXPECT_EQ(Problem::Create(spec).status().code(),
            absl::StatusCode::kOutOfRange);
  spec.fixed_offsets = {kMax - 7};
  EXPECT_THAT(Problem::Create(spec), IsOk());
}

TEST(ProblemTest, RefusesListsOfAnotherLength) {
  ProblemSpec spec = SpecOf({{16, 0, 1}, {8, 1, 2}});
  spec.fixed_offsets = {0};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "fixed offsets: 1 given; expected 2, one for each "
                        "record"));
  spec.fixed_offsets.clear();
  spec.names = {"a", "b", "c"};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "names: 3 given; expected 2, one for each record"));
}

TEST(ProblemTest, RefusesRecordsToPlaceFirstThatAreNotThereOrListedTwice) {
  ProblemSpec spec = SpecOf({{16, 0, 1}, {8, 1, 2}});
  spec.place_first = {1, 2};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "records to place first: record 2 is listed; expected "
                        "an index below 2"));
  spec.place_first = {1, 0, 1};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "records to place first: record 1 is listed twice; "
                        "expected each once at most"));
}

TEST(ProblemTest, RefusesWhatNoStrategySupports) {
  ProblemSpec spec = SpecOf({{16, 0, 1}});
  spec.kind = PlanKind::kObjects;
  spec.fixed_offsets = {0};
  EXPECT_THAT(Problem::Create(spec),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "fixed offsets: shared objects have none; expected "
                        "kind offsets"));
}

TEST(ProblemTest, ErrorsOfRecordsCarryTheirIndex) {
  EXPECT_THAT(
      RecordsOf(Problem::Create(SpecOf({{8, 0, 1}, {8, 3, 2}})).status()),
      ElementsAre(1));
  EXPECT_THAT(
      RecordsOf(Problem::Create(SpecOf({{kMax, 0, 1}, {8, 2, 2}})).status()),
      ElementsAre(1));
}

// Each record that is larger than the capacity is a conflict by itself. The
// reported conflict lists all of these records, so it is not irreducible.
TEST(ProblemTest, RecordsLargerThanTheCapacityAreTheConflict) {
  ProblemSpec spec = SpecOf({{16, 0, 1}, {64, 2, 3}, {48, 4, 5}});
  spec.capacity = 40;
  const auto none = Solve(*Problem::Create(spec), "naive");
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(none->status, SolutionStatus::kInfeasible);
  EXPECT_THAT(none->conflict, ElementsAre(1, 2));
  EXPECT_FALSE(none->conflict_is_irreducible);
}

// The sizes of any two of the three records fit the capacity. With an alignment
// of 2, however, padding could still prevent a plan for two of them. The
// library does not examine the padding, so it does not report that the conflict
// is irreducible.
TEST(ProblemTest, AConflictOfPaddedSizesIsNotCalledIrreducible) {
  ProblemSpec spec = SpecOf({{8, 0, 0}, {8, 0, 0}, {8, 0, 0}});
  spec.capacity = 17;
  const auto tight = Solve(*Problem::Create(spec), "optimal");
  EXPECT_TRUE(tight->conflict_is_irreducible);
  spec.alignment = 2;
  const auto padded = Solve(*Problem::Create(spec), "optimal");
  EXPECT_THAT(padded->conflict, ElementsAre(0, 1, 2));
  EXPECT_FALSE(padded->conflict_is_irreducible);
}

TEST(ProblemTest, CopiesShareWhatIsComputedOnAnyThread) {
  const auto problem = Problem::Create(SpecOf({{16, 0, 7}, {8, 5, 9}}));
  ASSERT_THAT(problem, IsOk());
  const Problem copy = *problem;
  const IntervalRanks* seen = nullptr;
  std::thread other([&] { seen = &RanksOf(copy); });
  const IntervalRanks& ranks = RanksOf(*problem);
  other.join();
  EXPECT_EQ(seen, &ranks);
}

RC_GTEST_PROP(ProblemPropertyTest, NumbersAreThoseOfTheProfile, ()) {
  const std::vector<ByteRecord> records = *testing::AnyRecords();
  ProblemSpec spec = SpecOf(records);
  const Problem offsets = *Problem::Create(spec);
  spec.kind = PlanKind::kObjects;
  const Problem objects = *Problem::Create(spec);
  RC_ASSERT(LowerBoundOf(offsets).bytes == OffsetsLowerBound(records));
  const TaskBreadth peak = MaximumBreadth(records);
  RC_ASSERT(
      TaskOf(LowerBoundOf(offsets).proof) ==
      (peak.breadth > 0 ? absl::make_optional(peak.task) : absl::nullopt));
  RC_ASSERT(LowerBoundOf(objects).bytes == ObjectsLowerBound(records));
  RC_ASSERT(NaiveSize(offsets) == NaiveSize(records));
}

}  // namespace
}  // namespace stowage
