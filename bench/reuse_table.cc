// SPDX-License-Identifier: Apache-2.0
// Measures the costs that OPTIMAL reaches for problems whose pairs pay for
// sharing bytes. Prints a Markdown table, and the sum of all costs.
//
//   stowage_reuse [--seconds N] [--nodes N] PATH...
//
// A PATH is a problem file or a folder, whose files *.json are measured with
// those of its subfolders. The limit of each search is a time (1 s by default)
// or a number of nodes, with which the table is the same on every machine.
// Exits with 1 if a file cannot be planned, other than because there is no
// plan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

namespace stowage::bench {
namespace {

namespace fs = std::filesystem;

// The least costs that are published for MiniMalloc's challenges with costs.
// Source: github.com/tonibohnlein/dsa-solver, benchmarks of
// minimalloc-dsa-rp-v1 (11 instances), the minimum over 10 methods with seed 0,
// 500 iterations and one restart.
struct Published {
  absl::string_view name;
  uint64_t cost;
};
constexpr Published kPublished[] = {
    {"minimalloc_rp_A", 285}, {"minimalloc_rp_B", 329},
    {"minimalloc_rp_C", 365}, {"minimalloc_rp_D", 248},
    {"minimalloc_rp_E", 403}, {"minimalloc_rp_F", 129},
    {"minimalloc_rp_G", 450}, {"minimalloc_rp_H", 474},
    {"minimalloc_rp_I", 902}, {"minimalloc_rp_J", 572},
    {"minimalloc_rp_K", 1408}};

std::string PublishedCostOf(absl::string_view name) {
  for (const Published& published : kPublished) {
    if (published.name == name) return absl::StrCat(published.cost);
  }
  return "-";
}

struct Totals {
  uint64_t cost = 0;
  size_t plans = 0;
  size_t optimal = 0;
  size_t infeasible = 0;
  bool has_failed = false;
};

// Returns the files of a folder by name, or the path itself.
std::vector<std::string> FilesAt(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator it(path, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json") files.push_back(it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<Solution> PlanFile(const ProblemFile& file,
                                  const SolveOptions& options) {
  const absl::StatusOr<Problem> problem = Problem::Create(file.problem);
  if (!problem.ok()) return problem.status();
  return Solve(*problem, "optimal", options);
}

void PrintRow(const std::string& path, const SolveOptions& options,
              Totals* totals) {
  const std::string name = fs::path(path).stem().string();
  const absl::StatusOr<ProblemFile> file = ReadProblemFile(path);
  const absl::StatusOr<Solution> solution =
      file.ok() ? PlanFile(*file, options) : file.status();
  if (!solution.ok()) {
    absl::FPrintF(stderr, "%s: %s\n", path, solution.status().message());
    totals->has_failed = true;
    return;
  }
  std::string cost = "-";
  std::string ratio = "-";
  if (solution->has_plan()) {
    cost = absl::StrCat(solution->cost);
    if (solution->cost_bound > 0) {
      ratio = absl::StrFormat("%.2f",
                              static_cast<double>(solution->cost) /
                                  static_cast<double>(solution->cost_bound));
    }
    totals->cost += solution->cost;
    ++totals->plans;
  }
  const bool is_optimal = solution->status == SolutionStatus::kOptimal;
  totals->optimal += is_optimal ? 1 : 0;
  totals->infeasible += solution->status == SolutionStatus::kInfeasible ? 1 : 0;
  absl::PrintF(
      "| %s | %d | %d | %s | %s | %d | %s | %d | %s | %d | %.0f | %s |\n", name,
      file->problem.records.size(),
      file->problem.constraints.prefer_apart.size(), PublishedCostOf(name),
      cost, solution->cost_bound, ratio, solution->total_size,
      SolutionStatusName(solution->status), solution->nodes,
      static_cast<double>(solution->time_ns) / 1e6, solution->found_by);
  (void)std::fflush(stdout);
}

int Run(const std::vector<std::string>& paths, const SolveOptions& options) {
  absl::PrintF(
      "| problem | records | pairs | published | cost | bound | cost / bound | "
      "total | status | nodes | ms | found by |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|---|\n");
  Totals totals;
  for (const std::string& path : paths) {
    for (const std::string& file : FilesAt(path)) {
      PrintRow(file, options, &totals);
    }
  }
  absl::PrintF(
      "\n%d plans cost %d together; %d are optimal. %d problems are "
      "infeasible.\n",
      totals.plans, totals.cost, totals.optimal, totals.infeasible);
  return totals.has_failed ? 1 : 0;
}

int Main(const std::vector<std::string>& arguments) {
  SolveOptions options;
  options.time_limit_ns = 1'000'000'000;
  std::vector<std::string> paths;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const bool has_value = k + 1 < arguments.size();
    double seconds = 0;
    uint64_t nodes = 0;
    if (arguments[k] == "--seconds" && has_value &&
        absl::SimpleAtod(arguments[k + 1], &seconds)) {
      options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(seconds));
      ++k;
    } else if (arguments[k] == "--nodes" && has_value &&
               absl::SimpleAtoi(arguments[k + 1], &nodes)) {
      options.node_budget = nodes;
      ++k;
    } else {
      paths.push_back(arguments[k]);
    }
  }
  if (paths.empty()) {
    absl::FPrintF(stderr,
                  "usage: stowage_reuse [--seconds N] [--nodes N] PATH...\n");
    return 2;
  }
  return Run(paths, options);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  return stowage::bench::Main({argv + 1, argv + argc});
}
