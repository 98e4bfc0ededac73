// SPDX-License-Identifier: Apache-2.0
// Tests that the check of the harness finds wrong lifetimes when a model runs
// under a plan made from them, and that it finds no fault with sound lifetimes.
// docs/mutants.md lists what caught each mutant.
#include "tests/testing/mutants_lifetimes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/tflite/model_draft.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/planner.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/verify.h"
#include "tests/harness/byte_models.h"
#include "tests/support/plan_request.h"
#include "tests/support/sanitized.h"
#include "tests/testing/mutants_table.h"

namespace stowage::testing {
namespace {

using harness::ByteModel;
using harness::CheckReport;
using harness::LoadedModel;
using harness::ShadowMode;
using support::Plan;

// The maximum number of models to try for a mutant. It is many times larger
// than the number that any mutant needs.
constexpr uint64_t kMaxModels = 400;

// Returns the name of the check of the harness that found the bug, or an empty
// string if no check did.
std::string FinderOf(const CheckReport& report) {
  if (report.is_safe()) return "";
  if (report.finding.ok()) return "outputs differ";
  for (const absl::string_view name : {"touch check", "poison check"}) {
    if (absl::StrContains(report.finding.message(), absl::StrCat(name, ":"))) {
      return std::string(name);
    }
  }
  return "an error";
}

std::string RunWith(
    const LoadedModel& model, const harness::OperatorResolver& operators,
    ShadowMode shadow,
    std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)>
        planner) {
  harness::CheckOptions options;
  options.feed = harness::FeedBytes;
  options.plan.planner = std::move(planner);
  options.plan.shadow = shadow;
  // The touch check is disabled with shadows, so the outputs must reveal the
  // bug.
  options.touch = shadow == ShadowMode::kNone;
  options.bisect = false;
  const absl::StatusOr<CheckReport> report =
      CheckPlan(*model, operators, options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? FinderOf(*report) : "";
}

ArenaGraph GraphOf(const LoadedModel& model,
                   const harness::OperatorResolver& operators) {
  auto interpreter = harness::Interpreter::Create(*model, operators);
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  EXPECT_TRUE((*interpreter)->primary().Allocate().ok());
  return (*interpreter)->primary().plan().graph;
}

Caught Catch(const LifetimesMutant& mutant,
             ShadowMode shadow = ShadowMode::kNone) {
  Caught caught{mutant.name, mutant.bug};
  const harness::OperatorResolver operators = harness::ByteOperators();
  for (uint64_t seed = 1; seed <= kMaxModels && caught.by.empty(); ++seed) {
    const LoadedModel model(RandomByteModel(seed).spec());
    const ArenaGraph graph = GraphOf(model, operators);
    caught.after = seed;
    caught.by = RunWith(model, operators, shadow,
                        PlannerWith(graph, mutant.lifetimes(graph)));
  }
  return caught;
}

Caught Catch(const OperatorsMutant& mutant) {
  Caught caught{mutant.name, mutant.bug};
  for (uint64_t seed = 1; seed <= kMaxModels && caught.by.empty(); ++seed) {
    const LoadedModel model(RandomByteModel(seed).spec());
    caught.after = seed;
    caught.by = RunWith(model, mutant.operators, ShadowMode::kNone, nullptr);
  }
  return caught;
}

// Makes plans in which variables are live only from their first to their last
// reader. Checks these plans against the trace of the model, in which variables
// outlive the run.
Caught CatchVariableFreed() {
  Caught caught{"variable_freed_between_runs",
                "frees a variable after its last reader, though the next run "
                "reads it again"};
  for (uint64_t seed = 1; seed <= kMaxModels && caught.by.empty(); ++seed) {
    const ByteModel model = RandomByteModel(seed);
    ModelTraceOptions options;
    options.include_io = true;
    const absl::StatusOr<ModelTrace> truth =
        ParseModelTrace(Build(model.spec()), "bytes.tflite", options);
    EXPECT_TRUE(truth.ok()) << truth.status();
    if (!truth.ok()) return caught;
    const absl::StatusOr<Solution> plan =
        Plan(WithVariablesCut(model, truth->problem));
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return caught;
    caught.after = seed;
    if (FindViolation(truth->problem.records, *plan->offsets())) {
      caught.by = "the model's trace";
    }
  }
  return caught;
}

TEST(LifetimesMutants, AreCaught) {
  Section section = {"Lifetimes", "models", {}};
  for (const LifetimesMutant& mutant : LifetimesMutants()) {
    section.rows.push_back(Catch(mutant));
  }
  section.rows.push_back(CatchVariableFreed());
  for (const OperatorsMutant& mutant : OperatorsMutants()) {
    section.rows.push_back(Catch(mutant));
  }
  ExpectCaughtAsDocumented(section);
}

TEST(LifetimesMutants, AreCaughtByShadowsWithoutTheTouchCheck) {
  Section section = {"Lifetimes, by shadows", "models", {}};
  for (const LifetimesMutant& mutant : LifetimesMutants()) {
    section.rows.push_back(Catch(mutant, ShadowMode::kAll));
  }
  ExpectCaughtAsDocumented(section);
}

TEST(LifetimesMutants, RaiseNoFalseAlarm) {
  const harness::OperatorResolver operators = harness::ByteOperators();
  for (uint64_t seed = 1; seed <= support::Sampled(kMaxModels); ++seed) {
    const LoadedModel model(RandomByteModel(seed).spec());
    const ArenaGraph graph = GraphOf(model, operators);
    for (const ShadowMode shadow : {ShadowMode::kNone, ShadowMode::kAll}) {
      EXPECT_EQ(RunWith(model, operators, shadow,
                        PlannerWith(graph, PlanLifetimes(graph))),
                "")
          << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace stowage::testing
