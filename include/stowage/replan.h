// SPDX-License-Identifier: Apache-2.0
// Makes new plans when shapes change, for example when a batch, a sequence or
// an image grows.
//
// Replan keeps all offsets of a plan that are still valid, so a runtime has to
// move few tensors or none. Use Replan if only a few of many records change, or
// if moving a tensor is costly. In all other cases, plan again with Solve
// (planner.h), which takes some microseconds for a small model. If the same
// shapes occur repeatedly, use PlanCache (plan_cache.h). If all shapes are
// known in advance, PlanForAll makes one plan for all of them.
//
//   StatusOr<VerifiedPlan> plan = VerifiedPlan::Create(problem, solution);
//   if (!plan.ok()) return plan.status();
//   ...  // sizes change
//   StatusOr<Replanned> next = Replan(changed_problem, *plan);
//   if (!next.ok()) return next.status();
//   for (const size_t record : next->moved) Reallocate(record);
//   plan = next->plan;
#ifndef STOWAGE_REPLAN_H_
#define STOWAGE_REPLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage {

// A problem of offsets, and a plan that has been verified for this problem.
// After a change of a part of the plan, only that part has to be verified
// again. A VerifiedPlan is a handle: copies are cheap. Thread-safe.
class VerifiedPlan {
 public:
  // Verifies the plan of a solution. Errors: InvalidArgument if there is no
  // plan, if the plan exceeds the capacity, if the plan is unsafe (the error
  // has the violation, see ViolationOf of verify.h), or if the problem has a
  // reallocation graph, because plans for such problems cannot be verified;
  // Unimplemented if the problem is one of shared objects; those of
  // DecidedProblem (planner.h). O(n log n).
  static StatusOr<VerifiedPlan> Create(Problem problem, Solution solution);

  const Problem& problem() const { return problem_; }
  const Solution& solution() const { return *solution_; }
  // Returns the offsets of the solution.
  const OffsetsAssignment& plan() const { return *solution_->offsets(); }

 private:
  friend class Replanning;  // src/plan/replan.cc

  // The plan of the last search or, if no search has been run yet, the first
  // plan: its size, and the bytes that are live at the task that proves its
  // lower bound. Replan compares new plans with it.
  struct Reference {
    optional<TaskId> task;  // has no value if no task proves the bound
    size_t bytes_live = 0;
    size_t total_size = 0;
  };

  VerifiedPlan(Problem problem, Solution solution, Reference reference)
      : problem_(std::move(problem)),
        solution_(std::make_shared<const Solution>(std::move(solution))),
        reference_(reference) {}

  Problem problem_;
  std::shared_ptr<const Solution> solution_;
  Reference reference_;
};

// The cost of moving records, the records that may move, and the search.
struct ReplanOptions {
  // The cost of moving one byte, in bytes of the arena. If a search finds a
  // plan that is b bytes smaller than the plan without a search but moves m
  // bytes more, the plan of the search is used only if b > m *
  // cost_per_moved_byte. With a cost of 0, the smallest plan is used.
  uint64_t cost_per_moved_byte = 0;
  // The indices of the records that may move, in any order. All other records
  // keep their offsets. If not set, all records may move.
  optional<std::vector<size_t>> movable;
  // The strategy of the search, and its options. SolveOptions::incumbent is
  // ignored.
  std::string strategy = "skyline";
  SolveOptions solve;
};

// A plan of a changed problem, and its differences from the previous plan.
struct Replanned {
  // The changed problem and its plan. Solution::found_by is "replan" if the
  // plan was made by moving records of the previous plan.
  VerifiedPlan plan;
  // The indices of the records with a different place in the previous plan, in
  // rising order.
  std::vector<size_t> moved;
  // The sum of the new sizes of the moved records.
  size_t moved_bytes = 0;
  // True if the previous plan is also valid for the changed problem. False if
  // its offsets are valid, but records now end beyond its arena.
  bool was_valid = false;
};

// Plans a changed problem. The problem has the same number of records as the
// previous problem, in the same order, but sizes, intervals or alignments may
// differ.
//
// Each changed record is compared with all other records. Records that no
// longer fit at their offsets are moved to the lowest gaps, the largest record
// first. `options.strategy` searches for a plan only if moving records in this
// way fails, or if the plan with moved records
//   - is larger than the previous plan,
//   - exceeds the capacity, or
//   - has become worse by more than 2 % since the last search, measured by the
//     ratio of the total to the bytes live at the former peak.
//
// The *former peak* is the task that proved the lower bound of the last search
// or, if no search has been run yet, of the first plan. A plan with moved
// records is verified by FindViolationOfChanged (verify.h); the plan of a
// search is verified in full. Without a search, Solution::lower_bound is the
// number of bytes live at the former peak, or 0 if no task proved that bound.
//
// Records are not moved one by one if one of the two problems has constraints,
// fixed offsets, a free order or optional groups, or if the number of records
// times the number of changed records exceeds 2^22. Instead, the whole previous
// plan is verified. If it is safe, it becomes the incumbent of the search. With
// constraints, fixed offsets, a free order or optional groups, the search is
// always run.
//
// Errors:
//   InvalidArgument     the number of records differs; the problem has a
//                       reallocation graph; `movable` names a record that does
//                       not exist; a record that may not move is misaligned
//                       at its present offset
//   Unimplemented       `movable` is set and one of the problems has
//                       constraints, fixed offsets, a free order or optional
//                       groups; the problem is one of shared objects
//   FailedPrecondition  no plan exists within the capacity, or every plan
//                       moves records that may not move
//   ResourceExhausted   the search ended without a plan within the capacity
// and those of Solve (planner.h).
//
// O(n * (changed + moved + 1)) time without a search. Without a search, the
// same input always gives the same plan. With a search, this is true only if
// the search is deterministic, for example with a node budget.
StatusOr<Replanned> Replan(const Problem& problem, const VerifiedPlan& previous,
                           const ReplanOptions& options = {});

// Returns a problem that covers all shapes: every plan of this problem is valid
// for each shape. A record has the largest size and the largest alignment that
// it has in any shape, and is live from its earliest first task to its latest
// last task. A record is fixed if it is fixed in at least one shape. The
// capacity is the lowest capacity of all shapes. Everything else is taken from
// the first shape.
//
// Errors: InvalidArgument if there are no shapes, if shapes differ in the
// number of records or in the kind of plan, or if a record is fixed at
// different offsets; Unimplemented if a shape has constraints, a free order,
// optional groups or a reallocation graph; those of Problem::Create. O(n *
// shapes).
StatusOr<Problem> ProblemForAll(Span<const Problem> shapes);

// A plan for several shapes.
struct PlanOfAll {
  Problem problem;    // the result of ProblemForAll for the shapes
  Solution solution;  // solves this problem; its plan is valid for each shape
};

// Solves the problem of ProblemForAll, and verifies the plan for each shape.
// The status and the bound of the solution refer to that problem. A smaller
// plan that is valid for all shapes may exist, because lifetimes that conflict
// in no shape may conflict after they have been joined, and because the largest
// sizes may not all occur in the same shape. Errors: those of ProblemForAll and
// Solve (planner.h). Takes the time of Solve, plus O(n log n) for each shape.
StatusOr<PlanOfAll> PlanForAll(Span<const Problem> shapes,
                               string_view strategy = "skyline",
                               const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_REPLAN_H_
