// SPDX-License-Identifier: Apache-2.0
// Plans random programs, and executes the plans on bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/programs/byte_machine.h"
#include "tests/programs/random_program.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

constexpr ProgramCopies kAllCopies[] = {
    ProgramCopies::kMade, ProgramCopies::kChosen, ProgramCopies::kNone};

SolveOptions FewNodes() {
  SolveOptions options;
  options.node_budget = 200;
  options.threads = 1;
  return options;
}

// Plans the program with strategy number `number`, or with greedy_by_size if
// that strategy does not support groups.
StatusOr<PlannedProgram> PlanWith(const Program& program, size_t number,
                                  const ProgramOptions& options) {
  const std::vector<const Strategy*> strategies = AllStrategies();
  const std::string name = strategies[number % strategies.size()]->info().name;
  StatusOr<PlannedProgram> plan =
      PlanProgram(program, name, options, FewNodes());
  if (!IsUnimplemented(plan.status())) return plan;
  return PlanProgram(program, "greedy_by_size", options, FewNodes());
}

TEST(ProgramPlans, RunWithoutFaultOnTheirBytes) {
  constexpr size_t kPrograms = support::kIsSanitized ? 500 : 2500;
  size_t copies_left_out = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Program program = RandomProgram(seed);
    ASSERT_TRUE(CheckProgram(program).ok()) << CheckProgram(program);
    for (const ProgramCopies copies : kAllCopies) {
      ProgramOptions options;
      options.copies = copies;
      options.alignment = seed % 3 == 0 ? 4 : 1;
      options.state_in_place = seed % 5 != 0;
      const StatusOr<PlannedProgram> plan = PlanWith(program, seed, options);
      ASSERT_TRUE(plan.ok()) << seed << plan.status();
      ASSERT_TRUE(plan->solution.has_plan()) << seed;
      EXPECT_LE(plan->copied_bytes, plan->possible_bytes) << seed;
      copies_left_out += plan->possible_bytes - plan->copied_bytes;
      for (uint64_t run = 0; run < 4; ++run) {
        ASSERT_EQ(
            RunOnBytes(program, MachinePlanOf(*plan, copies), seed * 16 + run),
            "")
            << "seed " << seed << ", copies " << ProgramCopiesName(copies);
      }
    }
  }
  EXPECT_GT(copies_left_out, 0U);
}

TEST(ProgramPlans, CopyNoMoreThanTheOneThatCopiesAll) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = RandomProgram(seed);
    std::vector<size_t> copied;
    for (const ProgramCopies copies : kAllCopies) {
      ProgramOptions options;
      options.copies = copies;
      const StatusOr<PlannedProgram> plan =
          PlanProgram(program, "greedy_by_size", options, FewNodes());
      ASSERT_TRUE(plan.ok()) << seed << plan.status();
      copied.push_back(plan->copied_bytes);
    }
    EXPECT_LE(copied[1], copied[0]) << seed;
    EXPECT_LE(copied[2], copied[0]) << seed;
  }
}

TEST(ProgramPlans, AreReadBackFromTheirFiles) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ProgramFile file;
    file.program = RandomProgram(seed);
    file.options.copies = kAllCopies[seed % 3];
    const StatusOr<ProblemFile> problem = ProblemFileOf(file);
    ASSERT_TRUE(problem.ok()) << seed << problem.status();
    ProblemSpec spec = problem->problem;
    const auto solve = [](const ProblemSpec& asked) -> StatusOr<Solution> {
      const StatusOr<Problem> created = Problem::Create(asked);
      if (!created.ok()) return created.status();
      return Solve(*created, "greedy_by_size", FewNodes());
    };
    const StatusOr<Solution> solution = SolveWithScratch(&spec, solve);
    ASSERT_TRUE(solution.ok()) << seed << solution.status();
    ProblemFile planned;
    planned.problem = spec;
    planned.plan = FilePlanOf(*solution);
    const std::string text = FormatProgramJson(ProgramFileOf(planned));
    const StatusOr<ProgramFile> read = ParseProgramJson(text, "plan");
    ASSERT_TRUE(read.ok()) << seed << read.status() << text;
    EXPECT_EQ(FormatProgramJson(*read), text);
    const StatusOr<ProblemFile> again = ProblemFileOf(*read);
    ASSERT_TRUE(again.ok()) << seed << again.status() << text;
    EXPECT_EQ(again->plan.offsets, planned.plan.offsets) << text;
    const auto offsets =
        SlotOffsets(*again->problem.labels.program, 1, again->plan.offsets);
    ASSERT_TRUE(offsets.ok());
    EXPECT_EQ(DescribeProgramFault(*again->problem.labels.program, *offsets,
                                   read->scratch),
              "")
        << seed;
  }
}

}  // namespace
}  // namespace stowage
