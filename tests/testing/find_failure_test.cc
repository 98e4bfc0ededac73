// The whole kit: a planner that is wrong, found and shrunk.
#include "stowage/testing/find_failure.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/trace.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using support::IsOk;

using Records = absl::Span<const ByteRecord>;

// Everything at 0: safe where nothing conflicts.
absl::StatusOr<OffsetsAssignment> AllAtZero(Records records,
                                            const Alignments& /*alignments*/) {
  OffsetsAssignment plan;
  plan.offsets.assign(records.size(), 0);
  for (const ByteRecord& record : records) {
    plan.total_size = std::max(plan.total_size, record.tensor_size);
  }
  return plan;
}

// One object for all.
absl::StatusOr<ObjectsAssignment<size_t>> OneObject(Records records) {
  ObjectsAssignment<size_t> plan;
  plan.object_ids.assign(records.size(), 0);
  plan.object_sizes.assign(records.empty() ? 0 : 1, 0);
  for (const ByteRecord& record : records) {
    plan.object_sizes[0] = std::max(plan.object_sizes[0], record.tensor_size);
  }
  return plan;
}

TEST(FindFailureTest, FindsNothingWhereNothingIsWrong) {
  PlanOptions options;
  options.strategy = "greedy_by_size";
  EXPECT_FALSE(FindFailure(StrategyPlanFn(options)));
  EXPECT_FALSE(FindFailure(StrategyObjectsPlanFn(options)));
}

TEST(FindFailureTest, ReturnsTheSmallestTrace) {
  const auto failure = FindFailure(&AllAtZero);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->property, "safety");
  EXPECT_EQ(failure->status.message(),
            "tensor 0 and tensor 1 both hold bytes [0, 1) at task 0");
  const auto csv = FormatTraceCsv(ToTrace(failure->smallest));
  ASSERT_THAT(csv, IsOk());
  EXPECT_EQ(*csv, "id,lower,upper,size\nt0,0,1,1\nt1,0,1,1\n");
  EXPECT_GE(failure->found.records.size(), 2);
}

TEST(FindFailureTest, CanBeReproducedFromWhatItSays) {
  const auto failure = FindFailure(&AllAtZero);
  ASSERT_TRUE(failure);
  const auto property = FindProperty(failure->property);
  ASSERT_THAT(property, IsOk());
  for (const Instance* instance : {&failure->found, &failure->smallest}) {
    EXPECT_EQ(
        property->check(&AllAtZero, instance->records, instance->alignment())
            .code(),
        absl::StatusCode::kInternal);
  }
  const auto again = FindFailure(&AllAtZero);
  ASSERT_TRUE(again);
  EXPECT_EQ(Describe(*again), Describe(*failure));
}

// A planner that fails once cannot be shrunk.
TEST(FindFailureTest, ReturnsWhatItHasOfAPlannerWithMoods) {
  size_t calls = 0;
  const PlanFn planner = [&calls](Records records, const Alignments& alignments)
      -> absl::StatusOr<OffsetsAssignment> {
    PlanOptions options;
    options.strategy = "naive";
    auto plan = StrategyPlanFn(options)(records, alignments);
    if (plan.ok() && records.size() == 5 && calls++ == 0) plan->total_size = 0;
    return plan;
  };
  const auto bounds = FindProperty("bounds");
  ASSERT_THAT(bounds, IsOk());
  const auto failure = FindFailure(planner, SearchForFailure(),
                                   absl::MakeConstSpan(&*bounds, 1));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->smallest.records.size(), 5);
  EXPECT_THAT(failure->status.message(),
              ::testing::HasSubstr("ends beyond the arena of 0"));
}

TEST(FindFailureTest, WorksForObjects) {
  const auto failure = FindFailure(&OneObject);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->property, "safety");
  EXPECT_EQ(failure->smallest.records.size(), 2);
}

// What the planner is asked to plan while a search goes on.
struct Asked {
  size_t calls = 0;
  size_t most_records = 0;
  std::set<size_t> alignments;
  bool is_sorted = true;
};

Asked AskedIn(const SearchForFailure& search) {
  Asked asked;
  const PlanFn planner = [&asked](Records records, const Alignments& alignments)
      -> absl::StatusOr<OffsetsAssignment> {
    ++asked.calls;
    asked.most_records = std::max(asked.most_records, records.size());
    asked.is_sorted =
        asked.is_sorted && std::is_sorted(records.begin(), records.end());
    for (size_t i = 0; i < records.size(); ++i) {
      asked.alignments.insert(alignments.Of(i));
    }
    return absl::UnimplementedError("");
  };
  const auto completeness = FindProperty("completeness");
  EXPECT_FALSE(
      FindFailure(planner, search, absl::MakeConstSpan(&*completeness, 1)));
  return asked;
}

TEST(FindFailureTest, TriesWhatItIsToldTo) {
  SearchForFailure search;
  search.traces = 500;
  search.families = {Family::kChains};
  Asked asked = AskedIn(search);
  EXPECT_EQ(asked.calls, 500);
  EXPECT_EQ(asked.most_records, 20);
  EXPECT_EQ(asked.alignments,
            (std::set<size_t>{1, 2, 4, 8, 16, 32, 64, 128, 256}));
  EXPECT_TRUE(asked.is_sorted);

  search.max_alignment = 1;
  search.max_size = 7;
  asked = AskedIn(search);
  EXPECT_EQ(asked.alignments, (std::set<size_t>{1}));
  EXPECT_EQ(asked.most_records, 7);

  search.families = {Family::kChains, Family::kUnsorted};
  EXPECT_FALSE(AskedIn(search).is_sorted);
  search.traces = 0;
  EXPECT_EQ(AskedIn(search).calls, 0);
}

TEST(FindFailureTest, DescribesTheFailure) {
  Failure failure;
  failure.property = "alignment";
  failure.sentence = "Every offset is a multiple of its alignment.";
  failure.family = Family::kAlignmentTraps;
  failure.seed = 7;
  failure.traces = 12;
  failure.found.records.resize(9);
  failure.smallest.records = {{1, 0, 0}, {5, 0, 3}};
  failure.smallest.alignments = {1, 8};
  failure.status = absl::InternalError("tensor 1 starts at byte 1");
  EXPECT_EQ(Describe(failure),
            "property   alignment: Every offset is a multiple of its "
            "alignment.\n"
            "violated   tensor 1 starts at byte 1\n"
            "found in   trace 12, of the family alignment_traps with seed 7: "
            "9 records, shrunk to 2\n"
            "tensor 0   1 byte, tasks [0, 0], alignment 1\n"
            "tensor 1   5 bytes, tasks [0, 3], alignment 8\n");
}

}  // namespace
}  // namespace stowage::testing
