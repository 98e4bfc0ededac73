// SPDX-License-Identifier: Apache-2.0
// Compares two checks of whether fixed rigid groups fit together: the check of
// the library, and a simple check of all pairs of records.
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/place_groups.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"

namespace stowage::rigid {
namespace {

// Returns a problem with rigid groups. For each group, the limits `min` and
// `max` leave only one possible start. Half of the problems have two streams.
ProblemSpec SampleFixed(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  const size_t count = 1 + below(4);
  std::vector<size_t> starts;
  for (size_t g = 0; g < count; ++g) starts.push_back(below(24));
  ProblemSpec spec;
  std::vector<std::vector<TaskId>> users;
  for (size_t i = 0; i < 2 + below(5); ++i) {
    const TaskId first = below(8);
    const TaskId last = first + below(3);
    users.push_back({first});
    if (last > first) users.back().push_back(last);
    spec.records.emplace_back(1 + below(8), first, last);
    RecordPlace place;
    if (below(2) == 0) {
      place.group = static_cast<uint32_t>(below(count));
      place.at = below(6);
      place.min = starts[place.group] + place.at;
    } else {
      place.min = below(30);
    }
    place.max = place.min + spec.records[i].tensor_size;
    spec.constraints.places.push_back(place);
  }
  for (size_t i = 1; i < spec.records.size(); ++i) {
    if (below(6) == 0) spec.constraints.never.emplace_back(below(i), i);
    if (below(12) == 0) spec.constraints.apart.push_back({below(i), i});
  }
  if (seed % 2 == 0) {
    spec.constraints.order =
        *TaskOrder::FromStreams({{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}}, {{2, 5}});
    spec.constraints.users = UserLists(users);
  }
  return spec;
}

bool FitByPairs(const Problem& problem, const Relation& relation) {
  const std::vector<RecordPlace>& places = problem.constraints()->places;
  for (uint32_t a = 0; a < problem.size(); ++a) {
    for (uint32_t b = 0; b < a; ++b) {
      const bool are_of_one_group =
          places[a].group != kNoGroup && places[a].group == places[b].group;
      if (!are_of_one_group && places[a].min < *places[b].max &&
          places[b].min < *places[a].max && relation.Conflict(a, b)) {
        return false;
      }
    }
  }
  return true;
}

TEST(FixedGroups, FitIfNoTwoShareBytesThatConflict) {
  size_t fit = 0;
  size_t sampled = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    const auto problem = Problem::Create(SampleFixed(seed));
    // The spec is invalid if records of a group overlap although they must be
    // apart.
    if (!problem.ok()) continue;
    const auto groups = RigidGroups::Make(*problem, AllRecordsOf(*problem), 0);
    ASSERT_TRUE(groups);
    const Relation relation(*problem);
    const bool expected = FitByPairs(*problem, relation);
    ASSERT_EQ(FixedGroupsFit(*groups, relation), expected) << "seed " << seed;
    ++sampled;
    fit += expected ? 1 : 0;
  }
  EXPECT_GE(fit, 200U);
  EXPECT_GE(sampled - fit, 200U);
}

// There are so many groups at one offset that checking all pairs would take
// minutes.
TEST(FixedGroups, MayBeManyAtOneOffset) {
  ProblemSpec spec;
  for (TaskId task = 0; task < 200000; ++task) {
    spec.records.emplace_back(64, task, task);
    RecordPlace place;
    place.max = 64;
    spec.constraints.places.push_back(place);
  }
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto groups = RigidGroups::Make(*problem, AllRecordsOf(*problem), 0);
  ASSERT_TRUE(groups);
  EXPECT_TRUE(FixedGroupsFit(*groups, Relation(*problem)));
}

}  // namespace
}  // namespace stowage::rigid
