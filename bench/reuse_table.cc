// SPDX-License-Identifier: Apache-2.0
// Measures the costs that OPTIMAL reaches for problems in which pairs of
// records cost something if they share bytes. Prints a Markdown table and the
// sum of all costs.
//
//   stowage_reuse [--seconds N] [--nodes N] [--threads N] [--seed N] PATH...
//
// Each PATH is a problem file or a folder. In a folder, all *.json files are
// measured, including those of its subfolders. If the folder of a file contains
// table.tsv, the best known cost is read from its columns `instance` and
// `best_known_cost`, or `file` and `best_cost`. Each search is limited by time
// (1 s by default) or by a number of nodes. With a limit on nodes, the table is
// the same on every machine. Searches use one thread by default. Exits with 1
// if planning a file fails for any reason other than that the problem has no
// plan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

namespace stowage::bench {
namespace {

namespace fs = std::filesystem;

// The lowest published costs of MiniMalloc's challenges with costs. Source:
// github.com/tonibohnlein/dsa-solver, benchmarks of minimalloc-dsa-rp-v1 (11
// instances), the minimum over 10 methods with seed 0, 500 iterations and one
// restart.
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

// Returns the best known costs in the table of a folder, keyed by the name of
// the problem file without its extension. Returns no costs if the folder has no
// table.
std::map<std::string, uint64_t> KnownCosts(const fs::path& folder) {
  std::map<std::string, uint64_t> known;
  std::ifstream table(folder / "table.tsv");
  std::string line;
  if (!std::getline(table, line)) return known;
  const std::vector<std::string> header = absl::StrSplit(line, '\t');
  const auto column = [&](std::initializer_list<absl::string_view> names) {
    const auto at = std::find_first_of(header.begin(), header.end(),
                                       names.begin(), names.end());
    return static_cast<size_t>(at - header.begin());
  };
  const size_t cost_at = column({"best_known_cost", "best_cost"});
  const size_t file_at = column({"file"});
  const size_t name_at =
      file_at < header.size() ? file_at : column({"instance"});
  while (std::getline(table, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    uint64_t cost = 0;
    if (std::max(cost_at, name_at) < fields.size() &&
        absl::SimpleAtoi(fields[cost_at], &cost)) {
      known[fs::path(fields[name_at]).stem().string()] = cost;
    }
  }
  return known;
}

// Returns the ratio `cost` / `of` with two decimals, or "-" if `of` is 0.
std::string RatioOf(uint64_t cost, uint64_t of) {
  if (of == 0) return "-";
  return absl::StrFormat("%.2f",
                         static_cast<double>(cost) / static_cast<double>(of));
}

struct Totals {
  uint64_t cost = 0;
  size_t plans = 0;
  size_t optimal = 0;
  size_t infeasible = 0;
  bool has_failed = false;
};

// Returns the sorted problem files in a folder and its subfolders. Returns the
// path itself if it is not a folder.
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
  const std::map<std::string, uint64_t> all_known =
      KnownCosts(fs::path(path).parent_path());
  const auto known = all_known.find(name);
  std::string cost = "-";
  std::string to_bound = "-";
  std::string to_known = "-";
  if (solution->has_plan()) {
    cost = absl::StrCat(solution->cost);
    to_bound = RatioOf(solution->cost, solution->cost_bound);
    if (known != all_known.end()) {
      to_known = RatioOf(solution->cost, known->second);
    }
    totals->cost += solution->cost;
    ++totals->plans;
  }
  const bool is_optimal = solution->status == SolutionStatus::kOptimal;
  totals->optimal += is_optimal ? 1 : 0;
  totals->infeasible += solution->status == SolutionStatus::kInfeasible ? 1 : 0;
  absl::PrintF(
      "| %s | %d | %d | %s | %s | %s | %s | %d | %s | %d | %s | %d | %.0f | %s "
      "|\n",
      name, file->problem.records.size(),
      file->problem.constraints.prefer_apart.size(), PublishedCostOf(name),
      known != all_known.end() ? absl::StrCat(known->second) : "-", cost,
      to_known, solution->cost_bound, to_bound, solution->total_size,
      SolutionStatusName(solution->status), solution->nodes,
      static_cast<double>(solution->time_ns) / 1e6, solution->found_by);
  (void)std::fflush(stdout);
}

int Run(const std::vector<std::string>& paths, const SolveOptions& options) {
  absl::PrintF(
      "| problem | records | pairs | published | known | cost | cost / known | "
      "bound | cost / bound | total | status | nodes | ms | found by |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|---|\n");
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

int Usage() {
  absl::FPrintF(stderr,
                "usage: stowage_reuse [--seconds N] [--nodes N] [--threads N] "
                "[--seed N] PATH...\n");
  return 2;
}

int Main(const std::vector<std::string>& arguments) {
  SolveOptions options;
  options.time_limit_ns = 1'000'000'000;
  options.threads = 1;
  std::vector<std::string> paths;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string& name = arguments[k];
    if (name.substr(0, 2) != "--") {
      paths.push_back(name);
      continue;
    }
    if (++k == arguments.size()) return Usage();
    double seconds = 0;
    uint64_t nodes = 0;
    if (name == "--seconds" && absl::SimpleAtod(arguments[k], &seconds)) {
      options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(seconds));
    } else if (name == "--nodes" && absl::SimpleAtoi(arguments[k], &nodes)) {
      options.node_budget = nodes;
    } else if (!(name == "--threads" &&
                 absl::SimpleAtoi(arguments[k], &options.threads)) &&
               !(name == "--seed" &&
                 absl::SimpleAtoi(arguments[k], &options.seed))) {
      return Usage();
    }
  }
  if (paths.empty()) return Usage();
  return Run(paths, options);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  return stowage::bench::Main({argv + 1, argv + argc});
}
