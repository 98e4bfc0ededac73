// SPDX-License-Identifier: Apache-2.0
// Runs tasks on threads, one for each stream of an order. It does not know what
// tasks do; graph_run.h runs the tasks of a graph with it.
#ifndef STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
#define STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_

#include <functional>

#include "absl/status/status.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::harness {

// Runs every task of an order, which must consist of streams. The tasks of each
// stream run one after the other. The first stream runs on the calling thread,
// and every other stream on a thread of its own. A task begins only when all
// tasks that it waits for have ended, and it sees their effects. Once a task
// has failed, no other task begins. If several tasks fail, the error of the one
// with the lowest number is returned. `run_task` is called from several threads
// at once. Errors: those of `run_task`; ResourceExhausted if it throws
// std::bad_alloc; Unavailable if the system starts no more threads.
absl::Status RunStreams(
    const TaskOrder& order,
    const std::function<absl::Status(TaskId task)>& run_task);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
