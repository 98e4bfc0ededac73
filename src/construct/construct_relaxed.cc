// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_relaxed.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/construct/construct.h"
#include "src/construct/lower_problem.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::rigid {
namespace {

// Returns whether lifetimes, and the offsets of members within their groups,
// are the only constraints of the groups.
bool IsOfBoxes(const RigidGroups& groups) {
  const Constraints& constraints = *groups.problem().constraints();
  const auto is_anywhere = [](const RecordPlace& place) {
    return place.min == 0 && !place.max;
  };
  return !groups.problem().has_fixed_offsets() && groups.holes().empty() &&
         constraints.apart.empty() &&
         std::all_of(constraints.places.begin(), constraints.places.end(),
                     is_anywhere);
}

// The smallest plan that Construct finds, and the text for Solution::found_by.
struct Constructed {
  OffsetsAssignment plan;
  std::string found_by;  // is empty if the plan is a stack of all records
};

Constructed ConstructAny(const Problem& problem, uint64_t checks,
                         const StopSignal& stop) {
  Constructed made = {StackAll(problem), ""};
  ConstructEffort effort;
  effort.checks = checks;
  effort.stop = &stop;
  effort.improved = [&made](std::string name) {
    made.found_by = std::move(name);
  };
  Construct(problem, LowerBoundOf(problem).bytes, effort, &made.plan);
  return made;
}

// Returns the starts of the groups if the offset of each record i is
// offsets[i].
std::vector<Level> StartsAt(const RigidGroups& groups,
                            const std::vector<size_t>& offsets) {
  std::vector<Level> starts(groups.size());
  for (size_t b = 0; b < groups.size(); ++b) {
    const auto pieces = groups.PiecesOf(b);
    starts[b] = pieces.empty()
                    ? groups.LowestStart(b, 0)
                    : static_cast<Level>(offsets[pieces.front().record]) -
                          pieces.front().at;
  }
  return starts;
}

// Returns the offset of each of the `count` records of the whole problem.
// `plan` has the offsets of the records in `records`; all other records get
// offset 0.
std::vector<size_t> Spread(const std::vector<uint32_t>& records,
                           const OffsetsAssignment& plan, size_t count) {
  std::vector<size_t> offsets(count);
  for (size_t k = 0; k < records.size(); ++k) {
    offsets[records[k]] = plan.offsets[k];
  }
  return offsets;
}

}  // namespace

optional<RelaxedPlan> ConstructRelaxed(const RigidGroups& groups,
                                       uint64_t checks,
                                       const StopSignal& stop) {
  if (!IsOfBoxes(groups) || stop.IsSet()) return nullopt;
  const StatusOr<Problem> problem =
      ProblemOfRecords(groups.problem(), groups.records());
  if (!problem.ok() || stop.IsSet()) return nullopt;
  RelaxedPlan result;
  Constructed made;
  if (problem->constraints() == nullptr) {
    made = ConstructAny(*problem, checks, stop);
    result.found_by = made.found_by;
    result.is_thorough = true;
  } else {
    const StatusOr<LoweredProblem> boxes = RelaxToBoxes(*problem);
    if (!boxes.ok() || stop.IsSet()) return nullopt;
    made = ConstructAny(boxes->problem, /*checks=*/0, stop);
    result.found_by = "peak sweep (order hulls)";
    made.plan = Renumbered(made.plan, boxes->map);
  }
  if (made.found_by.empty()) return nullopt;
  result.starts = StartsAt(
      groups, Spread(groups.records(), made.plan, groups.problem().size()));
  return result;
}

}  // namespace stowage::rigid
