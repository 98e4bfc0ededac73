// SPDX-License-Identifier: Apache-2.0
#include "src/plan/settle_conflict.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "src/bounds/contradiction.h"
#include "src/model/constraint_support.h"
#include "src/model/keep_records.h"
#include "src/model/watch.h"
#include "src/plan/group_choice.h"
#include "src/plan/solve_constrained.h"
#include "src/plan/solve_steps.h"
#include "stowage/assignment.h"
#include "stowage/base/minimize.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"

namespace stowage {
namespace {

// The maximum number of records of a conflict that is reduced.
constexpr size_t kMaxReduced = 1024;
// The maximum number of nodes that are searched for one part of a conflict.
constexpr uint64_t kNodesOfPart = 20'000;
// The maximum numbers of nodes that are searched for all parts, and of records
// of all parts.
constexpr uint64_t kNodesOfParts = uint64_t{1} << 20;
constexpr uint64_t kRecordsOfParts = uint64_t{1} << 20;

void KeepStatus(const Problem& /*problem*/, const Strategy& /*strategy*/,
                Solution* /*solution*/) {}

class ConflictSettler {
 public:
  ConflictSettler(const Problem& problem, const Strategy& strategy,
                  const SolveOptions& options, int64_t spent_ns,
                  Solution* solution)
      : spec_(problem.ToSpec()),
        strategy_(strategy),
        watch_(OptionsLeft(options, spent_ns)),
        stop_(watch_.SignalAfter()),
        solution_(*solution) {
    // Costs do not change which plans exist.
    spec_.constraints.prefer_apart.clear();
    of_part_.time_limit_ns = kNoTimeLimit;
    of_part_.seed = options.seed;
    of_part_.decide = true;
    of_part_.observer = &observer_;
    const uint64_t budget = options.node_budget.value_or(kNodesOfParts);
    nodes_left_ =
        std::min(kNodesOfParts, budget - std::min(budget, solution_.nodes));
  }

  // Adds the records that the conflict lacks, or may lack. Returns whether
  // there are any.
  bool Complete() {
    const Finding found = Answer(solution_.conflict);
    if (found == Finding::kNoPlan) return false;
    std::vector<size_t> mates = WithMates(solution_.conflict);
    if (found == Finding::kUnknown && mates == solution_.conflict) return false;
    if (found == Finding::kPlan && Answer(mates) != Finding::kNoPlan) {
      mates.resize(spec_.records.size());
      std::iota(mates.begin(), mates.end(), size_t{0});
    }
    solution_.conflict = std::move(mates);
    solution_.conflict_is_irreducible = false;
    solution_.conflict_witnesses.clear();
    return true;
  }

  // Returns whether the records have provably no plan.
  bool HasNoPlan(Span<const size_t> records) {
    return Answer(records) == Finding::kNoPlan;
  }

  // Reduces the conflict until it is irreducible, or until the limits are
  // reached.
  void Reduce() {
    const std::vector<size_t> all = solution_.conflict;
    if (all.size() > kMaxReduced) return;
    spec_ = KeepRecords(spec_, all);
    std::vector<size_t> kept(all.size());
    std::iota(kept.begin(), kept.end(), size_t{0});
    Minimize(kept, [&](const std::vector<size_t>& part) -> StatusOr<bool> {
      if (IsOver()) return CancelledError("limits");
      const bool has_none = HasNoPlan(part);
      if (has_none) kept = part;
      return has_none;
    }).IgnoreError();
    solution_.conflict.clear();
    for (const size_t k : kept) solution_.conflict.push_back(all[k]);
    FindWitnesses(kept);
  }

 private:
  enum class Finding { kNoPlan, kPlan, kUnknown };

  static SolveOptions OptionsLeft(SolveOptions options, int64_t spent_ns) {
    options.time_limit_ns = TimeLeft(options.time_limit_ns, spent_ns);
    return options;
  }

  bool IsOver() const {
    return nodes_left_ == 0 || records_left_ == 0 || stop_.IsSet();
  }

  // Leaves out each record in turn. If the others always have a plan, the
  // conflict is irreducible.
  void FindWitnesses(const std::vector<size_t>& conflict) {
    std::vector<std::vector<size_t>> witnesses;
    for (size_t k = 0; k < conflict.size(); ++k) {
      std::vector<size_t> rest = conflict;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (IsOver() || Answer(rest) != Finding::kPlan) return;
      witnesses.push_back(std::move(offsets_));
    }
    solution_.conflict_is_irreducible = true;
    if (spec_.constraints.pools.empty()) {
      solution_.conflict_witnesses = std::move(witnesses);
    }
  }

  // Returns what can be found out quickly about the problem that consists of
  // these records of `spec_`. If they have a plan, sets `offsets_`.
  Finding Answer(Span<const size_t> records) {
    offsets_.clear();
    if (records.empty()) return Finding::kPlan;
    // Parts that need no nodes take time as well.
    records_left_ -= std::min<uint64_t>(records_left_, records.size());
    const StatusOr<Problem> part = Problem::Create(KeepRecords(spec_, records));
    if (!part.ok()) return Finding::kUnknown;
    const optional<size_t> capacity = part->capacity();
    const bool may_choose = LeavesChoiceOfGroups(*part);
    if (may_choose ? ContradictionOfAllChoices(*part)
                   : FindContradiction(*part)) {
      return Finding::kNoPlan;
    }
    if (capacity && LowerBoundOf(*part).bytes > *capacity) {
      return Finding::kNoPlan;
    }
    if (may_choose || !strategy_.info().is_search) return Finding::kUnknown;
    return Search(*part);
  }

  Finding Search(const Problem& part) {
    of_part_.node_budget = std::min(kNodesOfPart, nodes_left_);
    const StatusOr<Solution> found =
        SolveByStrategy(part, strategy_, of_part_, &KeepStatus);
    if (!found.ok()) return Finding::kUnknown;
    nodes_left_ -= std::min(nodes_left_, found->nodes);
    if (const OffsetsAssignment* const plan = found->offsets()) {
      offsets_ = plan->offsets;
      return Finding::kPlan;
    }
    return found->status == SolutionStatus::kInfeasible ? Finding::kNoPlan
                                                        : Finding::kUnknown;
  }

  // Returns the records, all records that belong to their groups or may share a
  // place with one of them, all that belong to the groups of these, and so on.
  // O(n + pairs).
  std::vector<size_t> WithMates(Span<const size_t> records) const {
    const std::vector<RecordPlace>& places = spec_.constraints.places;
    const size_t count = spec_.records.size();
    std::vector<std::vector<size_t>> partners(count);
    for (const SharedPlace& pair : spec_.constraints.same_or_apart) {
      partners[pair.first].push_back(pair.second);
      partners[pair.second].push_back(pair.first);
    }
    std::map<uint32_t, std::vector<size_t>> members;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].group != kNoGroup) members[places[i].group].push_back(i);
    }
    std::vector<bool> is_in(count);
    std::vector<size_t> open(records.begin(), records.end());
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      if (is_in[i]) continue;
      is_in[i] = true;
      open.insert(open.end(), partners[i].begin(), partners[i].end());
      if (places.empty()) continue;
      // Each group is visited once, since its members are then taken away.
      const auto group = members.find(places[i].group);
      if (group == members.end()) continue;
      open.insert(open.end(), group->second.begin(), group->second.end());
      members.erase(group);
    }
    std::vector<size_t> all;
    for (size_t i = 0; i < count; ++i) {
      if (is_in[i]) all.push_back(i);
    }
    return all;
  }

  ProblemSpec spec_;  // without the records that are known not to be needed
  const Strategy& strategy_;
  Watch watch_;
  const StopSignal stop_;
  SignalObserver observer_{stop_};
  SolveOptions of_part_;
  uint64_t nodes_left_ = 0;
  uint64_t records_left_ = kRecordsOfParts;
  std::vector<size_t> offsets_;  // the last plan that was found
  Solution& solution_;
};

}  // namespace

void SettleConflict(const Problem& problem, const Strategy& strategy,
                    const SolveOptions& options, int64_t spent_ns,
                    Solution* solution) {
  if (solution->status != SolutionStatus::kInfeasible ||
      solution->conflict.empty() || problem.free_order() != nullptr) {
    return;
  }
  const bool is_searched = !solution->strategy.empty();
  if (is_searched && solution->conflict_is_irreducible) return;
  const std::vector<size_t> before = solution->conflict;
  ConflictSettler settler(problem, strategy, options, spent_ns, solution);
  if (is_searched || settler.Complete()) {
    settler.Reduce();
  } else if (before.size() == 1) {
    // If the record alone has no plan, nothing can be left out.
    solution->conflict_is_irreducible = settler.HasNoPlan(before);
  }
  if (solution->conflict != before) {
    solution->reason = ReasonOfNoPlan(problem, *solution);
  }
}

}  // namespace stowage
