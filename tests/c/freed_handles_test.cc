// SPDX-License-Identifier: Apache-2.0
// Tests callbacks that free the handles passed to the call in progress. If the
// library still uses one of these handles, the sanitizers report an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/c/stowage.h"
#include "stowage/problem.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

using ::testing::StartsWith;

// The handles that a call uses and that its callbacks free.
struct Handles {
  ProblemHandle problem;
  SolutionHandle solution;
  TokenHandle token;
  std::string text;
};

int32_t FreeProblem(void* context) {
  static_cast<Handles*>(context)->problem.reset();
  return 1;
}

int32_t FreeIncumbent(void* context) {
  static_cast<Handles*>(context)->solution.reset();
  return 1;
}

// Cancels the search through the token and frees the token. The search still
// holds the flag of the token.
int32_t CancelAndFreeToken(void* context) {
  auto* const handles = static_cast<Handles*>(context);
  stowage_cancel(handles->token.get());
  handles->token.reset();
  return 0;
}

stowage_code FreeAndPlan(void* context, const stowage_problem*,
                         uint64_t* places, uint32_t*) {
  static_cast<Handles*>(context)->problem.reset();
  places[1] = 4096;
  return STOWAGE_OK;
}

int32_t FreeAndAppend(void* context, const char* text, size_t size) {
  auto* const handles = static_cast<Handles*>(context);
  handles->problem.reset();
  handles->solution.reset();
  handles->text.append(text, size);
  return 0;
}

// Returns options for a search that runs until `keep_going` or the token stops
// it.
stowage_options Endless(stowage_keep_going_fn keep_going, Handles* handles) {
  stowage_options options = DefaultOptions();
  options.strategy = "optimal";
  options.time_limit_ns = INT64_MAX;
  options.keep_going = keep_going;
  options.context = handles;
  return options;
}

TEST(FreedHandles, AProblemDuringItsSearch) {
  Handles handles;
  handles.problem = ProblemOf(HardSpec());
  const stowage_options options = Endless(&FreeProblem, &handles);
  EXPECT_NE(Solve(handles.problem, &options), nullptr);
  EXPECT_EQ(handles.problem, nullptr);
}

TEST(FreedHandles, ATokenDuringItsSearch) {
  Handles handles;
  const ProblemHandle problem = ProblemOf(HardSpec());
  handles.token.reset(stowage_cancel_token_new());
  stowage_options options = Endless(&CancelAndFreeToken, &handles);
  options.cancel = handles.token.get();
  EXPECT_NE(Solve(problem, &options), nullptr);
  EXPECT_EQ(handles.token, nullptr);
}

TEST(FreedHandles, AnIncumbentDuringASearch) {
  Handles handles;
  const ProblemHandle problem = ProblemOf(HardSpec());
  handles.solution = Solve(problem);
  const uint64_t total = SummaryOf(handles.solution).total_size;
  stowage_options options = Endless(&FreeIncumbent, &handles);
  options.incumbent = handles.solution.get();
  const SolutionHandle found = Solve(problem, &options);
  EXPECT_EQ(handles.solution, nullptr);
  EXPECT_LE(SummaryOf(found).total_size, total);
}

TEST(FreedHandles, AProblemInAStrategy) {
  Handles handles;
  handles.problem = ProblemOf(SmallSpec());
  stowage_solution* made = nullptr;
  EXPECT_EQ(
      stowage_solve_with(handles.problem.get(), 1 << STOWAGE_FEATURE_OFFSETS,
                         &FreeAndPlan, &handles, nullptr, &made, nullptr),
      STOWAGE_OK);
  const SolutionHandle solution(made);
  EXPECT_EQ(PlanOf(solution).total_size, 5120);
}

TEST(FreedHandles, BothInTheWriterOfACertificate) {
  Handles handles;
  handles.problem = ProblemOf(SmallSpec());
  handles.solution = Solve(handles.problem);
  EXPECT_EQ(
      stowage_write_certificate(handles.problem.get(), handles.solution.get(),
                                &FreeAndAppend, &handles, nullptr),
      STOWAGE_OK);
  EXPECT_THAT(handles.text, StartsWith("{"));
}

}  // namespace
}  // namespace stowage::c_test
