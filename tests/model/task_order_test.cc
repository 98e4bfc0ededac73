// SPDX-License-Identifier: Apache-2.0
// Compares orders of tasks with the reachability of tasks, computed by brute
// force. Also tests which orders are refused.
#include "stowage/task_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using Edges = std::vector<TaskEdge>;
using Streams = std::vector<std::vector<TaskId>>;
using Relation = std::vector<std::vector<bool>>;

constexpr absl::StatusCode kBadOrder = absl::StatusCode::kInvalidArgument;

// Returns a random number below `end`. All numbers are equally likely. Without
// the call of resize, RapidCheck would initially prefer small numbers.
size_t AnyBelow(size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<size_t>(0, end));
}

Relation Reachability(size_t tasks, const Edges& edges) {
  Relation reaches(tasks, std::vector<bool>(tasks));
  for (const TaskEdge& edge : edges) reaches[edge.before][edge.after] = true;
  for (size_t via = 0; via < tasks; ++via) {
    for (size_t a = 0; a < tasks; ++a) {
      for (size_t b = 0; b < tasks; ++b) {
        if (reaches[a][via] && reaches[via][b]) reaches[a][b] = true;
      }
    }
  }
  return reaches;
}

// Checks that the chains, the counts and the sequence of `order` agree with the
// relation `precedes`.
void CheckOrder(const TaskOrder& order, const Relation& precedes) {
  const size_t tasks = precedes.size();
  RC_ASSERT(order.tasks() == tasks);
  RC_ASSERT(order.chains() <= TaskOrder::kMaxChains);
  size_t in_chains = 0;
  for (size_t c = 0; c < order.chains(); ++c) {
    in_chains += order.chain(c).size();
    for (size_t p = 0; p < order.chain(c).size(); ++p) {
      const TaskId task = order.chain(c)[p];
      RC_ASSERT(order.chain_of(task) == c);
      RC_ASSERT(order.position_of(task) == p);
      if (p > 0) RC_ASSERT(precedes[order.chain(c)[p - 1]][task]);
    }
  }
  RC_ASSERT(in_chains == tasks);
  std::vector<size_t> place(tasks, tasks);
  for (size_t k = 0; k < tasks; ++k) place[order.sequence()[k]] = k;
  for (TaskId a = 0; a < tasks; ++a) {
    RC_ASSERT(place[a] < tasks);
    for (TaskId b = 0; b < tasks; ++b) {
      RC_ASSERT(order.Precedes(a, b) == precedes[a][b]);
      if (precedes[a][b]) RC_ASSERT(place[a] < place[b]);
    }
    for (size_t c = 0; c < order.chains(); ++c) {
      uint32_t before = 0;
      uint32_t first_after = static_cast<uint32_t>(order.chain(c).size());
      for (uint32_t p = first_after; p-- > 0;) {
        if (precedes[order.chain(c)[p]][a]) ++before;
        if (precedes[a][order.chain(c)[p]]) first_after = p;
      }
      RC_ASSERT(order.CountBefore(a, c) == before);
      RC_ASSERT(order.FirstAfter(a, c) == first_after);
    }
  }
}

// Returns the tasks in a random sequence.
std::vector<TaskId> AnySequence(size_t tasks) {
  std::vector<TaskId> sequence(tasks);
  std::iota(sequence.begin(), sequence.end(), TaskId{0});
  for (size_t i = tasks; i > 1; --i) {
    std::swap(sequence[i - 1], sequence[AnyBelow(i)]);
  }
  return sequence;
}

Edges AnyEdges(const std::vector<TaskId>& sequence) {
  Edges edges;
  if (sequence.size() < 2) return edges;
  for (size_t count = AnyBelow(2 * sequence.size()); count > 0; --count) {
    const size_t a = AnyBelow(sequence.size());
    const size_t b = AnyBelow(sequence.size());
    if (a != b) {
      edges.push_back({sequence[std::min(a, b)], sequence[std::max(a, b)]});
    }
  }
  return edges;
}

RC_GTEST_PROP(TaskOrderPropertyTest, EdgesOrderAsTheyReach, ()) {
  const size_t tasks = AnyBelow(13);
  const Edges edges = AnyEdges(AnySequence(tasks));
  const auto order = TaskOrder::FromEdges(tasks, edges);
  RC_ASSERT(order.ok());
  RC_ASSERT(!order->is_of_streams());
  CheckOrder(*order, Reachability(tasks, edges));
}

RC_GTEST_PROP(TaskOrderPropertyTest, StreamsOrderAsTheyReach, ()) {
  const std::vector<TaskId> sequence = AnySequence(AnyBelow(13));
  Streams streams(1 + AnyBelow(5));
  for (const TaskId task : sequence) {
    streams[AnyBelow(streams.size())].push_back(task);
  }
  const Edges waits = AnyEdges(sequence);
  const auto order = TaskOrder::FromStreams(streams, waits);
  RC_ASSERT(order.ok());
  RC_ASSERT(order->is_of_streams());
  RC_ASSERT(order->chains() == streams.size());
  Edges all = waits;
  for (const std::vector<TaskId>& stream : streams) {
    for (size_t p = 1; p < stream.size(); ++p) {
      all.push_back({stream[p - 1], stream[p]});
    }
  }
  CheckOrder(*order, Reachability(sequence.size(), all));
}

// Renumbering the tasks does not change the relation.
RC_GTEST_PROP(TaskOrderPropertyTest, RelabellingChangesNoRelation, ()) {
  const size_t tasks = AnyBelow(13);
  const Edges edges = AnyEdges(AnySequence(tasks));
  const std::vector<TaskId> label = AnySequence(tasks);
  Edges relabelled;
  for (const TaskEdge& edge : edges) {
    relabelled.push_back({label[edge.before], label[edge.after]});
  }
  const auto order = TaskOrder::FromEdges(tasks, edges);
  const auto other = TaskOrder::FromEdges(tasks, relabelled);
  RC_ASSERT(order.ok() && other.ok());
  for (TaskId a = 0; a < tasks; ++a) {
    for (TaskId b = 0; b < tasks; ++b) {
      RC_ASSERT(order->Precedes(a, b) == other->Precedes(label[a], label[b]));
    }
  }
}

TEST(TaskOrderTest, KeepsWhatItIsMadeOf) {
  const auto order =
      TaskOrder::FromStreams({{0, 1, 4}, {2, 3}}, Edges{{0, 2}, {3, 4}});
  ASSERT_THAT(order, IsOk());
  EXPECT_THAT(order->edges(), ElementsAre(TaskEdge{0, 2}, TaskEdge{3, 4}));
  EXPECT_THAT(order->chain(0), ElementsAre(0, 1, 4));
  EXPECT_THAT(order->sequence(), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(order->Precedes(2, 4));
  EXPECT_FALSE(order->Precedes(1, 2));
  EXPECT_FALSE(order->Precedes(2, 1));
  EXPECT_FALSE(order->Precedes(2, 2));
}

TEST(TaskOrderTest, OfNoTasksHasNoChains) {
  EXPECT_EQ(TaskOrder::FromEdges(0, {})->chains(), 0u);
  EXPECT_EQ(TaskOrder::FromStreams({{}, {}}, {})->tasks(), 0u);
}

TEST(TaskOrderTest, OneSequenceIsOneChain) {
  Edges edges;
  for (TaskId task = 1; task < 1000; ++task) edges.push_back({task - 1, task});
  EXPECT_EQ(TaskOrder::FromEdges(1000, edges)->chains(), 1u);
}

TEST(TaskOrderTest, RefusesWhatIsNoOrder) {
  EXPECT_THAT(TaskOrder::FromEdges(3, Edges{{0, 3}}),
              FailsWith(kBadOrder,
                        "task order: edge 0 names task 3; expected a task "
                        "below 3"));
  EXPECT_THAT(TaskOrder::FromEdges(3, Edges{{0, 1}, {2, 2}}),
              FailsWith(kBadOrder,
                        "task order: edge 1 makes task 2 precede itself; "
                        "expected no cycle"));
  EXPECT_THAT(
      TaskOrder::FromEdges(4, Edges{{0, 1}, {1, 2}, {2, 3}, {3, 1}}),
      FailsWith(kBadOrder,
                "task order: task 1 and 2 more wait for each other in a cycle; "
                "expected an order"));
  EXPECT_THAT(TaskOrder::FromStreams({{0, 1}, {2, 3}}, Edges{{1, 2}, {3, 0}}),
              FailsWith(kBadOrder,
                        "task order: task 0 and 3 more wait for each other in "
                        "a cycle; expected an order"));
  EXPECT_THAT(TaskOrder::FromStreams({{0, 1}}, Edges{{0, 2}}),
              FailsWith(kBadOrder,
                        "task order: wait 0 names task 2; expected a task "
                        "below 2"));
}

TEST(TaskOrderTest, RefusesStreamsThatHaveNotEveryTaskOnce) {
  EXPECT_THAT(TaskOrder::FromStreams({{0, 2}}, {}),
              FailsWith(kBadOrder,
                        "task order: stream 0 has task 2; expected the tasks 0 "
                        "to 1, each once"));
  EXPECT_THAT(TaskOrder::FromStreams({{0, 1}, {1}}, {}),
              FailsWith(kBadOrder,
                        "task order: stream 1 has task 1, which stream 0 has; "
                        "expected each task once"));
}

TEST(TaskOrderTest, RefusesMoreChainsThanItKeeps) {
  EXPECT_EQ(TaskOrder::FromEdges(64, {})->chains(), 64u);
  EXPECT_THAT(
      TaskOrder::FromEdges(200, {}),
      FailsWith(absl::StatusCode::kResourceExhausted,
                "task order: it takes 200 chains; expected 64 at most (edges "
                "between tasks that need not run at once make fewer)"));
  EXPECT_THAT(
      TaskOrder::FromEdges(5000, {}),
      FailsWith(absl::StatusCode::kResourceExhausted,
                "task order: it takes more than 1024 chains; expected 64 at "
                "most (edges between tasks that need not run at once make "
                "fewer)"));
  Streams streams(65);
  for (TaskId task = 0; task < 65; ++task) streams[task] = {task};
  EXPECT_EQ(TaskOrder::FromStreams(streams, {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(UserListsTest, AreListsOfOneAllocation) {
  UserLists users;
  EXPECT_TRUE(users.empty());
  users.Add({1, 2});
  users.Add({});
  users.Add({0});
  ASSERT_EQ(users.size(), 3u);
  EXPECT_THAT(users[0], ElementsAre(1, 2));
  EXPECT_TRUE(users[1].empty());
  EXPECT_THAT(users[2], ElementsAre(0));
}

}  // namespace
}  // namespace stowage
