// SPDX-License-Identifier: Apache-2.0
// Tests OPTIMAL for shared objects on records that are hard for floating point:
// sizes from 1 to 2^60 in one problem, nearly equal sizes, or thousands of
// records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "tests/strategies/optimal_inputs.h"
#include "tests/support/plan_request.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;

struct Family {
  const char* name;
  // Returns the size of record i of `count`. The sum of all sizes is below
  // 2^64.
  std::function<size_t(Random*, size_t i, size_t count)> size;
};

std::vector<Family> Families() {
  return {
      {"from 1 to 2^60",
       [](Random* random, size_t i, size_t) {
         return (size_t{1} << (i < 8 ? 60 : random->Below(50))) +
                random->Below(3);
       }},
      {"a few of 2^60 among ones",
       [](Random*, size_t i, size_t) {
         return i % 37 == 0 && i < 296 ? size_t{1} << 60 : size_t{1};
       }},
      {"all equal", [](Random*, size_t, size_t) { return size_t{1} << 48; }},
      {"powers of two", [](Random* random, size_t,
                           size_t) { return size_t{1} << random->Below(49); }},
      {"all but equal",
       [](Random* random, size_t, size_t) {
         return (size_t{1} << 44) + random->Below(1000);
       }},
      {"none twice",
       [](Random*, size_t i, size_t count) { return 1000003 * (count + i); }},
      {"some of no bytes",
       [](Random* random, size_t, size_t) {
         return random->Below(3) == 0 ? 0 : random->Below(size_t{1} << 40);
       }},
  };
}

Records MakeRecords(const Family& family, uint64_t seed, size_t count) {
  Random random(seed);
  Records records(count);
  for (size_t i = 0; i < count; ++i) {
    records[i].tensor_size = family.size(&random, i, count);
    records[i].first_task = random.Below(2 + count / 2);
    records[i].last_task = records[i].first_task + random.Below(3 + count / 8);
  }
  return records;
}

PlanRequest Objects(PlanRequest request) {
  request.kind = PlanKind::kObjects;
  return request;
}

// Returns the bound that the weights prove, or 0 if a chain of records that fit
// an object is too heavy for the size of the object. Follows the definition of
// ChainWeights and uses no code of the library.
size_t BoundOfWeights(const Records& records, const ChainWeights& weights) {
  std::vector<size_t> order(weights.records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto record = [&](size_t k) { return records[weights.records[k]]; };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return record(a).first_task < record(b).first_task;
  });
  absl::uint128 sum = 0;
  size_t divisor = 0;
  std::set<size_t> sizes;
  for (size_t k = 0; k < order.size(); ++k) {
    sum += weights.weights[k];
    divisor = std::gcd(divisor, record(k).tensor_size);
    sizes.insert(record(k).tensor_size);
  }
  for (const size_t size : sizes) {
    // The weight of the heaviest chain that ends with each record.
    std::vector<absl::uint128> heaviest(order.size());
    for (size_t j = 0; j < order.size(); ++j) {
      if (record(order[j]).tensor_size > size) continue;
      for (size_t i = 0; i < j; ++i) {
        if (record(order[i]).last_task >= record(order[j]).first_task) continue;
        heaviest[j] = std::max(heaviest[j], heaviest[i]);
      }
      heaviest[j] += weights.weights[order[j]];
      if (heaviest[j] > absl::uint128(size) * weights.scale) return 0;
    }
  }
  if (divisor == 0 || weights.scale == 0) return 0;
  const absl::uint128 unit = absl::uint128(weights.scale) * divisor;
  return static_cast<size_t>((sum + unit - 1) / unit * divisor);
}

// Checks the claims of a solution, which must be true no matter how early the
// search stopped.
void ExpectHonest(const Records& records, const Solution& solution,
                  size_t smallest_known) {
  EXPECT_GE(solution.total_size, solution.lower_bound);
  EXPECT_GE(solution.lower_bound, ObjectsLowerBound(records));
  EXPECT_LE(solution.lower_bound, smallest_known);
  if (solution.chain_weights.records.empty()) return;
  EXPECT_EQ(BoundOfWeights(records, solution.chain_weights),
            solution.lower_bound);
}

// Tiny inputs are searched completely, so the bound and the total size both
// equal the optimum. Searches that stop earlier must not claim anything that
// contradicts this optimum.
TEST(NastyObjects, OfTinyInputsAreTheLeast) {
  for (const Family& family : Families()) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      const Records records = MakeRecords(family, seed, 1 + seed % 9);
      SCOPED_TRACE(std::string(family.name) + " " + std::to_string(seed));
      const auto least = Plan(records, Objects(ByNodes(1000000)));
      ASSERT_TRUE(least.ok()) << least.status();
      ASSERT_EQ(least->status, SolutionStatus::kOptimal);
      ASSERT_EQ(least->total_size, LeastSumOfObjects(records));
      for (const uint64_t nodes : {0U, 1U, 3U, 20U}) {
        const auto early = Plan(records, Objects(ByNodes(nodes)));
        ASSERT_TRUE(early.ok()) << early.status();
        ExpectHonest(records, *early, least->total_size);
      }
    }
  }
}

struct GreedyPlans {
  size_t smallest = std::numeric_limits<size_t>::max();  // bytes
  absl::Duration time;                                   // of all plans
};

void PlanGreedily(const Records& records, GreedyPlans* plans) {
  for (const char* name :
       {"equality", "greedy_in_order", "greedy_by_breadth", "greedy_by_size"}) {
    PlanRequest request;
    request.strategy = name;
    const auto greedy = Plan(records, Objects(request));
    ASSERT_TRUE(greedy.ok()) << greedy.status();
    plans->smallest = std::min(plans->smallest, greedy->total_size);
    plans->time += absl::Nanoseconds(greedy->time_ns);
  }
}

TEST(NastyObjects, AreBoundedTrulyAndNeverAboveGreedyOnes) {
  for (const Family& family : Families()) {
    for (const size_t count : {size_t{1}, size_t{40}, size_t{250}}) {
      const Records records = MakeRecords(family, count, count);
      SCOPED_TRACE(std::string(family.name) + " " + std::to_string(count));
      GreedyPlans greedy;
      ASSERT_NO_FATAL_FAILURE(PlanGreedily(records, &greedy));
      size_t smallest = greedy.smallest;
      std::vector<Solution> solutions;
      for (const uint64_t nodes : {0U, 10U, 300U, 4000U}) {
        auto solution = Plan(records, Objects(ByNodes(nodes)));
        ASSERT_TRUE(solution.ok()) << solution.status();
        EXPECT_LE(solution->total_size, smallest);
        smallest = solution->total_size;
        solutions.push_back(*std::move(solution));
      }
      for (const Solution& solution : solutions) {
        ExpectHonest(records, solution, smallest);
      }
    }
  }
}

// The time limit exceeds the time that all greedy strategies together need,
// even on a busy machine. The search therefore has time to make all greedy
// plans, and its plan is never larger than the smallest of them.
TEST(NastyObjects, WithinATimeLimitAreNeverAboveGreedyOnes) {
  for (const Family& family : Families()) {
    for (const size_t count : {size_t{200}, size_t{2000}}) {
      const Records records = MakeRecords(family, 3, count);
      SCOPED_TRACE(std::string(family.name) + " " + std::to_string(count));
      GreedyPlans greedy;
      ASSERT_NO_FATAL_FAILURE(PlanGreedily(records, &greedy));
      for (const size_t threads : {size_t{1}, size_t{2}}) {
        PlanRequest request;
        request.strategy = "optimal";
        request.search.time_limit_ns =
            absl::ToInt64Nanoseconds(3 * greedy.time + absl::Milliseconds(30));
        request.search.threads = threads;
        const auto solution = Plan(records, Objects(request));
        ASSERT_TRUE(solution.ok()) << solution.status();
        EXPECT_LE(solution->total_size, greedy.smallest);
      }
    }
  }
}

// Cancellation stops the search before it begins. The time limits stop it while
// it makes greedy plans, reduces the records to the kernel, or solves the
// linear program.
TEST(NastyObjects, AreThereInTime) {
  support::ImpatientObserver impatient;
  for (const Family& family : Families()) {
    const Records records = MakeRecords(family, 7, 3000);
    SCOPED_TRACE(family.name);
    for (const int ms : {-1, 0, 1, 50, 200}) {
      PlanRequest request;
      request.strategy = "optimal";
      request.search.time_limit_ns =
          absl::ToInt64Nanoseconds(absl::Milliseconds(std::max(ms, 0)));
      if (ms < 0) request.search.observer = &impatient;
      const auto solution = Plan(records, Objects(request));
      ASSERT_TRUE(solution.ok()) << solution.status();
      ExpectHonest(records, *solution, solution->total_size);
      // The additional two seconds are for slow and busy machines.
      EXPECT_LT(absl::Nanoseconds(solution->time_ns),
                absl::Milliseconds(ms + 50) + absl::Seconds(2));
    }
  }
}

}  // namespace
}  // namespace stowage
