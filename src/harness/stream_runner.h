// SPDX-License-Identifier: Apache-2.0
// Runs tasks on threads, one for each stream of an order. It knows nothing of
// what tasks do; a session runs its operators so (graph_streams.cc).
#ifndef STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
#define STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_

#include <functional>

#include "absl/status/status.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::harness {

// Runs every task of an order made of streams: each stream in turn on a thread
// of its own, the first on the caller's, and a task only when all that it waits
// for have ended, whose effects it sees. Once a task fails no other begins; the
// error is that of the least task that failed. `run_task` is called from
// several threads at once. Errors: those of `run_task`; ResourceExhausted where
// it throws std::bad_alloc; Unavailable if the system starts no more threads.
absl::Status RunStreams(
    const TaskOrder& order,
    const std::function<absl::Status(TaskId task)>& run_task);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_STREAM_RUNNER_H_
