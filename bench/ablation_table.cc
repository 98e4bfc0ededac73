// SPDX-License-Identifier: Apache-2.0
// Measures how much each constant of OPTIMAL
// (strategies/optimal/search_tuning.h) contributes to its plans. For each
// constant, runs a search with a fixed number of nodes in which this constant
// is switched off. Prints the results as a Markdown table. To measure plans
// under a time limit, run stowage_search.
//
//   stowage_ablation [--nodes N] [--records N] [FOLDER]
//
// Searches FOLDER and its subfolders for traces. The default FOLDER is
// STOWAGE_TRACES if it is set, and data/traces otherwise. Skips traces with
// more than --records (3000) records. Each search is limited to --nodes (20000)
// nodes rather than to a time, so the table is the same on every machine. The
// table omits two kinds of constants: `chunk` and `scanned_per_found` change no
// plan under a limit on nodes, and `nodes_per_question` matters only if a
// capacity is too small.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "optimal/objects/objects_search.h"
#include "optimal/offsets_search.h"
#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/io/problem_file.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::bench {
namespace {

using optimal::SearchTuning;

struct Variation {
  const char* name;
  PlanKind kind;
  void (*switch_off)(SearchTuning*);
};

constexpr PlanKind kOffsets = PlanKind::kOffsets;
constexpr PlanKind kObjects = PlanKind::kObjects;

constexpr Variation kVariations[] = {
    {"nothing", kOffsets, [](SearchTuning*) {}},
    {"sweeps from the peak", kOffsets,
     [](SearchTuning* t) { t->construct.sweeps = 0; }},
    {"sweeps but the first", kOffsets,
     [](SearchTuning* t) { t->construct.sweeps = 1; }},
    {"local peaks", kOffsets,
     [](SearchTuning* t) { t->construct.peak_shares = 0; }},
    {"local peaks but the lowest share", kOffsets,
     [](SearchTuning* t) { t->construct.peak_shares = 1; }},
    {"dives", kOffsets, [](SearchTuning* t) { t->construct.passes = 0; }},
    {"dives but the first", kOffsets,
     [](SearchTuning* t) { t->construct.passes = 1; }},
    {"looks beyond few_looks", kOffsets,
     [](SearchTuning* t) { t->construct.checks_per_pass = 0; }},
    {"looks beyond one for each record", kOffsets,
     [](SearchTuning* t) { t->construct.checks_per_record = 1; }},
    {"exact search", kOffsets, [](SearchTuning* t) { t->max_exact_items = 0; }},
    {"short first round", kOffsets,
     [](SearchTuning* t) { t->portfolio.first_slice = 0; }},
    {"long turns (250 nodes each)", kOffsets,
     [](SearchTuning* t) { t->portfolio.slice = 250; }},
    {"growth of turns", kOffsets,
     [](SearchTuning* t) { t->portfolio.slices_grow = false; }},
    {"kept searches at the bound", kOffsets,
     [](SearchTuning* t) { t->portfolio.kept_at_bound = 0; }},
    {"kept searches between", kOffsets,
     [](SearchTuning* t) { t->portfolio.kept_between = 0; }},
    {"new searches", kOffsets,
     [](SearchTuning* t) { t->portfolio.new_slices = 0; }},
    {"new searches between", kOffsets,
     [](SearchTuning* t) { t->portfolio.between_period = 0; }},
    {"factors of neighbours", kOffsets,
     [](SearchTuning* t) { t->portfolio.neighbour_factors = 1; }},
    {"neighbours that sort by load", kOffsets,
     [](SearchTuning* t) { t->portfolio.static_period = 1; }},
    {"static neighbours", kOffsets,
     [](SearchTuning* t) { t->portfolio.static_period = uint64_t{1} << 40; }},
    {"neighbours by failures", kOffsets,
     [](SearchTuning* t) { t->portfolio.failures_period = 0; }},
    {"neighbours not by failures", kOffsets,
     [](SearchTuning* t) { t->portfolio.failures_period = 1; }},
    {"genetic searches", kOffsets,
     [](SearchTuning* t) { t->genetic.percent = 0; }},
    {"fresh starts of genetic searches", kOffsets,
     [](SearchTuning* t) { t->genetic.patience = uint64_t{1} << 40; }},
    {"repairs", kOffsets, [](SearchTuning* t) { t->repair_iterations = 0; }},
    {"overlap search", kOffsets,
     [](SearchTuning* t) { t->overlap.max_sides = 0; }},
    {"restarts of the overlap search", kOffsets,
     [](SearchTuning* t) { t->overlap.restart = uint64_t{1} << 40; }},
    {"cost of overlapping at all", kOffsets,
     [](SearchTuning* t) { t->overlap.touch = 0; }},
    {"chains of the overlap search", kOffsets,
     [](SearchTuning* t) { t->overlap.chain_starts = 0; }},
    {"chains beyond what is overlapped first", kOffsets,
     [](SearchTuning* t) { t->overlap.chain_growth = 0; }},
    {"turns of bystanders", kOffsets,
     [](SearchTuning* t) { t->overlap.bystander_period = 0; }},
    {"restarts of ejection", kOffsets,
     [](SearchTuning* t) { t->ejection.restart = uint64_t{1} << 40; }},
    {"penalties of ejection", kOffsets,
     [](SearchTuning* t) { t->ejection.highest_penalty = 1; }},
    {"early share of the exact search", kOffsets,
     [](SearchTuning* t) { t->early_rounds = 0; }},
    {"later share of repairs", kOffsets,
     [](SearchTuning* t) { t->early_rounds = uint64_t{1} << 40; }},
    {"nothing", kObjects, [](SearchTuning*) {}},
    {"linear program", kObjects,
     [](SearchTuning* t) { t->objects.max_shares = 0; }},
    {"exact search", kObjects,
     [](SearchTuning* t) { t->objects.max_records = 0; }},
};

struct Settings {
  uint64_t nodes = 20000;
  size_t records = 3000;
  std::string folder;
};

struct Result {
  double ratio = 1;  // total size relative to the bound of the records
  bool is_proved = false;
  uint64_t nodes = 0;
};

Result ResultOf(const Problem& problem, size_t total,
                const Solution& solution) {
  Result result;
  const auto bound = static_cast<double>(LowerBoundOf(problem).bytes);
  if (bound > 0) result.ratio = static_cast<double>(total) / bound;
  result.is_proved = total == solution.lower_bound;
  result.nodes = solution.nodes;
  return result;
}

absl::StatusOr<Result> Run(const Problem& problem, uint64_t nodes,
                           const SearchTuning& tuning) {
  SolveOptions options;
  options.node_budget = nodes;
  if (problem.kind() == kOffsets) {
    const Solution solution =
        optimal::OffsetsSearch(problem, options, tuning).Run();
    return ResultOf(problem, solution.offsets()->total_size, solution);
  }
  const Solution solution =
      optimal::ObjectsSearch(problem, options, tuning.objects).Run();
  const absl::StatusOr<size_t> total = TotalSize(*solution.objects());
  if (!total.ok()) return total.status();
  return ResultOf(problem, *total, solution);
}

absl::StatusOr<std::vector<Problem>> ReadProblems(const Settings& settings,
                                                  PlanKind kind) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(settings.folder, error)) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat(settings.folder, ": ", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Problem> problems;
  for (const std::string& path : paths) {
    absl::StatusOr<ProblemFile> trace = ReadProblemFile(path);
    if (!trace.ok()) {
      std::fprintf(stderr, "stowage_ablation: left out: %s\n",
                   std::string(trace.status().message()).c_str());
      continue;
    }
    if (trace->problem.records.size() > settings.records) continue;
    ProblemSpec spec;
    spec.kind = kind;
    spec.alignments = std::move(trace->problem.alignments);
    spec.records = std::move(trace->problem.records);
    absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
    if (!problem.ok()) return problem.status();
    problems.push_back(*std::move(problem));
  }
  return problems;
}

// Runs one variation on all problems.
absl::StatusOr<std::vector<Result>> RunAll(const std::vector<Problem>& problems,
                                           uint64_t nodes,
                                           const Variation& variation) {
  SearchTuning tuning;
  variation.switch_off(&tuning);
  std::vector<Result> results;
  for (const Problem& problem : problems) {
    absl::StatusOr<Result> result = Run(problem, nodes, tuning);
    if (!result.ok()) return result.status();
    results.push_back(*result);
  }
  return results;
}

void PrintRow(const Variation& variation, const std::vector<Result>& results,
              const std::vector<Result>& reference) {
  size_t proved = 0;
  size_t larger = 0;
  size_t smaller = 0;
  uint64_t nodes = 0;
  double logarithms = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    if (results[k].is_proved) ++proved;
    if (results[k].ratio > reference[k].ratio) ++larger;
    if (results[k].ratio < reference[k].ratio) ++smaller;
    nodes += results[k].nodes;
    logarithms += std::log(results[k].ratio);
  }
  absl::PrintF("| %s | %s | %d | %.6f | %d | %d | %d |\n", variation.name,
               PlanKindName(variation.kind), proved,
               std::exp(logarithms / static_cast<double>(results.size())),
               larger, smaller, nodes);
  std::fflush(stdout);
}

absl::Status PrintTable(const Settings& settings) {
  for (const PlanKind kind : {kOffsets, kObjects}) {
    const auto problems = ReadProblems(settings, kind);
    if (!problems.ok()) return problems.status();
    if (problems->empty()) {
      return absl::NotFoundError(
          absl::StrCat(settings.folder, ": no traces; expected *.csv"));
    }
    if (kind == kOffsets) {
      absl::PrintF(
          "%d traces, %d nodes each\n\n| switched off | kind | proved | mean "
          "ratio to the bound | larger plans | smaller plans | nodes |\n"
          "|---|---|--:|--:|--:|--:|--:|\n",
          problems->size(), settings.nodes);
    }
    std::vector<Result> reference;
    for (const Variation& variation : kVariations) {
      if (variation.kind != kind) continue;
      const auto results = RunAll(*problems, settings.nodes, variation);
      if (!results.ok()) return results.status();
      if (reference.empty()) reference = *results;
      PrintRow(variation, *results, reference);
    }
  }
  return absl::OkStatus();
}

bool ParseArguments(int argc, char** argv, Settings* settings) {
  const char* const traces = std::getenv("STOWAGE_TRACES");
  settings->folder = traces != nullptr ? traces : "data/traces";
  for (int k = 1; k < argc; ++k) {
    const absl::string_view argument = argv[k];
    const bool has_value = k + 1 < argc;
    if (argument == "--nodes" && has_value) {
      if (!absl::SimpleAtoi(argv[++k], &settings->nodes)) return false;
    } else if (argument == "--records" && has_value) {
      if (!absl::SimpleAtoi(argv[++k], &settings->records)) return false;
    } else if (argument.substr(0, 1) == "-") {
      return false;
    } else {
      settings->folder = std::string(argument);
    }
  }
  return true;
}

int Main(int argc, char** argv) {
  Settings settings;
  if (!ParseArguments(argc, argv, &settings)) {
    std::fprintf(
        stderr, "usage: stowage_ablation [--nodes N] [--records N] [FOLDER]\n");
    return 2;
  }
  const absl::Status status = PrintTable(settings);
  if (status.ok()) return 0;
  std::fprintf(stderr, "stowage_ablation: %s\n",
               std::string(status.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
