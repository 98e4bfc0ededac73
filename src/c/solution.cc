// SPDX-License-Identifier: Apache-2.0
#include "stowage/solution.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/numbers.h"
#include "src/c/plans.h"
#include "src/model/constraint_support.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/solve.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

stowage_solution::stowage_solution(
    stowage::Problem solved, std::shared_ptr<const stowage::Solution> found)
    : problem(std::move(solved)), solution(std::move(found)) {
  for (const stowage::RecordPlace& place : solution->places) {
    places.push_back(stowage::c_api::PlaceInC(place));
  }
}

stowage_solution::stowage_solution(
    std::shared_ptr<const stowage::Replanned> changed)
    : stowage_solution(changed->plan.problem(),
                       {changed, &changed->plan.solution()}) {
  replanned = std::move(changed);
}

namespace stowage::c_api {
namespace {

Status CheckSolution(const stowage_solution* solution) {
  return CheckHandle(solution, "solution");
}

stowage_summary SummaryOf(const Solution& solution) {
  stowage_summary out = {};
  out.status = static_cast<uint32_t>(solution.status);
  out.kind = solution.objects() != nullptr ? STOWAGE_OBJECTS : STOWAGE_OFFSETS;
  out.proof = ProofInC(solution.bound_proof);
  out.proof_index = solution.bound_proof.index;
  out.total_size = solution.total_size;
  out.lower_bound = solution.lower_bound;
  out.cost = solution.cost;
  out.cost_bound = solution.cost_bound;
  out.nodes = solution.nodes;
  out.seed = solution.seed;
  out.time_ns = solution.time_ns;
  out.conflict_is_irreducible = solution.conflict_is_irreducible ? 1 : 0;
  return out;
}

// Returns the member `text` of a solution, or null if the handle is not valid.
const char* TextOf(const stowage_solution* solution,
                   std::string Solution::*text) {
  if (!IsHandle(solution)) return nullptr;
  return ((*solution->solution).*text).c_str();
}

// Returns the cost of a plan. Requires that the plan is safe.
StatusOr<uint64_t> CostOf(const Problem& problem, const Solution& solution) {
  if (solution.offsets() == nullptr) return uint64_t{0};
  const StatusOr<Problem> decided = DecidedProblem(problem, solution);
  if (!decided.ok()) return decided.status();
  if (decided->constraints() == nullptr) return uint64_t{0};
  return LinkedConstraints()->cost_of_plan(*decided, *solution.offsets());
}

Status CreateSolution(const stowage_problem* problem, const stowage_plan* plan,
                      stowage_solution** solution) {
  Status s = CheckPointer(solution, "solution");
  if (s.ok()) s = CheckHandle(problem, "problem");
  if (!s.ok()) return s;
  auto given = SolutionOf(problem->problem, plan);
  if (!given.ok()) return given.status();
  if (s = Verify(problem->problem, *given); !s.ok()) return s;
  const StatusOr<uint64_t> cost = CostOf(problem->problem, *given);
  if (!cost.ok()) return cost.status();
  given->cost = *cost;
  const LowerBound& bound = LowerBoundOf(problem->problem);
  given->lower_bound = bound.bytes;
  given->bound_proof = bound.proof;
  *solution = new stowage_solution(
      problem->problem, std::make_shared<const Solution>(*std::move(given)));
  return s;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

const char* stowage_status_name(uint32_t status) {
  if (status > STOWAGE_TIME_LIMIT) return "?";
  // The names are literals and thus end with a 0.
  return SolutionStatusName(static_cast<stowage::SolutionStatus>(status))
      .data();
}

void stowage_solution_free(stowage_solution* solution) { delete solution; }

stowage_code stowage_solution_summary(const stowage_solution* solution,
                                      stowage_summary* summary,
                                      stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckSolution(solution);
    if (s.ok()) s = c_api::CheckSized(summary, "summary");
    if (s.ok()) {
      c_api::WriteSized(c_api::SummaryOf(*solution->solution), summary);
    }
    return s;
  });
}

const char* stowage_solution_reason(const stowage_solution* solution) {
  return c_api::TextOf(solution, &stowage::Solution::reason);
}

const char* stowage_solution_strategy(const stowage_solution* solution) {
  return c_api::TextOf(solution, &stowage::Solution::strategy);
}

const char* stowage_solution_found_by(const stowage_solution* solution) {
  return c_api::TextOf(solution, &stowage::Solution::found_by);
}

const uint64_t* stowage_solution_conflict(const stowage_solution* solution,
                                          size_t* count) {
  if (count != nullptr) *count = 0;
  if (count == nullptr || !c_api::IsHandle(solution)) return nullptr;
  *count = solution->solution->conflict.size();
  return *count == 0 ? nullptr : solution->solution->conflict.data();
}

stowage_code stowage_solution_plan(const stowage_solution* solution,
                                   stowage_plan* plan, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckSolution(solution);
    if (s.ok()) s = c_api::CheckSized(plan, "plan");
    if (!s.ok()) return s;
    const stowage::Solution& found = *solution->solution;
    if (!found.has_plan()) {
      return stowage::FailedPreconditionError(
          stowage::StrCat("there is no plan: ", found.reason));
    }
    stowage_plan view = found.offsets() != nullptr
                            ? c_api::ViewOf(*found.offsets())
                            : c_api::ViewOf(*found.objects());
    if (!found.order.empty()) {
      view.order = found.order.data();
      view.order_count = found.order.size();
    }
    if (!solution->places.empty()) view.places = solution->places.data();
    c_api::WriteSized(view, plan);
    return s;
  });
}

stowage_code stowage_solution_create(const stowage_problem* problem,
                                     const stowage_plan* plan,
                                     stowage_solution** solution,
                                     stowage_error* error) {
  if (solution != nullptr) *solution = nullptr;
  return c_api::AtBorder(
      error, [&] { return c_api::CreateSolution(problem, plan, solution); });
}

}  // extern "C"
