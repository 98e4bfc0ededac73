// SPDX-License-Identifier: Apache-2.0
// Compares the fast implementations of the library with the plain
// implementations.
#include "tests/strategies/plain_strategies.h"

#include <cstddef>
#include <string>
#include <vector>

#include "bench/intervals.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "stowage/planner.h"
#include "tests/support/plan_request.h"

namespace stowage {
namespace {

// Returns records with many ties: they have few distinct sizes and few tasks,
// and some of them have long lifetimes.
rc::Gen<std::vector<ByteRecord>> TiedRecords() {
  return rc::gen::mapcat(rc::gen::inRange<size_t>(1, 60), [](size_t last_task) {
    const auto record = rc::gen::apply(
        [last_task](size_t size, size_t first, size_t length) {
          return ByteRecord(size, first, std::min(first + length, last_task));
        },
        rc::gen::inRange<size_t>(0, 12),
        rc::gen::inRange<size_t>(0, last_task + 1),
        rc::gen::weightedOneOf<size_t>({{9, rc::gen::inRange<size_t>(0, 4)},
                                        {1, rc::gen::inRange<size_t>(0, 60)}}));
    return rc::gen::scale(4.0,
                          rc::gen::container<std::vector<ByteRecord>>(record));
  });
}

using PlainObjects =
    ObjectsAssignment<size_t> (*)(const std::vector<ByteRecord>&);
using PlainOffsets = OffsetsAssignment (*)(const std::vector<ByteRecord>&,
                                           size_t);

void CheckObjects(MemoryStrategy strategy, PlainObjects plain) {
  const auto records = *TiedRecords();
  ObjectsAssignment<size_t> plan;
  RC_ASSERT(AssignObjectsToTensors(records, strategy, &plan).ok());
  const ObjectsAssignment<size_t> want = plain(records);
  RC_ASSERT(plan.object_ids == want.object_ids);
  RC_ASSERT(plan.object_sizes == want.object_sizes);
}

void CheckOffsets(MemoryStrategy strategy, PlainOffsets plain) {
  const auto records = *TiedRecords();
  const size_t alignment = *rc::gen::element<size_t>(1, 2, 8);
  OffsetsAssignment plan;
  RC_ASSERT(AssignOffsetsToTensors(records, strategy, &plan, alignment).ok());
  const OffsetsAssignment want = plain(records, alignment);
  RC_ASSERT(plan.offsets == want.offsets);
  RC_ASSERT(plan.total_size == want.total_size);
}

RC_GTEST_PROP(PlainForm, GreedyBySizeObjects, ()) {
  CheckObjects(MemoryStrategy::GREEDY_BY_SIZE, plain::GreedyBySize);
}

RC_GTEST_PROP(PlainForm, GreedyByBreadthObjects, ()) {
  CheckObjects(MemoryStrategy::GREEDY_BY_BREADTH, plain::GreedyByBreadth);
}

RC_GTEST_PROP(PlainForm, GreedyBySizeOffsets, ()) {
  CheckOffsets(MemoryStrategy::GREEDY_BY_SIZE, plain::GreedyBySizeOffsets);
}

RC_GTEST_PROP(PlainForm, GreedyByBreadthOffsets, ()) {
  CheckOffsets(MemoryStrategy::GREEDY_BY_BREADTH,
               plain::GreedyByBreadthOffsets);
}

// There are so many records that the planner keeps the used bytes in many
// columns.
TEST(PlainForm, GreedyBySizeOffsetsOfThousands) {
  for (const bench::IntervalKindInfo& info : bench::kIntervalKinds) {
    SCOPED_TRACE(info.name);
    const auto records = bench::IntervalRecords(info.kind, 2500, /*seed=*/7);
    for (const size_t alignment : {size_t{1}, size_t{64}}) {
      OffsetsAssignment plan;
      ASSERT_TRUE(AssignOffsetsToTensors(
                      records, MemoryStrategy::GREEDY_BY_SIZE, &plan, alignment)
                      .ok());
      EXPECT_EQ(plan.offsets,
                plain::GreedyBySizeOffsets(records, alignment).offsets);
    }
  }
}

TEST(PlainForm, ArenaBestFitOfThousands) {
  for (const bench::IntervalKindInfo& info : bench::kIntervalKinds) {
    SCOPED_TRACE(info.name);
    auto records = bench::IntervalRecords(info.kind, 2000, /*seed=*/8);
    records[1000].tensor_size = 0;
    for (const size_t alignment : {size_t{1}, size_t{64}}) {
      support::PlanRequest request;
      request.strategy = "arena_best_fit";
      request.alignments = Alignments(alignment);
      const auto plan = support::Plan(records, request);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->offsets()->offsets,
                plain::ArenaBestFitOffsets(records, alignment).offsets);
    }
  }
}

// The search is limited by nodes instead of time, so the result does not depend
// on the machine.
TEST(Portfolio, IsNeverAboveWhatItsConstructionsReach) {
  for (const bench::IntervalKindInfo& info : bench::kIntervalKinds) {
    SCOPED_TRACE(info.name);
    const auto records = bench::IntervalRecords(info.kind, 2000, /*seed=*/9);
    const auto total = [&](const std::string& strategy) {
      support::PlanRequest request;
      request.strategy = strategy;
      request.search.node_budget = 1;
      request.search.threads = 2;
      const auto plan = support::Plan(records, request);
      EXPECT_TRUE(plan.ok()) << strategy << ": " << plan.status();
      return plan.ok() ? plan->total_size : 0;
    };
    for (const char* greedy :
         {"greedy_by_size", "greedy_by_breadth", "greedy_best",
          "arena_best_fit", "micro_first_fit", "greedy_in_order"}) {
      EXPECT_LE(total("skyline"), total(greedy)) << greedy;
      EXPECT_LE(total("optimal"), total(greedy)) << greedy;
    }
  }
}

}  // namespace
}  // namespace stowage
