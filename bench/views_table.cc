// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long reports of plans take relative to the
// reference work (reference_work.h). For planning itself, use stowage_speed.
//
//   stowage_views_speed [TRACE.csv...]
//
// Without arguments, uses random networks of three sizes. The plans are made by
// the strategy skyline. The times cover the library only, without reading and
// printing.
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bench/networks.h"
#include "bench/reference_work.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"

namespace stowage::bench {
namespace {

constexpr int kRepetitions = 5;

void PrintRow(const std::string& name, size_t records, const char* what,
              const RelativeTime& time) {
  std::printf("| %-24s | %8zu | %-14s | %8.1f | %7.1f |\n", name.c_str(),
              records, what, time.work_ms, time.relative());
  std::fflush(stdout);
}

// Prints the rows of a trace. If the trace has no plan, prints a message and
// returns false.
bool PrintRows(const std::string& name, ProblemFile trace) {
  const absl::StatusOr<Problem> problem = Problem::Create(trace.problem);
  const absl::StatusOr<Solution> plan =
      problem.ok() ? Solve(*problem, "skyline") : problem.status();
  if (!plan.ok() || !plan->has_plan()) {
    std::fprintf(stderr, "stowage_views_speed: %s: no plan\n", name.c_str());
    return false;
  }
  trace.plan.offsets = plan->offsets()->offsets;
  const size_t records = trace.problem.records.size();
  PrintRow(name, records, "ExplainBreadth", MeasureRelative(kRepetitions, [&] {
             views::ExplainBreadth(trace.problem.records);
           }));
  const absl::StatusOr<views::PlanView> view =
      views::ViewPlan(trace, {name, "skyline"});
  if (!view.ok()) return false;
  PrintRow(name, records, "ViewPlan", MeasureRelative(kRepetitions, [&] {
             views::ViewPlan(trace, {name, "skyline"}).IgnoreError();
           }));
  PrintRow(name, records, "ExplainPlan",
           MeasureRelative(kRepetitions, [&] { views::ExplainPlan(*view); }));
  PrintRow(name, records, "DiffPlans", MeasureRelative(kRepetitions, [&] {
             views::DiffPlans(*view, *view).IgnoreError();
           }));
  return true;
}

// Prints the table and returns the exit code of the process.
int PrintTable(int count, char** paths) {
  std::puts(
      "| trace                    |  records | report         |       ms |   "
      "x reference |\n"
      "|--------------------------|---------:|----------------|---------:|-----"
      "---:|");
  for (int k = 0; k < count; ++k) {
    const absl::StatusOr<ProblemFile> trace = ReadProblemFile(paths[k]);
    if (!trace.ok()) {
      std::fprintf(stderr, "stowage_views_speed: %s\n",
                   std::string(trace.status().message()).c_str());
      return 1;
    }
    const std::string path = paths[k];
    if (!PrintRows(path.substr(path.rfind('/') + 1), *trace)) return 1;
  }
  if (count > 0) return 0;
  for (const size_t records : {size_t{1000}, size_t{50000}, size_t{1000000}}) {
    ProblemFile trace;
    trace.problem.records = NetworkRecords(records, /*seed=*/1);
    for (size_t i = 0; i < trace.problem.records.size(); ++i) {
      trace.problem.names.push_back(absl::StrCat(i));
    }
    if (!PrintRows("random network", std::move(trace))) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  return stowage::bench::PrintTable(argc - 1, argv + 1);
}
