// SPDX-License-Identifier: Apache-2.0
#include "src/command/compare_inputs.h"

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/options.h"
#include "src/command/pools.h"
#include "src/command/progress.h"
#include "stowage/assignment.h"
#include "stowage/compare.h"
#include "stowage/io/problem_file.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/programs/program_file.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

// Expands each input to the paths of its files, and returns all of these paths.
std::vector<std::string> ExpandAll(absl::Span<const std::string> inputs,
                                   std::vector<FailedInput>* failed) {
  std::vector<std::string> paths;
  for (const std::string& input : inputs) {
    const absl::StatusOr<std::vector<std::string>> files = ExpandInput(input);
    if (files.ok()) {
      paths.insert(paths.end(), files->begin(), files->end());
    } else {
      failed->push_back({input, std::string(files.status().message())});
    }
  }
  return paths;
}

void AddUnsupported(const KindToCompare& kind, const absl::Status& status,
                    ComparedRows* rows) {
  std::vector<std::string> names = kind.strategies;
  if (kind.has_recorded) names.emplace_back(kRecordedRow);
  for (const std::string& name : names) {
    ComparedPlan row;
    row.strategy = name;
    row.kind = kind.kind;
    row.outcome = ComparedPlan::Outcome::kUnsupported;
    row.reason = std::string(status.message());
    rows->Add(row);
  }
}

// Sets the size of the recorded plan in its row, and whether the plan is safe.
// A plan that ends beyond the arena of the runtime is not safe.
void JudgeRecorded(const NamedFile& input, const Problem& problem,
                   ComparedPlan* row) {
  const auto plan = OffsetsOf(input.file.problem, input.file.plan);
  if (!plan.ok()) {
    row->outcome = ComparedPlan::Outcome::kUnsafe;
    row->reason = std::string(plan.status().message());
    return;
  }
  const size_t total = plan->total_size;
  const size_t arena = input.file.plan.arena_size.value_or(total);
  if (const auto violation = FindViolation(problem, *plan)) {
    row->outcome = ComparedPlan::Outcome::kUnsafe;
    row->reason = Describe(*violation, problem);
  } else if (total > arena) {
    row->outcome = ComparedPlan::Outcome::kUnsafe;
    row->reason = absl::StrCat("it ends at byte ", total,
                               ", beyond the buffer of ", arena, " bytes");
  } else if (problem.capacity() && total > *problem.capacity()) {
    row->status = SolutionStatus::kOverCapacity;
    row->reason = absl::StrCat("it takes ", total, " bytes, more than the ",
                               "capacity of ", *problem.capacity());
  } else {
    row->total_size = total;
    row->status = total == row->lower_bound ? SolutionStatus::kOptimal
                                            : SolutionStatus::kFeasible;
  }
  if (!row->reason.empty()) {
    row->reason = absl::StrCat(kRecordedRow, ": ", row->reason);
  }
}

// Like JudgeRecorded, but for a recorded plan of shared objects.
void JudgeRecordedObjects(const NamedFile& input, const Problem& problem,
                          ComparedPlan* row) {
  const auto plan = ObjectsOf(input.file.problem, input.file.plan);
  const absl::StatusOr<size_t> total =
      plan.ok() ? TotalSize(*plan) : plan.status();
  if (!total.ok()) {
    row->outcome = ComparedPlan::Outcome::kUnsafe;
    row->reason = absl::StrCat(kRecordedRow, ": ", total.status().message());
  } else if (auto violation = FindViolation(problem.records(), *plan)) {
    // The message identifies the object by its number in the recording.
    violation->object = input.file.plan.objects[violation->first_tensor];
    row->outcome = ComparedPlan::Outcome::kUnsafe;
    row->reason =
        absl::StrCat(kRecordedRow, ": ", Describe(*violation, problem));
  } else {
    row->total_size = *total;
    row->status = *total == row->lower_bound ? SolutionStatus::kOptimal
                                             : SolutionStatus::kFeasible;
  }
}

ComparedPlan RecordedRow(const NamedFile& input, PlanKind kind,
                         const Problem& problem) {
  ComparedPlan row;
  row.strategy = std::string(kRecordedRow);
  row.kind = kind;
  row.lower_bound = LowerBoundOf(problem).bytes;
  if (HasRecordedPlan(input, kind)) {
    kind == PlanKind::kOffsets ? JudgeRecorded(input, problem, &row)
                               : JudgeRecordedObjects(input, problem, &row);
  } else {
    row.outcome = ComparedPlan::Outcome::kUnsupported;
    row.reason = absl::StrCat(input.path, ": no plan of a runtime");
  }
  return row;
}

// Solves the problem of a program. The plan includes scratch memory for the
// program's copies.
absl::StatusOr<Solution> SolveProgram(const Problem& problem,
                                      absl::string_view strategy,
                                      const SolveOptions& options) {
  ProblemSpec spec = problem.ToSpec();
  return SolveWithScratch(
      &spec, [&](const ProblemSpec& asked) -> absl::StatusOr<Solution> {
        const absl::StatusOr<Problem> created = Problem::Create(asked);
        if (!created.ok()) return created.status();
        return Solve(*created, strategy, options);
      });
}

absl::Status CompareKind(const NamedFile& input,
                         absl::optional<size_t> alignment,
                         const KindToCompare& kind, const SolveOptions& solve,
                         Progress* progress, ComparedRows* rows) {
  const absl::StatusOr<Problem> problem =
      Problem::Create(SpecFor(input.file.problem, kind.kind, alignment));
  if (absl::IsUnimplemented(problem.status())) {
    AddUnsupported(kind, problem.status(), rows);
    return absl::OkStatus();
  }
  if (!problem.ok()) return problem.status();
  const bool is_program = problem->labels().program != nullptr;
  if (is_program && kind.kind == PlanKind::kObjects) {
    AddUnsupported(kind,
                   absl::UnimplementedError(
                       "programs have plans of offsets; expected offsets"),
                   rows);
    return absl::OkStatus();
  }
  CompareOptions options;
  if (is_program) options.plan = SolveProgram;
  options.strategies = kind.strategies;
  options.solve = solve;
  options.begin = [&](absl::string_view strategy) {
    if (InterruptionRequested()) return false;
    progress->Begin(absl::StrCat(strategy, " on ", input.path));
    return true;
  };
  options.progress = [rows](const ComparedPlan& row) {
    // The row of an interrupted search is left out, because comparing it with
    // the other rows would be unfair.
    if (InterruptionRequested() && IsSearch(row.strategy)) return;
    rows->Add(row);
  };
  absl::Status compared = CompareStrategies(*problem, options).status();
  if (compared.ok() && kind.has_recorded) {
    rows->Add(RecordedRow(input, kind.kind, *problem));
  }
  return compared;
}

}  // namespace

bool HasRecordedPlan(const NamedFile& input, PlanKind kind) {
  const FilePlan& plan = input.file.plan;
  return input.is_recording &&
         !(kind == PlanKind::kOffsets ? plan.offsets.empty()
                                      : plan.objects.empty());
}

void ComparedRows::Begin(ComparedInput input) {
  const std::lock_guard<std::mutex> lock(mutex_);
  inputs_.push_back(std::move(input));
}

void ComparedRows::Add(const ComparedPlan& plan) {
  const std::lock_guard<std::mutex> lock(mutex_);
  inputs_.back().plans.push_back(plan);
}

void ComparedRows::Abandon() {
  const std::lock_guard<std::mutex> lock(mutex_);
  inputs_.pop_back();
}

std::vector<ComparedInput> ComparedRows::WithRows(size_t rows) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ComparedInput> inputs = inputs_;
  if (inputs.size() > 1 && inputs.back().plans.size() < rows) {
    inputs.pop_back();
  }
  return inputs;
}

std::vector<NamedFile> ReadAll(absl::Span<const std::string> inputs,
                               InputReader* reader,
                               std::vector<FailedInput>* failed) {
  const std::vector<std::string> paths = ExpandAll(inputs, failed);
  std::vector<NamedFile> files;
  Progress progress(paths.size());
  for (const std::string& path : paths) {
    progress.Begin(absl::StrCat("reading ", path));
    absl::StatusOr<ProblemFile> file = reader->Read(path);
    if (file.ok()) {
      files.push_back({path, *std::move(file), reader->IsRecording(path)});
    } else {
      failed->push_back({path, std::string(file.status().message())});
    }
  }
  return files;
}

absl::Status CompareInput(const NamedFile& input,
                          absl::optional<size_t> alignment,
                          absl::Span<const KindToCompare> kinds,
                          const SolveOptions& solve, Progress* progress,
                          ComparedRows* rows) {
  const ProblemSpec& problem = input.file.problem;
  ComparedInput compared;
  compared.name = input.path;
  compared.lifetimes = problem.labels.lifetimes;
  compared.records = problem.records.size();
  compared.naive_size = NaiveSize(problem.records);
  compared.offsets_bound = OffsetsLowerBound(problem.records);
  // Constraints change the lower bound, so if the problem is valid, its bound
  // replaces the bound of the records.
  if (const auto checked =
          Problem::Create(SpecFor(problem, PlanKind::kOffsets, alignment));
      checked.ok()) {
    compared.offsets_bound = LowerBoundOf(*checked).bytes;
    compared.pools = PoolNames(*checked);
  }
  compared.objects_bound = ObjectsLowerBound(problem.records);
  rows->Begin(std::move(compared));
  for (const KindToCompare& kind : kinds) {
    const absl::Status status =
        CompareKind(input, alignment, kind, solve, progress, rows);
    if (!status.ok()) {
      rows->Abandon();
      return AboutInput(input.path, problem, status);
    }
  }
  return absl::OkStatus();
}

}  // namespace stowage::cli
