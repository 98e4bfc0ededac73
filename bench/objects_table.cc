// SPDX-License-Identifier: Apache-2.0
// Plans traces with OPTIMAL as shared objects, and compares the totals with a
// table of known optima. Prints a Markdown table with times relative to the
// reference work (reference_work.h), followed by the median and the maximum of
// these times.
//
//   stowage_objects TABLE FOLDER [SECONDS]
//
// TABLE is a file of tab-separated values with a header line, which must have
// the columns "trace" and "optimum". For each entry, searches FOLDER and its
// subfolders for the file named after the trace, with ".csv". SECONDS (10) is
// the time limit of each search. Checks every certificate. Exits with 1 if a
// certificate is refuted, or if an optimum is not both reached and proved.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/reference_work.h"
#include "stowage/certificate.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

namespace stowage::bench {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string trace;
  size_t optimum = 0;
};

struct Run {
  Row row;
  size_t records = 0;
  Solution solution;
  size_t weights = 0;
  size_t certificate_bytes = 0;
  // "proved", "not checked", or the error in the certificate.
  std::string verdict;
  double ms = 0;
  double relative = 0;

  bool is_proved() const {
    return solution.status == SolutionStatus::kOptimal &&
           solution.total_size == row.optimum && verdict == "proved";
  }
};

absl::StatusOr<std::vector<Row>> ReadTable(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = absl::StrSplit(line, '\t');
  const auto trace = std::find(names.begin(), names.end(), "trace");
  const auto optimum = std::find(names.begin(), names.end(), "optimum");
  if (trace == names.end() || optimum == names.end()) {
    return absl::InvalidArgumentError(
        path + ": no table; expected columns 'trace' and 'optimum'");
  }
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = absl::StrSplit(line, '\t');
    Row row;
    if (values.size() != names.size() ||
        !absl::SimpleAtoi(values[static_cast<size_t>(optimum - names.begin())],
                          &row.optimum)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: line '%s'; expected %d values and an optimum",
                          path, line, names.size()));
    }
    row.trace = values[static_cast<size_t>(trace - names.begin())];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::map<std::string, std::string> TracesIn(const std::string& folder) {
  std::map<std::string, std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".csv") continue;
    paths[it->path().stem().string()] = it->path().string();
  }
  return paths;
}

std::string VerdictOn(const ProblemSpec& spec, const std::string& certificate) {
  const absl::StatusOr<CertificateVerdict> verdict =
      CheckCertificate(spec, certificate);
  if (!verdict.ok()) return std::string(verdict.status().message());
  if (!verdict->refuted.empty()) return verdict->refuted;
  return verdict->not_checked.empty() ? "proved" : "not checked";
}

absl::StatusOr<Run> Measure(const Row& row, const std::string& path,
                            absl::Duration limit) {
  const absl::StatusOr<ProblemFile> trace = ReadProblemFile(path);
  if (!trace.ok()) return trace.status();
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  spec.records = trace->problem.records;
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(limit);
  Run run;
  run.row = row;
  run.records = trace->problem.records.size();
  const double before = MeasureReference();
  const absl::Time begun = absl::Now();
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  absl::StatusOr<Solution> solution = Solve(*problem, "optimal", options);
  if (!solution.ok()) return solution.status();
  run.solution = *std::move(solution);
  const absl::StatusOr<std::string> text =
      FormatCertificate(*problem, run.solution);
  if (!text.ok()) return text.status();
  run.verdict = VerdictOn(spec, *text);
  run.ms = absl::ToDoubleMilliseconds(absl::Now() - begun);
  run.relative = run.ms / ((before + MeasureReference()) / 2);
  run.weights = run.solution.chain_weights.records.size();
  run.certificate_bytes = text->size();
  return run;
}

void PrintRun(const Run& run) {
  absl::PrintF(
      "| %s | %d | %d | %d | %d | %s | %s | %d | %d | %d | %.1f | %.2f | %s "
      "|\n",
      run.row.trace, run.records, run.solution.total_size, run.row.optimum,
      run.solution.lower_bound, SolutionStatusName(run.solution.status),
      run.verdict, run.weights, run.certificate_bytes, run.solution.nodes,
      run.ms, run.relative, run.solution.found_by);
  (void)std::fflush(stdout);
}

int Main(const std::string& table, const std::string& folder,
         absl::Duration limit) {
  const absl::StatusOr<std::vector<Row>> rows = ReadTable(table);
  if (!rows.ok()) {
    absl::FPrintF(stderr, "stowage_objects: %s\n", rows.status().message());
    return 2;
  }
  const std::map<std::string, std::string> paths = TracesIn(folder);
  std::printf(
      "| trace | records | total | optimum | lower bound | status | "
      "certificate | weights | bytes | nodes | ms | x reference | found by |\n"
      "|---|--:|--:|--:|--:|---|---|--:|--:|--:|--:|--:|---|\n");
  std::vector<double> times;
  size_t proved = 0;
  for (const Row& row : *rows) {
    const auto path = paths.find(row.trace);
    if (path == paths.end()) {
      absl::FPrintF(stderr, "stowage_objects: no trace '%s' in '%s'\n",
                    row.trace, folder);
      continue;
    }
    const absl::StatusOr<Run> run = Measure(row, path->second, limit);
    if (!run.ok()) {
      absl::FPrintF(stderr, "stowage_objects: %s: %s\n", row.trace,
                    run.status().message());
      continue;
    }
    PrintRun(*run);
    times.push_back(run->relative);
    if (run->is_proved()) ++proved;
  }
  if (times.empty()) return 1;
  std::sort(times.begin(), times.end());
  absl::PrintF(
      "\n%d of %d proved; %.2f x reference at the median, %.2f at most\n",
      proved, rows->size(), times[times.size() / 2], times.back());
  return proved == rows->size() ? 0 : 1;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  double seconds = 10;
  if (argc < 3 || argc > 4 ||
      (argc == 4 && !absl::SimpleAtod(argv[3], &seconds))) {
    (void)std::fprintf(stderr,
                       "usage: stowage_objects TABLE FOLDER [SECONDS]\n");
    return 2;
  }
  return stowage::bench::Main(argv[1], argv[2], absl::Seconds(seconds));
}
