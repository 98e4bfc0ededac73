// SPDX-License-Identifier: Apache-2.0
// Defines handles of the C interface that free themselves, for tests in C++.
// Also fills a builder from a ProblemSpec, with one call for each part of the
// spec.
#ifndef STOWAGE_TESTS_C_C_HANDLES_H_
#define STOWAGE_TESTS_C_C_HANDLES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "stowage/c/stowage.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::c_test {

struct Free {
  void operator()(stowage_builder* handle) const {
    stowage_builder_free(handle);
  }
  void operator()(stowage_problem* handle) const {
    stowage_problem_free(handle);
  }
  void operator()(stowage_solution* handle) const {
    stowage_solution_free(handle);
  }
  void operator()(stowage_cancel_token* handle) const {
    stowage_cancel_token_free(handle);
  }
  void operator()(stowage_file* handle) const { stowage_file_free(handle); }
  void operator()(stowage_plan_cache* handle) const {
    stowage_plan_cache_free(handle);
  }
  void operator()(stowage_stack* handle) const { stowage_stack_free(handle); }
  void operator()(stowage_dynamic* handle) const {
    stowage_dynamic_free(handle);
  }
};
using BuilderHandle = std::unique_ptr<stowage_builder, Free>;
using ProblemHandle = std::unique_ptr<stowage_problem, Free>;
using SolutionHandle = std::unique_ptr<stowage_solution, Free>;
using TokenHandle = std::unique_ptr<stowage_cancel_token, Free>;
using FileHandle = std::unique_ptr<stowage_file, Free>;
using CacheHandle = std::unique_ptr<stowage_plan_cache, Free>;
using StackHandle = std::unique_ptr<stowage_stack, Free>;
using DynamicHandle = std::unique_ptr<stowage_dynamic, Free>;

// Returns a versioned struct in which all fields except the size are 0.
template <typename T>
T Sized() {
  T versioned = {};
  versioned.struct_size = sizeof(T);
  return versioned;
}

stowage_options DefaultOptions();

// Returns the records of the spec as structs of the C interface.
std::vector<stowage_record> RecordsInC(const ProblemSpec& spec);

// Returns a builder with all parts of the spec, which are set by functions of
// the C interface. Aborts the test program if one of these functions fails.
BuilderHandle BuilderOf(const ProblemSpec& spec);

// Returns the problem of the builder, or null if the library rejects the
// problem. In that case, sets `error` to the reason unless `error` is null.
ProblemHandle Create(const BuilderHandle& builder,
                     stowage_error* error = nullptr);
ProblemHandle ProblemOf(const ProblemSpec& spec);

// Returns a small problem of three records, of which the first and the third
// may share bytes.
ProblemSpec SmallSpec();

// Returns a problem that `optimal` does not solve quickly.
ProblemSpec HardSpec();

// Returns the solution of a problem, or null if an error occurs.
SolutionHandle Solve(const ProblemHandle& problem,
                     const stowage_options* options = nullptr,
                     stowage_error* error = nullptr);

// Returns the plan of a solution, which is empty if the solution has no plan.
stowage_plan PlanOf(const SolutionHandle& solution);
stowage_summary SummaryOf(const SolutionHandle& solution);

}  // namespace stowage::c_test

#endif  // STOWAGE_TESTS_C_C_HANDLES_H_
