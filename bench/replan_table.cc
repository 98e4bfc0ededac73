// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long it takes to update a plan after one
// record has changed, and to get a plan from a cache. The times are relative to
// the time in which `skyline` makes a fresh plan in the same run.
//
// The column "total" shows the largest ratio, over all changes, of the total of
// the updated plan to the total of a fresh plan. The column "larger arenas"
// counts the changes that made the arena larger. Each time is the shortest of
// all repetitions. The time of Replan is the median over all changes, because
// after some changes Replan has to search, and then takes as long as a fresh
// plan.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/networks.h"
#include "stowage/base/random.h"
#include "stowage/plan_cache.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/replan.h"
#include "stowage/verify.h"

namespace stowage::bench {
namespace {

constexpr size_t kChanges = 31;
constexpr int kRepetitions = 5;

Problem ProblemOf(const std::vector<ByteRecord>& records) {
  ProblemSpec spec;
  spec.records = records;
  spec.alignment = 64;
  return *Problem::Create(std::move(spec));
}

double MicrosecondsOf(const std::function<void()>& work) {
  double least = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    if (i == 0 || time.count() < least) least = time.count();
  }
  return least;
}

// Returns the time of a fresh plan. Each call plans a new problem, because a
// problem caches what is computed from it.
double TimeOfFreshPlan(const std::vector<ByteRecord>& records) {
  std::vector<Problem> problems;
  for (int i = 0; i < kRepetitions; ++i) problems.push_back(ProblemOf(records));
  return MicrosecondsOf([&] {
    (void)Solve(problems.back(), "skyline");
    problems.pop_back();
  });
}

// Returns the time to get a plan that is in the cache, including the time to
// compute the fingerprint.
double TimeOfHit(const std::vector<ByteRecord>& records) {
  PlanCache cache(size_t{1} << 28);
  (void)cache.Get(ProblemOf(records));
  std::vector<Problem> problems;
  for (int i = 0; i < kRepetitions; ++i) problems.push_back(ProblemOf(records));
  return MicrosecondsOf([&] {
    (void)cache.Get(problems.back());
    problems.pop_back();
  });
}

struct Changes {
  double median = 0;       // microseconds
  double worst_total = 0;  // relative to a fresh plan
  size_t larger = 0;       // plans that are larger than the one before
};

// Changes one record after another, each by up to a quarter of its size, and
// measures Replan after each change.
absl::StatusOr<Changes> MeasureChanges(std::vector<ByteRecord> records) {
  Random random(1);
  Changes changes;
  const Problem first = ProblemOf(records);
  absl::StatusOr<Solution> solution = Solve(first, "skyline");
  if (!solution.ok()) return solution.status();
  absl::StatusOr<VerifiedPlan> plan =
      VerifiedPlan::Create(first, *std::move(solution));
  std::vector<double> times;
  for (size_t i = 0; i < kChanges && plan.ok(); ++i) {
    ByteRecord& record = records[random.Below(records.size())];
    record.tensor_size += random.Below(record.tensor_size / 4 + 1);
    const Problem problem = ProblemOf(records);
    absl::StatusOr<Replanned> next = Replan(problem, *plan);
    if (!next.ok()) return next.status();
    times.push_back(MicrosecondsOf([&] { (void)Replan(problem, *plan); }));
    const absl::StatusOr<Solution> fresh = Solve(problem, "skyline");
    if (!fresh.ok()) return fresh.status();
    const Solution& changed = next->plan.solution();
    changes.worst_total = std::max(changes.worst_total,
                                   static_cast<double>(changed.total_size) /
                                       static_cast<double>(fresh->total_size));
    if (changed.total_size > plan->solution().total_size) ++changes.larger;
    plan = std::move(next->plan);
  }
  if (!plan.ok()) return plan.status();
  std::nth_element(times.begin(), times.begin() + kChanges / 2, times.end());
  changes.median = times[kChanges / 2];
  return changes;
}

int Main() {
  std::printf(
      "| records | fresh, us | Replan, us | ratio | total | larger arenas | "
      "cache hit, us | ratio |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const size_t count : {size_t{100}, size_t{1000}, size_t{10000}}) {
    const std::vector<ByteRecord> records = NetworkRecords(count, /*seed=*/1);
    const absl::StatusOr<Changes> changes = MeasureChanges(records);
    if (!changes.ok()) {
      std::fprintf(stderr, "stowage_replan: %s\n",
                   changes.status().ToString().c_str());
      return 1;
    }
    const double fresh = TimeOfFreshPlan(records);
    const double hit = TimeOfHit(records);
    std::printf(
        "| %6zu | %8.1f | %7.1f | %.3f | %.3f | %zu of %zu | %7.1f | %.3f |\n",
        count, fresh, changes->median, changes->median / fresh,
        changes->worst_total, changes->larger, kChanges, hit, hit / fresh);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main() { return stowage::bench::Main(); }
