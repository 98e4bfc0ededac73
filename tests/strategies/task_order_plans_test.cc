// SPDX-License-Identifier: Apache-2.0
// Tests plans for partially ordered tasks: plans of recorded models, and plans
// that must stay the same if the same order is described differently.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "tests/support/constraint_vectors.h"

namespace stowage {
namespace {

using support::ConstraintVector;
using support::DagModels;
using support::LoadDag;

// Reads column `antichain` of dag_measurements.txt. Returns a map from each
// model and order, such as "dag" or "s2", to the number in that column.
std::map<std::pair<std::string, std::string>, size_t> MeasuredAntichains() {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/constraints/dag_measurements.txt");
  std::map<std::pair<std::string, std::string>, size_t> antichains;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string model;
    std::string order;
    size_t width = 0;
    size_t conflicts = 0;
    size_t held = 0;
    size_t antichain = 0;
    if (words >> model >> order >> width >> conflicts >> held >> antichain) {
      antichains[{model, order}] = antichain;
    }
  }
  return antichains;
}

TEST(TaskOrderPlans, MeetTheHeaviestAntichainOfEveryModelAndProveIt) {
  const auto antichains = MeasuredAntichains();
  for (const std::string& model : DagModels()) {
    for (const size_t streams : std::vector<size_t>{0, 2, 3, 4}) {
      const std::string order =
          streams == 0 ? "dag" : absl::StrCat("s", streams);
      SCOPED_TRACE(absl::StrCat(model, " ", order));
      const auto problem = Problem::Create(LoadDag(model, streams));
      ASSERT_TRUE(problem.ok()) << problem.status();
      const auto solution = Solve(*problem, "optimal");
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
      EXPECT_EQ(solution->total_size, antichains.at({model, order}));
    }
  }
}

// Returns the spec with all its tasks on one stream.
ProblemSpec OnOneStream(ProblemSpec spec, size_t tasks) {
  std::vector<TaskId> stream(tasks);
  std::iota(stream.begin(), stream.end(), TaskId{0});
  spec.constraints.order = *TaskOrder::FromStreams({stream}, {});
  for (const auto& record : spec.records) {
    spec.constraints.users.Add({record.first_task, record.last_task});
  }
  return spec;
}

TEST(TaskOrderPlans, OfOneStreamAreThoseOfIntervalsForEveryStrategy) {
  for (const std::string& model : DagModels()) {
    const ProblemSpec spec = LoadDag(model, 1);
    TaskId last = 0;
    for (const auto& record : spec.records) {
      last = std::max(last, record.last_task);
    }
    const auto plain = Problem::Create(spec);
    ASSERT_TRUE(plain.ok()) << plain.status();
    const auto chain = Problem::Create(OnOneStream(spec, last + 1));
    ASSERT_TRUE(chain.ok()) << chain.status();
    SolveOptions options;
    options.node_budget = 1000;
    options.threads = 1;
    for (const Strategy* strategy : AllStrategies()) {
      SCOPED_TRACE(model + ", " + strategy->info().name);
      const auto expected = Solve(*plain, *strategy, options);
      const auto solution = Solve(*chain, *strategy, options);
      ASSERT_EQ(expected.ok(), solution.ok()) << solution.status();
      if (!expected.ok()) continue;
      EXPECT_EQ(solution->offsets()->offsets, expected->offsets()->offsets);
      EXPECT_EQ(solution->status, expected->status);
      EXPECT_EQ(solution->lower_bound, expected->lower_bound);
    }
  }
}

// Holds the streams and edges that describe an order of tasks, so that a test
// can describe the same order differently.
struct OrderParts {
  bool is_of_streams = false;
  size_t tasks = 0;
  std::vector<std::vector<TaskId>> streams;
  std::vector<TaskEdge> edges;
  std::vector<std::vector<TaskId>> users;
};

OrderParts PartsOf(const ProblemSpec& spec) {
  const TaskOrder& order = *spec.constraints.order;
  OrderParts parts;
  parts.is_of_streams = order.is_of_streams();
  parts.tasks = order.tasks();
  for (size_t c = 0; c < order.chains(); ++c) {
    parts.streams.emplace_back(order.chain(c).begin(), order.chain(c).end());
  }
  parts.edges.assign(order.edges().begin(), order.edges().end());
  for (size_t i = 0; i < spec.constraints.users.size(); ++i) {
    parts.users.emplace_back(spec.constraints.users[i].begin(),
                             spec.constraints.users[i].end());
  }
  return parts;
}

ProblemSpec WithOrder(ProblemSpec spec, const OrderParts& parts) {
  auto order = parts.is_of_streams
                   ? TaskOrder::FromStreams(parts.streams, parts.edges)
                   : TaskOrder::FromEdges(parts.tasks, parts.edges);
  EXPECT_TRUE(order.ok()) << order.status();
  spec.constraints.order = *std::move(order);
  spec.constraints.users = parts.users;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const auto [first, last] =
        std::minmax_element(parts.users[i].begin(), parts.users[i].end());
    spec.records[i].first_task = *first;
    spec.records[i].last_task = *last;
  }
  return spec;
}

// Returns the same order with all tasks renumbered.
OrderParts Relabelled(OrderParts parts, const TaskOrder& order) {
  std::vector<TaskId> label(parts.tasks);
  TaskId next = 0;
  for (size_t c = order.chains(); c-- > 0;) {
    // Numbers the tasks chain by chain, beginning with the last chain. The
    // order stays the same, because any numbers may identify tasks.
    for (const TaskId task : order.chain(c)) label[task] = next++;
  }
  for (auto& stream : parts.streams) {
    for (TaskId& task : stream) task = label[task];
  }
  for (TaskEdge& edge : parts.edges) {
    edge = {label[edge.before], label[edge.after]};
  }
  for (auto& users : parts.users) {
    for (TaskId& task : users) task = label[task];
  }
  return parts;
}

OrderParts WithStreamsTurned(OrderParts parts) {
  std::reverse(parts.streams.begin(), parts.streams.end());
  return parts;
}

OrderParts Reversed(OrderParts parts) {
  const auto last = static_cast<TaskId>(parts.tasks - 1);
  for (auto& stream : parts.streams) {
    std::reverse(stream.begin(), stream.end());
    for (TaskId& task : stream) task = last - task;
  }
  for (TaskEdge& edge : parts.edges) {
    edge = {last - edge.after, last - edge.before};
  }
  for (auto& users : parts.users) {
    for (TaskId& task : users) task = last - task;
  }
  return parts;
}

void ExpectSameProof(const ProblemSpec& spec, const ProblemSpec& other) {
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto changed = Problem::Create(other);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(LowerBoundOf(*changed).bytes, LowerBoundOf(*problem).bytes);
  const auto solution = Solve(*problem, "optimal");
  ASSERT_TRUE(solution.ok()) << solution.status();
  const auto other_solution = Solve(*changed, "optimal");
  ASSERT_TRUE(other_solution.ok()) << other_solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
  EXPECT_EQ(other_solution->status, SolutionStatus::kOptimal);
  EXPECT_EQ(other_solution->total_size, solution->total_size);
}

void ExpectOrderAloneCounts(const ProblemSpec& spec) {
  const OrderParts parts = PartsOf(spec);
  const TaskOrder& order = *spec.constraints.order;
  ExpectSameProof(spec, WithOrder(spec, Relabelled(parts, order)));
  ExpectSameProof(spec, WithOrder(spec, WithStreamsTurned(parts)));
  ExpectSameProof(spec, WithOrder(spec, Reversed(parts)));
}

TEST(TaskOrderPlans, OfModelsDependOnTheOrderAlone) {
  for (const std::string& model : DagModels()) {
    for (const size_t streams : std::vector<size_t>{0, 2, 4}) {
      SCOPED_TRACE(absl::StrCat(model, " ", streams));
      ExpectOrderAloneCounts(LoadDag(model, streams));
    }
  }
}

TEST(TaskOrderPlans, OfVectorsDependOnTheOrderAlone) {
  for (const ConstraintVector& vector :
       support::LoadConstraintVectors("partial")) {
    SCOPED_TRACE(vector.name);
    ExpectOrderAloneCounts(vector.spec);
  }
}

}  // namespace
}  // namespace stowage
