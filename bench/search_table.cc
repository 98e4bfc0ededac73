// SPDX-License-Identifier: Apache-2.0
// Prints what OPTIMAL and SKYLINE reach on recorded traces and how long they
// take, in yards (see yard.h), as two Markdown tables: what is asked of each
// trace and when it was there, and the ratio to the lower bound over time.
//
//   stowage_search FOLDER [SECONDS] [THREADS]
//
// FOLDER has the folders suites/ and scaling/; SECONDS (10) is the deadline of
// each search, THREADS (2) what it may use. The yard is measured before and
// after each run, on one thread. A trace that is not there is told of and left
// out.
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/yard.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"
#include "stowage/trace.h"

namespace stowage::bench {
namespace {

struct Work {
  const char* file;
  const char* strategy;
  double asked;  // ratio to the lower bound, the best known before or the bound
};

constexpr Work kWorks[] = {
    {"suites/A.1048576.csv", "optimal", 1},
    {"suites/B.1048576.csv", "optimal", 1},
    {"suites/E.1048576.csv", "optimal", 1},
    {"suites/G.1048576.csv", "optimal", 1},
    {"suites/H.1048576.csv", "optimal", 1},
    {"suites/K.1048576.csv", "optimal", 1},
    {"suites/D.1048576.csv", "optimal", 1048576.0 / 986112},
    {"suites/J.1048576.csv", "optimal", 1041408.0 / 989184},
    {"suites/G_1.csv", "optimal", 1.000001},
    {"suites/resnet50.csv", "optimal", 1.000001},
    {"suites/tiny_bert.csv", "optimal", 1.000001},
    {"suites/bert_base.csv", "optimal", 1.000001},
    {"suites/iree_mobilebert.csv", "optimal", 1.000001},
    {"suites/pangu_2.6B.csv", "optimal", 1.0076},
    {"suites/S_1.csv", "skyline", 1.0026},
    {"suites/S_1.csv", "optimal", 1.0026},
    {"scaling/dnn_1000.csv", "optimal", 1},
    {"scaling/dnn_10000.csv", "optimal", 1},
    {"scaling/dnn_50000.csv", "skyline", 1.0041},
    {"scaling/dnn_50000.csv", "optimal", 1.0041},
    {"scaling/cpython_malloc_1m.csv", "skyline", 1.0158},
    {"scaling/cpython_malloc_1m.csv", "optimal", 1.0158},
};

// Yards at which the second table looks.
constexpr double kMoments[] = {1, 5, 20, 60, 200, 600};

// A run: when its plans were found, and what the last of them is.
struct Run {
  struct Found {
    double yards;
    double ratio;
  };
  std::vector<Found> found;
  size_t records = 0;
  size_t total = 0;
  double ratio = 0;
  SolutionStatus status = SolutionStatus::kFeasible;
  double yards = 0;
};

absl::StatusOr<Run> Measure(const Work& work, const std::string& folder,
                            const SolveOptions& search) {
  const absl::StatusOr<Trace> trace =
      ReadTraceCsv(absl::StrCat(folder, "/", work.file));
  if (!trace.ok()) return trace.status();
  const auto bound = static_cast<double>(OffsetsLowerBound(trace->records));
  ProblemSpec spec;
  spec.records = trace->records;
  spec.alignments = trace->alignments;
  SolveOptions options = search;
  Run run;
  absl::Time begun;
  options.progress = [&](const SearchProgress& progress) {
    run.found.push_back({absl::ToDoubleMilliseconds(absl::Now() - begun),
                         static_cast<double>(progress.total_size) / bound});
  };
  const double before = MeasureYard();
  begun = absl::Now();
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<Solution> plan = Solve(*problem, work.strategy, options);
  const double ms = absl::ToDoubleMilliseconds(absl::Now() - begun);
  const double yard_ms = (before + MeasureYard()) / 2;
  if (!plan.ok()) return plan.status();
  run.records = trace->records.size();
  run.total = plan->total_size;
  run.ratio = static_cast<double>(run.total) / bound;
  run.status = plan->status;
  run.yards = ms / yard_ms;
  for (Run::Found& found : run.found) found.yards /= yard_ms;
  run.found.push_back({run.yards, run.ratio});
  return run;
}

void PrintResults(const std::vector<std::pair<Work, Run>>& runs) {
  std::printf(
      "| trace | planner | records | total | ratio | status | asked | there "
      "after, yards | ended after, yards |\n"
      "|---|---|--:|--:|--:|---|--:|--:|--:|\n");
  for (const auto& [work, run] : runs) {
    std::string there = "-";
    for (const Run::Found& found : run.found) {
      if (found.ratio > work.asked + 1e-12) continue;
      there = absl::StrFormat("%.1f", found.yards);
      break;
    }
    absl::PrintF("| %s | %s | %d | %d | %.7f | %s | %.7f | %s | %.1f |\n",
                 work.file, work.strategy, run.records, run.total, run.ratio,
                 SolutionStatusName(run.status), work.asked, there, run.yards);
  }
}

void PrintRatiosOverTime(const std::vector<std::pair<Work, Run>>& runs) {
  std::printf("\n| trace | planner |");
  for (const double moment : kMoments) std::printf(" %.0f yd |", moment);
  std::printf("\n|---|---|");
  for (size_t k = 0; k < std::size(kMoments); ++k) std::printf("--:|");
  std::printf("\n");
  for (const auto& [work, run] : runs) {
    std::printf("| %s | %s |", work.file, work.strategy);
    for (const double moment : kMoments) {
      double ratio = 0;
      for (const Run::Found& found : run.found) {
        if (found.yards <= moment) ratio = found.ratio;
      }
      if (ratio == 0) {
        std::printf(" - |");
      } else {
        std::printf(" %.6f |", ratio);
      }
    }
    std::printf("\n");
  }
}

int Main(int argc, char** argv) {
  SolveOptions search;
  search.time_limit = absl::Seconds(10);
  search.threads = 2;
  double seconds = 0;
  if (argc > 2 && absl::SimpleAtod(argv[2], &seconds)) {
    search.time_limit = absl::Seconds(seconds);
  }
  if (argc > 3) (void)absl::SimpleAtoi(argv[3], &search.threads);
  std::vector<std::pair<Work, Run>> runs;
  for (const Work& work : kWorks) {
    absl::StatusOr<Run> run = Measure(work, argv[1], search);
    if (run.ok()) {
      runs.emplace_back(work, *std::move(run));
    } else {
      std::fprintf(stderr, "stowage_search: %s\n",
                   run.status().ToString().c_str());
    }
  }
  PrintResults(runs);
  PrintRatiosOverTime(runs);
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: stowage_search FOLDER [SECONDS] [THREADS]\n");
    return 2;
  }
  return stowage::bench::Main(argc, argv);
}
