// SPDX-License-Identifier: Apache-2.0
// Schedules the operators of a model on several streams: finds which operators
// must precede others, and makes a schedule for threads or queues that run
// concurrently. If operators run one after the other, no schedule is needed;
// use only lifetimes.h.
//
//   const StreamSchedule schedule =
//       ScheduleOnStreams(graph.operators.size(), OperatorEdges(graph), 2);
//   absl::StatusOr<TaskOrder> order =
//       TaskOrder::FromStreams(schedule.streams, schedule.waits);
//
// With this order, PlanLifetimes and RecordsOf (lifetimes.h) compute the tasks
// that use each record. For a picture, see docs/streams.md.
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

// Returns the pairs of operators (before, after) in which `after` must wait for
// `before`. This is the case if
//   - `after` reads a tensor that `before` writes,
//   - both use the same variable (a tensor that no operator writes counts as a
//     variable unless it is a constant or a graph input),
//   - both have side effects: they use resources or run other subgraphs, or
//   - a control edge requires it.
// In the second and the third case, `before` is the operator that comes first
// in the file. Effects of custom operators other than writing their tensors are
// unknown to this function, so control edges must describe them.
//
// Edges are sorted and distinct, with `before` below `after`. If several
// operators must all stay in order, such as the users of one variable, there is
// an edge only from each operator to the next. O(references log references).
std::vector<TaskEdge> OperatorEdges(const SubgraphSpec& graph);

// A schedule: each stream runs its tasks one after the other, and a task may
// have to wait for tasks of other streams.
struct StreamSchedule {
  std::vector<std::vector<TaskId>> streams;  // no stream is empty
  // Pairs of tasks of different streams, sorted: `after` waits for `before`.
  std::vector<TaskEdge> waits;
};

// Schedules tasks 0 to `tasks` - 1, one by one in rising order. A task is
// assigned to the first stream with a last task that has an edge to the new
// task. If there is no such stream, the task is assigned to an empty stream or,
// if no stream is empty, to the stream with the fewest tasks. Every edge
// between two streams becomes a wait, unless other waits imply it. Requires
// edges with `before` < `after` < `tasks`, and at least 1 stream. O(edges log
// edges + (tasks + edges) * streams).
StreamSchedule ScheduleOnStreams(size_t tasks, absl::Span<const TaskEdge> edges,
                                 size_t streams);

// Returns the schedule of the operators of a graph as an order. Error:
// InvalidArgument if `streams` is 0 or above TaskOrder::kMaxChains.
absl::StatusOr<TaskOrder> OrderOnStreams(const SubgraphSpec& graph,
                                         size_t streams);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_STREAMS_H_
