// SPDX-License-Identifier: Apache-2.0
// Schedules operators of a model on several streams: finds which operators must
// precede others, and makes a schedule for threads or queues that run at the
// same time. If operators run one after the other, no schedule is needed: use
// lifetimes.h alone.
//
//   const StreamSchedule schedule =
//       ScheduleOnStreams(graph.operators.size(), OperatorEdges(graph), 2);
//   absl::StatusOr<TaskOrder> order =
//       TaskOrder::FromStreams(schedule.streams, schedule.waits);
//
// Given the order, PlanLifetimes and RecordsOf (lifetimes.h) find the tasks
// that use each record. docs/streams.md has a picture.
#ifndef STOWAGE_TFLITE_STREAMS_H_
#define STOWAGE_TFLITE_STREAMS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/task_order.h"
#include "stowage/tflite/model.h"
#include "stowage/usage_record.h"

namespace stowage {

// Returns the pairs of operators (before, after) of which the second must wait
// for the first. The second operator must wait in these cases:
//   - The second operator reads a tensor that the first operator writes.
//   - Both use the same variable. A tensor that no operator writes counts as a
//     variable unless it is a constant or a graph input.
//   - Both have side effects: they use resources or run other subgraphs.
//   - A control edge says so.
// In the second and the third case, the operator that comes first in the file
// is `before`. If a custom operator has effects other than writing its tensors,
// these effects are unknown to this function, and control edges must describe
// them. Edges are sorted and distinct, with `before` below `after`. If several
// operators must all stay in order, such as the users of one variable, only
// each operator and the next one have an edge. O(references log references).
std::vector<TaskEdge> OperatorEdges(const SubgraphSpec& graph);

// A schedule: each stream runs its tasks one after the other, and a task may
// have to wait for tasks of other streams.
struct StreamSchedule {
  std::vector<std::vector<TaskId>> streams;  // no stream is empty
  // Pairs of tasks of different streams, sorted: `after` waits for `before`.
  std::vector<TaskEdge> waits;
};

// Schedules tasks 0 to `tasks` - 1, one by one in rising order. A task goes to
// the first stream in which the last task has an edge to the new task. If there
// is no such stream, the task goes to an empty stream or, without an empty
// stream, to the stream with the fewest tasks. Every edge between two streams
// becomes a wait, unless the other waits imply this edge. Requires edges with
// `before` below `after` below `tasks`, and at least 1 stream. O(edges log
// edges + (tasks + edges) * streams).
StreamSchedule ScheduleOnStreams(size_t tasks, absl::Span<const TaskEdge> edges,
                                 size_t streams);

// Returns the schedule of the operators of a graph as an order. Error:
// InvalidArgument if `streams` is 0 or above TaskOrder::kMaxChains.
absl::StatusOr<TaskOrder> OrderOnStreams(const SubgraphSpec& graph,
                                         size_t streams);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_STREAMS_H_
