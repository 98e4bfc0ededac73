// SPDX-License-Identifier: Apache-2.0
// Tests that strategies have no state, so concurrent calls do not affect each
// other.
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/run_on_threads.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"
#include "tests/support/hard_records.h"
#include "tests/support/plan_request.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;
using ::testing::Each;

using Records = std::vector<TensorUsageRecord<size_t>>;

constexpr size_t kThreads = 8;
// Many calls make it likely that some of them overlap in time. The thread
// sanitizer needs only one call to detect a race.
constexpr size_t kCalls = support::kIsSanitized ? 1 : 30;

// Returns the content of a plan as text, without the time that planning took.
std::string PlanOf(const Records& records, const PlanRequest& options) {
  const absl::StatusOr<Solution> plan = Plan(records, options);
  if (!plan.ok()) return plan.status().ToString();
  // A solution has a plan of one kind; the plan of the other kind is left
  // empty.
  const auto offsets =
      plan->offsets() != nullptr ? *plan->offsets() : OffsetsAssignment();
  const auto objects = plan->objects() != nullptr ? *plan->objects()
                                                  : ObjectsAssignment<size_t>();
  return absl::StrCat(plan->total_size, " bytes, not below ", plan->lower_bound,
                      ", ", plan->nodes, " nodes, offsets ",
                      absl::StrJoin(offsets.offsets, " "), ", objects ",
                      absl::StrJoin(objects.object_ids, " "));
}

// Starts several threads at the same time. Each thread makes `calls` plans.
// Returns all plans.
std::vector<std::string> PlansOfThreads(const Records& records,
                                        const PlanRequest& options,
                                        size_t calls) {
  std::vector<std::string> plans(kThreads * calls);
  std::atomic<size_t> waiting{kThreads};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      for (size_t k = 0; k < calls; ++k) {
        plans[t * calls + k] = PlanOf(records, options);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return plans;
}

TEST(StrategyThreadsTest, PlanAtTheSameTimeWhatTheyPlanAlone) {
  const Records records = support::HardRecords(8, 120);
  for (const Strategy* strategy : AllStrategies()) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanRequest options;
      options.strategy = strategy->info().name;
      options.kind = kind;
      options.search.node_budget = 2000;
      options.search.threads = 2;
      const size_t calls = strategy->info().is_search ? 1 : kCalls;
      EXPECT_THAT(PlansOfThreads(records, options, calls),
                  Each(PlanOf(records, options)))
          << options.strategy << " " << PlanKindName(kind);
    }
  }
}

// Only the calling thread checks the signal here, after it has finished its own
// part of the work.
TEST(RunOnThreads, ChecksTheSignalWhileOthersWork) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> is_asked{false};
  const std::function<bool()> ask = [&] {
    if (std::this_thread::get_id() == caller) is_asked = true;
    return false;
  };
  StopSignal stop;
  stop.is_unwanted = &ask;
  RunOnThreads(3, &stop, [&] {
    if (std::this_thread::get_id() == caller) return;
    while (!is_asked) std::this_thread::yield();
  });
}

TEST(RunEachOnThreads, CallsEachOnce) {
  for (const size_t threads : {size_t{1}, size_t{3}, size_t{8}}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{100}}) {
      std::vector<std::atomic<int>> calls(count);
      RunEachOnThreads(threads, count, nullptr, [&](size_t k) { ++calls[k]; });
      for (const auto& of_one : calls) EXPECT_EQ(of_one.load(), 1) << threads;
    }
  }
}

}  // namespace
}  // namespace stowage
