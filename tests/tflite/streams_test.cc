// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/streams.h"

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/usage_record.h"
#include "tests/support/real_data.h"
#include "tests/support/records_csv.h"
#include "tests/support/status_matchers.h"
#include "tests/tflite/recorded_dags.h"

namespace stowage {

void PrintTo(const TaskEdge& edge, std::ostream* out) {
  *out << edge.before << "->" << edge.after;
}

namespace {

using support::FailsWith;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using Streams = std::vector<std::vector<TaskId>>;

// An operator of a graph, with the numbers of its tensors.
struct Op {
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  std::string name = "ADD";
};

SubgraphSpec GraphOf(const std::vector<Op>& ops, size_t tensors,
                     std::vector<size_t> inputs) {
  SubgraphSpec graph;
  graph.tensors.resize(tensors);
  graph.inputs = std::move(inputs);
  for (const Op& op : ops) {
    OperatorSpec& spec = graph.operators.emplace_back();
    spec.name = op.name;
    spec.inputs = op.inputs;
    spec.outputs = op.outputs;
  }
  return graph;
}

TEST(OperatorEdgesTest, AReaderWaitsForTheWriter) {
  // Operator 0 writes tensors for operators 1 and 2, which write tensors for
  // operator 3. Tensor 0 is the input of the graph, so no operator waits for
  // it.
  const SubgraphSpec graph = GraphOf(
      {{{0}, {1}}, {{1}, {2}}, {{1, kAbsent}, {3}}, {{2, 3, 3, 0}, {4}}}, 5,
      {0});
  EXPECT_THAT(OperatorEdges(graph),
              ElementsAre(TaskEdge{0, 1}, TaskEdge{0, 2}, TaskEdge{1, 3},
                          TaskEdge{2, 3}));
}

TEST(OperatorEdgesTest, OperatorsOfOneVariableStayInOrder) {
  SubgraphSpec graph =
      GraphOf({{{0, 1}, {2}}, {{0}, {3}}, {{0, 1}, {4}}, {{0}, {1}}}, 5, {0});
  graph.tensors[1].is_variable = true;
  EXPECT_THAT(OperatorEdges(graph),
              ElementsAre(TaskEdge{0, 2}, TaskEdge{2, 3}));
}

TEST(OperatorEdgesTest, OperatorsOfMemoryThatNothingWritesStayInOrder) {
  const SubgraphSpec graph = GraphOf({{{0, 1}, {2}}, {{0, 1}, {3}}}, 4, {0});
  EXPECT_THAT(OperatorEdges(graph), ElementsAre(TaskEdge{0, 1}));
}

TEST(OperatorEdgesTest, ConstantsAreReadAtAnyTime) {
  SubgraphSpec graph = GraphOf({{{0, 1}, {2}}, {{0, 1}, {3}}}, 4, {0});
  graph.tensors[1].is_constant = true;
  EXPECT_THAT(OperatorEdges(graph), IsEmpty());
}

TEST(OperatorEdgesTest, OperatorsWithSideEffectsStayInOrder) {
  SubgraphSpec graph = GraphOf({{{}, {}, "CALL_ONCE"},
                                {{}, {1}, "VAR_HANDLE"},
                                {{0}, {2}},
                                {{1, 2}, {}, "ASSIGN_VARIABLE"},
                                {{1}, {3}, "READ_VARIABLE"}},
                               4, {0});
  graph.tensors[1].type = ElementType::kResource;
  EXPECT_THAT(OperatorEdges(graph),
              ElementsAre(TaskEdge{0, 1}, TaskEdge{1, 3}, TaskEdge{1, 4},
                          TaskEdge{2, 3}, TaskEdge{3, 4}));
}

TEST(OperatorEdgesTest, ControlEdgesAreAmongThem) {
  SubgraphSpec graph = GraphOf({{{0}, {1}}, {{0}, {2}}, {{0}, {3}}}, 4, {0});
  graph.control_edges = {{0, 2}, {0, 2}};
  EXPECT_THAT(OperatorEdges(graph), ElementsAre(TaskEdge{0, 2}));
}

TEST(ScheduleOnStreamsTest, ATaskFollowsWhatFeedsItOrTakesAnEmptyStream) {
  //   0 -> 1 -> 3
  //    \-> 2 -/
  //
  // Task 1 follows task 0 on its stream, task 2 goes to an empty stream, and
  // task 3 follows task 1, the first of the two tasks that it reads from.
  const StreamSchedule schedule =
      ScheduleOnStreams(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 4);
  EXPECT_EQ(schedule.streams, (Streams{{0, 1, 3}, {2}}));
  EXPECT_THAT(schedule.waits, ElementsAre(TaskEdge{0, 2}, TaskEdge{2, 3}));
}

TEST(ScheduleOnStreamsTest, WithoutEdgesTasksGoToTheShortestStream) {
  EXPECT_EQ(ScheduleOnStreams(5, {}, 2).streams, (Streams{{0, 2, 4}, {1, 3}}));
}

TEST(ScheduleOnStreamsTest, OneStreamIsTheSequenceWithoutWaits) {
  const StreamSchedule schedule = ScheduleOnStreams(3, {{0, 1}, {0, 2}}, 1);
  EXPECT_EQ(schedule.streams, (Streams{{0, 1, 2}}));
  EXPECT_THAT(schedule.waits, IsEmpty());
}

TEST(ScheduleOnStreamsTest, NoTasksAreOnNoStream) {
  EXPECT_THAT(ScheduleOnStreams(0, {}, 3).streams, IsEmpty());
}

TEST(ScheduleOnStreamsTest, WaitsThatOthersImplyAreLeftOut) {
  // Task 2 is on the stream of tasks 0 and 1. Task 3 is on the other stream and
  // waits only for task 1, because task 1 follows task 0.
  const StreamSchedule schedule =
      ScheduleOnStreams(4, {{0, 1}, {1, 3}, {0, 2}, {1, 2}}, 2);
  EXPECT_EQ(schedule.streams, (Streams{{0, 1, 2}, {3}}));
  EXPECT_THAT(schedule.waits, ElementsAre(TaskEdge{1, 3}));
}

TEST(OrderOnStreamsTest, TheNumberOfStreamsIsChecked) {
  const SubgraphSpec graph = GraphOf({{{0}, {1}}}, 2, {0});
  EXPECT_THAT(OrderOnStreams(graph, 0),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "streams: 0; expected 1 to 64"));
  EXPECT_THAT(OrderOnStreams(graph, 65),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "streams: 65; expected 1 to 64"));
  EXPECT_EQ(OrderOnStreams(graph, 64)->chains(), 1U);
}

TEST(RecordedDagsTest, SchedulesAreThoseRecorded) {
  for (const RecordedDag& dag : ReadDags()) {
    ASSERT_EQ(dag.schedules.size(), 3U);
    for (const auto& [streams, expected] : dag.schedules) {
      SCOPED_TRACE(absl::StrCat(dag.name, " on ", streams, " streams"));
      const StreamSchedule schedule =
          ScheduleOnStreams(dag.tasks, dag.edges, streams);
      EXPECT_EQ(schedule.streams, expected.streams);
      EXPECT_EQ(schedule.waits, expected.waits);
    }
  }
}

TEST(RecordedDagsTest, EdgesAreThoseOfTheModels) {
  const auto models = support::RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  for (const RecordedDag& dag : ReadDags()) {
    SCOPED_TRACE(dag.name);
    const auto model = Model::Read(absl::StrCat(*models, "/", dag.source));
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(OperatorEdges((*model)->subgraphs()[0]), dag.edges);
  }
}

// Returns the records as CSV, without the constraints.
std::string FormatIntervals(const ModelTrace& model) {
  ProblemSpec problem = model.problem;
  problem.constraints = Constraints();
  return support::RecordsCsv(problem);
}

TEST(RecordedDagsTest, TracesOfTheModelsHaveSchedulesAndUsers) {
  const auto models = support::RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  for (const RecordedDag& dag : ReadDags()) {
    for (const auto& [streams, schedule] : dag.schedules) {
      SCOPED_TRACE(absl::StrCat(dag.name, " on ", streams, " streams"));
      ModelTraceOptions options;
      options.streams = streams;
      const auto model =
          ReadModelTrace(absl::StrCat(*models, "/", dag.source), options);
      ASSERT_THAT(model, support::IsOk());
      const Constraints& constraints = model->problem.constraints;
      EXPECT_EQ(model->problem.names, dag.ids);
      ASSERT_EQ(constraints.users.size(), dag.users.size());
      for (size_t i = 0; i < dag.users.size(); ++i) {
        EXPECT_THAT(constraints.users[i], ElementsAreArray(dag.users[i]));
      }
      ASSERT_EQ(constraints.order->chains(), schedule.streams.size());
      for (size_t s = 0; s < schedule.streams.size(); ++s) {
        EXPECT_THAT(constraints.order->chain(s),
                    ElementsAreArray(schedule.streams[s]));
      }
      EXPECT_THAT(constraints.order->edges(), ElementsAreArray(schedule.waits));
    }
  }
}

TEST(RecordedDagsTest, OneStreamHasTheRecordsOfTheSequence) {
  const auto models = support::RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  for (const std::string& path : support::FilesIn(*models, ".tflite")) {
    for (const bool include_io : {false, true}) {
      SCOPED_TRACE(path);
      ModelTraceOptions options;
      options.include_io = include_io;
      const auto sequence = ReadModelTrace(path, options);
      options.streams = 1;
      const auto stream = ReadModelTrace(path, options);
      ASSERT_THAT(sequence, support::IsOk());
      ASSERT_THAT(stream, support::IsOk());
      EXPECT_EQ(support::RecordsCsv(sequence->problem),
                FormatIntervals(*stream));
    }
  }
}

// If each task writes one tensor, the reallocation graph connects exactly the
// tensors that may share memory under the order of the edges.
TEST(RecordedDagsTest, TheReallocationGraphIsTheOrderOfTheEdges) {
  for (const RecordedDag& dag : ReadDags()) {
    SCOPED_TRACE(dag.name);
    UsageGraph children(dag.tasks);
    for (const TaskEdge& edge : dag.edges) {
      children[edge.before].push_back(edge.after);
    }
    const auto graph = BuildReallocationGraph(children);
    const auto order = TaskOrder::FromEdges(dag.tasks, dag.edges);
    ASSERT_THAT(graph, support::IsOk());
    ASSERT_THAT(order, support::IsOk());
    // The reallocation graph does not connect tensors that nothing reads,
    // because it does not know when such a tensor is free.
    const auto is_before = [&](TaskId a, TaskId b) {
      return !children[a].empty() &&
             absl::c_all_of(children[a], [&](TaskId reader) {
               return order->Precedes(reader, b);
             });
    };
    for (TaskId a = 0; a < dag.tasks; ++a) {
      std::vector<size_t> may_share;
      for (TaskId b = 0; b < dag.tasks; ++b) {
        if (is_before(a, b) || is_before(b, a)) may_share.push_back(b);
      }
      EXPECT_EQ((*graph)[a], may_share) << a;
    }
  }
}

// Returns a graph of the given nodes. All of its tensors have 64 bytes.
ArenaGraph ArenaGraphOf(const std::vector<ArenaNode>& nodes, size_t tensors,
                        std::vector<size_t> inputs,
                        std::vector<size_t> outputs) {
  ArenaGraph graph;
  graph.tensors.assign(tensors, {64, Storage::kArena});
  graph.nodes = nodes;
  graph.inputs = std::move(inputs);
  graph.outputs = std::move(outputs);
  return graph;
}

std::vector<std::vector<TaskId>> UsersIn(const ArenaRecords& records) {
  std::vector<std::vector<TaskId>> users;
  for (size_t i = 0; i < records.users.size(); ++i) {
    users.emplace_back(records.users[i].begin(), records.users[i].end());
  }
  return users;
}

ArenaRecords RecordsIn(const ArenaGraph& graph, const LifetimeOptions& options,
                       const TaskOrder& order) {
  const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
  return RecordsOf(graph, lifetimes, UsersOf(graph, lifetimes, order));
}

// Returns this order, in which task 0 reads the input and task 3 writes the
// output:
//
//   stream 0   0 -> 1 -> 3
//               \         ^
//   stream 1     > 2 ----/
TaskOrder Diamond() {
  return *TaskOrder::FromStreams({{0, 1, 3}, {2}}, {{0, 2}, {2, 3}});
}

TEST(UsersTest, AreTheNodesThatTouchTheMemory) {
  const ArenaGraph graph = ArenaGraphOf(
      {{{0}, {1}, {}}, {{1}, {2}, {5}}, {{1}, {3}, {}}, {{2, 3}, {4}, {}}}, 6,
      {0}, {4});
  LifetimeOptions options;
  options.rules = LifetimeRules::kPlain;
  options.io = IoLifetime::kUse;
  const TaskOrder order = Diamond();
  const ArenaRecords records = RecordsIn(graph, options, order);
  EXPECT_THAT(records.tensors, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(UsersIn(records),
            (Streams{{0}, {0, 1, 2}, {1, 3}, {2, 3}, {3}, {1}}));
  EXPECT_EQ(records.records[3].first_task, 2U);
  EXPECT_EQ(records.records[3].last_task, 3U);
}

// The users of a tensor that the caller fills include a task that no task
// precedes. The users of a tensor that the caller reads include a task that no
// task follows.
TEST(UsersTest, OfWhatTheCallerFillsAndReadsAreAFirstAndALastTask) {
  // There are two unconnected chains: 0 -> 2 and 1 -> 3. Only task 3 reads
  // input 1, and task 0 writes tensor 3, which is an output.
  const ArenaGraph graph = ArenaGraphOf(
      {{{0}, {2, 3}, {}}, {{}, {4}, {}}, {{2}, {5}, {}}, {{1, 4}, {6}, {}}}, 7,
      {0, 1}, {3, 5, 6});
  const auto order = TaskOrder::FromStreams({{0, 2}, {1, 3}}, {});
  ASSERT_THAT(order, support::IsOk());
  LifetimeOptions options;
  options.rules = LifetimeRules::kPlain;
  EXPECT_EQ(UsersIn(RecordsIn(graph, options, *order)),
            (Streams{{0, 2}, {1, 3}, {0, 2}, {0, 2}, {1, 3}, {2}, {3}}));
  options.io = IoLifetime::kUse;
  EXPECT_EQ(UsersIn(RecordsIn(graph, options, *order)),
            (Streams{{0}, {1, 3}, {0, 2}, {0, 2}, {1, 3}, {2}, {3}}));
}

TEST(UsersTest, OfMemoryThatIsSharedInPlaceAreAllThatTouchIt) {
  // Node 1 overwrites tensor 1 in place, which is allowed because no other node
  // reads tensor 1.
  const ArenaGraph graph = ArenaGraphOf({{{0}, {1}, {}},
                                         {{1}, {2}, {}, InPlace::kInput0},
                                         {{0}, {3}, {}},
                                         {{2, 3}, {4}, {}}},
                                        5, {0}, {4});
  LifetimeOptions options;
  const TaskOrder order = Diamond();
  options.order = &order;
  const ArenaRecords records = RecordsIn(graph, options, order);
  EXPECT_THAT(records.tensors, ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(UsersIn(records), (Streams{{0, 2, 3}, {0, 1, 3}, {2, 3}, {3}}));
}

// Nodes 1 and 3 make views of tensor 1. Node 2, on the other stream, reads the
// bytes of tensor 1, and node 4 overwrites them. In a sequence, node 4 may do
// so, because node 2 comes before it in the file; on two streams, it may not.
TEST(UsersTest, NothingIsOverwrittenThatAnotherStreamMayStillRead) {
  const InPlace view = InPlace::kUnmodified | InPlace::kInput0;
  const ArenaGraph graph = ArenaGraphOf({{{0}, {1}, {}},
                                         {{1}, {2}, {}, view},
                                         {{2}, {3}, {}},
                                         {{2}, {4}, {}, view},
                                         {{4}, {5}, {}, InPlace::kInput0},
                                         {{3, 5}, {6}, {}}},
                                        7, {0}, {6});
  LifetimeOptions options;
  EXPECT_EQ(PlanLifetimes(graph, options)[5].root, 1U);
  const auto unordered =
      TaskOrder::FromStreams({{0, 1, 3, 4, 5}, {2}}, {{1, 2}, {2, 5}});
  ASSERT_THAT(unordered, support::IsOk());
  options.order = &*unordered;
  EXPECT_EQ(PlanLifetimes(graph, options)[5].root, 5U);
  EXPECT_EQ(PlanLifetimes(graph, options)[4].root, 1U);
  const auto ordered =
      TaskOrder::FromStreams({{0, 1, 3, 4, 5}, {2}}, {{1, 2}, {2, 4}});
  ASSERT_THAT(ordered, support::IsOk());
  options.order = &*ordered;
  EXPECT_EQ(PlanLifetimes(graph, options)[5].root, 1U);
}

// Counts the pairs of records that share bytes in a plan for the sequence
// although, under the order of the streams, they may be in use at the same
// time.
size_t CountUnorderedSharing(const RecordedDag& dag,
                             const OffsetsAssignment& plan,
                             const TaskOrder& order) {
  const auto is_before = [&](size_t a, size_t b) {
    for (const TaskId u : dag.users[a]) {
      for (const TaskId v : dag.users[b]) {
        if (!order.Precedes(u, v)) return false;
      }
    }
    return true;
  };
  size_t count = 0;
  for (size_t a = 0; a < dag.sizes.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (plan.offsets[a] < plan.offsets[b] + dag.sizes[b] &&
          plan.offsets[b] < plan.offsets[a] + dag.sizes[a] &&
          !is_before(a, b) && !is_before(b, a)) {
        ++count;
      }
    }
  }
  return count;
}

OffsetsAssignment PlanOfSequence(const RecordedDag& dag) {
  ProblemSpec spec;
  for (size_t i = 0; i < dag.sizes.size(); ++i) {
    spec.records.emplace_back(dag.sizes[i], dag.users[i].front(),
                              dag.users[i].back());
  }
  const auto problem = Problem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  const auto solution = Solve(*problem, "skyline");
  EXPECT_TRUE(solution.ok()) << solution.status();
  return *solution->offsets();
}

// Reads unsafe_measurements.txt. The row of a model has the total size of the
// plan, followed by four numbers of unsafe pairs: those on 2, 3 and 4 streams,
// and those if only the edges order the tasks.
std::map<std::string, std::vector<size_t>> ReadUnsafeMeasurements() {
  const std::string path =
      STOWAGE_SOURCE_DIR "/tests/data/constraints/unsafe_measurements.txt";
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::map<std::string, std::vector<size_t>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (size_t number = 0; words >> number;) rows[name].push_back(number);
  }
  return rows;
}

// A plan for the sequence may be unsafe on streams no matter how it packs the
// records, because the branches leave no room to avoid this. The packing
// determines only how many pairs are unsafe.
TEST(RecordedDagsTest, PlansOfTheSequenceAreUnsafeWhereRecorded) {
  const auto rows = ReadUnsafeMeasurements();
  for (const RecordedDag& dag : ReadDags()) {
    SCOPED_TRACE(dag.name);
    const OffsetsAssignment plan = PlanOfSequence(dag);
    const std::vector<size_t>& row = rows.at(dag.name);
    ASSERT_EQ(row.size(), 5U);
    EXPECT_EQ(plan.total_size, row[0]);
    std::vector<size_t> counts;
    for (const auto& [streams, schedule] : dag.schedules) {
      const auto order =
          TaskOrder::FromStreams(schedule.streams, schedule.waits);
      ASSERT_TRUE(order.ok()) << order.status();
      counts.push_back(CountUnorderedSharing(dag, plan, *order));
    }
    const auto order = TaskOrder::FromEdges(dag.tasks, dag.edges);
    ASSERT_TRUE(order.ok()) << order.status();
    counts.push_back(CountUnorderedSharing(dag, plan, *order));
    EXPECT_EQ(counts, std::vector<size_t>(row.begin() + 1, row.end()));
  }
}

}  // namespace
}  // namespace stowage
