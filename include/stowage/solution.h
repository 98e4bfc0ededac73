// SPDX-License-Identifier: Apache-2.0
// A plan with its status and proof: the result of planning.
//
// Solve (planner.h) returns a Solution of a Problem; strategies create them. A
// solution that is kInfeasible or kTimeLimit has no assignment, and reading a
// missing assignment is an error, not an empty plan:
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
  kOptimal,     // a plan, proved to be the smallest; see `reason`
  kFeasible,    // a safe plan; a smaller one may exist
  kInfeasible,  // no plan: proved that none exists within the capacity
  kTimeLimit,   // no plan: the search ended before it was decided
};

// Returns "optimal", "feasible", "infeasible" or "time_limit".
absl::string_view SolutionStatusName(SolutionStatus status);

// Weights that prove a lower bound of shared objects from the records alone.
//
// A *chain* is a set of records of which no two conflict. An object of w bytes
// serves one chain of records of at most w bytes. Suppose that for each size w
// of the listed records, the heaviest chain of records of at most w bytes
// weighs at most w * scale. Then no plan takes less than the sum of all weights
// divided by scale, rounded up to a multiple of the greatest common divisor of
// the listed sizes.
struct ChainWeights {
  std::vector<size_t> records;  // by index, rising
  std::vector<size_t> weights;  // above 0, one for each of `records`
  size_t scale = 1;             // above 0
};

// A proof by search that some records do not fit a capacity.
//
// Its log lists what the search tried and why each attempt fails, so that
// others can replay it (docs/certificates.md). The log may be far larger than
// any plan and is therefore not kept: the search is repeated to write it.
struct SearchProof {
  // Receives the next piece, which may be empty.
  using Write = std::function<absl::Status(absl::string_view piece)>;

  std::vector<size_t> records;  // by index; the log numbers them from 0 in this
                                // order
  size_t capacity = 0;          // bytes; too few for `records`
  size_t unit = 1;  // for offsets: bytes in one unit of the log's offsets
  // Writes the log piece by piece, every few milliseconds, in the time that the
  // search took. The first error of `write` ends the log and is returned. Null
  // without a proof.
  std::function<absl::Status(const Write& write)> write_log;
};

class Solution {
 public:
  // Creates a solution without a plan, about which nothing is known.
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

  // Returns whether there is an assignment, of either kind.
  bool has_plan() const { return has_plan_; }
  // Removes the assignment; `status_of_none` says why there is none.
  void DropPlan(SolutionStatus status_of_none);

  // Returns the assignment. Error: FailedPrecondition if there is none or if it
  // is of another kind.
  const absl::StatusOr<OffsetsAssignment>& offsets() const {
    return std::get<absl::StatusOr<OffsetsAssignment>>(plans_);
  }
  template <typename TensorSizeT = size_t>
  const absl::StatusOr<ObjectsAssignment<TensorSizeT>>& objects() const {
    return std::get<absl::StatusOr<ObjectsAssignment<TensorSizeT>>>(plans_);
  }

  SolutionStatus status = SolutionStatus::kTimeLimit;
  // The proof of kOptimal or kInfeasible, or what kTimeLimit did not find.
  std::string reason;
  // The part of the strategy that found the plan, followed in brackets by the
  // parameters that repeat it: "exact search (capacity 1048576, order
  // load-tasks-area-size, round 3)". The names before the brackets are stable.
  // For a strategy without parts this is its name. Empty without a plan.
  std::string found_by;
  // The proof of `lower_bound`: "bytes live at task 12", "fixed records",
  // "positional maximums", "chain weights" or "exhaustive search below it".
  // Empty for extents and shapes.
  std::string bound_proved_by;
  // The bytes of the arena, or the sum of the objects' sizes. 0 without a plan
  // and for extents and shapes.
  size_t total_size = 0;
  // No plan has fewer bytes.
  size_t lower_bound = 0;
  // With preferences or pools (constraints.h): the cost of the plan, and a cost
  // that no plan is below. A plan is then kOptimal if none costs less and none
  // of the same cost is smaller; `lower_bound` is that of plans of least cost.
  uint64_t cost = 0;
  uint64_t cost_bound = 0;
  // True if a complete search below the bound proved it. False if the records
  // alone do: Problem::lower_bound, or the room that fixed records leave.
  bool bound_is_searched = false;
  // For a searched bound: the proof that nothing below it suffices. For
  // kInfeasible with a conflict: the proof for the records of the conflict.
  // Empty for shared objects if no solver of linear programs is linked.
  SearchProof search_proof;
  // For shared objects: the proof of the bound, if it is due neither to a
  // search nor to Problem::lower_bound. Otherwise empty.
  ChainWeights chain_weights;
  // The number of nodes that the search took. As a node budget it repeats the
  // search.
  uint64_t nodes = 0;
  // For kInfeasible: records that have no plan even without the others, by
  // index. Empty if none are known.
  std::vector<size_t> conflict;
  // True if the conflict would have a plan without any one of its records.
  bool conflict_is_irreducible = false;
  // The witnesses of irreducibility, if a search found the conflict: for each
  // record of the conflict a plan of all the others within the capacity, as
  // offsets in the order of the conflict. Otherwise empty; also empty if a
  // search had to leave out more than 2048 records one by one.
  std::vector<std::vector<size_t>> conflict_rests;
  // The duration of the strategy's own call.
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

// Returns shared objects as a solution of the problem's kind: as they are, or
// laid out one after the other (ObjectsToOffsets) if the problem asks for
// offsets. Errors: those of ObjectsToOffsets. O(n).
absl::StatusOr<Solution> SolutionOfObjects(const Problem& problem,
                                           ObjectsAssignment<size_t> objects);

}  // namespace stowage

#endif  // STOWAGE_SOLUTION_H_
