// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, the cost of planning around 50,000 holes. For
// many records without holes, use stowage_intervals.
//
//   stowage_holes
//
// Each hole has 4 to 32 bytes. In half of the rows, each hole exists during all
// tasks and has a block of 64 bytes to itself. In the other rows, all holes are
// in the lowest 4 KiB, and each exists during up to 30 tasks. Times are
// relative to the reference work (reference_work.h). The time limit of
// `optimal` is 100 ms, about ten times the reference work.
#include <cstddef>
#include <cstdio>
#include <utility>

#include "absl/time/time.h"
#include "bench/reference_work.h"
#include "stowage/base/random.h"
#include "stowage/planner.h"

namespace stowage::bench {
namespace {

constexpr size_t kHoles = 50000;

ProblemSpec DrawSpec(size_t records, bool are_forever) {
  Random random(7);
  ProblemSpec spec;
  for (size_t i = 0; i < records; ++i) {
    spec.records.emplace_back(16 + random.Below(64), i, i + random.Below(8));
  }
  for (size_t k = 0; k < kHoles; ++k) {
    // No two of these holes are equal.
    const size_t begin = are_forever ? k * 64 + random.Below(32) : k * 7 % 4096;
    const size_t first = are_forever ? 0 : k * records / kHoles;
    const size_t last = are_forever ? records + 8 : first + random.Below(30);
    spec.constraints.holes.push_back(
        {begin, begin + 4 * (1 + random.Below(8)), first, last, 0});
  }
  return spec;
}

bool PrintRow(size_t records, bool are_forever) {
  std::printf("| %6zu | %s ", records, are_forever ? "all" : "some");
  const auto problem = Problem::Create(DrawSpec(records, are_forever));
  if (!problem.ok()) return false;
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Milliseconds(100));
  bool are_planned = true;
  for (const char* const strategy : {"skyline", "greedy_by_size", "optimal"}) {
    const RelativeTime time = MeasureRelative(3, [&] {
      const auto solution = Solve(*problem, strategy, options);
      are_planned = are_planned && solution.ok() && solution->has_plan();
    });
    std::printf("| %7.1f ", time.relative());
  }
  std::printf("|\n");
  std::fflush(stdout);
  return are_planned;
}

int Main() {
  std::printf(
      "| records | tasks of a hole | skyline | greedy_by_size | optimal |\n"
      "|--:|---|--:|--:|--:|\n");
  for (const size_t records : {1000u, 50000u}) {
    for (const bool are_forever : {true, false}) {
      if (!PrintRow(records, are_forever)) {
        std::fprintf(stderr, "stowage_holes: %zu records have no plan\n",
                     records);
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main() { return stowage::bench::Main(); }
