// SPDX-License-Identifier: Apache-2.0
// Runs tasks on threads, one for each stream of an order, independently of what
// the tasks do. To run the tasks of a graph use graph_run.h.
#ifndef STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
#define STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_

#include <functional>

#include "absl/status/status.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::harness {

// Runs every task of an order. Requires that the order consists of streams. The
// tasks of each stream run one after another. The first stream runs on the
// calling thread, and every other stream on its own thread. A task begins only
// when all tasks that it waits for have finished, and it sees their effects.
// After a task has failed, no further task begins. If several tasks fail,
// returns the error of the task with the lowest number. `run_task` is called
// from several threads at once. Errors: those of `run_task`; ResourceExhausted
// if it throws std::bad_alloc; Unavailable if the system cannot start enough
// threads.
absl::Status RunStreams(
    const TaskOrder& order,
    const std::function<absl::Status(TaskId task)>& run_task);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
