// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as a program. The parser must refuse the bytes, or the
// program must be the same after writing and reading. The problem of the
// program must then be refused, or have a plan for every value of
// ProgramCopies. The check by values must accept each plan, and each plan must
// be the same after writing and reading.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

// These limits keep programs small enough to compute many plans of each.
constexpr size_t kMaxPoints = 500;
constexpr size_t kMaxRecords = 64;

bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
}

// Checks that a file is the same after writing and reading.
ProgramFile WriteAndRead(const ProgramFile& file) {
  const std::string text = FormatProgramJson(file);
  const absl::StatusOr<ProgramFile> again = ParseProgramJson(text, "again");
  Check(again.ok(), again.status().ToString());
  Check(FormatProgramJson(*again) == text, "written otherwise");
  return *again;
}

void CheckPlan(const ProblemSpec& problem, const Solution& solution) {
  ProblemFile planned;
  planned.problem = problem;
  planned.plan = FilePlanOf(solution);
  const ProgramFile file = WriteAndRead(ProgramFileOf(planned));
  const absl::StatusOr<ProblemFile> again = ProblemFileOf(file);
  Check(again.ok(), again.status().ToString());
  Check(again->plan.offsets == planned.plan.offsets, "another plan is read");
  const ProgramSource& source = *again->problem.labels.program;
  const auto offsets =
      SlotOffsets(source, problem.alignment, planned.plan.offsets);
  if (!offsets.ok()) {
    Check(absl::IsOutOfRange(offsets.status()), offsets.status().ToString());
    return;
  }
  const std::string fault =
      DescribeProgramFault(source, *offsets, file.scratch);
  Check(fault.empty(), fault);
  const absl::StatusOr<CopiedBytes> copied = CountCopies(source, *offsets);
  Check(copied.ok(), copied.status().ToString());
  Check(copied->made <= copied->possible, "more copies than are possible");
}

void PlanWith(ProgramFile file, ProgramCopies copies) {
  file.options.copies = copies;
  const absl::StatusOr<ProblemFile> problem = ProblemFileOf(file);
  if (!problem.ok()) {
    Check(IsRefusal(problem.status()), problem.status().ToString());
    return;
  }
  if (problem->problem.records.size() > kMaxRecords) return;
  ProblemSpec spec = problem->problem;
  const auto solve = [](const ProblemSpec& asked) -> absl::StatusOr<Solution> {
    const absl::StatusOr<Problem> created = Problem::Create(asked);
    if (!created.ok()) return created.status();
    SolveOptions options;
    options.node_budget = 200;
    options.threads = 1;
    return Solve(*created, "greedy_by_size", options);
  };
  const absl::StatusOr<Solution> solution = SolveWithScratch(&spec, solve);
  if (!solution.ok()) {
    Check(IsRefusal(solution.status()), solution.status().ToString());
    return;
  }
  if (solution->has_plan()) CheckPlan(spec, *solution);
}

void Fuzz(absl::string_view json) {
  const absl::StatusOr<ProgramFile> file = ParseProgramJson(json, "fuzz.json");
  if (!file.ok()) {
    Check(IsRefusal(file.status()), file.status().ToString());
    return;
  }
  ProgramFile unplanned = WriteAndRead(*file);
  if (!file->offsets.empty()) {
    const absl::StatusOr<ProblemFile> problem = ProblemFileOf(*file);
    if (!problem.ok()) {
      Check(IsRefusal(problem.status()), problem.status().ToString());
    } else {
      const ProgramSource& source = *problem->problem.labels.program;
      const auto offsets =
          SlotOffsets(source, file->options.alignment, problem->plan.offsets);
      // The plan may be wrong; describing its fault must not crash.
      if (offsets.ok()) DescribeProgramFault(source, *offsets, file->scratch);
    }
  }
  unplanned.offsets.clear();
  unplanned.scratch.clear();
  const absl::StatusOr<ProgramPoints> points = PointsOf(unplanned.program);
  if (!points.ok()) {
    Check(IsRefusal(points.status()), points.status().ToString());
    return;
  }
  if (points->points.size() > kMaxPoints) return;
  for (const ProgramCopies copies :
       {ProgramCopies::kMade, ProgramCopies::kChosen, ProgramCopies::kNone}) {
    PlanWith(unplanned, copies);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
