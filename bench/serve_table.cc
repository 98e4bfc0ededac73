// SPDX-License-Identifier: Apache-2.0
// Prints how many runs per second the tester of planners makes, as a Markdown
// table: with one process for each run, and with one process for all runs.
//
//   stowage_serve_speed COMMAND
//
// COMMAND is a planner that can run as a server, and that plans one trace if
// the names of two files follow: 'python3 docs/planner_example/planner.py'.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/testing/check_planner.h"

namespace stowage::testing {
namespace {

// Returns the rate, or 0 if the planner cannot be checked or fails.
double RunsPerSecond(const std::string& command, bool serve, size_t traces) {
  PlannerCheckOptions options;
  options.traces = traces;
  options.large_records = 0;  // they would measure planning instead of starting
  options.serve = serve;
  const auto check = PlannerCheck::Create(command, options);
  if (!check.ok()) return 0;
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<PlannerCheckReport> report =
      (*check)->CheckGeneratedTraces();
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (!report.ok() || report->failure) return 0;
  return static_cast<double>(report->runs) / time.count();
}

int PrintTable(const std::string& command) {
  constexpr size_t kTraces = 20;
  constexpr size_t kServedTraces = 400;
  const double plain =
      RunsPerSecond(absl::StrCat(command, " {in} {out}"), false, kTraces);
  const double served = RunsPerSecond(command, true, kServedTraces);
  if (plain == 0 || served == 0) {
    std::fputs("the planner cannot be checked, or fails\n", stderr);
    return 1;
  }
  std::printf("| form | runs a second | ratio |\n|---|--:|--:|\n");
  std::printf("| a process for each run | %.0f | 1.0 |\n", plain);
  std::printf("| `--serve` | %.0f | %.1f |\n", served, served / plain);
  return 0;
}

}  // namespace
}  // namespace stowage::testing

int main(int argc, char** argv) {
  if (argc == 2) return stowage::testing::PrintTable(argv[1]);
  std::fputs("usage: stowage_serve_speed COMMAND\n", stderr);
  return 2;
}
