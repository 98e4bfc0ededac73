// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how many runs per second the tester of planners
// makes with one process for each run, with one process for all runs, and with
// a planner that is a function in the process of the tester.
//
//   stowage_serve_speed COMMAND [TEST...]
//
// COMMAND is a planner, for example 'python3 docs/planner_example/planner.py'.
// It must be able to run as a server, and to plan one trace if the names of two
// files follow the command. TEST is a program that tests a planner in its own
// process and prints "N runs", for example 'python3
// docs/planner_example/check.py'. The measured time includes the start of TEST.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "stowage/testing/check_planner.h"

namespace stowage::testing {
namespace {

// Returns the number of runs per second, or 0 if the planner cannot be checked
// or fails.
double RunsPerSecond(const std::string& command, bool serve, size_t traces) {
  PlannerCheckOptions options;
  options.traces = traces;
  options.large_records = 0;  // measures starting, not planning
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

// Returns the number of runs per second of a program that tests a planner in
// its own process. Returns 0 if the program fails or does not print the number
// of runs.
double RunsPerSecondOf(const std::string& test) {
  const auto start = std::chrono::steady_clock::now();
  std::FILE* const pipe = popen(test.c_str(), "re");  // NOLINT: of the caller
  if (pipe == nullptr) return 0;
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.push_back(static_cast<char>(c));
  }
  if (pclose(pipe) != 0) return 0;
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  const size_t end = output.rfind(" runs");
  if (end == std::string::npos) return 0;
  const size_t begin = output.find_last_not_of("0123456789", end - 1) + 1;
  size_t runs = 0;
  if (!absl::SimpleAtoi(output.substr(begin, end - begin), &runs)) return 0;
  return static_cast<double>(runs) / time.count();
}

int PrintTable(const std::string& command,
               const std::vector<std::string>& tests) {
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
  for (const std::string& test : tests) {
    const double rate = RunsPerSecondOf(test);
    if (rate == 0) {
      std::fprintf(stderr, "%s: fails, or prints no number of runs\n",
                   test.c_str());
      return 1;
    }
    std::printf("| in one process, `%s` | %.0f | %.1f |\n", test.c_str(), rate,
                rate / plain);
  }
  return 0;
}

}  // namespace
}  // namespace stowage::testing

int main(int argc, char** argv) {
  if (argc >= 2) {
    return stowage::testing::PrintTable(argv[1], {argv + 2, argv + argc});
  }
  std::fputs("usage: stowage_serve_speed COMMAND [TEST...]\n", stderr);
  return 2;
}
