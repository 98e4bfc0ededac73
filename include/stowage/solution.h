// SPDX-License-Identifier: Apache-2.0
// A plan with its status and proof: the result of planning.
//
// Solve (planner.h) returns one for a Problem; strategies make one. A status of
// kInfeasible or kTimeLimit has no assignment, and reading one that is not
// there is an error, not an empty plan:
//
//   const absl::StatusOr<OffsetsAssignment>& plan = solution.offsets();
//   if (!plan.ok()) return plan.status();
//
// To check an assignment from elsewhere use verify.h.
#ifndef STOWAGE_SOLUTION_H_
#define STOWAGE_SOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage {

enum class SolutionStatus {
  kOptimal,     // a plan, proved to be the smallest: `reason` says how
  kFeasible,    // a safe plan; a smaller one may exist
  kInfeasible,  // no plan: proved that there is none, within the capacity
  kTimeLimit,   // no plan: the search ended before it knew whether one fits
};

// "optimal", "feasible", "infeasible", "time_limit".
absl::string_view SolutionStatusName(SolutionStatus status);

// Weights that prove a lower bound of shared objects from the records alone.
//
// A *chain* is a set of records no two of which conflict, and an object of w
// bytes serves a chain of records of at most w bytes. So if, for each size w of
// the listed records, the heaviest chain of those of at most w bytes weighs at
// most w * scale, then no plan takes less than the sum of all weights divided
// by scale: rounded up to a multiple of the greatest common divisor of the
// listed sizes.
struct ChainWeights {
  std::vector<size_t> records;  // by index, rising
  std::vector<size_t> weights;  // above 0, one for each of `records`
  size_t scale = 1;             // above 0
};

// A proof by search that some records do not fit a capacity.
//
// Its log lists what was tried and why each attempt fails, for others to replay
// (docs/certificates.md). It may be far larger than any plan, so that it is not
// kept: the search is repeated to write it.
struct SearchProof {
  // Takes the next piece, which may be empty.
  using Write = std::function<absl::Status(absl::string_view piece)>;

  std::vector<size_t> records;  // by index, as the log numbers them from 0
  size_t capacity = 0;          // bytes, which do not suffice for `records`
  size_t unit = 1;              // of offsets: bytes, of the levels in the log
  // Passes the log on piece by piece, every few milliseconds, in the time that
  // the search took. The first error of `write` ends it and is returned. Null
  // for no proof.
  std::function<absl::Status(const Write& write)> write_log;
};

class Solution {
 public:
  // No plan, and nothing known.
  Solution();
  // A plan. NOLINTs: an assignment is a solution.
  Solution(OffsetsAssignment plan);  // NOLINT(google-explicit-constructor)
  template <typename TensorSizeT>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Solution(ObjectsAssignment<TensorSizeT> plan) : Solution() {
    std::get<absl::StatusOr<ObjectsAssignment<TensorSizeT>>>(plans_) =
        std::move(plan);
    has_plan_ = true;
    status = SolutionStatus::kFeasible;
  }

  // Whether there is an assignment, of whichever kind.
  bool has_plan() const { return has_plan_; }
  // Removes the assignment, which `status_of_none` then has to explain.
  void DropPlan(SolutionStatus status_of_none);

  // The assignment. FailedPrecondition if there is none, or one of another
  // kind.
  const absl::StatusOr<OffsetsAssignment>& offsets() const {
    return std::get<absl::StatusOr<OffsetsAssignment>>(plans_);
  }
  template <typename TensorSizeT = size_t>
  const absl::StatusOr<ObjectsAssignment<TensorSizeT>>& objects() const {
    return std::get<absl::StatusOr<ObjectsAssignment<TensorSizeT>>>(plans_);
  }

  SolutionStatus status = SolutionStatus::kTimeLimit;
  // What proves kOptimal and kInfeasible, or what kTimeLimit did not find.
  std::string reason;
  // The part of the strategy that found the plan, and in brackets what repeats
  // it: "exact search (capacity 1048576, order load-tasks-area-size, round 3)".
  // The names before the brackets stay; without parts it is the strategy's
  // name. Empty without a plan.
  std::string found_by;
  // What proves `lower_bound`: "bytes live at task 12", "fixed records",
  // "positional maximums", "chain weights" or "exhaustive search below it".
  // Empty for extents and shapes.
  std::string bound_proved_by;
  // Bytes of the arena, or the sum of the objects' sizes; 0 without a plan and
  // for extents and shapes.
  size_t total_size = 0;
  // Bytes: no plan is smaller.
  size_t lower_bound = 0;
  // With preferences or pools (constraints.h): what the plan costs, and what no
  // plan is below. A plan is kOptimal if none costs less, and none that costs
  // as much is smaller; `lower_bound` then is that of plans of least cost.
  uint64_t cost = 0;
  uint64_t cost_bound = 0;
  // Whether a complete search below the bound proved it, and not the records
  // alone: Problem::lower_bound, or the room that fixed records leave.
  bool bound_is_searched = false;
  // Of a searched bound: that nothing below it suffices. Of kInfeasible, where
  // there is a conflict, for the records of that. None of shared objects where
  // no solver of linear programs is linked.
  SearchProof search_proof;
  // Of shared objects: what proves the bound, where neither a search nor
  // Problem::lower_bound does; otherwise empty.
  ChainWeights chain_weights;
  // Steps of the search, for repeating it.
  uint64_t nodes = 0;
  // Of kInfeasible: records that have no plan even without the others, by
  // index. Empty where they are not known.
  std::vector<size_t> conflict;
  // Whether the conflict would have a plan without any one of its records.
  bool conflict_is_irreducible = false;
  // What shows that, where a search found it: for each record of the conflict a
  // plan of all the others within the capacity, their offsets in the order of
  // the conflict. Otherwise empty, and where a search had to leave out more
  // than 2048 records one by one.
  std::vector<std::vector<size_t>> conflict_rests;
  // Of the strategy's own call.
  absl::Duration time;

 private:
  std::tuple<absl::StatusOr<OffsetsAssignment>,
             absl::StatusOr<ObjectsAssignment<size_t>>,
             absl::StatusOr<ObjectsAssignment<uint2>>,
             absl::StatusOr<ObjectsAssignment<uint3>>,
             absl::StatusOr<ObjectsAssignment<BHWC>>>
      plans_;
  bool has_plan_ = false;
};

// Shared objects as a solution of either kind: as they are, or laid out one
// after the other (ObjectsToOffsets) if the problem asks for offsets. Errors:
// those of ObjectsToOffsets. O(n).
absl::StatusOr<Solution> SolutionOfObjects(const Problem& problem,
                                           ObjectsAssignment<size_t> objects);

}  // namespace stowage

#endif  // STOWAGE_SOLUTION_H_
