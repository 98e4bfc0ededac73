// SPDX-License-Identifier: Apache-2.0
#include "stowage/replan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "src/model/constraint_support.h"
#include "src/model/least_total.h"
#include "src/plan/check_plan.h"
#include "src/plan/incumbent.h"
#include "src/plan/move_records.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/bound_proof.h"
#include "stowage/error_payload.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// The maximum product of the number of records and the number of changed
// records for which records are moved one by one. Beyond this limit, making a
// new plan is faster.
constexpr size_t kMaxVisits = size_t{1} << 22;

// Returns whether the records of a plan of this problem can be moved one by
// one.
bool HasRecordsAlone(const Problem& problem) {
  return !NeedsConstraints(problem) && !problem.has_fixed_offsets();
}

size_t BytesLiveAt(TaskId task, const Problem& problem) {
  size_t bytes = 0;
  for (const ByteRecord& record : problem.records()) {
    const bool is_live = record.first_task <= task && task <= record.last_task;
    bytes += is_live ? record.tensor_size : 0;
  }
  return bytes;
}

// Returns the pool of a record; 0 for a plan without pools.
uint32_t PoolOf(size_t record, const OffsetsAssignment& plan) {
  return plan.pools.empty() ? 0 : plan.pools[record];
}

// Returns the records that have different pools or offsets in the two plans, in
// rising order.
std::vector<size_t> RecordsMoved(const OffsetsAssignment& before,
                                 const OffsetsAssignment& after) {
  std::vector<size_t> moved;
  for (size_t i = 0; i < after.offsets.size(); ++i) {
    if (before.offsets[i] != after.offsets[i] ||
        PoolOf(i, before) != PoolOf(i, after)) {
      moved.push_back(i);
    }
  }
  return moved;
}

size_t BytesOf(const std::vector<size_t>& records, const Problem& problem) {
  size_t bytes = 0;
  for (const size_t i : records) bytes += problem.records()[i].tensor_size;
  return bytes;
}

Status NoPlanError(const Solution& solution) {
  return solution.status == SolutionStatus::kInfeasible
             ? FailedPreconditionError(solution.reason)
             : ResourceExhaustedError(solution.reason);
}

}  // namespace

// One call of Replan.
class Replanning {
 public:
  using Reference = VerifiedPlan::Reference;

  Replanning(const Problem& problem, const VerifiedPlan& previous,
             const ReplanOptions& options)
      : problem_(problem),
        previous_(previous),
        options_(options),
        is_of_records_(HasRecordsAlone(problem) &&
                       HasRecordsAlone(previous.problem())) {}

  static Reference ReferenceOf(const Problem& problem, size_t total_size) {
    Reference reference;
    if (!HasRecordsAlone(problem)) return reference;
    const LowerBound& bound = LowerBoundOf(problem);
    if (bound.proof.kind != BoundProof::Kind::kBytesLive) return reference;
    reference.task = bound.proof.index;
    reference.bytes_live = bound.bytes;
    reference.total_size = total_size;
    return reference;
  }

  StatusOr<Replanned> Run() {
    if (Status s = CheckOptions(); !s.ok()) return s;
    if (Status s = KeepOffsets(); !s.ok()) return s;
    if (previous_.reference_.task && HasRecordsAlone(problem_)) {
      bytes_live_ = BytesLiveAt(*previous_.reference_.task, problem_);
    }
    if (kept_ && !MustSearch()) return Finish(KeptSolution(), KeptReference());
    return Search();
  }

 private:
  Status CheckOptions() {
    const size_t count = previous_.problem().size();
    if (problem_.size() != count) {
      return InvalidArgumentError(StrCat("records: ", problem_.size(),
                                         "; expected ", count,
                                         ", as in the previous problem"));
    }
    if (problem_.kind() != PlanKind::kOffsets) {
      return UnimplementedError(
          "kind: shared objects cannot be replanned in part; expected offsets");
    }
    if (problem_.reallocation_graph() != nullptr) {
      return InvalidArgumentError(
          "reallocation graph: plans cannot be verified for it; expected none");
    }
    // Most calls do not search, but a wrong name is an error of all calls.
    const StatusOr<const Strategy*> strategy = FindStrategy(options_.strategy);
    if (!strategy.ok()) return strategy.status();
    if (!options_.movable) return OkStatus();
    if (!is_of_records_) {
      return UnimplementedError(
          "movable: the problem has constraints, fixed offsets, a free order "
          "or optional groups; expected a problem with none of these");
    }
    is_fixed_.assign(count, true);
    for (const size_t i : *options_.movable) {
      if (i >= count) {
        return WithRecords(
            InvalidArgumentError(StrCat("movable: there is no record ", i,
                                        "; expected one of ", count)),
            {i});
      }
      is_fixed_[i] = false;
    }
    return OkStatus();
  }

  // Sets kept_ to a plan that keeps as many offsets as possible, if there is
  // such a plan within the capacity. Sets was_valid_ to whether this plan keeps
  // all offsets and needs no larger arena. Errors: that of an unsafe plan,
  // which can only be caused by a bug in moving the records.
  Status KeepOffsets() {
    const std::vector<size_t> changed =
        is_of_records_ ? ChangedRecords(previous_.problem(), problem_)
                       : std::vector<size_t>();
    const bool are_few = changed.size() <= kMaxVisits / (problem_.size() + 1);
    if (!is_of_records_ || !are_few) {
      KeepAll();
      return OkStatus();
    }
    optional<MovedRecords> result = MoveRecords(
        problem_, previous_.plan().offsets, changed, is_fixed_, 2 * kMaxVisits);
    if (!result) return OkStatus();
    if (auto violation =
            FindViolationOfChanged(problem_.records(), result->plan,
                                   problem_.alignments(), result->touched)) {
      return AtPlace("the plan with moved records is unsafe",
                     UnsafeError(violation));
    }
    moved_ = std::move(result->moved);
    const size_t total = result->plan.total_size;
    const bool fits = !problem_.capacity() || total <= *problem_.capacity();
    was_valid_ = moved_.empty() && fits && total <= previous_.plan().total_size;
    if (!fits) return OkStatus();
    kept_ = Solution(std::move(result->plan));
    kept_->total_size = total;
    return OkStatus();
  }

  // Sets kept_ to the previous plan if that plan is safe for the new problem.
  // The total is computed from the new sizes.
  void KeepAll() {
    OffsetsAssignment plan = previous_.plan();
    const optional<size_t> total = LeastTotal(problem_, plan);
    if (!total) return;
    plan.total_size = *total;
    Solution given = previous_.solution();
    given.SetPlan(std::move(plan));
    StatusOr<Solution> checked = CheckedIncumbent(problem_, given);
    if (!checked.ok() || !checked->has_plan()) return;
    was_valid_ = *total <= previous_.plan().total_size && EndsWithinPools();
    kept_ = *std::move(checked);
  }

  // Returns whether every record ends within the bytes that the previous plan
  // uses of the record's pool.
  bool EndsWithinPools() const {
    const OffsetsAssignment& plan = previous_.plan();
    if (plan.pools.empty()) return true;
    std::map<uint32_t, size_t> ends;
    const Span<const ByteRecord> before = previous_.problem().records();
    for (size_t i = 0; i < before.size(); ++i) {
      size_t& end = ends[plan.pools[i]];
      end = std::max(end, plan.offsets[i] + before[i].tensor_size);
    }
    for (size_t i = 0; i < before.size(); ++i) {
      const size_t size = problem_.records()[i].tensor_size;
      if (plan.offsets[i] + size > ends[plan.pools[i]]) return false;
    }
    return true;
  }

  bool MustSearch() const {
    if (!is_of_records_) return true;
    if (kept_->total_size > previous_.solution().total_size) {
      return kept_->total_size != bytes_live_;
    }
    // Search if the ratio of the total to the live bytes exceeds 51/50 of the
    // same ratio of the reference.
    const Reference& reference = previous_.reference_;
    return reference.task &&
           uint128(kept_->total_size) * reference.bytes_live / 51 >
               uint128(reference.total_size) * bytes_live_ / 50;
  }

  // Returns the kept plan. The solution claims only what can be determined
  // without a search.
  Solution KeptSolution() const {
    Solution solution = *kept_;
    solution.strategy = previous_.solution().strategy;
    solution.seed = previous_.solution().seed;
    solution.found_by =
        moved_.empty() ? previous_.solution().found_by : "replan";
    if (solution.total_size == 0) {
      solution.lower_bound = 0;
      solution.bound_proof = {BoundProof::Kind::kNoBytes};
    } else if (previous_.reference_.task) {
      solution.lower_bound = bytes_live_;
      solution.bound_proof = {BoundProof::Kind::kBytesLive,
                              *previous_.reference_.task};
    } else {
      return solution;
    }
    if (solution.lower_bound == solution.total_size) {
      solution.status = SolutionStatus::kOptimal;
      solution.reason = ReasonOfOptimum(solution.bound_proof);
    }
    return solution;
  }

  // The reference changes only when a search makes a new plan. If every small
  // change updated the reference, many changes could add up to a plan that is
  // much too large.
  Reference KeptReference() const { return previous_.reference_; }

  StatusOr<Replanned> Search() {
    SolveOptions solve = options_.solve;
    solve.incumbent = kept_ ? &*kept_ : nullptr;
    const StatusOr<Problem> problem = PinnedProblem();
    if (!problem.ok()) return problem.status();
    StatusOr<Solution> found = Solve(*problem, options_.strategy, solve);
    if (!found.ok()) return found.status();
    if (!found->has_plan()) return NoPlanError(*found);
    if (!is_fixed_.empty()) ForgetPins(&*found);
    if (kept_ && IsWorthMoving(*found)) kept_.reset();
    if (kept_) {
      const bool is_changed = !moved_.empty();
      found = WithPlanOf(*std::move(kept_), *std::move(found));
      found->found_by = is_changed ? "replan" : previous_.solution().found_by;
    } else {
      moved_ = RecordsMoved(previous_.plan(), *found->offsets());
    }
    const Reference reference = ReferenceOf(problem_, found->total_size);
    return Finish(*std::move(found), reference);
  }

  // Returns the problem with the records that may not move fixed at their
  // offsets.
  StatusOr<Problem> PinnedProblem() const {
    if (is_fixed_.empty()) return problem_;
    ProblemSpec spec = problem_.ToSpec();
    spec.fixed_offsets.resize(problem_.size());
    for (size_t i = 0; i < problem_.size(); ++i) {
      if (is_fixed_[i]) spec.fixed_offsets[i] = previous_.plan().offsets[i];
    }
    return Problem::Create(std::move(spec));
  }

  // Replaces the claims of a solution that was found for a problem with fixed
  // records. Such claims hold only for plans that keep these records in their
  // places. The new claims hold for all plans of the problem.
  void ForgetPins(Solution* solution) const {
    const LowerBound& bound = LowerBoundOf(problem_);
    solution->lower_bound = bound.bytes;
    solution->bound_proof = bound.proof;
    solution->search_proof = {};
    solution->chain_weights = {};
    const bool is_optimal = solution->total_size == bound.bytes;
    solution->status =
        is_optimal ? SolutionStatus::kOptimal : SolutionStatus::kFeasible;
    solution->reason = is_optimal ? ReasonOfOptimum(bound.proof) : "";
  }

  // Returns whether `found` should replace the kept plan. A plan that costs
  // less always replaces it. At equal cost, `found` must be smaller, and if it
  // moves more bytes than the kept plan, the number of bytes saved must exceed
  // the price of the additional bytes moved (cost_per_moved_byte for each
  // byte).
  bool IsWorthMoving(const Solution& found) const {
    if (found.cost != kept_->cost) return found.cost < kept_->cost;
    if (found.total_size >= kept_->total_size) return false;
    const size_t moved =
        BytesOf(RecordsMoved(previous_.plan(), *found.offsets()), problem_);
    const size_t kept = BytesOf(moved_, problem_);
    return moved <= kept ||
           uint128(kept_->total_size - found.total_size) >
               uint128(moved - kept) * options_.cost_per_moved_byte;
  }

  Replanned Finish(Solution solution, Reference reference) {
    const size_t bytes = BytesOf(moved_, problem_);
    return {VerifiedPlan(problem_, std::move(solution), reference),
            std::move(moved_), bytes, was_valid_};
  }

  const Problem& problem_;
  const VerifiedPlan& previous_;
  const ReplanOptions& options_;
  const bool is_of_records_;
  std::vector<bool> is_fixed_;  // is empty if all records may move
  // The plan that keeps as many offsets as possible, and the records that had
  // to move.
  optional<Solution> kept_;
  std::vector<size_t> moved_;
  bool was_valid_ = false;
  size_t bytes_live_ = 0;  // the bytes live at the task of the reference
};

StatusOr<VerifiedPlan> VerifiedPlan::Create(Problem problem,
                                            Solution solution) {
  if (problem.kind() != PlanKind::kOffsets) {
    return UnimplementedError(
        "kind: plans of shared objects cannot be changed in part; expected a "
        "problem of offsets");
  }
  const StatusOr<Solution> checked = CheckedIncumbent(problem, solution);
  if (!checked.ok()) return checked.status();
  if (!checked->has_plan()) {
    return InvalidArgumentError(
        StrCat("plan: its total is above the capacity; expected at most ",
               *problem.capacity(), " bytes"));
  }
  solution.total_size = checked->total_size;
  const Reference reference =
      Replanning::ReferenceOf(problem, solution.total_size);
  return VerifiedPlan(std::move(problem), std::move(solution), reference);
}

StatusOr<Replanned> Replan(const Problem& problem, const VerifiedPlan& previous,
                           const ReplanOptions& options) {
  return Replanning(problem, previous, options).Run();
}

}  // namespace stowage
