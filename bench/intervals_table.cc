// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, the time, the memory and the total size of the
// plan for each strategy that can plan many records, on a million random
// records of each kind (intervals.h). For networks of any size, use
// stowage_growth.
//
//   stowage_intervals [RECORDS [SECONDS [THREADS]]]
//
// SECONDS and THREADS limit the strategies that search. The column of bytes is
// the largest resident set of a process that holds the records and runs one
// strategy.
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "bench/intervals.h"
#include "bench/reference_work.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/registry.h"

namespace stowage::bench {
namespace {

constexpr const char* kStrategies[] = {"greedy_by_size", "greedy_by_breadth",
                                       "arena_best_fit", "skyline", "optimal"};

// Prints a row without the column of bytes. Returns the exit code of the
// process.
int PrintFigures(const char* name, const IntervalKindInfo& info, size_t count,
                 const SolveOptions& options) {
  ProblemSpec spec;
  spec.records = IntervalRecords(info.kind, count, /*seed=*/1);
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  const absl::StatusOr<const Strategy*> strategy = FindStrategy(name);
  if (!problem.ok() || !strategy.ok()) return 1;
  const double bound = static_cast<double>(LowerBoundOf(*problem).bytes);
  const double reference_before = MeasureReference();
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<Solution> plan = (*strategy)->Solve(*problem, options);
  const double ms = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  const double reference_ms = (reference_before + MeasureReference()) / 2;
  if (!plan.ok() || !plan->has_plan()) return 1;
  std::printf("| %-17s | %-12s | %8zu | %8.0f | %7.1f | %9.6f ", name,
              info.name, count, ms, ms / reference_ms,
              static_cast<double>(plan->offsets()->total_size) / bound);
  std::fflush(stdout);
  return 0;
}

bool PrintRow(const char* name, const IntervalKindInfo& info, size_t count,
              const SolveOptions& options) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(PrintFigures(name, info, count, options));
  int status = 0;
  rusage usage = {};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return false;
  std::printf("| %5zu |\n",
              static_cast<size_t>(usage.ru_maxrss) * 1024 / count);
  return true;
}

int Main(size_t count, const SolveOptions& options) {
  std::puts(
      "| strategy          | kind         |  records |       ms |   x ref |    "
      " "
      "ratio | bytes |\n"
      "|-------------------|--------------|---------:|---------:|--------:|----"
      "------:|------:|");
  for (const IntervalKindInfo& info : kIntervalKinds) {
    for (const char* name : kStrategies) {
      if (PrintRow(name, info, count, options)) continue;
      std::fprintf(stderr, "stowage_intervals: %s failed\n", name);
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  stowage::SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(
      absl::Seconds(argc > 2 ? std::atof(argv[2]) : 5.5));
  options.threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 2;
  const size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000;
  return stowage::bench::Main(std::max<size_t>(count, 1), options);
}
