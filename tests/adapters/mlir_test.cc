// SPDX-License-Identifier: Apache-2.0
// Tests the adapter for MLIR: half-open lifetimes, alignments, random
// allocations, and which allocations it leaves to the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/adapters/mlir/static_memory_planner.h"
#include "stowage/verify.h"
#include "tests/adapters/mlir_host.h"
#include "tests/support/status_matchers.h"

namespace stowage::adapters {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMaxOffset = std::numeric_limits<int64_t>::max();

StatusOr<MlirPlan> PlanBeside(const MlirAllocs& allocs) {
  return PlanMlirArena(ArenaAlignment(allocs), allocs, PlanAsMlir);
}

// Returns a planner that returns `offsets` for any allocations.
auto Answering(std::vector<int64_t> offsets) {
  return [offsets = std::move(offsets)](int64_t, const MlirAllocs&) {
    return offsets;
  };
}

// Returns whether two allocations are live at the same time by the rule of the
// host.
bool AreLiveAtOnce(const mlir::bufferization::MemoryPlannerAlloc& a,
                   const mlir::bufferization::MemoryPlannerAlloc& b) {
  return std::max(a.timeStart, b.timeStart) < std::min(a.timeEnd, b.timeEnd);
}

bool IsSafe(const MlirAllocs& allocs, const std::vector<int64_t>& offsets) {
  if (offsets.size() != allocs.size()) return false;
  for (size_t i = 0; i < allocs.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] % allocs[i].alignment != 0) return false;
    for (size_t j = 0; j < i; ++j) {
      if (AreLiveAtOnce(allocs[i], allocs[j]) &&
          offsets[i] < offsets[j] + allocs[j].sizeInBytes &&
          offsets[j] < offsets[i] + allocs[i].sizeInBytes) {
        return false;
      }
    }
  }
  return true;
}

TEST(MlirRecords, AreInclusive) {
  const auto records = MlirRecords(
      MlirAllocs{{8, 1, 5, 7}, {16, 1, 7, 8}, {24, 1, 6, 6}, {0, 1, 5, 5}});
  EXPECT_EQ(records[0].first_task, 0u);
  EXPECT_EQ(records[0].last_task, 1u);
  EXPECT_EQ(records[1].first_task, 2u);
  EXPECT_EQ(records[1].last_task, 2u);
  EXPECT_EQ(records[2].first_task, 3u) << "a task of its own";
  EXPECT_EQ(records[3].first_task, 4u) << "a task of its own";
  EXPECT_EQ(records[2].tensor_size, 24u);
}

TEST(MlirRecords, HaveEveryTimeOf64Bits) {
  const auto records = MlirRecords(
      MlirAllocs{{8, 1, -kMaxOffset - 1, kMaxOffset}, {8, 1, 0, 0}});
  EXPECT_EQ(records[0].first_task, 0u);
  EXPECT_EQ(records[0].last_task, std::numeric_limits<size_t>::max() - 1);
  EXPECT_FALSE(Conflict(records[0], records[1]));
}

// Lifetimes are half-open, so one lifetime may begin where another one ends.
// Tests this at both ends of the first lifetime.
TEST(PlanMlirArena, ReusesBytesWhereLifetimesTouch) {
  const auto plan = PlanBeside({{64, 1, 2, 4}, {64, 1, 4, 6}, {64, 1, 0, 2}});
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total, 64u);
  EXPECT_THAT(plan->offsets, ElementsAre(0, 0, 0));
}

TEST(PlanMlirArena, SeparatesLifetimesThatShareAStep) {
  const auto plan = PlanBeside({{64, 1, 0, 3}, {64, 1, 2, 4}});
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total, 128u);
}

TEST(PlanMlirArena, GivesRoomToAnAllocationWithEqualEnds) {
  const auto plan = PlanBeside({{64, 1, 0, 9}, {96, 1, 4, 4}, {32, 1, 4, 4}});
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total, 96u) << "the host needs 160";
}

TEST(PlanMlirArena, IsSmallerThanTheHost) {
  const MlirAllocs allocs = {{64, 1, 0, 2},
                             {96, 1, 0, 3},
                             {64, 1, 1, 6},
                             {128, 1, 3, 6},
                             {96, 1, 4, 6}};
  const std::vector<int64_t> host = PlanAsMlir(1, allocs);
  EXPECT_EQ(host[4] + 96, 320);
  const auto plan = PlanBeside(allocs);
  ASSERT_THAT(plan, IsOk());
  EXPECT_FALSE(plan->is_hosts_plan);
  EXPECT_EQ(plan->total, 288u);
  EXPECT_TRUE(IsSafe(allocs, plan->offsets));
}

TEST(PlanMlirArena, PlansNothing) {
  const auto plan = PlanBeside({});
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, IsEmpty());
  EXPECT_EQ(plan->total, 0u);
}

TEST(PlanMlirArena, PlacesAllocationsWithoutBytes) {
  const auto plan = PlanBeside({{0, 16, 0, 3}, {8, 1, 0, 3}, {0, 1, 1, 1}});
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->total, 8u);
}

TEST(PlanMlirArena, KeepsTheAlignmentOfEach) {
  const MlirAllocs allocs = {
      {3, 1, 0, 3}, {5, 8, 0, 3}, {7, 64, 1, 3}, {1, 2, 2, 4}};
  const auto plan = PlanBeside(allocs);
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(IsSafe(allocs, plan->offsets));
}

struct LeftCase {
  const char* name;
  int64_t arena_alignment;
  int64_t alignment;
};

class LeftToTheHost : public ::testing::TestWithParam<LeftCase> {};

// The plan has the unchanged offsets of the host, although these waste bytes.
TEST_P(LeftToTheHost, IfAnAlignmentCannotBeExpressed) {
  const LeftCase& c = GetParam();
  const MlirAllocs allocs = {{8, 4, 0, 3}, {8, c.alignment, 1, 3}};
  const auto plan =
      PlanMlirArena(c.arena_alignment, allocs, Answering({960, 480}));
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(plan->is_hosts_plan);
  EXPECT_THAT(plan->offsets, ElementsAre(960, 480));
  EXPECT_EQ(plan->total, 968u);
  EXPECT_EQ(plan->refusal.code(), absl::StatusCode::kUnimplemented);
}

INSTANTIATE_TEST_SUITE_P(
    , LeftToTheHost,
    ::testing::Values(LeftCase{"NoPowerOfTwo", 12, 12},
                      LeftCase{"NoMultipleForTheArena", 4, 8},
                      LeftCase{"Zero", 4, 0}, LeftCase{"Negative", 4, -4}),
    [](const auto& c) { return c.param.name; });

struct UnsafeCase {
  const char* name;
  MlirAllocs allocs;
  std::vector<int64_t> offsets;
  Violation::Kind kind;
};

class UnsafeHost : public ::testing::TestWithParam<UnsafeCase> {};

TEST_P(UnsafeHost, IsReportedAndNotReturned) {
  const UnsafeCase& c = GetParam();
  const auto plan = PlanMlirArena(96, c.allocs, Answering(c.offsets));
  ASSERT_THAT(plan, IsOk());
  EXPECT_FALSE(plan->is_hosts_plan);
  ASSERT_TRUE(plan->host_violation);
  EXPECT_EQ(plan->host_violation->kind, c.kind);
  EXPECT_TRUE(IsSafe(c.allocs, plan->offsets));
}

const MlirAllocs& Two() {
  static const auto* const allocs = new MlirAllocs{{8, 1, 0, 3}, {8, 4, 1, 3}};
  return *allocs;
}

INSTANTIATE_TEST_SUITE_P(
    , UnsafeHost,
    ::testing::Values(
        UnsafeCase{
            "Overlap", Two(), {0, 4}, Violation::Kind::kOverlappingBytes},
        UnsafeCase{"Misaligned", Two(), {0, 9}, Violation::Kind::kMisaligned},
        UnsafeCase{"Negative", Two(), {0, -8}, Violation::Kind::kBeyondArena},
        UnsafeCase{"TooFew", Two(), {0}, Violation::Kind::kCountMismatch}),
    [](const auto& c) { return c.param.name; });

TEST(PlanMlirArena, NeverReturnsAnUnsafePlanThatIsLeftToTheHost) {
  const MlirAllocs allocs = {{8, 12, 0, 3}, {8, 1, 1, 3}};
  for (const auto& offsets : {std::vector<int64_t>{0, 4}, {6, 16}, {0}}) {
    const auto plan = PlanMlirArena(12, allocs, Answering(offsets));
    EXPECT_THAT(plan, FailsWith(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("the host's plan is unsafe")));
    EXPECT_TRUE(ViolationOf(plan.status()));
  }
}

TEST(PlanMlirArena, RefusesWhatIsNoAllocation) {
  EXPECT_THAT(PlanBeside({{8, 1, 3, 2}}),
              FailsWith(absl::StatusCode::kUnimplemented, HasSubstr("ends")));
  EXPECT_THAT(PlanBeside({{-8, 1, 2, 3}}),
              FailsWith(absl::StatusCode::kUnimplemented, HasSubstr("size")));
}

TEST(PlanMlirArena, LeavesSizesThatOverflowInSumToTheHost) {
  const MlirAllocs allocs = {
      {kMaxOffset, 1, 0, 1}, {kMaxOffset, 1, 1, 2}, {kMaxOffset, 1, 2, 3}};
  const auto plan = PlanMlirArena(1, allocs, Answering({0, 0, 0}));
  ASSERT_THAT(plan, IsOk());
  EXPECT_TRUE(plan->is_hosts_plan);
  EXPECT_EQ(plan->refusal.code(), absl::StatusCode::kOutOfRange);

  const MlirAllocs two = {{kMaxOffset, 1, 0, 2}, {8, 1, 1, 2}};
  EXPECT_THAT(PlanMlirArena(1, two, Answering({0, 0})),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "the arena ends beyond 2^63 - 1"));
}

RC_GTEST_PROP(MlirProperty, IsSafeAndNeverLargerThanTheHost, ()) {
  MlirAllocs allocs;
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const int64_t start = *rc::gen::inRange(-5, 20);
    const int64_t length = *rc::gen::inRange(0, 8);
    const bool is_power = *rc::gen::inRange(0, 200) != 0;
    allocs.push_back({*rc::gen::inRange<int64_t>(0, 100),
                      is_power ? int64_t{1} << *rc::gen::inRange(0, 7) : 12,
                      start, start + length});
  }
  const std::vector<int64_t> host = PlanAsMlir(0, allocs);
  RC_ASSERT(IsSafe(allocs, host));
  size_t host_total = 0;
  for (size_t i = 0; i < allocs.size(); ++i) {
    host_total = std::max(host_total,
                          static_cast<size_t>(host[i] + allocs[i].sizeInBytes));
  }
  const auto plan = PlanBeside(allocs);
  RC_ASSERT(plan.ok());
  RC_ASSERT(!plan->host_violation);
  RC_ASSERT(IsSafe(allocs, plan->offsets));
  RC_ASSERT(plan->total <= host_total);
  if (plan->is_hosts_plan) RC_ASSERT(plan->offsets == host);
}

}  // namespace
}  // namespace stowage::adapters
