// SPDX-License-Identifier: Apache-2.0
// The operators of a model on several streams: which must precede which, and a
// schedule for threads or queues that run at the same time. For operators one
// after the other, no schedule is needed: see lifetimes.h.
//
//   const StreamSchedule schedule =
//       ScheduleOnStreams(graph.operators.size(), OperatorEdges(graph), 2);
//   absl::StatusOr<TaskOrder> order =
//       TaskOrder::FromStreams(schedule.streams, schedule.waits);
//
// With the order, PlanLifetimes and RecordsOf (lifetimes.h) say which tasks use
// each record. docs/streams.md has a picture.
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

// The pairs of operators of which the second must wait for the first: it reads
// what that writes; both touch one variable, or memory that nothing writes; a
// control edge; and operators with side effects, which touch resources or run
// other subgraphs, in the order of the file. What a custom operator does beside
// its tensors is not known: control edges must say so. Sorted, each once,
// `before` below `after`. Of what stays in order as a whole, neighbours alone
// are listed.
// O(references log references).
std::vector<TaskEdge> OperatorEdges(const SubgraphSpec& graph);

// Streams that run their tasks in turn, and what else they wait for.
struct StreamSchedule {
  std::vector<std::vector<TaskId>> streams;  // none is empty
  // Between tasks of different streams; sorted.
  std::vector<TaskEdge> waits;
};

// Schedules tasks 0 to `tasks` - 1 in this order: a task goes to the first
// stream whose last task precedes it by an edge, else to an empty stream, else
// to the one with the fewest tasks. There is a wait for every edge between
// streams that the others do not imply. Requires edges with `before` below
// `after` below `tasks`, and 1 stream or more. O(edges log edges +
// (tasks + edges) * streams).
StreamSchedule ScheduleOnStreams(size_t tasks, absl::Span<const TaskEdge> edges,
                                 size_t streams);

// The same for the operators of a graph, as an order. Error: InvalidArgument
// for no streams, or more than TaskOrder::kMaxChains.
absl::StatusOr<TaskOrder> OrderOnStreams(const SubgraphSpec& graph,
                                         size_t streams);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_STREAMS_H_
