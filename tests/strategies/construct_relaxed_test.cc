// SPDX-License-Identifier: Apache-2.0
// Tests the quick plan that is returned when a search is stopped. The plan is
// safe. There is no such plan if bounding intervals cannot express all
// constraints.
#include "src/construct/construct_relaxed.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/bounds/cliques.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/task_order.h"
#include "stowage/verify.h"

namespace stowage::rigid {
namespace {

// Returns tasks on up to four streams that wait for each other, and tensors
// with up to three users. Some tensors are in groups, and some may share bytes.
ProblemSpec SampleStreams(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  const size_t tasks = 2 + below(60);
  std::vector<std::vector<TaskId>> streams(1 + below(4));
  std::vector<size_t> stream_of(tasks);
  std::vector<TaskEdge> waits;
  for (TaskId task = 0; task < tasks; ++task) {
    stream_of[task] = task < streams.size() ? task : below(streams.size());
    streams[stream_of[task]].push_back(task);
    if (task == 0 || below(3) > 0) continue;
    const auto before = static_cast<TaskId>(below(task));
    if (stream_of[before] != stream_of[task]) waits.push_back({before, task});
  }
  while (streams.back().empty()) streams.pop_back();
  ProblemSpec spec;
  spec.constraints.order = *TaskOrder::FromStreams(std::move(streams), waits);
  std::vector<std::vector<TaskId>> users;
  for (size_t i = 0; i < 2 + below(60); ++i) {
    TaskId first = below(tasks);
    users.push_back({first});
    TaskId last = first;
    for (size_t k = below(3); k > 0; --k) {
      last = std::min<TaskId>(last + 1 + below(9), tasks - 1);
      if (last != users.back().back()) users.back().push_back(last);
    }
    spec.records.emplace_back(below(9) == 0 ? 0 : 1 + below(100), first, last);
    spec.alignments.push_back(size_t{1} << below(4));
    RecordPlace place;
    if (below(4) == 0) {
      place.group = static_cast<uint32_t>(below(5));
      place.at = 16 * below(4);
    }
    spec.constraints.places.push_back(place);
  }
  spec.constraints.users = UserLists(users);
  for (size_t k = below(4); k > 0; --k) {
    const size_t i = below(spec.records.size());
    if (i > 0) spec.constraints.never.emplace_back(below(i), i);
  }
  return spec;
}

// Returns a plan of the whole problem, or nothing if there is none.
absl::optional<OffsetsAssignment> Construct(
    const Problem& problem, const StopSignal& stop = StopSignal()) {
  const auto groups = RigidGroups::Make(problem, AllRecordsOf(problem), 0);
  EXPECT_TRUE(groups);
  const auto relaxed = ConstructRelaxed(*groups, /*checks=*/0, stop);
  if (!relaxed) return absl::nullopt;
  EXPECT_FALSE(relaxed->is_thorough);
  OffsetsAssignment plan;
  plan.offsets.resize(problem.size());
  plan.total_size =
      static_cast<size_t>(groups->WriteOffsets(relaxed->starts, &plan.offsets));
  return plan;
}

TEST(ConstructRelaxed, IsSafeForStreamsAndGroups) {
  int planned = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const auto problem = Problem::Create(SampleStreams(seed));
    // The spec is invalid if records of a group overlap although they must be
    // apart.
    if (!problem.ok()) continue;
    const auto plan = Construct(*problem);
    if (!plan) continue;
    ++planned;
    const auto violation = FindViolation(*problem, *plan);
    ASSERT_FALSE(violation) << "seed " << seed;
    ASSERT_GE(plan->total_size, LowerBoundOf(*problem).bytes);
  }
  EXPECT_GE(planned, 1000);
}

TEST(ConstructRelaxed, SharesWhatIsNeverLiveTogether) {
  ProblemSpec spec;
  for (TaskId task = 0; task < 100; ++task) {
    spec.records.emplace_back(64, task, task + 1);
  }
  spec.constraints.never.emplace_back(0, 1);
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto plan = Construct(*problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total_size, 128);
}

TEST(ConstructRelaxed, IsRefusedWhereBoxesDoNotSayAll) {
  struct Case {
    std::string name;
    void (*constrain)(ProblemSpec* spec);
  };
  const Case cases[] = {
      {"fixed",
       [](ProblemSpec* spec) {
         spec->fixed_offsets = {64, absl::nullopt};
       }},
      {"min", [](ProblemSpec* spec) { spec->constraints.places[0].min = 8; }},
      {"max", [](ProblemSpec* spec) { spec->constraints.places[0].max = 80; }},
      {"hole",
       [](ProblemSpec* spec) {
         spec->constraints.holes = {{0, 8, 0, 1, 0}};
       }},
      {"apart", [](ProblemSpec* spec) {
         spec->constraints.apart = {{0, 1}};
       }}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec;
    spec.records = {{64, 0, 1}, {64, 3, 4}};
    spec.constraints.places.resize(2);
    c.constrain(&spec);
    const auto problem = Problem::Create(std::move(spec));
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_FALSE(Construct(*problem));
  }
}

// Every third record is in a pool of its own, and only this pool is planned.
TEST(ConstructRelaxed, PlansTheRecordsOfAPoolThoroughly) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ProblemSpec spec;
    std::vector<uint32_t> chosen;
    for (uint32_t i = 0; i < 90; ++i) {
      const TaskId first = random() % 60;
      spec.records.emplace_back(random() % 200, first, first + random() % 9);
      spec.alignments.push_back(size_t{1} << random() % 6);
      if (i % 3 == 0) chosen.push_back(i);
    }
    spec.constraints.pools = {{"fast", 4096}, {"slow", absl::nullopt}};
    const auto problem = Problem::Create(std::move(spec));
    ASSERT_TRUE(problem.ok()) << problem.status();
    const auto groups = RigidGroups::Make(*problem, chosen, 1);
    ASSERT_TRUE(groups);
    const auto relaxed = ConstructRelaxed(*groups, 1 << 20, StopSignal());
    ASSERT_TRUE(relaxed);
    EXPECT_TRUE(relaxed->is_thorough);
    OffsetsAssignment plan;
    plan.offsets.resize(problem->size());
    const Level top = groups->WriteOffsets(relaxed->starts, &plan.offsets);
    EXPECT_LE(top, 2 * FindGroupBound(*groups, Relation(*problem)).bytes);
    // Places all other records above the plan, where they overlap no other
    // record.
    plan.pools.assign(problem->size(), 1);
    plan.total_size = static_cast<size_t>(top);
    for (size_t i = 0; i < problem->size(); ++i) {
      if (i % 3 == 0) continue;
      plan.offsets[i] = (plan.total_size + 31) / 32 * 32;
      plan.total_size = plan.offsets[i] + problem->records()[i].tensor_size;
    }
    const auto violation = FindViolation(*problem, plan);
    ASSERT_FALSE(violation) << Describe(*violation, *problem);
  }
}

TEST(ConstructRelaxed, EndsWhereItIsCancelled) {
  const auto problem = Problem::Create(SampleStreams(1));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const std::atomic<bool> cancelled{true};
  StopSignal stop;
  stop.cancelled = &cancelled;
  EXPECT_FALSE(Construct(*problem, stop));
}

}  // namespace
}  // namespace stowage::rigid
