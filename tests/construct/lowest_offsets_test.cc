// SPDX-License-Identifier: Apache-2.0
#include "src/construct/lowest_offsets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"

namespace stowage::rigid {
namespace {

constexpr size_t kTasks = 24;

// Generates records with one interval each, or with up to 9 users on two
// streams. Most users of a record are on one stream, so that one user can make
// all the difference.
ProblemSpec SomeRecords() {
  ProblemSpec spec;
  std::vector<std::vector<TaskId>> streams(2);
  std::vector<TaskEdge> waits;
  for (TaskId task = 0; task < kTasks; ++task) {
    streams[*rc::gen::inRange<size_t>(0, 2)].push_back(task);
    if (task > 0 && *rc::gen::inRange(0, 4) == 0) {
      waits.push_back({*rc::gen::inRange<TaskId>(0, task), task});
    }
  }
  const bool has_streams = *rc::gen::arbitrary<bool>();
  const size_t count = *rc::gen::inRange<size_t>(2, 30);
  for (size_t i = 0; i < count; ++i) {
    std::set<TaskId> users = {*rc::gen::inRange<TaskId>(0, kTasks)};
    const std::vector<TaskId>& home = streams[i % 2];
    const size_t begin = *rc::gen::inRange<size_t>(0, kTasks);
    const size_t length = *rc::gen::inRange<size_t>(0, 9);
    for (size_t k = begin; k < std::min(begin + length, home.size()); ++k) {
      users.insert(home[k]);
    }
    spec.records.emplace_back(*rc::gen::inRange<size_t>(1, 100), *users.begin(),
                              *users.rbegin());
    if (!has_streams) continue;
    spec.constraints.users.Add(std::vector<TaskId>(users.begin(), users.end()));
  }
  if (*rc::gen::arbitrary<bool>()) spec.constraints.never = {{0, count - 1}};
  if (*rc::gen::arbitrary<bool>()) spec.constraints.apart = {{0, count - 1}};
  if (has_streams) {
    spec.constraints.order = *TaskOrder::FromStreams(streams, waits);
  }
  return spec;
}

// Places the records in random order, each at the lowest start.
RC_GTEST_PROP(LowestOffsets, FindsTheHighestEndOfAllThatConflict, ()) {
  ProblemSpec spec = SomeRecords();
  // Makes the problem one with constraints, even without those above.
  spec.constraints.holes.push_back({1000000, 1000001, 0, 0, 0});
  auto problem = Problem::Create(std::move(spec));
  RC_PRE(problem.ok());
  const auto groups = RigidGroups::Make(*problem, AllRecordsOf(*problem), 0);
  RC_ASSERT(groups.has_value());
  const Relation relation(*problem);
  LowestOffsets lowest(*groups, relation);
  std::vector<uint32_t> placed;
  std::vector<Level> ends(problem->size(), 0);
  std::vector<uint32_t> order(problem->size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t k = 0; k < order.size(); ++k) {
    std::swap(order[k], order[*rc::gen::inRange<size_t>(k, order.size())]);
    Level expected = 0;
    for (const uint32_t other : placed) {
      if (relation.Conflict(order[k], other)) {
        expected = std::max(expected, ends[other]);
      }
    }
    lowest.Prefetch(order[k]);
    RC_ASSERT(lowest.LowestStart(order[k]) == expected);
    lowest.Raise(order[k], expected);
    ends[order[k]] =
        expected + static_cast<Level>(problem->records()[order[k]].tensor_size);
    placed.push_back(order[k]);
  }
}

}  // namespace
}  // namespace stowage::rigid
