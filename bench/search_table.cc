// Prints what OPTIMAL and SKYLINE reach on recorded traces and how long they
// take, in yards (see yard.h), as a Markdown table.
//
//   stowage_search FOLDER [SECONDS] [THREADS]
//
// FOLDER has the folders suites/ and scaling/; SECONDS (10) is the deadline of
// each search, THREADS (2) what it may use. The yard is measured before and
// after each run, on one thread.
#include <cstddef>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "bench/yard.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/trace.h"

namespace stowage::bench {
namespace {

struct Work {
  const char* file;
  const char* strategy;
};

constexpr Work kWorks[] = {
    {"suites/A.1048576.csv", "optimal"},
    {"suites/B.1048576.csv", "optimal"},
    {"suites/E.1048576.csv", "optimal"},
    {"suites/G.1048576.csv", "optimal"},
    {"suites/H.1048576.csv", "optimal"},
    {"suites/K.1048576.csv", "optimal"},
    {"suites/D.1048576.csv", "optimal"},
    {"suites/J.1048576.csv", "optimal"},
    {"suites/G_1.csv", "optimal"},
    {"suites/resnet50.csv", "optimal"},
    {"suites/tiny_bert.csv", "optimal"},
    {"suites/bert_base.csv", "optimal"},
    {"suites/iree_mobilebert.csv", "optimal"},
    {"suites/pangu_2.6B.csv", "optimal"},
    {"suites/S_1.csv", "skyline"},
    {"suites/S_1.csv", "optimal"},
    {"scaling/dnn_1000.csv", "optimal"},
    {"scaling/dnn_10000.csv", "optimal"},
    {"scaling/dnn_50000.csv", "skyline"},
    {"scaling/dnn_50000.csv", "optimal"},
    {"scaling/cpython_malloc_1m.csv", "skyline"},
};

absl::Status PrintRow(const Work& work, const std::string& folder,
                      const SearchOptions& search) {
  const absl::StatusOr<Trace> trace =
      ReadTrace(absl::StrCat(folder, "/", work.file));
  if (!trace.ok()) return trace.status();
  PlanOptions options;
  options.strategy = work.strategy;
  options.alignments = trace->alignment();
  options.search = search;
  const double before = MeasureYard();
  const absl::StatusOr<PlanResult> plan = Plan(trace->records, options);
  const double yard_ms = (before + MeasureYard()) / 2;
  if (!plan.ok()) return plan.status();
  const double ms = absl::ToDoubleMilliseconds(plan->time);
  const double ratio = static_cast<double>(plan->total_size) /
                       static_cast<double>(OffsetsLowerBound(trace->records));
  std::printf(
      "| %-29s | %-7s | %7zu | %11zu | %9.7f | %-8s | %8.2f | %9.2f |\n",
      work.file, work.strategy, trace->records.size(), plan->total_size, ratio,
      std::string(PlanStatusName(plan->status)).c_str(), ms / yard_ms, ms);
  std::fflush(stdout);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  SearchOptions search;
  search.deadline = absl::Seconds(10);
  search.threads = 2;
  double seconds = 0;
  if (argc > 2 && absl::SimpleAtod(argv[2], &seconds)) {
    search.deadline = absl::Seconds(seconds);
  }
  if (argc > 3) (void)absl::SimpleAtoi(argv[3], &search.threads);
  std::printf(
      "| trace                         | planner | records |       total | "
      "ratio     | status   |    yards |        ms |\n"
      "|-------------------------------|---------|--------:|------------:|"
      "----------:|----------|---------:|----------:|\n");
  for (const Work& work : kWorks) {
    if (absl::Status status = PrintRow(work, argv[1], search); !status.ok()) {
      std::fprintf(stderr, "stowage_search: %s\n", status.ToString().c_str());
    }
  }
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
