// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/program_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/programs/saturating.h"
#include "src/programs/unite_slots.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify_values.h"

namespace stowage {
namespace {

// Returns what labels say about each point: the function and the node, such as
// "body: ADD", or "main: WHILE, the end of a turn". A point of a deep call has
// no longer label than any other.
std::vector<std::string> OperatorsOf(const Program& program,
                                     const ProgramPoints& points) {
  std::vector<std::string> operators;
  operators.reserve(points.points.size());
  for (const Point& point : points.points) {
    if (point.kind == PointKind::kInitial) {
      operators.emplace_back("before the first invocation");
      continue;
    }
    const size_t index = points.calls[point.call].function;
    const ProgramFunction& function = program.functions[index];
    const std::string name =
        function.name.empty() ? StrCat("function ", index) : function.name;
    if (point.kind == PointKind::kStart || point.kind == PointKind::kEnd ||
        point.kind == PointKind::kCarry) {
      operators.push_back(StrCat(name, PointPhase(point.kind)));
      continue;
    }
    const ProgramNode& node = function.nodes[point.node];
    operators.push_back(StrCat(
        name, ": ",
        node.name.empty() ? std::string(NodeKindName(node.kind)) : node.name,
        PointPhase(point.kind)));
  }
  return operators;
}

// Makes the records of a program and what is asked of them.
class ProblemMaker {
 public:
  ProblemMaker(const Program& program, const ProgramOptions& options)
      : program_(program), options_(options) {}

  StatusOr<ProgramProblem> Make();

 private:
  // Finds the slots that lie in the memory of variables.
  void FindState(Span<const Candidate> candidates);
  void AddRecords();
  // Puts the records of each class of slots in one group.
  void AddGroups(Span<const SlotId> classes);
  void AddPairs(Span<const Candidate> candidates);

  const Program& program_;
  const ProgramOptions& options_;
  ProgramProblem result_;
  std::vector<std::vector<LiveRun>> runs_;
  std::vector<size_t> first_records_;  // by slot; then the number of records
};

void ProblemMaker::FindState(Span<const Candidate> candidates) {
  const SlotId first_variable = result_.points.first_slot.back();
  std::vector<optional<SlotId>>& variables = result_.variables;
  variables.resize(runs_.size());
  for (SlotId slot = first_variable; slot < runs_.size(); ++slot) {
    variables[slot] = slot;
  }
  if (!options_.state_in_place || options_.copies == ProgramCopies::kMade) {
    return;
  }
  // What lies in the memory of a variable takes none of the arena, so that
  // nothing speaks for another place. Each round finds what can follow the
  // slots of the round before.
  std::vector<Candidate> chosen;
  std::vector<bool> is_chosen(candidates.size(), false);
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& candidate = candidates[i];
      if (is_chosen[i] ||
          (!variables[candidate.first] && !variables[candidate.second])) {
        continue;
      }
      is_chosen[i] = true;
      chosen.push_back(candidate);
      grows = true;
    }
    const std::vector<SlotId> classes = UniteSlots(runs_, chosen);
    std::vector<optional<SlotId>> of_class(runs_.size());
    for (SlotId slot = first_variable; slot < runs_.size(); ++slot) {
      of_class[classes[slot]] = slot;
    }
    for (SlotId slot = 0; slot < first_variable; ++slot) {
      variables[slot] = of_class[classes[slot]];
    }
  }
}

void ProblemMaker::AddRecords() {
  ProblemSpec& spec = result_.problem;
  for (SlotId slot = 0; slot < runs_.size(); ++slot) {
    first_records_.push_back(spec.records.size());
    if (runs_[slot].empty() || result_.variables[slot]) continue;
    const std::string name = SlotName(program_, slot);
    for (size_t i = 0; i < runs_[slot].size(); ++i) {
      const LiveRun& run = runs_[slot][i];
      spec.records.emplace_back(result_.points.slot_sizes[slot], run.first,
                                run.last);
      result_.slots.push_back(slot);
      spec.names.push_back(i == 0 ? name : StrCat(name, "#", i + 1));
    }
  }
  first_records_.push_back(spec.records.size());
}

void ProblemMaker::AddGroups(Span<const SlotId> classes) {
  ProblemSpec& spec = result_.problem;
  std::vector<size_t> counts(classes.size(), 0);
  for (const SlotId slot : result_.slots) ++counts[classes[slot]];
  std::vector<RecordPlace> places(spec.records.size());
  bool has_group = false;
  for (size_t i = 0; i < places.size(); ++i) {
    const SlotId slots = classes[result_.slots[i]];
    if (counts[slots] < 2) continue;
    places[i].group = slots;
    has_group = true;
  }
  if (has_group) spec.constraints.places = std::move(places);
}

void ProblemMaker::AddPairs(Span<const Candidate> candidates) {
  std::vector<SharedPlace>& pairs = result_.problem.constraints.same_or_apart;
  for (const Candidate& candidate : candidates) {
    const std::vector<LiveRun>& a = runs_[candidate.first];
    const std::vector<LiveRun>& b = runs_[candidate.second];
    uint64_t copied = candidate.copied;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i].first <= b[j].last && b[j].first <= a[i].last) {
        pairs.push_back({first_records_[candidate.first] + i,
                         first_records_[candidate.second] + j, copied});
        copied = 0;  // it counts once for both slots
      }
      if (a[i].last < b[j].last) {
        ++i;
      } else {
        ++j;
      }
    }
  }
}

StatusOr<ProgramProblem> ProblemMaker::Make() {
  PointOptions point_options;
  point_options.copies_arguments = options_.copies == ProgramCopies::kMade;
  point_options.keeps_carried_inputs = !options_.state_in_place;
  StatusOr<ProgramPoints> points = PointsOf(program_, point_options);
  if (!points.ok()) return points.status();
  result_.points = *std::move(points);
  runs_ = LiveRuns(result_.points);
  result_.problem.alignment = options_.alignment;
  result_.problem.capacity = options_.capacity;
  result_.problem.labels.operators = OperatorsOf(program_, result_.points);
  std::vector<Candidate> candidates =
      FindCandidates(result_.points, runs_, options_.expected_turns);
  FindState(candidates);
  candidates.erase(
      std::remove_if(candidates.begin(), candidates.end(),
                     [&](const Candidate& candidate) {
                       return result_.variables[candidate.first].has_value() ||
                              result_.variables[candidate.second].has_value();
                     }),
      candidates.end());
  AddRecords();
  if (options_.copies == ProgramCopies::kMade) {
    // What is computed in place is no copy.
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [](const Candidate& candidate) {
                                      return candidate.copied > 0;
                                    }),
                     candidates.end());
  }
  if (options_.copies == ProgramCopies::kNone) {
    AddGroups(UniteSlots(runs_, candidates));
  } else {
    AddGroups(UniteSlots(runs_, {}));
    AddPairs(candidates);
  }
  return std::move(result_);
}

// Plans a program, and finds which points need scratch memory for their copies.
class ProgramPlanner {
 public:
  ProgramPlanner(const Program& program, string_view strategy,
                 const ProgramOptions& options, const SolveOptions& solve)
      : program_(program),
        strategy_(strategy),
        options_(options),
        solve_(solve) {}

  StatusOr<PlannedProgram> Plan();

 private:
  // Solves the problem with the scratch memory that is known to be needed.
  Status SolveOnce(const ProgramProblem& problem);
  // Returns whether all copies have the scratch memory that they need;
  // otherwise adds what is missing.
  bool HasScratch();
  // Places the variables after the arena, and what lies in their memory.
  Status PlaceState(const ProgramProblem& problem);
  Status CountCopies();
  // Returns Internal if a read does not find the value that was written.
  Status CheckValues() const;

  const Program& program_;
  const string_view strategy_;
  const ProgramOptions& options_;
  const SolveOptions& solve_;
  PlannedProgram result_;
  std::vector<std::pair<uint32_t, size_t>> scratch_;  // points and bytes
};

Status ProgramPlanner::SolveOnce(const ProgramProblem& problem) {
  ProblemSpec spec = problem.problem;
  for (const auto& [point, bytes] : scratch_) {
    spec.records.emplace_back(bytes, point, point);
    spec.names.push_back(StrCat("scratch of point ", point));
    if (!spec.constraints.places.empty()) {
      spec.constraints.places.emplace_back();
    }
  }
  const StatusOr<Problem> created = Problem::Create(std::move(spec));
  if (!created.ok()) return created.status();
  StatusOr<Solution> solution = Solve(*created, strategy_, solve_);
  if (!solution.ok()) return solution.status();
  result_.solution = *std::move(solution);
  result_.total_size = result_.solution.total_size;
  result_.offsets.assign(result_.points.slot_sizes.size(), nullopt);
  result_.scratch.clear();
  const OffsetsAssignment* plan = result_.solution.offsets();
  if (plan == nullptr) return OkStatus();
  for (size_t i = 0; i < problem.slots.size(); ++i) {
    result_.offsets[problem.slots[i]] = plan->offsets[i];
  }
  for (size_t i = 0; i < scratch_.size(); ++i) {
    result_.scratch.emplace_back(scratch_[i].first,
                                 plan->offsets[problem.slots.size() + i]);
  }
  return OkStatus();
}

Status ProgramPlanner::PlaceState(const ProgramProblem& problem) {
  const std::vector<size_t>& sizes = result_.points.slot_sizes;
  optional<size_t> end = CheckedAlignUp(result_.total_size, options_.alignment);
  if (end) result_.state_begin = *end;
  for (SlotId slot = result_.points.first_slot.back();
       end && slot < sizes.size(); ++slot) {
    if (sizes[slot] == 0) continue;
    result_.offsets[slot] = *end;
    end = CheckedAdd(*end, sizes[slot]);
    if (end) end = CheckedAlignUp(*end, options_.alignment);
  }
  if (!end) {
    return OutOfRangeError("the arena and the variables overflow 64 bits");
  }
  result_.state_bytes = *end - result_.state_begin;
  for (SlotId slot = 0; slot < sizes.size(); ++slot) {
    if (problem.variables[slot]) {
      result_.offsets[slot] = result_.offsets[*problem.variables[slot]];
    }
  }
  return OkStatus();
}

bool ProgramPlanner::HasScratch() {
  bool has_all = true;
  std::vector<std::pair<uint32_t, size_t>> needed;
  size_t known = 0;
  for (uint32_t p = 0; p < result_.points.points.size(); ++p) {
    const bool had = known < scratch_.size() && scratch_[known].first == p;
    const size_t bytes = had ? scratch_[known++].second : 0;
    const Point& point = result_.points.points[p];
    const size_t needs =
        point.copies.size() < 2
            ? 0
            : SequenceCopies(result_.points, point.copies, result_.offsets)
                  .scratch_bytes;
    if (needs > bytes) has_all = false;
    if (std::max(bytes, needs) > 0) {
      needed.emplace_back(p, std::max(bytes, needs));
    }
  }
  scratch_ = std::move(needed);
  return has_all;
}

Status ProgramPlanner::CountCopies() {
  for (const Point& point : result_.points.points) {
    for (const SlotCopy& copy : point.copies) {
      if (result_.offsets[copy.destination] == result_.offsets[copy.source]) {
        continue;
      }
      result_.copied_bytes = SaturatingPlus(
          result_.copied_bytes, result_.points.slot_sizes[copy.source]);
    }
  }
  PointOptions options;
  options.copies_arguments = true;
  const StatusOr<ProgramPoints> points = PointsOf(program_, options);
  if (!points.ok()) return points.status();
  for (const Point& point : points->points) {
    for (const SlotCopy& copy : point.copies) {
      result_.possible_bytes = SaturatingPlus(result_.possible_bytes,
                                              points->slot_sizes[copy.source]);
    }
  }
  return OkStatus();
}

Status ProgramPlanner::CheckValues() const {
  const optional<ValueFault> fault =
      FindValueFault(result_.points, result_.offsets);
  if (!fault) return OkStatus();
  return InternalError(
      StrCat(strategy_, " made an unsafe plan: ",
             DescribeValueFault(program_, result_.points, *fault)));
}

StatusOr<PlannedProgram> ProgramPlanner::Plan() {
  Status status = CheckProgram(program_);
  if (!status.ok()) return status;
  StatusOr<ProgramProblem> problem = ProblemOfProgram(program_, options_);
  if (!problem.ok()) return problem.status();
  result_.points = std::move(problem->points);
  // Scratch memory only grows from one round to the next, up to all bytes that
  // a point copies.
  do {
    status = SolveOnce(*problem);
    if (!status.ok()) return status;
    if (!result_.solution.has_plan()) return std::move(result_);
    status = PlaceState(*problem);
    if (!status.ok()) return status;
  } while (!HasScratch());
  status = CountCopies();
  if (status.ok()) status = CheckValues();
  if (!status.ok()) return status;
  return std::move(result_);
}

}  // namespace

string_view ProgramCopiesName(ProgramCopies copies) {
  switch (copies) {
    case ProgramCopies::kMade:
      return "made";
    case ProgramCopies::kChosen:
      return "chosen";
    case ProgramCopies::kNone:
      return "none";
  }
  return "?";
}

StatusOr<ProgramProblem> ProblemOfProgram(const Program& program,
                                          const ProgramOptions& options) {
  return ProblemMaker(program, options).Make();
}

StatusOr<PlannedProgram> PlanProgram(const Program& program,
                                     string_view strategy,
                                     const ProgramOptions& options,
                                     const SolveOptions& solve) {
  return ProgramPlanner(program, strategy, options, solve).Plan();
}

}  // namespace stowage
