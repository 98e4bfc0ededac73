// SPDX-License-Identifier: Apache-2.0
// Makes new plans for problems that have changed, and single problems and plans
// for several problems at once.
#include "stowage/replan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/call_options.h"
#include "src/c/handles.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/cache.h"
#include "stowage/c/problem.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::c_api {
namespace {

// Returns the previous plan as a verified plan. The result of stowage_replan()
// has been verified already and is not verified again.
StatusOr<VerifiedPlan> VerifiedPlanOf(const stowage_solution& solution) {
  if (solution.replanned != nullptr) return solution.replanned->plan;
  return VerifiedPlan::Create(solution.problem, *solution.solution);
}

// Converts the options of the caller to those of Replan.
class ReplanCall {
 public:
  // Reads the options, which may be null. Errors: InvalidArgument; OutOfRange
  // if a count is too large; Unimplemented for an option that this library does
  // not know.
  Status Read(const stowage_replan_options* options) {
    if (options == nullptr) return call_.Read(nullptr);
    Status s = CheckGiven(options, "options");
    if (s.ok() && options->reserved != 0) {
      return InvalidArgumentError(
          StrCat("options->reserved: ", options->reserved, "; expected 0"));
    }
    if (s.ok()) {
      s = CheckArray(options->movable, options->movable_count,
                     "options->movable");
    }
    if (s.ok()) s = call_.Read(options->solve, "options->solve");
    if (s.ok()) s = call_.CheckNoIncumbent();
    if (!s.ok()) return s;
    options_.cost_per_moved_byte = options->cost_per_moved_byte;
    if (options->movable != nullptr) {
      options_.movable.emplace(options->movable,
                               options->movable + options->movable_count);
    }
    options_.solve = call_.solve_options();
    if (call_.strategy() != nullptr) options_.strategy = call_.strategy();
    return s;
  }

  const ReplanOptions& options() const { return options_; }
  const std::string& thrown() const { return call_.thrown(); }

 private:
  CallOptions call_;
  ReplanOptions options_;
};

Status ReplanInC(const stowage_problem* problem,
                 const stowage_solution* previous,
                 const stowage_replan_options* options,
                 stowage_solution** solution) {
  ReplanCall call;
  Status s = CheckPointer(solution, "solution");
  if (s.ok()) s = CheckHandle(problem, "problem");
  if (s.ok()) s = CheckHandle(previous, "previous");
  if (s.ok()) s = call.Read(options);
  if (!s.ok()) return s;
  // Copies the problem, since a callback may free its handle.
  const Problem given = problem->problem;
  const StatusOr<VerifiedPlan> plan = VerifiedPlanOf(*previous);
  if (!plan.ok()) return plan.status();
  auto found = Replan(given, *plan, call.options());
  if (!call.thrown().empty()) return InternalError(call.thrown());
  if (!found.ok()) return found.status();
  *solution = new stowage_solution(
      std::make_shared<const Replanned>(*std::move(found)));
  return s;
}

// Returns copies of the problems, since a callback may free the handles.
StatusOr<std::vector<Problem>> ShapesOf(const stowage_problem* const* problems,
                                        size_t count) {
  if (Status s = CheckArray(problems, count, "problems"); !s.ok()) return s;
  std::vector<Problem> shapes;
  for (size_t i = 0; i < count; ++i) {
    Status s = CheckHandle(problems[i], StrCat("problems[", i, "]"));
    if (!s.ok()) return s;
    shapes.push_back(problems[i]->problem);
  }
  return shapes;
}

Status ProblemForAllInC(const stowage_problem* const* problems, size_t count,
                        stowage_problem** problem) {
  if (Status s = CheckPointer(problem, "problem"); !s.ok()) return s;
  const StatusOr<std::vector<Problem>> shapes = ShapesOf(problems, count);
  if (!shapes.ok()) return shapes.status();
  StatusOr<Problem> joined = ProblemForAll(*shapes);
  if (!joined.ok()) return joined.status();
  *problem = new stowage_problem(*std::move(joined));
  return OkStatus();
}

Status PlanForAllInC(const stowage_problem* const* problems, size_t count,
                     const stowage_options* options,
                     stowage_solution** solution) {
  if (Status s = CheckPointer(solution, "solution"); !s.ok()) return s;
  const StatusOr<std::vector<Problem>> shapes = ShapesOf(problems, count);
  if (!shapes.ok()) return shapes.status();
  CallOptions call;
  if (Status s = call.Read(options); !s.ok()) return s;
  // The first shape determines the default strategy. This is sufficient, since
  // PlanForAll rejects shapes that need different kinds of plans.
  const char* const strategy =
      shapes->empty() ? "" : StrategyFor(shapes->front(), call.strategy());
  auto found = PlanForAll(*shapes, strategy, call.solve_options());
  if (!call.thrown().empty()) return InternalError(call.thrown());
  if (!found.ok()) return found.status();
  *solution = new stowage_solution(
      std::move(found->problem),
      std::make_shared<const Solution>(std::move(found->solution)));
  return OkStatus();
}

Status ChangesOf(const stowage_solution* solution, stowage_changes* changes) {
  Status s = CheckHandle(solution, "solution");
  if (s.ok()) s = CheckSized(changes, "changes");
  if (!s.ok()) return s;
  const Replanned* const replanned = solution->replanned.get();
  if (replanned == nullptr) {
    return FailedPreconditionError(
        "solution: made by another function; expected one of "
        "stowage_replan()");
  }
  stowage_changes out = {};
  out.was_valid = replanned->was_valid ? 1 : 0;
  out.moved_bytes = replanned->moved_bytes;
  out.moved_count = replanned->moved.size();
  if (out.moved_count > 0) out.moved = replanned->moved.data();
  WriteSized(out, changes);
  return s;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_replan(const stowage_problem* problem,
                            const stowage_solution* previous,
                            const stowage_replan_options* options,
                            stowage_solution** solution, stowage_error* error) {
  if (solution != nullptr) *solution = nullptr;
  return c_api::AtBorder(error, [&] {
    return c_api::ReplanInC(problem, previous, options, solution);
  });
}

stowage_code stowage_solution_changes(const stowage_solution* solution,
                                      stowage_changes* changes,
                                      stowage_error* error) {
  return c_api::AtBorder(error,
                         [&] { return c_api::ChangesOf(solution, changes); });
}

stowage_code stowage_problem_for_all(const stowage_problem* const* problems,
                                     size_t count, stowage_problem** problem,
                                     stowage_error* error) {
  if (problem != nullptr) *problem = nullptr;
  return c_api::AtBorder(
      error, [&] { return c_api::ProblemForAllInC(problems, count, problem); });
}

stowage_code stowage_plan_for_all(const stowage_problem* const* problems,
                                  size_t count, const stowage_options* options,
                                  stowage_solution** solution,
                                  stowage_error* error) {
  if (solution != nullptr) *solution = nullptr;
  return c_api::AtBorder(error, [&] {
    return c_api::PlanForAllInC(problems, count, options, solution);
  });
}

}  // extern "C"
