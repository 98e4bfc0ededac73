// SPDX-License-Identifier: Apache-2.0
// Measures the pages that show plans in a real browser: the size of a page, the
// time to its first picture, and the time of a frame. Reads traces (CSV) and
// plans them with `skyline`.
//
//   build/release/bench/stowage_page_speed data/traces/unet_plus_plus.csv
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/views/page.h"
#include "tests/web/browser.h"

namespace stowage {
namespace {

// Measures 31 frames and returns the median and the 95th percentile in
// milliseconds.
constexpr char kFrames[] =
    "((draw) => { const t = []; for (let k = 0; k < 31; ++k) {"
    " const begin = performance.now(); draw(k); t.push(performance.now() - "
    "begin); }"
    " t.sort((a, b) => a - b); return [t[15], t[29]]; })";
constexpr char kFull[] = "(() => stowage.frame())";
// Shows a window of a twentieth of all tasks. Each frame shifts the window by a
// tenth of its width.
constexpr char kPan[] =
    "((k) => { const {x0, x1} = stowage.state().full; const w = (x1 - x0) / 20;"
    " const at = x0 + (x1 - x0) * 0.3 + k * w / 10;"
    " stowage.setWindow({x0: at, x1: at + w}); })";
constexpr char kFirstPicture[] =
    "new Promise((done) => { const wait = () => window.stowage ?"
    " done(stowage.firstPictureMs) : setTimeout(wait, 5); wait(); })";

struct Row {
  size_t records = 0;
  size_t bytes = 0;
  double format_seconds = 0;
  double first_picture = 0;  // milliseconds
  double full[2] = {0, 0};   // milliseconds: median, 95th percentile
  double pan[2] = {0, 0};
  double heap_mib = 0;
};

absl::StatusOr<views::PlanView> PlanOf(const std::string& path) {
  absl::StatusOr<ProblemFile> trace = ReadProblemFile(path);
  if (!trace.ok()) return trace.status();
  const absl::StatusOr<Problem> problem = Problem::Create(trace->problem);
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<Solution> plan = Solve(*problem, "skyline");
  if (!plan.ok()) return plan.status();
  trace->plan.offsets = plan->offsets()->offsets;
  return views::ViewPlan(*std::move(trace), {path, "skyline"});
}

absl::Status Frames(web::Browser* browser, const char* draw, double* times) {
  const absl::StatusOr<web::Json> measured =
      browser->Evaluate(absl::StrCat(kFrames, "(", draw, ")"));
  if (!measured.ok()) return measured.status();
  times[0] = measured->at(0);
  times[1] = measured->at(1);
  return absl::OkStatus();
}

absl::StatusOr<Row> Measure(const std::string& path, web::Browser* browser) {
  const absl::StatusOr<views::PlanView> view = PlanOf(path);
  if (!view.ok()) return view.status();
  Row row;
  row.records = view->problem.records.size();
  const absl::Time begin = absl::Now();
  const absl::StatusOr<std::string> page = views::FormatPage({*view});
  if (!page.ok()) return page.status();
  row.format_seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  row.bytes = page->size();
  const std::string file =
      absl::StrCat(std::filesystem::temp_directory_path().string(),
                   "/stowage-page-", getpid(), ".html");
  absl::Status s = WriteFile(file, *page);
  if (s.ok()) s = browser->Open(absl::StrCat("file://", file));
  std::filesystem::remove(file);
  if (!s.ok()) return s;
  const absl::StatusOr<web::Json> first = browser->Evaluate(kFirstPicture);
  if (!first.ok()) return first.status();
  row.first_picture = *first;
  s = Frames(browser, kFull, row.full);
  if (s.ok()) s = Frames(browser, kPan, row.pan);
  if (!s.ok()) return s;
  const absl::StatusOr<uint64_t> heap = browser->HeapBytes();
  if (!heap.ok()) return heap.status();
  row.heap_mib = static_cast<double>(*heap) / (1 << 20);
  return row;
}

int Run(int argc, char** argv) {
  absl::StatusOr<std::unique_ptr<web::Browser>> browser = web::Browser::Start();
  if (!browser.ok()) {
    std::fprintf(stderr, "%s\n", browser.status().ToString().c_str());
    return 1;
  }
  std::printf(
      "| trace | records | page, bytes | written, s | first picture, ms | "
      "frame, ms (p95) | pan, ms (p95) | heap, MiB |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (int k = 1; k < argc; ++k) {
    const absl::StatusOr<Row> row = Measure(argv[k], browser->get());
    if (!row.ok()) {
      std::fprintf(stderr, "%s\n", row.status().ToString().c_str());
      return 1;
    }
    std::printf(
        "| %s | %zu | %zu | %.2f | %.0f | %.1f (%.1f) | %.1f (%.1f) | %.0f |\n",
        std::filesystem::path(argv[k]).stem().c_str(), row->records, row->bytes,
        row->format_seconds, row->first_picture, row->full[0], row->full[1],
        row->pan[0], row->pan[1], row->heap_mib);
  }
  return 0;
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) { return stowage::Run(argc, argv); }
