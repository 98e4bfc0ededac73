// SPDX-License-Identifier: Apache-2.0
// Tests that the kit catches every mutant of a planner, and that the sound
// planners from which the mutants were made pass. docs/mutants.md lists what
// caught each mutant.
#include "tests/testing/mutants.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "stowage/profile.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/graphs.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "tests/support/sanitized.h"
#include "tests/support/wrapped_planner.h"
#include "tests/testing/mutants_parallel.h"
#include "tests/testing/mutants_steps.h"
#include "tests/testing/mutants_table.h"

namespace stowage::testing {
namespace {

// The maximum number of traces to try for a mutant. It is many times larger
// than the number that any mutant needs.
constexpr size_t kMaxTraces = 4000;
// The number of traces on which sound planners must not fail.
constexpr size_t kSoundTraces = support::kIsSanitized ? 400 : kMaxTraces;

SearchForFailure Search(size_t traces) {
  SearchForFailure search;
  search.traces = traces;
  return search;
}

// Returns "[first, last] size" for each record, or only the number of records
// if there are more than ten.
std::string ShortText(const ProblemSpec& instance) {
  if (instance.records.size() > 10) {
    return absl::StrCat(instance.records.size(), " tensors");
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    const ByteRecord& record = instance.records[i];
    std::string text = absl::StrCat("[", record.first_task, ", ",
                                    record.last_task, "] ", record.tensor_size);
    const size_t alignment = AlignmentsOf(instance).Of(i);
    if (alignment > 1) absl::StrAppend(&text, " @", alignment);
    texts.push_back(std::move(text));
  }
  return absl::StrJoin(texts, "; ");
}

template <typename Fn>
Caught Catch(const Mutant<Fn>& mutant) {
  Caught caught{mutant.name, mutant.bug};
  const absl::optional<Failure> failure =
      FindFailure(mutant.make(), Search(kMaxTraces));
  if (failure) {
    caught.by = std::string(failure->property);
    caught.after = failure->traces;
    caught.smallest = ShortText(failure->smallest);
  }
  return caught;
}

Caught Catch(const ParallelMutant& mutant) {
  Caught caught{mutant.name, mutant.bug};
  for (size_t k = 0; k < kMaxTraces && caught.by.empty(); ++k) {
    const GraphInstance graph = RandomGraph(k + 1, 2 + k % 20);
    caught.after = k + 1;
    if (!CheckParallelPlan(graph, mutant.plan(graph)).ok()) {
      caught.by = "parallel safety";
    }
  }
  return caught;
}

template <typename Mutants>
std::vector<Caught> CatchAll(const Mutants& mutants) {
  std::vector<Caught> all;
  for (const auto& mutant : mutants) all.push_back(Catch(mutant));
  return all;
}

TEST(Mutants, OfOffsetsAreCaught) {
  ExpectCaughtAsDocumented(
      {"Planners of offsets", "traces", CatchAll(OffsetsMutants())});
}

TEST(Mutants, OfObjectsAreCaught) {
  ExpectCaughtAsDocumented(
      {"Planners of shared objects", "traces", CatchAll(ObjectsMutants())});
}

TEST(Mutants, OfParallelExecutionAreCaught) {
  ExpectCaughtAsDocumented({"Planners for parallel execution", "graphs",
                            CatchAll(ParallelMutants())});
}

// Expects that the sound planner of each mutant passes all traces up to the one
// that caught the mutant, and some more. The planner must also make plans for
// most of these traces, because passing would be meaningless if it refused
// them.
template <typename Fn>
void ExpectSound(const std::vector<Mutant<Fn>>& mutants) {
  for (const Mutant<Fn>& mutant : mutants) {
    support::AnswerCount count;
    const absl::optional<Failure> failure =
        FindFailure(support::Counted(mutant.make_sound(), &count),
                    Search(support::Sampled(200)));
    EXPECT_FALSE(failure.has_value())
        << mutant.name << ": " << Describe(*failure);
    EXPECT_GT(count.plans * 10, count.calls * 9) << mutant.name;
  }
}

TEST(Mutants, AreMadeFromSoundPlanners) {
  ExpectSound(OffsetsMutants());
  ExpectSound(ObjectsMutants());
}

// Checks the sound planners on as many traces as are tried for a mutant. Large
// traces are skipped, because these planners are too slow for them.
TEST(Mutants, RaiseNoFalseAlarm) {
  SearchForFailure search = Search(kSoundTraces);
  search.large_size = 0;
  for (const PlanFn& planner :
       {PlannerOf(BestFitSteps()), PlannerOf(AllocatorSteps())}) {
    const auto failure = FindFailure(planner, search);
    EXPECT_FALSE(failure.has_value()) << Describe(*failure);
  }
  ObjectsSteps largest_first;
  largest_first.order = BySize;
  for (const ObjectsPlanFn& planner :
       {PlannerOf(ObjectsSteps()), PlannerOf(largest_first)}) {
    const auto failure = FindFailure(planner, search);
    EXPECT_FALSE(failure.has_value()) << Describe(*failure);
  }
}

TEST(Mutants, RaiseNoFalseAlarmInParallel) {
  for (size_t k = 0; k < kSoundTraces; ++k) {
    const GraphInstance graph = RandomGraph(k + 1, 2 + k % 20);
    const absl::Status status = CheckParallelPlan(graph, PlanParallel(graph));
    ASSERT_TRUE(status.ok()) << "seed " << k + 1 << ": " << status;
  }
}

}  // namespace
}  // namespace stowage::testing
