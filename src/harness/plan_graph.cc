// SPDX-License-Identifier: Apache-2.0
#include "src/harness/plan_graph.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/task_order.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/sharing.h"
#include "stowage/tflite/streams.h"

namespace stowage::harness {
namespace {

// Returns the order of the tasks on the streams, or nullopt if the tasks run
// one after another.
absl::StatusOr<absl::optional<TaskOrder>> OrderTasks(const RunningGraph& graph,
                                                     size_t streams) {
  if (streams == 1 || graph.tasks().empty()) return {absl::nullopt};
  const absl::optional<size_t> dynamic = graph.FirstDynamicTask();
  if (dynamic) {
    return graph.At(
        *dynamic,
        absl::InvalidArgumentError(absl::StrCat(
            "the shape of its output depends on data, with ", streams,
            " streams; expected shapes that are known before the run, or 1 "
            "stream")));
  }
  absl::StatusOr<TaskOrder> order = OrderOnStreams(graph.spec(), streams);
  if (!order.ok()) return order.status();
  // The tasks of a graph without branches run one after another on any number
  // of streams, so no order is needed.
  if (order->chains() <= 1) return {absl::nullopt};
  return {*std::move(order)};
}

}  // namespace

absl::StatusOr<Planned> PlanGraph(const RunningGraph& graph,
                                  const InterpreterOptions& options) {
  absl::StatusOr<absl::optional<TaskOrder>> order =
      OrderTasks(graph, options.streams);
  if (!order.ok()) return order.status();
  Planned planned;
  MemoryPlan& plan = planned.plan;
  plan.alignment = options.tensor_alignment;
  plan.places = graph.TaskPlaces();
  DescribeGraph(graph, &plan);
  plan.order = *std::move(order);
  LifetimeOptions lifetime_options;
  lifetime_options.rules = options.lifetimes;
  lifetime_options.io = options.io_lifetime;
  lifetime_options.preserve_all = options.preserve_all_tensors;
  lifetime_options.sharing_nodes =
      options.sharing == Sharing::kNone ? 0 : plan.prepared_nodes;
  lifetime_options.order = plan.order ? &*plan.order : nullptr;
  if (options.sharing == Sharing::kGroups &&
      options.lifetimes == LifetimeRules::kCpu) {
    SharedGroups shared = FindSharedGroups(plan.graph, lifetime_options,
                                           options.tensor_alignment);
    plan.lifetimes = std::move(shared.lifetimes);
    plan.tensor_places = std::move(shared.places);
  } else {
    plan.lifetimes = PlanLifetimes(plan.graph, lifetime_options);
  }
  if (plan.order) {
    plan.users = UsersOf(plan.graph, plan.lifetimes, *plan.order);
  }
  return planned;
}

void DescribeGraph(const RunningGraph& graph, MemoryPlan* plan) {
  plan->graph = graph.Describe();
  plan->prepared_nodes = graph.prepared();
}

}  // namespace stowage::harness
