// SPDX-License-Identifier: Apache-2.0
// Tests pairs of records that may be at the same offset or apart. Compares
// plans of small problems with all possible plans.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;

size_t Below(size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<size_t>(0, end));
}

uint32_t GroupIn(const ProblemSpec& spec, size_t i) {
  return spec.constraints.places.empty() ? kNoGroup
                                         : spec.constraints.places[i].group;
}

// Finds the smallest total size of all plans by trying every offset of every
// record.
class AllPlans {
 public:
  explicit AllPlans(const ProblemSpec& spec) : spec_(spec) {
    for (const SharedPlace& pair : spec.constraints.same_or_apart) {
      pairs_.emplace_back(pair.first, pair.second);
    }
  }

  // Returns the least total size up to `max`, or nothing if no plan fits.
  absl::optional<size_t> LeastTotal(size_t max) {
    for (total_ = 0; total_ <= max; ++total_) {
      offsets_.clear();
      if (Place()) return total_;
    }
    return absl::nullopt;
  }

 private:
  bool MayShare(size_t a, size_t b) const {
    const auto has = [&](size_t x, size_t y) {
      return std::find(pairs_.begin(), pairs_.end(), std::make_pair(x, y)) !=
             pairs_.end();
    };
    return has(a, b) || has(b, a);
  }

  bool Fits(size_t a, size_t b) const {
    const auto& records = spec_.records;
    if (GroupIn(spec_, a) != kNoGroup &&
        GroupIn(spec_, a) == GroupIn(spec_, b)) {
      return offsets_[b] + spec_.constraints.places[a].at ==
             offsets_[a] + spec_.constraints.places[b].at;
    }
    const bool meet = records[a].first_task <= records[b].last_task &&
                      records[b].first_task <= records[a].last_task;
    if (!meet || offsets_[a] + records[a].tensor_size <= offsets_[b] ||
        offsets_[b] + records[b].tensor_size <= offsets_[a]) {
      return true;
    }
    return offsets_[a] == offsets_[b] && MayShare(a, b);
  }

  bool Place() {
    const size_t i = offsets_.size();
    if (i == spec_.records.size()) return true;
    const size_t at =
        GroupIn(spec_, i) == kNoGroup ? 0 : spec_.constraints.places[i].at;
    for (size_t offset = at; offset + spec_.records[i].tensor_size <= total_;
         offset += spec_.alignment) {
      offsets_.push_back(offset);
      bool fits = true;
      for (size_t other = 0; other < i && fits; ++other) fits = Fits(other, i);
      if (fits && Place()) return true;
      offsets_.pop_back();
    }
    return false;
  }

  const ProblemSpec& spec_;
  std::vector<std::pair<size_t, size_t>> pairs_;
  std::vector<size_t> offsets_;
  size_t total_ = 0;
};

// Returns a random problem of up to six records. Some records are in groups,
// and the problem has pairs of records of equal size.
ProblemSpec AnyProblem() {
  ProblemSpec spec;
  const size_t count = 2 + Below(5);
  const size_t sizes = 1 + Below(3);
  const bool has_groups = Below(3) == 0;
  spec.alignment = size_t{1} << Below(3);
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = Below(4);
    spec.records.emplace_back(1 + Below(sizes), first, first + Below(4));
    if (!has_groups) continue;
    RecordPlace place;
    place.group = Below(2) == 0 ? static_cast<uint32_t>(Below(2)) : kNoGroup;
    if (place.group != kNoGroup && Below(3) == 0) {
      place.at = spec.alignment * Below(3);
    }
    spec.constraints.places.push_back(place);
  }
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a + 1; b < count; ++b) {
      if (spec.records[a].tensor_size != spec.records[b].tensor_size ||
          Below(2) == 0) {
        continue;
      }
      if (has_groups && GroupIn(spec, a) != kNoGroup &&
          GroupIn(spec, a) == GroupIn(spec, b)) {
        continue;
      }
      spec.constraints.same_or_apart.push_back({a, b, Below(3)});
    }
  }
  return spec;
}

// Returns an upper bound on the total size of the smallest plan.
size_t MaxTotalOf(const ProblemSpec& spec) {
  size_t sum = 0;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    sum += spec.records[i].tensor_size + spec.alignment;
    if (!spec.constraints.places.empty()) sum += spec.constraints.places[i].at;
  }
  return sum;
}

RC_GTEST_PROP(SameOrApartTest, PlansAreTheSmallestOfAllPlans, ()) {
  const ProblemSpec spec = AnyProblem();
  const auto problem = Problem::Create(spec);
  RC_ASSERT(problem.ok());
  const auto least = AllPlans(spec).LeastTotal(MaxTotalOf(spec));
  RC_ASSERT(least.has_value());
  RC_ASSERT(LowerBoundOf(*problem).bytes <= *least);
  RC_ASSERT(AlignedLowerBound(*problem) <= *least);
  const auto solution = Solve(*problem, "optimal");
  RC_ASSERT(solution.ok());
  RC_ASSERT(solution->has_plan());
  RC_ASSERT(!FindViolation(*problem, *solution->offsets()));
  RC_ASSERT(solution->total_size == *least);
  RC_ASSERT(solution->status == SolutionStatus::kOptimal);
  RC_ASSERT(solution->lower_bound == *least);
}

RC_GTEST_PROP(SameOrApartTest, EveryStrategyPlansSafely, ()) {
  const ProblemSpec spec = AnyProblem();
  const auto problem = Problem::Create(spec);
  RC_ASSERT(problem.ok());
  const auto least = AllPlans(spec).LeastTotal(MaxTotalOf(spec));
  for (const Strategy* strategy : AllStrategies()) {
    const auto solution = Solve(*problem, *strategy);
    if (!solution.ok()) {
      RC_ASSERT(absl::IsUnimplemented(solution.status()));
      continue;
    }
    RC_ASSERT(solution->has_plan());
    RC_ASSERT(!FindViolation(*problem, *solution->offsets()));
    RC_ASSERT(solution->lower_bound <= *least);
    RC_ASSERT(solution->total_size >= *least);
    RC_ASSERT(solution->status != SolutionStatus::kOptimal ||
              solution->total_size == *least);
    const auto decided = DecidedProblem(*problem, *solution);
    RC_ASSERT(decided.ok());
    RC_ASSERT(!FindViolation(*decided, *solution->offsets()));
    Solution bare = *solution->offsets();
    const auto derived = DecidedProblem(*problem, bare);
    RC_ASSERT(derived.ok());
    RC_ASSERT(!FindViolation(*derived, *solution->offsets()));
  }
}

// Returns the records k, a and b of trials/xla_46543, a program of XLA. Record
// b is a copy of record a. If the pair is only listed in `never`, a plan may
// let the copy share some, but not all, of the bytes of its source.
ProblemSpec CopyOfXla() {
  ProblemSpec spec;
  spec.records = {{1024, 6, 10}, {4096, 6, 7}, {4096, 7, 10}};
  spec.names = {"k", "a", "b"};
  return spec;
}

TEST(SameOrApartTest, NoStrategySharesAPartOfACopy) {
  ProblemSpec spec = CopyOfXla();
  spec.constraints.never = {{1, 2}};
  const Problem with_never = *Problem::Create(spec);
  const OffsetsAssignment partial = {{4096, 0, 1024}, 5120};
  EXPECT_THAT(Describe(*FindViolation(with_never, partial), with_never),
              ::testing::HasSubstr("'k' and tensor 'b'"));
  spec.constraints.never.clear();
  spec.constraints.same_or_apart = {{1, 2, 4096}};
  const Problem problem = *Problem::Create(spec);
  for (const Strategy* strategy : AllStrategies()) {
    SCOPED_TRACE(strategy->info().name);
    const auto solution = Solve(problem, *strategy);
    if (!solution.ok()) {
      EXPECT_EQ(solution.status().code(), absl::StatusCode::kUnimplemented);
      continue;
    }
    ASSERT_TRUE(solution->has_plan());
    EXPECT_FALSE(FindViolation(problem, *solution->offsets()));
    if (strategy->info().name == "naive") continue;
    EXPECT_EQ(solution->total_size, 5120);
    EXPECT_EQ(BytesNotCopied(problem, *solution->offsets()), 4096);
    EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
  }
  const Violation violation =
      *FindViolation(problem, OffsetsAssignment{{5120, 0, 1024}, 6144});
  EXPECT_EQ(violation.kind, Violation::Kind::kSharedInPart);
  EXPECT_EQ(Describe(violation, problem),
            "tensor 'a' and tensor 'b' may lie in one place or apart; they "
            "share bytes [1024, 4096) only");
}

struct ChoiceCase {
  const char* name;
  std::vector<TensorUsageRecord<size_t>> records;
  std::vector<uint32_t> groups;  // kNoGroup for records in none
  std::vector<SharedPlace> pairs;
  size_t total;
  uint64_t not_copied;
};

const ChoiceCase kChoiceCases[] = {
    {"a copy", {{8, 0, 1}, {8, 1, 2}}, {}, {{0, 1, 8}}, 8, 8},
    {"a pair that does not conflict saves its copy",
     {{8, 0, 1}, {8, 2, 3}, {8, 0, 0}},
     {},
     {{0, 1, 8}},
     16,
     8},
    {"a chain, whose ends do not conflict",
     {{8, 0, 1}, {8, 1, 2}, {8, 2, 3}},
     {},
     {{0, 1, 3}, {1, 2, 4}},
     8,
     7},
    {"the ends of a chain conflict: the copy of more bytes is left out",
     {{8, 0, 2}, {8, 1, 2}, {8, 2, 3}},
     {},
     {{0, 1, 3}, {1, 2, 4}},
     16,
     4},
    {"three in one place",
     {{8, 0, 2}, {8, 1, 2}, {8, 2, 3}},
     {},
     {{0, 1, 3}, {1, 2, 4}, {2, 0, 1}},
     8,
     8},
    // The smallest plan has 12 bytes whether the pair is apart or in one place.
    // In one place, the pair needs no copy.
    {"one place is as small, and saves a copy",
     {{4, 0, 1}, {4, 1, 2}, {8, 0, 0}, {4, 1, 1}, {8, 2, 2}},
     {},
     {{0, 1, 4}},
     12,
     4},
    {"groups move along",
     {{8, 0, 1}, {8, 4, 5}, {8, 1, 2}, {8, 5, 6}},
     {0, 0, 1, 1},
     {{0, 2, 8}, {1, 3, 8}},
     8,
     16},
    {"groups of which one pair is not listed stay apart",
     {{8, 0, 1}, {8, 4, 5}, {8, 1, 2}, {8, 5, 6}},
     {0, 0, 1, 1},
     {{0, 2, 8}},
     16,
     0},
};

TEST(SameOrApartTest, MakesTheBestChoice) {
  for (const ChoiceCase& c : kChoiceCases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec;
    spec.records = c.records;
    for (const uint32_t group : c.groups) {
      spec.constraints.places.emplace_back().group = group;
    }
    spec.constraints.same_or_apart = c.pairs;
    const auto problem = Problem::Create(std::move(spec));
    ASSERT_THAT(problem, IsOk());
    const auto solution = Solve(*problem, "optimal");
    ASSERT_THAT(solution, IsOk());
    ASSERT_TRUE(solution->has_plan());
    EXPECT_EQ(solution->total_size, c.total);
    EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
    EXPECT_EQ(BytesNotCopied(*problem, *solution->offsets()), c.not_copied);
  }
}

struct UnionCase {
  const char* name;
  void (*change)(ProblemSpec* spec);
  size_t total;
};

// Fixed offsets, ranges and alignments determine which pairs can be united.
const UnionCase kUnionCases[] = {
    {"nothing in the way", [](ProblemSpec*) {}, 8},
    {"fixed in one place",
     [](ProblemSpec* s) {
       s->fixed_offsets = {8, 8};
     },
     16},
    {"fixed elsewhere",
     [](ProblemSpec* s) {
       s->fixed_offsets = {8, 0};
     },
     16},
    {"ranges without a common place",
     [](ProblemSpec* s) {
       s->constraints.places.resize(2);
       s->constraints.places[0].max = 15;
       s->constraints.places[1].min = 8;
     },
     16},
    {"a range of both",
     [](ProblemSpec* s) {
       s->constraints.places.resize(2);
       s->constraints.places[0].min = 4;
       s->constraints.places[1].max = 12;
     },
     12},
    {"a group of one, which begins at byte 0 or above",
     [](ProblemSpec* s) {
       s->constraints.places.resize(2);
       s->constraints.places[0].group = 5;
       s->constraints.places[0].at = 16;
     },
     24},
    {"an alignment that the group of one of them excludes",
     [](ProblemSpec* s) {
       s->records.emplace_back(8, 5, 5);
       s->alignments = {1, 16, 16};
       s->constraints.places.resize(3);
       s->constraints.places[0].group = 1;
       s->constraints.places[0].at = 8;
       s->constraints.places[2].group = 1;
     },
     16},
};

TEST(SameOrApartTest, PairsThatCannotBeInOnePlaceStayApart) {
  for (const UnionCase& c : kUnionCases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec;
    spec.records = {{8, 0, 1}, {8, 1, 2}};
    spec.constraints.same_or_apart = {{0, 1}};
    c.change(&spec);
    const auto problem = Problem::Create(std::move(spec));
    ASSERT_THAT(problem, IsOk());
    const auto solution = Solve(*problem, "optimal");
    ASSERT_THAT(solution, IsOk());
    ASSERT_TRUE(solution->has_plan());
    EXPECT_EQ(solution->total_size, c.total);
    EXPECT_EQ(solution->status, SolutionStatus::kOptimal) << solution->reason;
    EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
  }
}

TEST(SameOrApartTest, CapacitiesHoldForEveryChoice) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 1, 2}};
  spec.constraints.same_or_apart = {{0, 1}};
  const struct {
    size_t capacity;
    SolutionStatus status;
  } cases[] = {{16, SolutionStatus::kOptimal},
               {15, SolutionStatus::kInfeasible}};
  for (const auto& c : cases) {
    spec.capacity = c.capacity;
    const auto solution = Solve(*Problem::Create(spec), "optimal");
    ASSERT_THAT(solution, IsOk());
    EXPECT_EQ(solution->status, c.status) << solution->reason;
    EXPECT_EQ(solution->lower_bound, 16);
  }
}

// A group of a solution may unite records only if the pairs of the problem
// permit it.
TEST(SameOrApartTest, DecidedProblemsHaveOnlyGroupsThatArePermitted) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 1, 2}, {8, 4, 5}};
  spec.constraints.same_or_apart = {{0, 1}};
  spec.constraints.places.resize(4);
  spec.constraints.places[2].group = 3;
  spec.constraints.places[3].group = 3;
  spec.constraints.places[3].at = 8;
  const Problem problem = *Problem::Create(spec);
  const auto places = [](const std::vector<uint32_t>& groups) {
    std::vector<RecordPlace> made;
    for (const uint32_t group : groups) made.emplace_back().group = group;
    made[3].at = 8;
    return made;
  };
  const struct {
    const char* name;
    std::vector<RecordPlace> places;
    const char* error;  // empty for none
  } cases[] = {
      {"nothing united", places({kNoGroup, kNoGroup, 0, 0}), ""},
      {"a pair united", places({1, 1, 0, 0}), ""},
      {"a group is given up", places({1, 1, kNoGroup, kNoGroup}),
       "records 2 and 3: a group of the solution; expected all of a group of "
       "the problem, with the same distances"},
      {"no pair", places({0, kNoGroup, 0, 0}),
       "records 0 and 2: a group of the solution; expected records that pairs "
       "in one place connect"},
      {"a conflict with another record", places({0, 0, 0, 0}),
       "records 0 and 2: a group of the solution; expected records that pairs "
       "in one place connect"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Solution solution;
    solution.places = c.places;
    const auto decided = DecidedProblem(problem, solution);
    if (*c.error == 0) {
      ASSERT_THAT(decided, IsOk());
      EXPECT_TRUE(decided->constraints()->same_or_apart.empty());
    } else {
      EXPECT_THAT(decided, support::FailsWith(
                               absl::StatusCode::kInvalidArgument, c.error));
    }
  }
}

// A plan of any origin may be an incumbent, even if it has no `places`.
TEST(SameOrApartTest, PlansInOnePlaceAreIncumbents) {
  ProblemSpec spec = CopyOfXla();
  spec.constraints.same_or_apart = {{1, 2, 4096}};
  const Problem problem = *Problem::Create(spec);
  Solution incumbent = OffsetsAssignment{{4096, 0, 0}, 5120};
  SolveOptions options;
  options.incumbent = &incumbent;
  const auto solution = Solve(problem, "naive", options);
  ASSERT_THAT(solution, IsOk());
  EXPECT_EQ(solution->total_size, 5120);
  EXPECT_THAT(DecidedProblem(problem, *solution), IsOk());
  incumbent = OffsetsAssignment{{5120, 0, 1024}, 6144};
  EXPECT_EQ(Solve(problem, "naive", options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SameOrApartTest, NoFreeOrderGoesWithPairs) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 0, 0}};
  spec.constraints.same_or_apart = {{0, 1}};
  spec.free_order.emplace();
  spec.free_order->tasks = 1;
  spec.free_order->users = {{{0}, {0}}};
  const std::string message =
      "free order: pairs that may lie in one place cannot be combined with it; "
      "expected groups, or an order that is given";
  EXPECT_THAT(Problem::Create(spec),
              support::FailsWith(absl::StatusCode::kUnimplemented, message));
}

// Greedy placement is fast enough for 2,000 records that are all in pairs.
TEST(SameOrApartTest, LargeProblemsAreSolvedInTime) {
  ProblemSpec spec;
  constexpr size_t kRecords = 2000;
  for (size_t i = 0; i < kRecords; ++i) {
    spec.records.emplace_back(64 + 64 * (i / 2 % 7), i / 2, i / 2 + 3 + i % 3);
    if (i % 2 == 1) spec.constraints.same_or_apart.push_back({i - 1, i, 64});
  }
  const Problem problem = *Problem::Create(std::move(spec));
  const auto solution = Solve(problem, "greedy_by_size");
  ASSERT_THAT(solution, IsOk());
  ASSERT_TRUE(solution->has_plan());
  EXPECT_FALSE(FindViolation(problem, *solution->offsets()));
  EXPECT_GE(solution->total_size, solution->lower_bound);
  EXPECT_GT(BytesNotCopied(problem, *solution->offsets()), 0);
}

}  // namespace
}  // namespace stowage
