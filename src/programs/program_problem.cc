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
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

// Returns the label of each point, which consists of the function and the node,
// for example "body: ADD" or "main: WHILE, the end of a turn". Labels do not
// name callers, so deeply nested calls do not make them longer.
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

// Creates the records of a program and the constraints on them.
class ProblemMaker {
 public:
  ProblemMaker(const Program& program, const ProgramOptions& options)
      : program_(program), options_(options) {}

  StatusOr<ProgramProblem> Make();

 private:
  // Finds the slots that share the memory of a variable.
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
  // Place a slot in the memory of a variable whenever possible, because the
  // slot then needs no bytes in the arena. Each iteration adds slots that can
  // share a place with slots that earlier iterations placed in the memory of a
  // variable.
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
        copied = 0;  // the bytes count once for both slots
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
    // Remove the candidates that represent copies. The remaining candidates are
    // outputs that are computed in place.
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

size_t CountCopiedBytes(const ProgramPoints& points,
                        Span<const optional<size_t>> offsets) {
  size_t bytes = 0;
  for (const Point& point : points.points) {
    for (const SlotCopy& copy : point.copies) {
      if (!offsets.empty() &&
          offsets[copy.destination] == offsets[copy.source]) {
        continue;
      }
      bytes = SaturatingPlus(bytes, points.slot_sizes[copy.source]);
    }
  }
  return bytes;
}

}  // namespace stowage
