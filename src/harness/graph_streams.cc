// SPDX-License-Identifier: Apache-2.0
// Runs an invocation on several streams, for graphs that permit it.
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/graph_session.h"
#include "src/harness/running_graph.h"
#include "src/harness/stream_runner.h"
#include "stowage/task_order.h"
#include "stowage/tflite/streams.h"

namespace stowage::harness {

// Finds the order of the tasks on the streams. Error: InvalidArgument if shapes
// depend on data, since a plan that is made before the run could not include
// the tensors with these shapes.
absl::Status GraphSession::OrderTasks() {
  order_.reset();
  const size_t streams = shared_->options.streams;
  if (streams == 1 || graph_.tasks().empty()) return absl::OkStatus();
  const absl::optional<size_t> dynamic = graph_.FirstDynamicTask();
  if (dynamic) {
    return graph_.At(
        *dynamic,
        absl::InvalidArgumentError(absl::StrCat(
            "the shape of its output depends on data, with ", streams,
            " streams; expected shapes that are known before the run, or 1 "
            "stream")));
  }
  absl::StatusOr<TaskOrder> order = OrderOnStreams(spec(), streams);
  if (!order.ok()) return order.status();
  // A graph without branches is a sequence on any number of streams.
  if (order->chains() > 1) order_ = *std::move(order);
  return absl::OkStatus();
}

absl::Status GraphSession::RunOnStreams() {
  states_.assign(graph_.tasks().size(), TaskState::kWaiting);
  return RunStreams(*plan_.order, [this](size_t task) {
    return is_cancelled_.exchange(false) ? CancelledAt(task) : InvokeTask(task);
  });
}

}  // namespace stowage::harness
