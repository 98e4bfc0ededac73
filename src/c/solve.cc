// SPDX-License-Identifier: Apache-2.0
#include "stowage/c/solve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/c/border.h"
#include "src/c/call_options.h"
#include "src/c/caller_strategy.h"
#include "src/c/handles.h"
#include "src/c/numbers.h"
#include "src/c/plans.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::c_api {
namespace {

// Stores the solution of `problem` in a new handle. Errors: the error of
// `found`; Internal if a callback has thrown an exception.
Status HandOver(const Problem& problem, StatusOr<Solution> found,
                const std::string& thrown, stowage_solution** solution) {
  if (!thrown.empty()) return InternalError(thrown);
  if (!found.ok()) return found.status();
  *solution = new stowage_solution(
      problem, std::make_shared<const Solution>(*std::move(found)));
  return OkStatus();
}

Status CheckCall(const stowage_problem* problem,
                 stowage_solution* const* solution) {
  if (Status s = CheckPointer(solution, "solution"); !s.ok()) return s;
  return CheckHandle(problem, "problem");
}

Status AssignOffsets(const stowage_record* records, size_t count,
                     uint64_t alignment, const char* strategy,
                     uint64_t* offsets, uint64_t* total) {
  Status s = CheckArray(records, count, "records");
  if (s.ok()) s = CheckArray(offsets, count, "offsets");
  if (s.ok()) s = CheckPointer(total, "total");
  if (!s.ok()) return s;
  ProblemSpec spec;
  spec.records = RecordsOf(records, count);
  spec.alignment = alignment;
  auto problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  auto solution = Solve(*problem, StrategyFor(*problem, strategy));
  if (!solution.ok()) return solution.status();
  const std::vector<size_t>& found = solution->offsets()->offsets;
  std::copy(found.begin(), found.end(), offsets);
  *total = solution->total_size;
  return s;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_assign_offsets(const stowage_record* records, size_t count,
                                    uint64_t alignment, const char* strategy,
                                    uint64_t* offsets, uint64_t* total,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    return c_api::AssignOffsets(records, count, alignment, strategy, offsets,
                                total);
  });
}

stowage_code stowage_solve(const stowage_problem* problem,
                           const stowage_options* options,
                           stowage_solution** solution, stowage_error* error) {
  if (solution != nullptr) *solution = nullptr;
  return c_api::AtBorder(error, [&] {
    c_api::CallOptions call;
    stowage::Status s = c_api::CheckCall(problem, solution);
    if (s.ok()) s = call.Read(options);
    if (!s.ok()) return s;
    // Copies the problem, since a callback may free its handle.
    const stowage::Problem given = problem->problem;
    auto found =
        stowage::Solve(given, c_api::StrategyFor(given, call.strategy()),
                       call.solve_options());
    return c_api::HandOver(given, std::move(found), call.thrown(), solution);
  });
}

stowage_code stowage_solve_with(const stowage_problem* problem,
                                uint64_t features, stowage_strategy_fn strategy,
                                void* context, const stowage_options* options,
                                stowage_solution** solution,
                                stowage_error* error) {
  if (solution != nullptr) *solution = nullptr;
  return c_api::AtBorder(error, [&] {
    c_api::CallOptions call;
    stowage::Status s = c_api::CheckCall(problem, solution);
    if (s.ok()) s = call.Read(options);
    if (!s.ok()) return s;
    if (strategy == nullptr || call.strategy() != nullptr) {
      return stowage::InvalidArgumentError(
          "strategy: expected a function, and no name in the options");
    }
    const auto supported = c_api::FeaturesOfBits(features);
    if (!supported.ok()) return supported.status();
    // Copies the problem, since a callback may free its handle.
    const stowage::Problem given = problem->problem;
    const c_api::CallerStrategy caller(*supported, strategy, context);
    auto found = stowage::Solve(given, caller, call.solve_options());
    if (!caller.failure().ok()) found = caller.failure();
    return c_api::HandOver(given, std::move(found), call.thrown(), solution);
  });
}

const char* stowage_strategy_name(size_t index) {
  const char* name = nullptr;
  c_api::AtBorder(nullptr, [&] {
    const std::vector<const stowage::Strategy*> all = stowage::AllStrategies();
    if (index < all.size()) name = all[index]->info().name.c_str();
    return stowage::OkStatus();
  });
  return name;
}

stowage_code stowage_strategy_features(const char* strategy, uint64_t* features,
                                       stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckPointer(strategy, "strategy");
    if (s.ok()) s = c_api::CheckPointer(features, "features");
    if (!s.ok()) return s;
    const auto found = stowage::FindStrategy(strategy);
    if (!found.ok()) return found.status();
    *features = c_api::BitsOf((*found)->info().features);
    return s;
  });
}

}  // extern "C"
