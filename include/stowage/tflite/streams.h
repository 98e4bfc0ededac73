// SPDX-License-Identifier: Apache-2.0
// Schedules operators of a model on several streams: finds which operators must
// precede others, and makes a schedule for threads or queues that run at the
// same time. Operators that run one after the other need no schedule, see
// lifetimes.h.
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
// for the first. It must wait in these cases:
//   - It reads a tensor that the first operator writes.
//   - Both use the same variable. A tensor that no operator writes counts as a
//     variable unless it is a constant or a graph input.
//   - Both have side effects: they use resources or run other subgraphs.
//   - A control edge says so.
// In the second and the third case the operator that comes first in the file is
// the first one. The effects of a custom operator besides its tensors are not
// known; control edges must describe them. Edges are sorted and distinct, with
// `before` below `after`. If several operators must all stay in order, such as
// those of one variable, only successive ones have an edge. O(references log
// references).
std::vector<TaskEdge> OperatorEdges(const SubgraphSpec& graph);

// A schedule: each stream runs its tasks one after the other, and `waits` are
// the waits between tasks of different streams.
struct StreamSchedule {
  std::vector<std::vector<TaskId>> streams;  // no stream is empty
  // Edges between tasks of different streams, sorted.
  std::vector<TaskEdge> waits;
};

// Schedules tasks 0 to `tasks` - 1, one by one in rising order. A task goes to
// the first stream whose last task has an edge to it. If there is none, it goes
// to an empty stream, or else to the stream with the fewest tasks. There is a
// wait for every edge between streams that the other waits do not imply.
// Requires edges with `before` below `after` below `tasks`, and at least 1
// stream.
// O(edges log edges + (tasks + edges) * streams).
StreamSchedule ScheduleOnStreams(size_t tasks, absl::Span<const TaskEdge> edges,
                                 size_t streams);

// Returns the schedule of the operators of a graph as an order. Error:
// InvalidArgument for no streams, or more than TaskOrder::kMaxChains.
absl::StatusOr<TaskOrder> OrderOnStreams(const SubgraphSpec& graph,
                                         size_t streams);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_STREAMS_H_
