// SPDX-License-Identifier: Apache-2.0
#include "tests/testing/mutants_problems.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/testing/plan_fn.h"

namespace stowage::testing {
namespace {

void ForEachPlace(ProblemSpec* spec,
                  const std::function<void(RecordPlace*)>& change) {
  for (RecordPlace& place : spec->constraints.places) change(&place);
}

void ForEachHole(ProblemSpec* spec, const std::function<void(Hole*)>& change) {
  for (Hole& hole : spec->constraints.holes) change(&hole);
}

// A mutant moves a record in order to violate one kind of constraint. Each of
// the following functions returns whether moving record `i` might violate a
// constraint of another kind.
bool IsFixed(const Problem& problem, size_t i) {
  return problem.alignments().Of(i) > 1 || problem.fixed_offset(i);
}
bool IsHeld(const Problem& problem, size_t i) {
  return IsFixed(problem, i) || problem.constraints()->places[i].max;
}

void EndBeyondMax(const Problem& problem, OffsetsAssignment* plan) {
  if (problem.constraints() == nullptr) return;
  const auto& places = problem.constraints()->places;
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t size = problem.records()[i].tensor_size;
    if (!places[i].max || size == 0 || IsFixed(problem, i)) continue;
    plan->offsets[i] = *places[i].max - size + 1;
    plan->total_size = std::max(plan->total_size, *places[i].max + 1);
    return;
  }
}

void MoveAMemberByAByte(const Problem& problem, OffsetsAssignment* plan) {
  if (problem.constraints() == nullptr) return;
  const auto& places = problem.constraints()->places;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup || IsHeld(problem, i)) continue;
    ++plan->offsets[i];
    ++plan->total_size;
    return;
  }
}

void UseAnotherPool(const Problem& problem, OffsetsAssignment* plan) {
  for (size_t i = 0; i < plan->pools.size(); ++i) {
    if (problem.constraints()->choices[i].size() != 1) continue;
    plan->pools[i] = 1 - plan->pools[i];
    return;
  }
}

void RunAllTasksInTurn(ProblemSpec* spec) {
  spec->constraints.order.reset();
  spec->constraints.users = UserLists();
  ForEachHole(spec, [](Hole* hole) {
    hole->first_task = 0;
    hole->last_task = std::numeric_limits<TaskId>::max();
  });
}

// Lets each group begin at its lowest record, so that its start may be below
// byte 0.
void BeginAtTheLowestRecord(ProblemSpec* spec) {
  std::map<uint32_t, size_t> lowest;
  ForEachPlace(spec, [&](RecordPlace* p) {
    const auto at = lowest.emplace(p->group, p->at).first;
    at->second = std::min(at->second, p->at);
  });
  ForEachPlace(spec, [&](RecordPlace* p) { p->at -= lowest[p->group]; });
}

void IgnoreOpenHoles(ProblemSpec* spec) {
  auto& holes = spec->constraints.holes;
  holes.erase(std::remove_if(holes.begin(), holes.end(),
                             [](const Hole& hole) {
                               return hole.last_task ==
                                      std::numeric_limits<TaskId>::max();
                             }),
              holes.end());
}

std::vector<ProblemMutant> PlaceMutants() {
  return {
      {"fixed_offsets_forgotten", "puts what is fixed where it fits best",
       [](ProblemSpec* s) { s->fixed_offsets.clear(); }, nullptr,
       "fixed_offsets", "fixed", 1},
      {"holes_ignored", "uses memory that is not there",
       [](ProblemSpec* s) { s->constraints.holes.clear(); }, nullptr, "places",
       "hole", 1},
      {"hole_ends_a_byte_early",
       "takes the end of a hole for its last byte, and uses that",
       [](ProblemSpec* s) {
         ForEachHole(s, [](Hole* hole) { --hole->end; });
         auto& holes = s->constraints.holes;
         holes.erase(std::remove_if(holes.begin(), holes.end(),
                                    [](const Hole& hole) {
                                      return hole.begin == hole.end;
                                    }),
                     holes.end());
       },
       nullptr, "places", "hole", 1},
      {"hole_at_its_first_task",
       "keeps away from a hole at the first of its tasks alone",
       [](ProblemSpec* s) {
         ForEachHole(s, [](Hole* hole) { hole->last_task = hole->first_task; });
       },
       nullptr, "places", "hole", 1},
      {"open_holes_ignored", "uses memory that is never there", IgnoreOpenHoles,
       nullptr, "places", "hole", 1},
      {"min_ignored", "begins below the first byte that a record may have",
       [](ProblemSpec* s) {
         ForEachPlace(s, [](RecordPlace* p) { p->min = 0; });
       },
       nullptr, "places", "below", 1},
      {"max_is_the_last_byte",
       "takes one past the last byte of a range for the last, and ends a byte "
       "beyond it",
       nullptr, EndBeyondMax, "places", "", 1},
  };
}

std::vector<ProblemMutant> RelationMutants() {
  return {
      {"member_moved", "moves a member of a group by a byte", nullptr,
       MoveAMemberByAByte, "groups", "group", 2},
      {"members_alone", "places the members of a group one by one",
       [](ProblemSpec* s) {
         ForEachPlace(s, [](RecordPlace* p) {
           p->group = kNoGroup;
           p->at = 0;
         });
       },
       nullptr, "groups", "group", 2},
      {"members_at_one_byte", "lets all members of a group begin at one byte",
       [](ProblemSpec* s) {
         ForEachPlace(s, [](RecordPlace* p) { p->at = 0; });
       },
       nullptr, "groups", "group", 2},
      {"group_from_its_lowest_record", "begins a group below byte 0",
       BeginAtTheLowestRecord, nullptr, "groups", "group", 2},
      {"apart_while_live", "keeps records apart only while both are live",
       [](ProblemSpec* s) { s->constraints.apart.clear(); }, nullptr, "apart",
       "at any time", 2},
      {"only_two_apart", "keeps only the first two of a set apart",
       [](ProblemSpec* s) {
         for (auto& set : s->constraints.apart) {
           set.resize(std::min<size_t>(set.size(), 2));
         }
       },
       nullptr, "apart", "at any time", 3},
      {"another_pool", "puts a record into a pool that it may not use", nullptr,
       UseAnotherPool, "pools", "pool", 1},
      {"capacities_forgotten", "fills a pool beyond its capacity",
       [](ProblemSpec* s) {
         for (MemoryPool& pool : s->constraints.pools) pool.capacity.reset();
       },
       nullptr, "pools", "beyond the", 3},
      {"one_capacity", "fills any pool but the first beyond its capacity",
       [](ProblemSpec* s) {
         auto& pools = s->constraints.pools;
         for (size_t k = 1; k < pools.size(); ++k) pools[k].capacity.reset();
       },
       nullptr, "pools", "beyond the", 3},
      {"tasks_in_turn", "runs the tasks of all streams in turn",
       RunAllTasksInTurn, nullptr, "partial_order", "may run at once", 2},
  };
}

}  // namespace

std::vector<ProblemMutant> ProblemMutants() {
  std::vector<ProblemMutant> mutants = PlaceMutants();
  for (ProblemMutant& mutant : RelationMutants()) {
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

PlanFn BrokenPlannerOf(const ProblemMutant& mutant) {
  return [&mutant, sound = StrategyPlanFn("skyline")](
             ProblemSpec spec) -> absl::StatusOr<OffsetsAssignment> {
    const absl::StatusOr<Problem> problem = Problem::Create(spec);
    if (!problem.ok()) return problem.status();
    if (mutant.forget) mutant.forget(&spec);
    auto plan = sound(spec);
    if (!plan.ok()) return absl::UnimplementedError("no plan");
    if (mutant.damage) mutant.damage(*problem, &*plan);
    return plan;
  };
}

}  // namespace stowage::testing
