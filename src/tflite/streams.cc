// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/streams.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/task_order.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/side_effects.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

constexpr size_t kNoOperator = static_cast<size_t>(-1);

// Returns whether edge `a` precedes edge `b` in a sorted list.
bool IsBefore(const TaskEdge& a, const TaskEdge& b) {
  return std::make_tuple(a.before, a.after) <
         std::make_tuple(b.before, b.after);
}

// Finds the edges between operators. Visits the operators in the order of the
// file.
class EdgeFinder {
 public:
  explicit EdgeFinder(const SubgraphSpec& graph)
      : graph_(graph),
        writers_(graph.tensors.size(), kNoOperator),
        last_of_(graph.tensors.size(), kNoOperator),
        is_input_(graph.tensors.size(), false) {
    for (const size_t t : graph.inputs) is_input_[t] = true;
  }

  std::vector<TaskEdge> Find() {
    for (size_t op = 0; op < graph_.operators.size(); ++op) {
      const OperatorSpec& spec = graph_.operators[op];
      for (const size_t t : spec.inputs) Read(op, t);
      for (const size_t t : spec.outputs) Write(op, t);
      if (HasSideEffects(graph_, spec)) KeepInTurn(op, &last_with_effects_);
    }
    if (graph_.control_edges) {
      for (const ControlEdge& edge : *graph_.control_edges) {
        edges_.push_back({edge.before, edge.after});
      }
    }
    std::sort(edges_.begin(), edges_.end(), IsBefore);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    return std::move(edges_);
  }

 private:
  void Read(size_t op, size_t tensor) {
    if (tensor == kAbsent) return;
    const TensorSpec& spec = graph_.tensors[tensor];
    if (writers_[tensor] != kNoOperator) {
      edges_.push_back({writers_[tensor], op});
    } else if (spec.is_variable || (!spec.is_constant && !is_input_[tensor])) {
      // An operator may write to a variable that it reads, and a custom
      // operator may write to a tensor that is not an output of any operator.
      // Such operators must stay in order.
      KeepInTurn(op, &last_of_[tensor]);
    }
  }

  void Write(size_t op, size_t tensor) {
    if (tensor == kAbsent) return;
    if (graph_.tensors[tensor].is_variable) {
      KeepInTurn(op, &last_of_[tensor]);
    } else {
      writers_[tensor] = op;
    }
  }

  void KeepInTurn(size_t op, size_t* last) {
    if (*last != kNoOperator && *last != op) edges_.push_back({*last, op});
    *last = op;
  }

  const SubgraphSpec& graph_;
  std::vector<size_t> writers_;  // the writer of each tensor that was visited
  std::vector<size_t> last_of_;  // the last operator that used each tensor
  std::vector<bool> is_input_;
  size_t last_with_effects_ = kNoOperator;
  std::vector<TaskEdge> edges_;
};

// Assigns tasks to streams one by one. Each task has a clock: the number of
// tasks of each stream that precede the task, including the task itself.
class Scheduler {
 public:
  Scheduler(size_t tasks, size_t streams)
      : streams_(streams), stream_of_(tasks), position_of_(tasks) {
    clocks_.resize(tasks * streams, 0);
  }

  // Adds a task. `before` lists the tasks that have an edge to this task, in
  // falling order.
  void Add(TaskId task, absl::Span<const TaskId> before) {
    const size_t stream = ChooseStream(before);
    size_t* const clock = ClockOf(task);
    if (!streams_[stream].empty()) Join(streams_[stream].back(), clock);
    for (const TaskId other : before) {
      if (clock[stream_of_[other]] > position_of_[other]) continue;
      waits_.push_back({other, task});
      Join(other, clock);
    }
    stream_of_[task] = stream;
    position_of_[task] = streams_[stream].size();
    streams_[stream].push_back(task);
    clock[stream] = streams_[stream].size();
  }

  StreamSchedule Take() {
    streams_.erase(
        std::remove_if(streams_.begin(), streams_.end(),
                       [](const auto& stream) { return stream.empty(); }),
        streams_.end());
    std::sort(waits_.begin(), waits_.end(), IsBefore);
    return {std::move(streams_), std::move(waits_)};
  }

 private:
  size_t ChooseStream(absl::Span<const TaskId> before) const {
    size_t feeding = streams_.size();
    for (const TaskId other : before) {
      const size_t stream = stream_of_[other];
      if (streams_[stream].back() == other) feeding = std::min(feeding, stream);
    }
    if (feeding < streams_.size()) return feeding;
    // If a stream is empty, it is also the shortest stream.
    const auto shortest = std::min_element(
        streams_.begin(), streams_.end(),
        [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return static_cast<size_t>(shortest - streams_.begin());
  }

  size_t* ClockOf(TaskId task) { return &clocks_[task * streams_.size()]; }

  void Join(TaskId other, size_t* clock) {
    const size_t* const others = ClockOf(other);
    for (size_t s = 0; s < streams_.size(); ++s) {
      clock[s] = std::max(clock[s], others[s]);
    }
  }

  std::vector<std::vector<TaskId>> streams_;
  std::vector<size_t> stream_of_;    // the stream of each task
  std::vector<size_t> position_of_;  // the position of each task on its stream
  std::vector<size_t> clocks_;  // has a number for each stream, for each task
  std::vector<TaskEdge> waits_;
};

}  // namespace

std::vector<TaskEdge> OperatorEdges(const SubgraphSpec& graph) {
  return EdgeFinder(graph).Find();
}

StreamSchedule ScheduleOnStreams(size_t tasks, absl::Span<const TaskEdge> edges,
                                 size_t streams) {
  // A wait for a task may imply a wait for an earlier task, but not vice versa.
  // Considering the latest task first therefore avoids redundant waits.
  std::vector<TaskEdge> by_task(edges.begin(), edges.end());
  std::sort(by_task.begin(), by_task.end(),
            [](const TaskEdge& a, const TaskEdge& b) {
              return std::make_tuple(a.after, b.before) <
                     std::make_tuple(b.after, a.before);
            });
  Scheduler scheduler(tasks, streams);
  std::vector<TaskId> before;
  size_t next = 0;
  for (TaskId task = 0; task < tasks; ++task) {
    before.clear();
    while (next < by_task.size() && by_task[next].after == task) {
      before.push_back(by_task[next++].before);
    }
    scheduler.Add(task, before);
  }
  return scheduler.Take();
}

absl::StatusOr<TaskOrder> OrderOnStreams(const SubgraphSpec& graph,
                                         size_t streams) {
  if (streams == 0 || streams > TaskOrder::kMaxChains) {
    return absl::InvalidArgumentError(absl::StrCat(
        "streams: ", streams, "; expected 1 to ", TaskOrder::kMaxChains));
  }
  StreamSchedule schedule =
      ScheduleOnStreams(graph.operators.size(), OperatorEdges(graph), streams);
  return TaskOrder::FromStreams(std::move(schedule.streams), schedule.waits);
}

}  // namespace stowage
