// SPDX-License-Identifier: Apache-2.0
// Plans all functions of a program in one arena, and answers questions about
// the resulting plan.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/build_program.h"
#include "stowage/assignment.h"
#include "stowage/error_payload.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/program_plan.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::harness {
namespace {

// The default limits, which apply if the caller sets no limits. They limit the
// total of all searches for one plan.
constexpr uint64_t kProgramNodes = 20'000;
constexpr absl::Duration kProgramTime = absl::Seconds(1);

using ProgramClock = std::chrono::steady_clock;

SolveOptions LimitsOf(const InterpreterOptions& options, absl::Duration spent) {
  SolveOptions limits;
  limits.node_budget = options.node_budget;
  const bool has_limit = options.time_limit || options.node_budget;
  if (!has_limit) limits.node_budget = kProgramNodes;
  const absl::optional<absl::Duration> time =
      has_limit ? options.time_limit : kProgramTime;
  limits.time_limit_ns =
      time ? std::max<int64_t>(absl::ToInt64Nanoseconds(*time - spent), 0)
           : kNoTimeLimit;
  return limits;
}

// Returns the strategies that can plan programs, with strategies that search at
// the end.
std::vector<std::string> StrategiesOf(const InterpreterOptions& options) {
  if (!options.strategy.empty()) return {options.strategy};
  std::vector<const Strategy*> strategies = AllStrategies();
  std::stable_partition(
      strategies.begin(), strategies.end(),
      [](const Strategy* strategy) { return !strategy->info().is_search; });
  std::vector<std::string> names;
  for (const Strategy* strategy : strategies) {
    if (strategy->info().features.Has(Feature::kOffsets)) {
      names.emplace_back(strategy->info().name);
    }
  }
  return names;
}

// Removes the variables for which `is_copied` returns true from the program.
// Their values are then copied at each read and each assignment.
template <typename Predicate>
void CopyVariables(const Predicate& is_copied, Program* program) {
  for (size_t v = 0; v < program->variables.size(); ++v) {
    if (is_copied(v)) program->variables[v].size = 0;
  }
  for (ProgramFunction& function : program->functions) {
    for (ProgramNode& node : function.nodes) {
      for (auto* const uses : {&node.reads, &node.assigns}) {
        uses->erase(std::remove_if(
                        uses->begin(), uses->end(),
                        [&](const auto& use) { return is_copied(use.first); }),
                    uses->end());
      }
    }
  }
}

// Removes variables from the program so that no input or output of the entry is
// placed in the memory of a variable. This is necessary because other subgraphs
// may use variables while the caller fills the inputs or reads the outputs.
// Errors: those of ProblemOfProgram.
absl::Status KeepCallersApart(const ProgramOptions& options, Program* program) {
  if (program->variables.empty()) return absl::OkStatus();
  std::vector<bool> is_copied(program->variables.size(), false);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    const absl::StatusOr<ProgramProblem> problem =
        ProblemOfProgram(*program, options);
    if (!problem.ok()) return problem.status();
    const SlotId first = problem->points.first_slot.back();
    const ProgramFunction& entry = program->functions[0];
    for (const auto* const tensors : {&entry.inputs, &entry.outputs}) {
      for (const size_t t : *tensors) {
        const auto& variable = problem->variables[t];
        if (!variable || is_copied[*variable - first]) continue;
        is_copied[*variable - first] = true;
        has_changed = true;
      }
    }
    CopyVariables([&](size_t v) { return is_copied[v]; }, program);
  }
  return absl::OkStatus();
}

// Finds, for each slot, the variable in whose memory it is placed, if any.
void FindVariables(ProgramPlan* program) {
  const PlannedProgram& planned = program->planned;
  const SlotId first = planned.points.first_slot.back();
  program->variables.assign(planned.offsets.size(), absl::nullopt);
  for (size_t v = 0; v < program->program.variables.size(); ++v) {
    if (program->program.variables[v].size == 0) continue;
    for (SlotId slot = 0; slot < planned.offsets.size(); ++slot) {
      if (planned.offsets[slot] &&
          planned.offsets[slot] == planned.offsets[first + v]) {
        program->variables[slot] = v;
      }
    }
  }
}

// Finds the point of each operator.
void FindPoints(ProgramPlan* program) {
  const std::vector<Point>& points = program->planned.points.points;
  program->operator_points.clear();
  for (uint32_t p = 0; p < points.size(); ++p) {
    if (points[p].kind != PointKind::kOperator) continue;
    program->operator_points[{points[p].call, points[p].node}] = p;
  }
}

// Finds the scratch memory of each node.
void FindScratch(ProgramPlan* program) {
  const PlannedProgram& planned = program->planned;
  const std::map<uint32_t, size_t> offsets(planned.scratch.begin(),
                                           planned.scratch.end());
  program->scratch.clear();
  if (offsets.empty()) return;
  for (uint32_t p = 0; p < planned.points.points.size(); ++p) {
    const Point& point = planned.points.points[p];
    if (point.kind != PointKind::kResults && point.kind != PointKind::kTurn &&
        point.kind != PointKind::kEnterLoop) {
      continue;
    }
    ProgramPlan::Scratch& scratch =
        program->scratch[{point.call, point.node}].emplace_back();
    const auto found = offsets.find(p);
    if (found == offsets.end()) continue;
    scratch.offset = found->second;
    scratch.bytes =
        SequenceCopies(planned.points, point.copies, planned.offsets)
            .scratch_bytes;
  }
}

// Plans a program with a strategy that does not support groups. Each slot gets
// a single interval, from the first to the last point at which it is live. No
// other slot uses its memory during this interval, so no copy between slots can
// be avoided. Requires that the program has no variables.
absl::StatusOr<PlannedProgram> PlanIntervals(const Program& program,
                                             const std::string& strategy,
                                             const ProgramOptions& options,
                                             const SolveOptions& limits) {
  PointOptions point_options;
  point_options.copies_arguments = true;
  absl::StatusOr<ProgramPoints> copied = PointsOf(program, point_options);
  if (!copied.ok()) return copied.status();
  PlannedProgram planned;
  planned.possible_bytes = CountCopiedBytes(*copied, {});
  if (options.copies == ProgramCopies::kMade) {
    planned.points = *std::move(copied);
  } else {
    absl::StatusOr<ProgramPoints> points = PointsOf(program);
    if (!points.ok()) return points.status();
    planned.points = *std::move(points);
  }
  const std::vector<std::vector<LiveRun>> live = LiveRuns(planned.points);
  ProblemSpec spec;
  spec.alignment = options.alignment;
  std::vector<SlotId> slots;
  for (SlotId slot = 0; slot < live.size(); ++slot) {
    if (live[slot].empty()) continue;
    slots.push_back(slot);
    spec.records.emplace_back(planned.points.slot_sizes[slot],
                              live[slot].front().first, live[slot].back().last);
  }
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  absl::StatusOr<Solution> solution = Solve(*problem, strategy, limits);
  if (!solution.ok()) return solution.status();
  planned.solution = *std::move(solution);
  planned.total_size = planned.solution.total_size;
  planned.offsets.resize(live.size());
  const OffsetsAssignment* const plan = planned.solution.offsets();
  for (size_t i = 0; plan != nullptr && i < slots.size(); ++i) {
    planned.offsets[slots[i]] = plan->offsets[i];
  }
  planned.copied_bytes = CountCopiedBytes(planned.points, planned.offsets);
  return planned;
}

// Plans a program with a strategy. If the strategy does not support groups,
// removes all variables from the program first.
absl::StatusOr<PlannedProgram> PlanWith(const std::string& strategy,
                                        const ProgramOptions& options,
                                        const SolveOptions& limits,
                                        Program* program) {
  absl::StatusOr<PlannedProgram> planned =
      PlanProgram(*program, strategy, options, limits);
  if (planned.ok() || FeaturesOf(planned.status()).empty()) return planned;
  CopyVariables([](size_t) { return true; }, program);
  return PlanIntervals(*program, strategy, options, limits);
}

}  // namespace

absl::Status PlaceProgram(const InterpreterOptions& options,
                          ProgramPlan* program) {
  ProgramOptions program_options;
  program_options.alignment = options.tensor_alignment;
  program_options.copies = options.copies;
  const ProgramClock::time_point begin = ProgramClock::now();
  absl::Status apart = KeepCallersApart(program_options, &program->program);
  if (!apart.ok()) return apart;
  absl::Status failed =
      absl::InternalError("no strategy plans programs; expected at least one");
  bool has_plan = false;
  PlannedProgram best;
  Program best_program;
  for (const std::string& strategy : StrategiesOf(options)) {
    const absl::Duration spent = absl::FromChrono(ProgramClock::now() - begin);
    Program tried = program->program;
    absl::StatusOr<PlannedProgram> planned =
        PlanWith(strategy, program_options, LimitsOf(options, spent), &tried);
    absl::Status status = planned.status();
    if (status.ok() && !planned->solution.has_plan()) {
      status = absl::FailedPreconditionError(planned->solution.reason);
    }
    if (!status.ok()) {
      if (!has_plan) failed = status;
      continue;
    }
    const bool is_better = !has_plan || planned->total_size < best.total_size ||
                           (planned->total_size == best.total_size &&
                            planned->copied_bytes < best.copied_bytes);
    if (is_better) {
      best = *std::move(planned);
      best_program = std::move(tried);
      program->strategy = strategy;
    }
    has_plan = true;
  }
  if (!has_plan) return failed;
  program->planned = std::move(best);
  program->program = std::move(best_program);
  program->live = LiveRuns(program->planned.points);
  FindVariables(program);
  FindPoints(program);
  FindScratch(program);
  return absl::OkStatus();
}

absl::optional<size_t> ProgramPlan::OffsetOf(size_t function,
                                             size_t tensor) const {
  if (tensor >= program.functions[function].tensors.size()) {
    return absl::nullopt;
  }
  return planned.offsets[planned.points.first_slot[function] + tensor];
}

absl::optional<size_t> ProgramPlan::VariableOf(size_t function,
                                               size_t tensor) const {
  if (tensor >= program.functions[function].tensors.size()) {
    return absl::nullopt;
  }
  return variables[planned.points.first_slot[function] + tensor];
}

bool ProgramPlan::IsLive(SlotId slot, uint32_t point) const {
  const std::vector<LiveRun>& runs = live[slot];
  const auto after = std::upper_bound(
      runs.begin(), runs.end(), point,
      [](uint32_t p, const LiveRun& run) { return p < run.first; });
  return after != runs.begin() && point <= std::prev(after)->last;
}

bool ProgramPlan::IsFilled(SlotId slot, uint32_t point) const {
  const Point& that = planned.points.points[point];
  return IsLive(slot, point) && (!absl::c_linear_search(that.writes, slot) ||
                                 absl::c_linear_search(that.reads, slot));
}

bool ProgramPlan::IsReadAfter(SlotId slot, uint32_t point) const {
  return absl::c_any_of(planned.points.points[point].next,
                        [&](uint32_t next) { return IsFilled(slot, next); });
}

absl::optional<uint32_t> ProgramPlan::CallOf(uint32_t call, size_t node,
                                             size_t subgraph) const {
  const std::vector<CallFrame>& calls = planned.points.calls;
  for (uint32_t c = call + 1; c < calls.size(); ++c) {
    if (calls[c].caller == call && calls[c].node == node &&
        subgraphs[calls[c].function] == subgraph) {
      return c;
    }
  }
  return absl::nullopt;
}

}  // namespace stowage::harness
