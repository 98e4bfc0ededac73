// SPDX-License-Identifier: Apache-2.0
// Compares the results of searches for the best order of tasks with those of
// trying all orders.
#include "src/plan/order_search.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "src/plan/greedy_orders.h"
#include "src/plan/order_enumeration.h"
#include "src/plan/order_graph.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "tests/plan/random_orders.h"

namespace stowage::order_planner {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

OrderGraph GraphOf(const support::RandomOrderProblem& problem) {
  ProblemSpec spec = problem.spec;
  spec.free_order = problem.free_order;
  return MakeOrderGraph(Problem::Create(std::move(spec)).value());
}

// Returns the smallest peak of all orders.
size_t TrueLeastPeak(const OrderGraph& graph, const FreeOrder& free_order) {
  size_t least = kAny;
  support::ForEachOrder(free_order, [&](const std::vector<TaskId>& order) {
    least = std::min(least, PeakOf(graph, order));
  });
  return least;
}

RC_GTEST_PROP(OrderSearch, FindsTheLeastPeak, ()) {
  const support::RandomOrderProblem problem = *support::RandomOrders(7, 7);
  const OrderGraph graph = GraphOf(problem);
  const size_t truth = TrueLeastPeak(graph, problem.free_order);
  const StopSignal never;
  const size_t bound = BytesOfAnyOrder(graph, never);
  RC_ASSERT(bound <= truth);
  const OrderSearchResult found =
      SearchLeastPeak(graph, bound, kAny, kAny, never);
  RC_ASSERT(found.bound == truth);
  RC_ASSERT(!FindOrderViolation(problem.free_order, found.order));
  RC_ASSERT(PeakOf(graph, found.order) == truth);
  // A beam that is wide enough finds the least peak as well.
  const std::vector<TaskId> beam = SearchBeam(graph, kAny, 1000, never);
  RC_ASSERT(!FindOrderViolation(problem.free_order, beam));
  RC_ASSERT(PeakOf(graph, beam) == truth);
  RC_ASSERT(SearchBeam(graph, truth, 1000, never).empty());
  // A search that stops early still returns a valid bound. A search for an
  // order whose peak is below the least peak finds none.
  for (const uint64_t nodes : {uint64_t{0}, uint64_t{1}, uint64_t{3}}) {
    RC_ASSERT(SearchLeastPeak(graph, bound, kAny, nodes, never).bound <= truth);
  }
  const OrderSearchResult none =
      SearchLeastPeak(graph, bound, truth, kAny, never);
  RC_ASSERT(none.order.empty());
  RC_ASSERT(none.bound == truth);
}

RC_GTEST_PROP(OrderSearch, GreedyOrdersAreOrdersWithTheirPeaks, ()) {
  const support::RandomOrderProblem problem = *support::RandomOrders(12, 12);
  const OrderGraph graph = GraphOf(problem);
  const StopSignal never;
  size_t last = 0;
  for (const RatedOrder& rated : GreedyOrders(graph, never)) {
    RC_ASSERT(!FindOrderViolation(problem.free_order, rated.order));
    RC_ASSERT(rated.peak == PeakOf(graph, rated.order));
    RC_ASSERT(rated.peak >= last);
    last = rated.peak;
  }
}

// Returns the pairs of records that are live together if the tasks run in
// `order`.
std::set<std::pair<size_t, size_t>> PairsOf(
    const support::RandomOrderProblem& problem,
    const std::vector<TaskId>& order) {
  const auto records =
      RecordsInOrder(problem.spec.records, problem.free_order, order);
  std::set<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t k = i + 1; k < records.size(); ++k) {
      if (records[i].first_task <= records[k].last_task &&
          records[k].first_task <= records[i].last_task) {
        pairs.insert({i, k});
      }
    }
  }
  return pairs;
}

RC_GTEST_PROP(OrderEnumeration, VisitsWhatConflictsOnce, ()) {
  const support::RandomOrderProblem problem = *support::RandomOrders(6, 6);
  const OrderGraph graph = GraphOf(problem);
  const size_t max = *rc::gen::inRange<size_t>(0, 40);
  std::set<std::set<std::pair<size_t, size_t>>> wanted;
  size_t next = kAny;
  support::ForEachOrder(problem.free_order,
                        [&](const std::vector<TaskId>& order) {
                          const size_t peak = PeakOf(graph, order);
                          if (peak <= max) {
                            wanted.insert(PairsOf(problem, order));
                          } else {
                            next = std::min(next, peak);
                          }
                        });
  std::set<std::set<std::pair<size_t, size_t>>> visited;
  WorkLimit limit(WorkLimit::kUnlimited);
  const EnumerationResult result = EnumerateOrders(
      graph, max,
      [&](absl::Span<const TaskId> order, size_t peak, const ConflictBits&,
          size_t*) {
        RC_ASSERT(PeakOf(graph, order) == peak);
        RC_ASSERT(visited.insert(PairsOf(problem, {order.begin(), order.end()}))
                      .second);
        return true;
      },
      &limit);
  RC_ASSERT(result.is_complete);
  RC_ASSERT(visited == wanted);
  RC_ASSERT(result.next_peak == next);
}

TEST(OrderEnumeration, SaysThatItIsNotComplete) {
  support::RandomOrderProblem problem;
  problem.free_order.tasks = 6;
  const OrderGraph graph = GraphOf(problem);
  WorkLimit limit(2);
  const auto visit = [](absl::Span<const TaskId>, size_t, const ConflictBits&,
                        size_t*) { return true; };
  EXPECT_FALSE(EnumerateOrders(graph, kAny, visit, &limit).is_complete);
}

}  // namespace
}  // namespace stowage::order_planner
