// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as a problem. The parser must refuse the bytes, or the
// problem must be the same after writing and reading. Problem::Create must then
// refuse the problem, or the problem must have a plan that the verifier accepts
// and that is the same after writing and reading.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/assignment.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/support/same_trace.h"

namespace stowage {
namespace {

// These limits keep problems small enough for searches to complete.
constexpr size_t kMaxRecords = 64;
constexpr uint64_t kNodes = 2000;

// Returns whether the error is permitted: either the problem is invalid, or it
// exceeds the abilities of a strategy.
bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
}

ProblemFile WriteAndRead(const ProblemFile& trace) {
  const absl::StatusOr<std::string> json = FormatProblemJson(trace);
  Check(json.ok(), json.status().ToString());
  absl::StatusOr<ProblemFile> again = ParseProblemJson(*json, "again.json");
  Check(again.ok(), again.status().ToString());
  return *std::move(again);
}

// Checks that a trace is the same after writing and reading. Compares two
// traces that have both been written, because empty constraints are not
// written.
void CheckWrittenAlike(const ProblemFile& trace) {
  const ProblemFile again = WriteAndRead(trace);
  Check(FormatProblemJson(again).value() == FormatProblemJson(trace).value(),
        "written otherwise");
  const std::string difference =
      support::DifferenceOf(WriteAndRead(again), again);
  Check(difference.empty(), "read otherwise: " + difference);
  const absl::StatusOr<std::string> csv = FormatProblemCsv(trace);
  if (!csv.ok()) {
    Check(absl::IsUnimplemented(csv.status()) ||
              absl::IsInvalidArgument(csv.status()),
          csv.status().ToString());
    return;
  }
  const absl::StatusOr<ProblemFile> read = ParseProblemCsv(*csv, "again.csv");
  Check(read.ok(), read.status().ToString());
  Check(FormatProblemCsv(*read).value() == *csv, "written otherwise as CSV");
}

void CheckPlan(const Problem& problem, ProblemFile trace,
               const OffsetsAssignment& plan) {
  const auto violation = FindViolation(problem, plan);
  Check(!violation, violation ? Describe(*violation) : "");
  trace.plan = FilePlanOf(plan);
  const ProblemFile again = WriteAndRead(trace);
  const absl::StatusOr<OffsetsAssignment> read =
      OffsetsOf(again.problem, again.plan);
  Check(read.ok(), read.status().ToString());
  Check(read->offsets == plan.offsets && read->pools == plan.pools,
        "another plan is read");
  Check(read->total_size == plan.total_size, "another total is read");
}

void PlanWith(const std::string& strategy, const Problem& problem,
              const ProblemFile& trace) {
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Milliseconds(20));
  options.node_budget = kNodes;
  options.threads = 1;
  const absl::StatusOr<Solution> solution = Solve(problem, strategy, options);
  if (!solution.ok()) {
    Check(IsRefusal(solution.status()),
          strategy + ": " + solution.status().ToString());
    return;
  }
  Check(solution->cost >= solution->cost_bound || !solution->has_plan(),
        strategy + ": costs less than its bound");
  if (!solution->has_plan()) return;
  CheckPlan(problem, trace, *solution->offsets());
}

// Checks that the file is the same after writing and reading, and that its plan
// has a valid order of the tasks.
void FuzzFreeOrder(const ProblemFile& file) {
  const absl::StatusOr<std::string> json = FormatProblemJson(file);
  Check(json.ok(), json.status().ToString());
  const absl::StatusOr<ProblemFile> again =
      ParseProblemJson(*json, "again.json");
  Check(again.ok(), again.status().ToString());
  Check(FormatProblemJson(*again).value() == *json, "written otherwise");
  if (file.problem.records.size() > kMaxRecords ||
      file.problem.free_order->tasks > kMaxRecords) {
    return;
  }
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Milliseconds(20));
  options.node_budget = kNodes;
  options.threads = 1;
  for (const char* const strategy : {"greedy_by_size", "optimal"}) {
    const absl::StatusOr<Problem> problem = Problem::Create(file.problem);
    if (!problem.ok()) {
      Check(IsRefusal(problem.status()), problem.status().ToString());
      continue;
    }
    const absl::StatusOr<Solution> found = Solve(*problem, strategy, options);
    if (!found.ok()) {
      Check(IsRefusal(found.status()), found.status().ToString());
      continue;
    }
    const auto violation =
        FindOrderViolation(*file.problem.free_order, found->order);
    Check(!violation, violation ? Describe(*violation) : "");
    if (!found->has_plan()) continue;
    const absl::StatusOr<Problem> decided = DecidedProblem(*problem, *found);
    Check(decided.ok(), decided.status().ToString());
    const auto overlap = FindViolation(*decided, *found->offsets());
    Check(!overlap, overlap ? Describe(*overlap) : "");
  }
}

void Fuzz(absl::string_view json) {
  absl::StatusOr<ProblemFile> file = ParseProblemJson(json, "fuzz.json");
  if (!file.ok()) {
    Check(IsRefusal(file.status()), file.status().ToString());
    return;
  }
  if (file->problem.free_order) return FuzzFreeOrder(*file);
  CheckWrittenAlike(*file);
  if (file->problem.records.size() > kMaxRecords) return;
  const absl::StatusOr<Problem> problem = Problem::Create(file->problem);
  if (!problem.ok()) {
    Check(IsRefusal(problem.status()), problem.status().ToString());
    return;
  }
  for (const char* const strategy : {"skyline", "greedy_by_size", "optimal"}) {
    PlanWith(strategy, *problem, *file);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
