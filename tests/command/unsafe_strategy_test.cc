// SPDX-License-Identifier: Apache-2.0
// Tests the exit code for a strategy that returns an unsafe plan. The command
// contains no such strategy, so the test calls the verb in a separate process
// in which such a strategy is registered.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/command/diff_plans.h"
#include "src/command/verb.h"
#include "stowage/assignment.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "tests/command/command.h"
#include "tests/plan/scripted_strategy.h"

namespace stowage::cli {
namespace {

[[noreturn]] void DiffWithUnsafeStrategy(const PlanDiffArgs& args) {
  const auto overlap = [](const Problem& problem, const SolveOptions&) {
    return OffsetsAssignment{std::vector<size_t>(problem.size(), 0),
                             NaiveSize(problem)};
  };
  const bool is_registered =
      RegisterStrategy(std::make_unique<ScriptedStrategy>(
                           "overlaps", OffsetsOnly(), overlap))
          .ok();
  const Outcome outcome = RunPlanDiff(args);
  std::fputs(outcome.out.c_str(), stderr);
  std::fputs(outcome.err.c_str(), stderr);
  std::exit(is_registered ? static_cast<int>(outcome.code) : -1);
}

TEST(UnsafeStrategyDeathTest, IsAFailedCheckOfDiff) {
  const CommandFolder folder;
  folder.Write("trace.csv", kTwoRecords);
  PlanDiffArgs args;
  args.old_path = args.new_path = folder.path() + "/desk/trace.csv";
  args.strategy = "overlaps";
  EXPECT_EXIT(DiffWithUnsafeStrategy(args), testing::ExitedWithCode(1),
              "strategy 'overlaps' returned an unsafe plan");
}

}  // namespace
}  // namespace stowage::cli
