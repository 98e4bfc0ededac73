// SPDX-License-Identifier: Apache-2.0
#include "src/harness/stream_runner.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::harness {
namespace {

class StreamRun {
 public:
  // Both arguments must outlive this object.
  StreamRun(const TaskOrder& order,
            const std::function<absl::Status(TaskId)>& run_task)
      : order_(order),
        run_task_(run_task),
        awaited_(order.tasks()),
        is_awaited_(order.tasks(), false),
        ended_(order.chains(), 0) {
    for (const TaskEdge& wait : order.edges()) {
      awaited_[wait.after].push_back(wait.before);
      is_awaited_[wait.before] = true;
    }
  }

  absl::Status Run() {
    if (order_.chains() == 0) return absl::OkStatus();
    std::vector<std::thread> threads;
    try {
      for (size_t s = 1; s < order_.chains(); ++s) {
        threads.emplace_back([this, s] { RunStream(s); });
      }
    } catch (const std::system_error&) {
      Fail(0, absl::UnavailableError(
                  absl::StrCat("streams: the system starts ", threads.size(),
                               " threads; expected ", order_.chains() - 1)));
    }
    RunStream(0);
    for (std::thread& thread : threads) thread.join();
    return status_;
  }

 private:
  void RunStream(size_t stream) {
    for (const TaskId task : order_.chain(stream)) {
      if (!AwaitTurn(task)) return;
      const absl::Status status = RunGuarded(task);
      if (!status.ok()) return Fail(task, status);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++ended_[stream];
      }
      if (is_awaited_[task]) changed_.notify_all();
    }
  }

  // Runs a task. Converts std::bad_alloc to an error, because an exception that
  // leaves a thread would terminate the program.
  absl::Status RunGuarded(TaskId task) {
    try {
      return run_task_(task);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError(
          absl::StrCat("task ", task, ": the system has no more memory"));
    }
  }

  // Waits until the task may begin. Returns false if another task has failed.
  bool AwaitTurn(TaskId task) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] {
      return failed_ || absl::c_all_of(awaited_[task], [&](TaskId other) {
               return order_.position_of(other) <
                      ended_[order_.chain_of(other)];
             });
    });
    return !failed_;
  }

  void Fail(TaskId task, const absl::Status& status) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failed_ || task < *failed_) {
        failed_ = task;
        status_ = status;
      }
    }
    changed_.notify_all();
  }

  const TaskOrder& order_;
  const std::function<absl::Status(TaskId)>& run_task_;
  // For each task, the tasks on other streams that it waits for.
  std::vector<std::vector<TaskId>> awaited_;
  // For each task, whether a task on another stream waits for it.
  std::vector<bool> is_awaited_;
  std::mutex mutex_;  // guards the fields below
  std::condition_variable changed_;
  // The number of finished tasks of each stream.
  std::vector<size_t> ended_;
  absl::optional<TaskId> failed_;
  absl::Status status_;
};

}  // namespace

absl::Status RunStreams(const TaskOrder& order,
                        const std::function<absl::Status(TaskId)>& run_task) {
  return StreamRun(order, run_task).Run();
}

}  // namespace stowage::harness
