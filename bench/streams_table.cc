// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, the cost of planning and verifying random graphs
// of many tasks on several streams. For a single sequence of tasks, use
// stowage_growth.
//
//   stowage_streams [STRATEGY]
//
// Each task reads the outputs of two earlier tasks and writes 1 to 64 KiB. In
// rows with a reach of 8, a task usually reads from the last eight tasks, and
// sometimes from the last 200. In rows with a reach of 300, a task reads from
// any of the last 300 tasks, so hundreds of records conflict with each other.
// Times are relative to the reference work (reference_work.h). The column of
// bytes is the largest resident set of a process that creates the problem,
// plans it and verifies the plan.
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/reference_work.h"
#include "stowage/base/random.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/verify.h"

namespace stowage::bench {
namespace {

struct Row {
  size_t tasks;
  size_t streams;
  uint64_t reach;
};
constexpr Row kRows[] = {{10000, 2, 8},  {10000, 8, 8}, {50000, 1, 8},
                         {50000, 4, 8},  {50000, 8, 8}, {50000, 8, 300},
                         {1000000, 4, 8}};

struct RandomGraph {
  std::vector<std::vector<TaskId>> streams;
  std::vector<TaskEdge> waits;
  std::vector<std::vector<TaskId>> users;  // by task: the users of its output
  std::vector<size_t> sizes;
};

RandomGraph DrawGraph(const Row& row) {
  Random random(7);
  RandomGraph graph;
  graph.streams.resize(row.streams);
  graph.users.resize(row.tasks);
  std::vector<size_t> stream_of(row.tasks);
  for (TaskId task = 0; task < row.tasks; ++task) {
    stream_of[task] = random.Below(row.streams);
    graph.streams[stream_of[task]].push_back(task);
    graph.sizes.push_back((1 + random.Below(64)) * 1024);
    graph.users[task].push_back(task);
    for (int edge = 0; edge < 2 && task > 0; ++edge) {
      const uint64_t max =
          row.reach == 8 && random.Below(8) == 0 ? 200 : row.reach;
      const TaskId read = task - 1 - random.Below(std::min(task, max));
      if (graph.users[read].back() == task) continue;
      graph.users[read].push_back(task);
      if (stream_of[read] != stream_of[task]) {
        graph.waits.push_back({read, task});
      }
    }
  }
  return graph;
}

absl::StatusOr<Problem> ProblemOf(RandomGraph graph) {
  ProblemSpec spec;
  for (size_t i = 0; i < graph.users.size(); ++i) {
    spec.records.emplace_back(graph.sizes[i], graph.users[i].front(),
                              graph.users[i].back());
    spec.constraints.users.Add(graph.users[i]);
  }
  graph.users = {};
  auto order = TaskOrder::FromStreams(std::move(graph.streams), graph.waits);
  if (!order.ok()) return order.status();
  spec.constraints.order = *std::move(order);
  return Problem::Create(std::move(spec));
}

// Returns the time of the work relative to the reference work. The reference
// work is measured before and after the work.
template <typename Work>
double RelativeTimeOf(const Work& work) {
  const double before = MeasureReference();
  const auto start = std::chrono::steady_clock::now();
  work();
  const double ms = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  return ms / ((before + MeasureReference()) / 2);
}

// Prints a row without the column of bytes. Returns the exit code of the
// process.
int PrintFigures(const char* name, const Row& row) {
  RandomGraph graph = DrawGraph(row);
  const size_t waits = graph.waits.size();
  absl::StatusOr<Problem> problem = ProblemOf(std::move(graph));
  const absl::StatusOr<const Strategy*> strategy = FindStrategy(name);
  if (!problem.ok() || !strategy.ok()) return 1;
  const double bound_relative = RelativeTimeOf([&] { LowerBoundOf(*problem); });
  absl::StatusOr<Solution> plan = Solution();
  const double plan_relative =
      RelativeTimeOf([&] { plan = (*strategy)->Solve(*problem, {}); });
  if (!plan.ok() || !plan->has_plan()) return 1;
  bool is_safe = false;
  const double verify_relative = RelativeTimeOf(
      [&] { is_safe = !FindViolation(*problem, *plan->offsets()); });
  if (!is_safe) return 1;
  std::printf("| %7zu | %7zu | %5" PRIu64
              " | %8zu | %7.1f | %8.1f | %8.1f | %7.4f ",
              row.tasks, row.streams, row.reach, waits, bound_relative,
              plan_relative, verify_relative,
              static_cast<double>(plan->offsets()->total_size) /
                  static_cast<double>(LowerBoundOf(*problem).bytes));
  std::fflush(stdout);
  return 0;
}

// Prints a row. Measures it in a separate process, because the largest resident
// set is that of a whole process.
bool PrintRow(const char* name, const Row& row) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(PrintFigures(name, row));
  int status = 0;
  rusage usage = {};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return false;
  std::printf("| %5ld |\n", usage.ru_maxrss / 1024);
  return true;
}

int Main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "skyline";
  std::printf(
      "| tasks | streams | reach | waits | bound | %s | verify | "
      "total / held breadth | MiB |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
      name);
  std::fflush(stdout);
  for (const Row& row : kRows) {
    if (!PrintRow(name, row)) {
      std::fprintf(stderr, "stowage_streams: %zu tasks on %zu streams failed\n",
                   row.tasks, row.streams);
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
