// SPDX-License-Identifier: Apache-2.0
// Prints the totals that a planner reaches on the traces of a folder, and how
// long it takes, in milliseconds and relative to the reference work
// (reference_work.h). Prints two Markdown tables: the result for each trace,
// and the ratio to the lower bound over time. With --svg, also draws the second
// table as a plot.
//
//   stowage_search FOLDER [SECONDS] [THREADS] [--strategy NAME] [--svg FILE]
//
// Plans every .csv file in FOLDER and its subfolders for offsets, in the order
// of file names. SECONDS (10) is the time limit of each search, THREADS (2) is
// the number of threads, and NAME (optimal) is the planner. The reference work
// is measured before and after each run, on one thread. Exits with 1 if a trace
// cannot be read or planned.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/gap_plot.h"
#include "bench/reference_work.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::bench {
namespace {

namespace fs = std::filesystem;

struct Args {
  std::string folder;
  std::string strategy = "optimal";
  std::string svg;
  SolveOptions search;
};

// The times, in milliseconds, at which the second table shows the ratio.
constexpr double kMoments[] = {1, 10, 100, 1000, 10000};

// Describes a run of the planner: the times at which it found its plans, and
// its final result.
struct Run {
  struct Found {
    double ms = 0;
    size_t total = 0;
  };
  std::string name;
  size_t records = 0;
  std::vector<Found> found;
  Solution solution;
  double ms = 0;
  double reference_ms = 0;

  double relative() const { return ms / reference_ms; }
  bool is_closed() const { return solution.status == SolutionStatus::kOptimal; }
  double RatioOf(size_t total) const {
    if (solution.lower_bound == 0) return 1;
    return static_cast<double>(total) /
           static_cast<double>(solution.lower_bound);
  }
  double ratio() const { return RatioOf(solution.total_size); }
};

std::vector<fs::path> TracesIn(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".csv") paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Calls a function whenever a search reports its progress.
class Follower final : public Observer {
 public:
  using Follow = std::function<void(const SearchProgress&)>;
  explicit Follower(Follow follow) : follow_(std::move(follow)) {}
  bool OnProgress(const SearchProgress& progress) override {
    follow_(progress);
    return true;
  }

 private:
  const Follow follow_;
};

absl::StatusOr<Run> Measure(const fs::path& path, const Args& args) {
  absl::StatusOr<ProblemFile> trace = ReadProblemFile(path.string());
  if (!trace.ok()) return trace.status();
  Run run;
  run.name = path.stem().string();
  run.records = trace->problem.records.size();
  ProblemSpec spec;
  spec.records = std::move(trace->problem.records);
  spec.alignments = std::move(trace->problem.alignments);
  SolveOptions options = args.search;
  absl::Time begun;
  Follower follower([&](const SearchProgress& progress) {
    run.found.push_back(
        {absl::ToDoubleMilliseconds(absl::Now() - begun), progress.total_size});
  });
  options.observer = &follower;
  const double before = MeasureReference();
  begun = absl::Now();
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  absl::StatusOr<Solution> solution = Solve(*problem, args.strategy, options);
  run.ms = absl::ToDoubleMilliseconds(absl::Now() - begun);
  if (!solution.ok()) return solution.status();
  run.reference_ms = (before + MeasureReference()) / 2;
  run.solution = *std::move(solution);
  run.found.push_back({run.ms, run.solution.total_size});
  return run;
}

void PrintRun(const Run& run) {
  const Solution& solution = run.solution;
  absl::PrintF("| %s | %d | %d | %d | %.7f | %s | %.0f | %.1f | %s |\n",
               run.name, run.records, solution.lower_bound, solution.total_size,
               run.ratio(), SolutionStatusName(solution.status), run.ms,
               run.relative(), solution.found_by);
  (void)std::fflush(stdout);
}

void PrintSummary(const std::vector<Run>& runs) {
  const auto worst = std::max_element(
      runs.begin(), runs.end(),
      [](const Run& a, const Run& b) { return a.ratio() < b.ratio(); });
  double ms = 0;
  double relative = 0;
  int64_t closed = 0;
  for (const Run& run : runs) {
    ms += run.ms;
    relative += run.relative();
    if (run.is_closed()) ++closed;
  }
  absl::PrintF(
      "\nclosed %d of %d; largest ratio %.4f (%s); %.1f s, %.0f x reference "
      "together\n",
      closed, runs.size(), worst->ratio(), worst->name, ms / 1000, relative);
}

void PrintRatiosOverTime(const std::vector<Run>& runs) {
  absl::PrintF("\n| trace |");
  for (const double moment : kMoments) absl::PrintF(" %g ms |", moment);
  absl::PrintF("\n|---|");
  for (size_t k = 0; k < std::size(kMoments); ++k) absl::PrintF("--:|");
  absl::PrintF("\n");
  for (const Run& run : runs) {
    absl::PrintF("| %s |", run.name);
    for (const double moment : kMoments) {
      double ratio = 0;
      for (const Run::Found& found : run.found) {
        if (found.ms <= moment) ratio = run.RatioOf(found.total);
      }
      absl::PrintF(" %s |", ratio == 0 ? "-" : absl::StrFormat("%.6f", ratio));
    }
    absl::PrintF("\n");
  }
}

// Returns the name without the capacity that some suites append to it: "A" for
// "A.1048576".
std::string LabelOf(const std::string& name) {
  const size_t dot = name.rfind('.');
  const bool is_number =
      dot != std::string::npos && dot + 1 < name.size() &&
      name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_number ? name.substr(0, dot) : name;
}

absl::Status WritePlot(const std::vector<Run>& runs, const Args& args) {
  GapPlot plot;
  plot.title = absl::StrFormat("%s, gap to the lower bound over time, %d %s",
                               args.strategy, args.search.threads,
                               args.search.threads == 1 ? "thread" : "threads");
  std::vector<double> references;
  for (const Run& run : runs) {
    GapLine line;
    line.name = LabelOf(run.name);
    line.end_ms = run.ms;
    line.is_closed = run.is_closed();
    for (const Run::Found& found : run.found) {
      line.points.push_back({found.ms, run.RatioOf(found.total) - 1});
    }
    plot.lines.push_back(std::move(line));
    references.push_back(run.reference_ms);
  }
  std::sort(references.begin(), references.end());
  plot.reference_ms = references[references.size() / 2];
  return WriteFile(args.svg, FormatSvg(plot));
}

int Main(const Args& args) {
  absl::PrintF(
      "| trace | records | bound | total | ratio | status | ms | x reference | "
      "found "
      "by |\n|---|--:|--:|--:|--:|---|--:|--:|---|\n");
  std::vector<Run> runs;
  const std::vector<fs::path> paths = TracesIn(args.folder);
  for (const fs::path& path : paths) {
    absl::StatusOr<Run> run = Measure(path, args);
    if (!run.ok()) {
      absl::FPrintF(stderr, "stowage_search: %s: %s\n", path.string(),
                    run.status().message());
      continue;
    }
    PrintRun(*run);
    runs.push_back(*std::move(run));
  }
  if (runs.empty()) {
    absl::FPrintF(stderr, "stowage_search: '%s': no traces; expected .csv\n",
                  args.folder);
    return 1;
  }
  PrintSummary(runs);
  PrintRatiosOverTime(runs);
  if (!args.svg.empty()) {
    if (absl::Status s = WritePlot(runs, args); !s.ok()) {
      absl::FPrintF(stderr, "stowage_search: %s\n", s.message());
      return 1;
    }
  }
  return runs.size() == paths.size() ? 0 : 1;
}

// Returns false if the command line is wrong.
bool Parse(const std::vector<std::string>& words, Args* args) {
  args->search.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(10));
  args->search.threads = 2;
  std::vector<std::string> rest;
  for (size_t k = 0; k < words.size(); ++k) {
    if (words[k] != "--svg" && words[k] != "--strategy") {
      rest.push_back(words[k]);
    } else if (k + 1 == words.size()) {
      return false;
    } else {
      (words[k] == "--svg" ? args->svg : args->strategy) = words[k + 1];
      ++k;
    }
  }
  if (rest.empty() || rest.size() > 3) return false;
  args->folder = rest[0];
  double seconds = 0;
  if (rest.size() > 1) {
    if (!absl::SimpleAtod(rest[1], &seconds)) return false;
    args->search.time_limit_ns =
        absl::ToInt64Nanoseconds(absl::Seconds(seconds));
  }
  return rest.size() < 3 || absl::SimpleAtoi(rest[2], &args->search.threads);
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  stowage::bench::Args args;
  if (!stowage::bench::Parse({argv + 1, argv + argc}, &args)) {
    (void)std::fputs(
        "usage: stowage_search FOLDER [SECONDS] [THREADS] [--strategy NAME] "
        "[--svg FILE]\n",
        stderr);
    return 2;
  }
  return stowage::bench::Main(args);
}
