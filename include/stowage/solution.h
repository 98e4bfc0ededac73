// SPDX-License-Identifier: Apache-2.0
// Represents the result of planning: a plan with its status and proof.
//
// Solve (planner.h) returns a Solution for each Problem that it solves. To
// check a plan from elsewhere, use verify.h. For text that proves a solution to
// others, use certificate.h. A solution has a plan if and only if it is
// kOptimal or kFeasible. Without a plan, offsets() and objects() return null:
//
//   if (const OffsetsAssignment* plan = solution.offsets()) Use(*plan);
//
// All fields are data that a program can read, except `reason`, which is a text
// for people. The log of a search that proved a bound is not part of the
// solution, since it may be large; WriteSearchLog (planner.h) writes the log.
#ifndef STOWAGE_SOLUTION_H_
#define STOWAGE_SOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/bound_proof.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage {

// Says whether there is a plan, and what is proved about it.
enum class SolutionStatus {
  kOptimal,   // there is a plan, proved to be the smallest; see `reason`
  kFeasible,  // there is a safe plan, but a smaller one may exist
  // The solution has no plan: a strategy that does not search made a plan of
  // `total_size` bytes, which exceeds the capacity. That plan was dropped. A
  // smaller plan may exist.
  kOverCapacity,
  kInfeasible,  // there is no plan, since none exists within the capacity
  // The solution has no plan: the search ended before it could find a plan or
  // prove that no plan exists.
  kTimeLimit,
};

// Returns "optimal", "feasible", "over_capacity", "infeasible" or "time_limit".
string_view SolutionStatusName(SolutionStatus status);

// Weights that prove a lower bound of shared objects from the records alone.
//
// A *chain* is a set of records of which no two conflict. An object of w bytes
// serves one chain, in which each record has at most w bytes. Suppose that, for
// each size w of a listed record, no chain of records of at most w bytes each
// weighs more than w * scale. Then no plan takes less than the sum of all
// weights divided by scale, rounded up to a multiple of the greatest common
// divisor of the listed sizes.
struct ChainWeights {
  std::vector<size_t> records;  // has indices in rising order
  std::vector<size_t> weights;  // has one weight above 0 for each of `records`
  size_t scale = 1;             // is above 0
};

// Cliques that prove a lower bound of the cost of a plan, in one pool.
//
// A *clique* is a set of records of one pool such that any two of them either
// must not share a byte, or have to pay if they share bytes
// (Constraints::prefer_apart). If a clique needs more bytes than the pool has
// room for, some of its records overlap, and the pairs that pay share at least
// a known number R of bytes. The weight of a clique is the part of the cost
// that the clique accounts for. Each pair of the clique that has to pay for
// sharing bears a load: the weight, times the bytes that the pair can share,
// divided by R. Add the loads that a pair bears in all cliques. Suppose that
// for every pair this sum is at most the cost of the pair times `scale`. Then
// no plan costs less than the sum of all weights divided by `scale`, rounded up
// to a multiple of the greatest common divisor of the costs of these pairs.
// docs/certificates.md has the details.
struct CostProof {
  struct Clique {
    std::vector<size_t> records;  // has indices in rising order
    uint64_t weight = 0;          // is above 0
  };
  std::vector<Clique> cliques;
  uint64_t scale = 1;  // is a power of two
};

// A proof by search that some records do not fit a capacity. It has what is
// needed to repeat the search.
//
// The log of the search lists what was tried and why each attempt fails, so
// that other programs can replay the log (docs/certificates.md). The log may be
// far larger than any plan and is therefore not kept: WriteSearchLog
// (planner.h) repeats the search to write the log.
struct SearchProof {
  // The records, by index. The log numbers them from 0 in this order. The list
  // is empty if there is no proof.
  std::vector<size_t> records;
  size_t capacity = 0;  // in bytes; too small for `records`
  // For offsets, this is the number of bytes in one unit of the offsets in the
  // log.
  size_t unit = 1;
  // Only the strategy that made the proof needs this field and the next one.
  // For offsets, `by_load` says how the search selects a record.
  bool by_load = false;
  // For objects, this is the capacity in bytes with which the search began.
  // Better plans lowered it to `capacity`.
  size_t first_capacity = 0;
};

class Solution {
 public:
  // Creates a solution without a plan, which claims nothing.
  Solution() = default;
  // Creates a kFeasible solution with this plan. The conversion is implicit so
  // that a strategy that has nothing else to report can write `return plan;`.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Solution(OffsetsAssignment plan)
      : status(SolutionStatus::kFeasible), plan_(std::move(plan)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Solution(ObjectsAssignment<size_t> plan)
      : status(SolutionStatus::kFeasible), plan_(std::move(plan)) {}

  // Returns whether there is a plan, of any kind.
  bool has_plan() const {
    return !std::holds_alternative<std::monostate>(plan_);
  }
  // Sets the plan. The status becomes kFeasible if there was no plan before.
  // All other fields keep their values.
  template <typename Plan>
  void SetPlan(Plan plan) {
    if (!has_plan()) status = SolutionStatus::kFeasible;
    plan_ = std::move(plan);
  }
  // Removes the plan and sets the status to `status_of_none`, which says why
  // there is no plan.
  void DropPlan(SolutionStatus status_of_none);

  // Returns the plan, which belongs to the solution. Returns null if there is
  // no plan, or if the plan is of the other kind.
  const OffsetsAssignment* offsets() const {
    return std::get_if<OffsetsAssignment>(&plan_);
  }
  const ObjectsAssignment<size_t>* objects() const {
    return std::get_if<ObjectsAssignment<size_t>>(&plan_);
  }

  SolutionStatus status = SolutionStatus::kTimeLimit;
  // A text for people. It says what proves kOptimal or kInfeasible, and for
  // kOverCapacity and kTimeLimit it says why there is no plan.
  std::string reason;
  // The name of the strategy that was asked for the plan, and its seed.
  std::string strategy;
  uint64_t seed = 1;
  // The part of the strategy that found the plan, followed in brackets by the
  // parameters with which this part finds the plan again: "exact search
  // (capacity 1048576, order load-tasks-area-size, round 3)". The names before
  // the brackets are stable. For a strategy without parts, this is the name of
  // the strategy. For the plan of SolveOptions::incumbent, it is "incumbent".
  // The text is empty if there is no plan.
  std::string found_by;
  // The tasks of a problem with a free order, in the order in which they run
  // under the plan. If there is no plan, this is one of the orders that were
  // tried. The list is empty for other problems.
  std::vector<TaskId> order;
  // The place of each record, for a problem with optional groups or with pairs
  // that may lie in one place. In these places, the groups that the plan does
  // not keep are removed, and the groups of pairs that lie in one place are
  // united. The list is empty for all other problems. It is also empty if the
  // plan keeps no group and no record has a range (RecordPlace::min, max).
  std::vector<RecordPlace> places;
  // The bytes of the arena, or the sum of the objects' sizes. For
  // kOverCapacity, it is the size of the plan that was dropped. If there is no
  // plan for any other reason, it is 0.
  size_t total_size = 0;
  // A lower bound of the size of every plan, in bytes.
  size_t lower_bound = 0;
  BoundProof bound_proof;
  // The cost of the plan, and a lower bound of the cost of every plan, for
  // problems with preferences or pools (constraints.h). A plan of such a
  // problem is kOptimal if no plan costs less and no plan of the same cost is
  // smaller; `lower_bound` is then a bound only for the plans of least cost.
  uint64_t cost = 0;
  uint64_t cost_bound = 0;
  // Proofs of one part of cost_bound: the part that plans have to pay for pairs
  // of records in different groups. No pair occurs in two proofs. The list is
  // empty if this part is 0, or if only a search can prove this part.
  std::vector<CostProof> cost_proofs;
  // If a search has proved the bound (kSearch), this is the proof that fewer
  // bytes do not suffice. If the status is kInfeasible and there is a conflict,
  // it is the proof that the records of the conflict have no plan. For shared
  // objects, the proof is empty if the program links no solver of linear
  // programs.
  SearchProof search_proof;
  // The weights that prove the bound, if its proof is kChainWeights. The
  // weights are empty otherwise.
  ChainWeights chain_weights;
  // The number of nodes that the search has visited. A search with this number
  // as its node budget gives the same result.
  uint64_t nodes = 0;
  // If the status is kInfeasible, these are the indices of some records that
  // have no plan even if all other records are left out. The list is empty if
  // no such records are known.
  std::vector<size_t> conflict;
  // True if the conflict is known to be irreducible: if any one of its records
  // is left out, the other records of the conflict have a plan. False if this
  // is not known.
  bool conflict_is_irreducible = false;
  // The witnesses of irreducibility, if a search found the conflict. For each
  // record of the conflict, there is a plan of all other records of the
  // conflict within the capacity, as offsets in the order of the conflict. The
  // list is empty if no search found the conflict, or if the conflict is not
  // known to be irreducible. It is also empty if the search had to leave out
  // more than 2048 records, one at a time, to test whether the others fit: the
  // witnesses would then take too much memory.
  std::vector<std::vector<size_t>> conflict_witnesses;
  // The time that the strategy itself took, in nanoseconds.
  int64_t time_ns = 0;

 private:
  std::variant<std::monostate, OffsetsAssignment, ObjectsAssignment<size_t>>
      plan_;
};

// Returns a solution of the problem's kind that is made from shared objects. If
// the problem asks for offsets, the objects are laid out one after the other
// (ObjectsToOffsets). Otherwise they are returned as they are. Errors: those of
// ObjectsToOffsets. O(n).
StatusOr<Solution> SolutionOfObjects(const Problem& problem,
                                     ObjectsAssignment<size_t> objects);

}  // namespace stowage

#endif  // STOWAGE_SOLUTION_H_
