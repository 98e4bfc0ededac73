// SPDX-License-Identifier: Apache-2.0
// Represents the result of planning: a plan with its status and proof.
//
// Solve (planner.h) returns a Solution for each Problem that it solves. To
// check a plan of any other origin, use verify.h. To prove a solution to other
// programs, use certificate.h. A solution has a plan if and only if its status
// is kOptimal or kFeasible. Without a plan, offsets() and objects() return
// null:
//
//   if (const OffsetsAssignment* plan = solution.offsets()) Use(*plan);
//
// Programs can interpret all fields except `reason`, which is text for people.
// The log of a search that proved a bound is not part of the solution, since
// the log may be large; WriteSearchLog (planner.h) writes it.
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

// The status of a solution: whether it has a plan, and what is proved about the
// plan.
enum class SolutionStatus {
  kOptimal,   // there is a plan, proved to be the smallest; see `reason`
  kFeasible,  // there is a safe plan, but a smaller one may exist
  // No plan: a strategy that does not search made a plan of `total_size` bytes,
  // which exceeds the capacity, and the plan was dropped. A smaller plan may
  // exist.
  kOverCapacity,
  kInfeasible,  // there is no plan, since none exists within the capacity
  // No plan: the search stopped before it could find a plan or prove that no
  // plan exists.
  kTimeLimit,
};

// Returns "optimal", "feasible", "over_capacity", "infeasible" or "time_limit".
string_view SolutionStatusName(SolutionStatus status);

// Weights that prove a lower bound of shared objects from the records alone.
//
// A *chain* is a set of records of which no two conflict. The records that one
// object of w bytes serves are a chain in which each record has at most w
// bytes. Suppose that, for each size w of a listed record, every chain of
// records of at most w bytes each has a total weight of at most w * scale. Then
// every plan needs at least the sum of all weights divided by `scale`, rounded
// up to a multiple of the greatest common divisor of the listed sizes.
struct ChainWeights {
  std::vector<size_t> records;  // has indices in rising order
  std::vector<size_t> weights;  // has one weight above 0 for each of `records`
  size_t scale = 1;             // is above 0
};

// Cliques that prove a lower bound of the cost of a plan, in one pool.
//
// A *clique* is a set of records of one pool such that any two of them either
// must not share a byte, or cost something if they share a byte
// (Constraints::prefer_apart). If a clique needs more bytes than the pool has
// room for, some of its records overlap, and its pairs that have a cost share
// at least R bytes in total, where R is known. The weight of a clique is the
// part of the cost that the clique accounts for.
//
// Each pair of the clique that has a cost bears a load: the weight of the
// clique, times the number of bytes that the pair can share, divided by R. For
// every pair, add its loads in all cliques. Suppose that each sum is at most
// the cost of the pair times `scale`. Then no plan costs less than the sum of
// all weights divided by `scale`, rounded up to a multiple of the greatest
// common divisor of the costs of these pairs. For details, see
// docs/certificates.md.
struct CostProof {
  struct Clique {
    std::vector<size_t> records;  // has indices in rising order
    uint64_t weight = 0;          // is above 0
  };
  std::vector<Clique> cliques;
  uint64_t scale = 1;  // is a power of two
};

// A proof by search that some records do not fit within a capacity. It has
// everything that is needed to repeat the search.
//
// The log of the search lists every attempt and the reason why it failed, so
// that other programs can replay the log (docs/certificates.md). The log may be
// far larger than any plan and is therefore not stored: WriteSearchLog
// (planner.h) repeats the search to write the log.
struct SearchProof {
  // The records, by index. The log numbers the records from 0 in this order.
  // Empty if there is no proof.
  std::vector<size_t> records;
  size_t capacity = 0;  // in bytes; too small for `records`
  // The unit of the offsets in the log, in bytes; used only for plans of
  // offsets.
  size_t unit = 1;
  // The last two fields are needed only by the strategy that made the proof.
  // `by_load` determines how the search selects a record; used only for plans
  // of offsets.
  bool by_load = false;
  // The capacity at which the search began, in bytes; used only for plans of
  // objects. During the search, better plans lowered this capacity to
  // `capacity`.
  size_t first_capacity = 0;
};

class Solution {
 public:
  // Creates a solution without a plan and without any claims.
  Solution() = default;
  // Creates a kFeasible solution with this plan. The conversion is implicit, so
  // that a strategy that has nothing else to report can write `return plan;`.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Solution(OffsetsAssignment plan)
      : status(SolutionStatus::kFeasible), plan_(std::move(plan)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Solution(ObjectsAssignment<size_t> plan)
      : status(SolutionStatus::kFeasible), plan_(std::move(plan)) {}

  // Returns whether there is a plan, of either kind.
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
  // Removes the plan and sets the status to `status_of_none`, the reason why
  // there is no plan.
  void DropPlan(SolutionStatus status_of_none);

  // Returns the plan, which the solution owns. Returns null if there is no
  // plan, or if the plan is of the other kind.
  const OffsetsAssignment* offsets() const {
    return std::get_if<OffsetsAssignment>(&plan_);
  }
  const ObjectsAssignment<size_t>* objects() const {
    return std::get_if<ObjectsAssignment<size_t>>(&plan_);
  }

  SolutionStatus status = SolutionStatus::kTimeLimit;
  // Text for people: the proof of kOptimal or kInfeasible, or the reason why
  // kOverCapacity or kTimeLimit has no plan.
  std::string reason;
  // The name of the strategy that the caller chose, and the seed.
  std::string strategy;
  uint64_t seed = 1;
  // The part of the strategy that found the plan, followed by the parameters
  // that reproduce the plan, in parentheses: "exact search (capacity 1048576,
  // order load-tasks-area-size, round 3)". The names before the parentheses are
  // stable. For a strategy without parts, this is the name of the strategy. For
  // the plan of SolveOptions::incumbent, it is "incumbent". Empty if there is
  // no plan.
  std::string found_by;
  // The tasks of a problem with a free order, in the order in which the plan
  // runs them. If there is no plan, this is one of the orders that were tried.
  // Empty for other problems.
  std::vector<TaskId> order;
  // The place of each record, for a problem with optional groups or with pairs
  // that may share one place. Groups that the plan does not keep are removed
  // from these places, and groups of pairs that share one place are united.
  // Empty for all other problems, and also if the plan keeps no group and no
  // record has a range (RecordPlace::min, max).
  std::vector<RecordPlace> places;
  // The size of the arena or the total size of the objects, in bytes. For
  // kOverCapacity, the size of the plan that was dropped. If there is no plan
  // for any other reason, 0.
  size_t total_size = 0;
  // A lower bound of the size of every plan, in bytes.
  size_t lower_bound = 0;
  BoundProof bound_proof;
  // The cost of the plan, and a lower bound of the cost of every plan, for
  // problems with preferences or pools (constraints.h). A plan of such a
  // problem is kOptimal if no plan costs less and no plan of the same cost is
  // smaller; in this case, `lower_bound` is a bound only for the plans of least
  // cost.
  uint64_t cost = 0;
  uint64_t cost_bound = 0;
  // Proofs of the part of cost_bound that is due to pairs of records in
  // different groups. No pair occurs in two proofs. Empty if this part is 0, or
  // if only a search can prove it.
  std::vector<CostProof> cost_proofs;
  // If a search has proved the bound (kSearch), this is the proof that fewer
  // bytes do not suffice. If the status is kInfeasible and there is a conflict,
  // this is the proof that the records of the conflict have no plan. For shared
  // objects, the proof is empty if the program links no solver of linear
  // programs.
  SearchProof search_proof;
  // The weights that prove the bound. Empty unless the kind of the proof is
  // kChainWeights.
  ChainWeights chain_weights;
  // The number of nodes that the search has visited. A search that was limited
  // by a node budget returns the same result with the same budget. It may need
  // more nodes than this if the budget changes, because the budget determines
  // how the nodes are divided among parts of the search. Nodes that were
  // searched only to reduce a conflict are not counted.
  uint64_t nodes = 0;
  // If the status is kInfeasible, the indices of records that have no plan even
  // without all other records. Empty if no such records are known.
  std::vector<size_t> conflict;
  // True if the conflict is known to be irreducible: without any one of its
  // records, the other records of the conflict have a plan. False if this is
  // not known.
  bool conflict_is_irreducible = false;
  // The witnesses of irreducibility. Entry i is a plan, within the capacity, of
  // all records of the conflict except conflict[i]: their offsets in the order
  // of the conflict.
  //
  // Empty if the conflict is not known to be irreducible, if this is known
  // without plans, or if there are pools. Also empty if more than 2048 records
  // were tested by leaving them out one at a time, because the witnesses would
  // need too much memory.
  std::vector<std::vector<size_t>> conflict_witnesses;
  // The time that the strategy itself took, in nanoseconds.
  int64_t time_ns = 0;

 private:
  std::variant<std::monostate, OffsetsAssignment, ObjectsAssignment<size_t>>
      plan_;
};

// Converts shared objects to a solution of the problem's kind. If the kind is
// kOffsets, the objects are laid out one after the other (ObjectsToOffsets). If
// the kind is kObjects, the objects are returned unchanged. Errors: those of
// ObjectsToOffsets. O(n).
StatusOr<Solution> SolutionOfObjects(const Problem& problem,
                                     ObjectsAssignment<size_t> objects);

}  // namespace stowage

#endif  // STOWAGE_SOLUTION_H_
