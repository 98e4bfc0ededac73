// SPDX-License-Identifier: Apache-2.0
// Plans a program that is in memory, in the same way as the tool plans a
// program file.
#include <cstddef>
#include <utility>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

// Computes the offsets of the slots under a plan, and the number of bytes that
// the program copies under the plan.
Status DescribePlan(const ProgramSource& source, size_t alignment,
                    const OffsetsAssignment& plan, PlannedProgram* result) {
  StatusOr<std::vector<optional<size_t>>> offsets =
      SlotOffsets(source, alignment, plan.offsets);
  if (!offsets.ok()) return offsets.status();
  result->offsets = *std::move(offsets);
  for (size_t i = 0; i < source.scratch.size(); ++i) {
    result->scratch.emplace_back(source.scratch[i].first,
                                 plan.offsets[source.slots.size() + i]);
  }
  // SlotOffsets has checked that this computation does not overflow.
  result->state_begin = AlignUp(result->total_size, alignment);
  for (const ProgramVariable& variable : source.program.variables) {
    result->state_bytes += AlignUp(variable.size, alignment);
  }
  const StatusOr<CopiedBytes> copied = CountCopies(source, result->offsets);
  if (!copied.ok()) return copied.status();
  result->copied_bytes = copied->made;
  result->possible_bytes = copied->possible;
  return OkStatus();
}

}  // namespace

StatusOr<PlannedProgram> PlanProgram(const Program& program,
                                     string_view strategy,
                                     const ProgramOptions& options,
                                     const SolveOptions& solve) {
  Status status = CheckProgram(program);
  if (!status.ok()) return status;
  ProgramFile file;
  file.program = program;
  file.options = options;
  StatusOr<ProblemFile> made = ProblemFileOf(std::move(file));
  if (!made.ok()) return made.status();
  StatusOr<Solution> solution = SolveWithScratch(
      &made->problem, [&](const ProblemSpec& spec) -> StatusOr<Solution> {
        const StatusOr<Problem> problem = Problem::Create(spec);
        if (!problem.ok()) return problem.status();
        return Solve(*problem, strategy, solve);
      });
  if (!solution.ok()) return solution.status();
  const ProgramSource& source = *made->problem.labels.program;
  PlannedProgram result;
  result.points = source.points;
  result.offsets.resize(source.points.slot_sizes.size());
  result.total_size = solution->total_size;
  result.solution = *std::move(solution);
  const OffsetsAssignment* const plan = result.solution.offsets();
  if (plan == nullptr) return result;
  status = DescribePlan(source, options.alignment, *plan, &result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace stowage
