// SPDX-License-Identifier: Apache-2.0
#include "src/harness/stream_runner.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/task_order.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using testing::Each;

TaskOrder OrderOf(std::vector<std::vector<TaskId>> streams,
                  const std::vector<TaskEdge>& waits) {
  return *TaskOrder::FromStreams(std::move(streams), waits);
}

// Each task reads, without a lock, the elements that earlier tasks have
// written. The thread sanitizer reports a race if a written element might not
// be visible to a later task.
TEST(RunStreams, ATaskSeesWhatAllBeforeItHaveDone) {
  const TaskOrder order =
      OrderOf({{0, 1, 4, 7}, {2, 5}, {3, 6}},
              {{0, 2}, {0, 3}, {2, 4}, {3, 5}, {5, 7}, {4, 6}, {6, 7}});
  for (int run = 0; run < 100; ++run) {
    std::vector<size_t> seen(order.tasks());
    EXPECT_THAT(RunStreams(order,
                           [&](TaskId task) {
                             seen[task] = 1;
                             for (TaskId t = 0; t < order.tasks(); ++t) {
                               if (!order.Precedes(t, task)) continue;
                               EXPECT_GE(seen[t], 1U) << t << " " << task;
                             }
                             return absl::OkStatus();
                           }),
                IsOk());
    EXPECT_THAT(seen, Each(1U));
  }
}

// The two tasks are on different streams, and each waits until the other one is
// running.
TEST(RunStreams, TasksOfDifferentStreamsRunAtTheSameTime) {
  const TaskOrder order = OrderOf({{0}, {1}}, {});
  std::atomic<int> running{0};
  EXPECT_THAT(RunStreams(order,
                         [&](TaskId) {
                           ++running;
                           while (running < 2) std::this_thread::yield();
                           return absl::OkStatus();
                         }),
              IsOk());
}

TEST(RunStreams, AFailureKeepsAllOthersFromBeginning) {
  // Task 1 fails. Task 2 waits for task 1, and task 4 comes after tasks 1 and
  // 2.
  const TaskOrder order = OrderOf({{0, 1, 4}, {2, 3}}, {{1, 2}, {3, 4}});
  std::mutex mutex;
  std::set<TaskId> run;
  EXPECT_THAT(RunStreams(order,
                         [&](TaskId task) {
                           const std::lock_guard<std::mutex> lock(mutex);
                           run.insert(task);
                           return task == 1 ? absl::DataLossError("task 1")
                                            : absl::OkStatus();
                         }),
              FailsWith(absl::StatusCode::kDataLoss, "task 1"));
  EXPECT_EQ(run, (std::set<TaskId>{0, 1}));
}

TEST(RunStreams, OfSeveralFailuresTheLeastTaskIsTold) {
  const TaskOrder order = OrderOf({{1}, {0}, {2}}, {});
  std::atomic<int> running{0};
  EXPECT_THAT(RunStreams(order,
                         [&](TaskId task) {
                           ++running;
                           while (running < 3) std::this_thread::yield();
                           return absl::InternalError(absl::StrCat(task));
                         }),
              FailsWith(absl::StatusCode::kInternal, "0"));
}

TEST(RunStreams, ATaskWithoutMemoryIsAnError) {
  const TaskOrder order = OrderOf({{0}, {1}}, {{0, 1}});
  EXPECT_THAT(RunStreams(order,
                         [&](TaskId task) -> absl::Status {
                           if (task == 1) throw std::bad_alloc();
                           return absl::OkStatus();
                         }),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        "task 1: the system has no more memory"));
}

TEST(RunStreams, ManyTasksOnManyStreams) {
  constexpr size_t kStreams = 16;
  constexpr size_t kEach = 50;
  std::vector<std::vector<TaskId>> streams(kStreams);
  std::vector<TaskEdge> waits;
  for (TaskId t = 0; t < kStreams * kEach; ++t) {
    streams[t % kStreams].push_back(t);
    if (t >= 2 * kStreams) waits.push_back({t - kStreams - 1, t});
  }
  const TaskOrder order = OrderOf(streams, waits);
  std::vector<int> runs(order.tasks());
  EXPECT_THAT(RunStreams(order,
                         [&](TaskId task) {
                           ++runs[task];
                           return absl::OkStatus();
                         }),
              IsOk());
  EXPECT_THAT(runs, Each(1));
}

TEST(RunStreams, NoTasksAreDone) {
  EXPECT_THAT(RunStreams(OrderOf({}, {}),
                         [](TaskId) { return absl::InternalError("run"); }),
              IsOk());
}

}  // namespace
}  // namespace stowage::harness
