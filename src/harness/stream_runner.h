// SPDX-License-Identifier: Apache-2.0
// Runs tasks on threads, one for each stream of an order. It does not know what
// tasks do; a session runs its operators with it (graph_streams.cc).
#ifndef STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
#define STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_

#include <functional>

#include "absl/status/status.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::harness {

// Runs every task of an order made of streams. Each stream runs one task after
// the other on a separate thread, the first stream on the calling thread. A
// task runs only when all tasks that it waits for have ended, and sees their
// effects. Once a task fails no other begins, and the error is that of the
// lowest task that failed. `run_task` is called from several threads at once.
// Errors: those of `run_task`; ResourceExhausted if it throws std::bad_alloc;
// Unavailable if the system starts no more threads.
absl::Status RunStreams(
    const TaskOrder& order,
    const std::function<absl::Status(TaskId task)>& run_task);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
