// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long each classic strategy takes relative to
// the reference work (reference_work.h).
//
//   stowage_speed            on networks generated here
//   stowage_speed FOLDER     on dnn_1000.csv, dnn_10000.csv and dnn_50000.csv
//                            in that folder
//
// The column "original" shows how long the strategies of TensorFlow Lite's GPU
// delegate took on those three traces. They were measured side by side with the
// strategies of this library, on one machine. The column shows "-" where no
// such number exists, as for the generated networks.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bench/networks.h"
#include "bench/reference_work.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/verify.h"

namespace stowage::bench {
namespace {

struct Work {
  const char* name;  // strategy, or "verify"
  PlanKind kind;
  size_t records;        // number of records, taken from the start of the trace
  size_t trace_records;  // number in the name of the trace's file
  double original;       // relative to the reference work; 0 if unknown
  double target;         // relative to the reference work; 0 for none
};

constexpr PlanKind kObjects = PlanKind::kObjects;
constexpr PlanKind kOffsets = PlanKind::kOffsets;

constexpr Work kWorks[] = {
    {"equality", kObjects, 50000, 50000, 0.20, 0.20},
    {"greedy_in_order", kObjects, 50000, 50000, 0.35, 0.35},
    {"greedy_by_breadth", kObjects, 50000, 50000, 7.9, 2},
    {"greedy_by_breadth", kOffsets, 50000, 50000, 0, 0},
    {"greedy_by_size", kObjects, 50000, 50000, 1100, 60},
    {"greedy_by_size", kOffsets, 50000, 50000, 125, 12},
    {"greedy_best", kObjects, 50000, 50000, 0, 0},
    {"greedy_best", kOffsets, 50000, 50000, 0, 0},
    {"mincostflow", kObjects, 1000, 1000, 1030, 10},
    {"mincostflow", kObjects, 5000, 10000, 0, 300},
    {"verify", kOffsets, 50000, 50000, 0, 2},
    {"verify", kObjects, 50000, 50000, 0, 2},
};

absl::StatusOr<std::vector<ByteRecord>> RecordsFor(const Work& work,
                                                   const std::string& folder) {
  if (folder.empty()) return NetworkRecords(work.records, /*seed=*/1);
  absl::StatusOr<ProblemFile> trace = ReadProblemFile(
      absl::StrCat(folder, "/dnn_", work.trace_records, ".csv"));
  if (!trace.ok()) return trace.status();
  std::vector<ByteRecord> records = std::move(trace->problem.records);
  if (records.size() > work.records) records.resize(work.records);
  return records;
}

// Returns a new problem. Each measured call must use a new problem, because the
// data that a problem caches is part of the cost. Requires valid records.
Problem ProblemOf(const std::vector<ByteRecord>& records, PlanKind kind) {
  ProblemSpec spec;
  spec.kind = kind;
  spec.records = records;
  return *Problem::Create(std::move(spec));
}

// Returns the call to measure: either a call of a strategy, or a call of the
// verifier on the plan of a strategy.
absl::StatusOr<std::function<void()>> CallFor(
    const Work& work, const std::vector<ByteRecord>& records) {
  const bool verify = std::string(work.name) == "verify";
  const absl::StatusOr<const Strategy*> found =
      FindStrategy(verify ? "greedy_by_size" : work.name);
  if (!found.ok()) return found.status();
  const Strategy* const strategy = *found;
  if (!verify) {
    return std::function<void()>([=, &records] {
      (void)strategy->Solve(ProblemOf(records, work.kind), {});
    });
  }
  const absl::StatusOr<Solution> solution =
      strategy->Solve(ProblemOf(records, work.kind), {});
  if (!solution.ok()) return solution.status();
  if (work.kind == kObjects) {
    return std::function<void()>([plan = *solution->objects(), &records] {
      (void)FindViolation(records, plan);
    });
  }
  return std::function<void()>([plan = *solution->offsets(), &records] {
    (void)FindViolation(records, plan);
  });
}

std::string Figure(double value) {
  return value == 0 ? "-" : absl::StrCat(value);
}

absl::Status PrintRow(const Work& work, const std::string& folder) {
  const auto records = RecordsFor(work, folder);
  if (!records.ok()) return records.status();
  const auto call = CallFor(work, *records);
  if (!call.ok()) return call.status();
  const RelativeTime time = MeasureRelative(/*repetitions=*/7, *call);
  std::printf("| %-17s | %-7s | %7zu | %8.3f | %8s | %6s | %9.3f | %7.3f |\n",
              work.name, std::string(PlanKindName(work.kind)).c_str(),
              records->size(), time.relative(),
              folder.empty() ? "-" : Figure(work.original).c_str(),
              Figure(work.target).c_str(), time.work_ms, time.reference_ms);
  std::fflush(stdout);
  return absl::OkStatus();
}

int Main(const std::string& folder) {
  std::printf("records: %s\n\n",
              folder.empty() ? "generated networks" : folder.c_str());
  std::printf(
      "| work              | kind    | records |    x ref | original | target "
      "|        ms | ref. ms |\n"
      "|-------------------|---------|--------:|---------:|---------:|-------:"
      "|----------:|--------:|\n");
  for (const Work& work : kWorks) {
    if (absl::Status status = PrintRow(work, folder); !status.ok()) {
      std::fprintf(stderr, "stowage_speed: %s\n", status.ToString().c_str());
      return 3;
    }
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) {
  return stowage::bench::Main(argc > 1 ? argv[1] : "");
}
