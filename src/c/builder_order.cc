// SPDX-License-Identifier: Apache-2.0
// Sets the order of the tasks, for problems in which some tasks need not wait
// for the task before them.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/c/border.h"
#include "src/c/builder.h"
#include "src/c/handles.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/problem.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"

namespace stowage::c_api {
namespace {

// Checks that an order of kind `kind` may be added. This is the case if the
// builder has no order yet, or if both the new order and the order of the
// builder consist of streams. Error: FailedPrecondition.
Status CheckOrder(const stowage_builder* builder, OrderKind kind) {
  if (Status s = CheckHandle(builder, "builder"); !s.ok()) return s;
  const bool may_continue =
      kind == OrderKind::kStreams && builder->order == OrderKind::kStreams;
  if (builder->order != OrderKind::kSequence && !may_continue) {
    return FailedPreconditionError(
        "order: already set in this builder; expected one order of tasks");
  }
  return OkStatus();
}

// Adds edges, and then sets the kind of the order. If adding an edge throws,
// the kind remains unchanged.
Status AddEdges(stowage_builder* builder, OrderKind kind,
                const stowage_edge* edges, size_t count) {
  std::vector<TaskEdge>& all = builder->edges;
  all.reserve(all.size() + count);
  for (size_t i = 0; i < count; ++i) {
    all.push_back({edges[i].before, edges[i].after});
  }
  builder->order = kind;
  return OkStatus();
}

Status SetOrder(stowage_builder* builder, OrderKind kind, uint64_t tasks,
                const stowage_edge* edges, size_t count) {
  Status s = CheckArray(edges, count, "edges");
  if (s.ok()) s = CheckOrder(builder, kind);
  if (s.ok()) s = AddEdges(builder, kind, edges, count);
  if (s.ok()) builder->tasks = tasks;
  return s;
}

}  // namespace

StatusOr<ProblemSpec> SpecOf(const stowage_builder& builder) {
  ProblemSpec spec = builder.spec;
  if (builder.order == OrderKind::kFree) {
    spec.free_order = FreeOrder{builder.tasks, builder.edges, builder.users};
    return spec;
  }
  if (!builder.users.empty()) spec.constraints.users = builder.users;
  if (builder.order == OrderKind::kEdges ||
      builder.order == OrderKind::kStreams) {
    StatusOr<TaskOrder> order =
        builder.order == OrderKind::kEdges
            ? TaskOrder::FromEdges(builder.tasks, builder.edges)
            : TaskOrder::FromStreams(builder.streams, builder.edges);
    if (!order.ok()) return order.status();
    spec.constraints.order = *std::move(order);
  }
  return spec;
}

}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_builder_order(stowage_builder* builder, uint64_t tasks,
                                   const stowage_edge* edges, size_t count,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    return c_api::SetOrder(builder, c_api::OrderKind::kEdges, tasks, edges,
                           count);
  });
}

stowage_code stowage_builder_free_order(stowage_builder* builder,
                                        uint64_t tasks,
                                        const stowage_edge* edges, size_t count,
                                        stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    return c_api::SetOrder(builder, c_api::OrderKind::kFree, tasks, edges,
                           count);
  });
}

stowage_code stowage_builder_stream(stowage_builder* builder,
                                    const uint64_t* tasks, size_t count,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckArray(tasks, count, "tasks");
    if (s.ok()) s = c_api::CheckOrder(builder, c_api::OrderKind::kStreams);
    if (!s.ok()) return s;
    builder->streams.emplace_back(tasks, tasks + count);
    builder->order = c_api::OrderKind::kStreams;
    return s;
  });
}

stowage_code stowage_builder_waits(stowage_builder* builder,
                                   const stowage_edge* waits, size_t count,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckArray(waits, count, "waits");
    if (s.ok()) s = c_api::CheckOrder(builder, c_api::OrderKind::kStreams);
    if (!s.ok()) return s;
    return c_api::AddEdges(builder, c_api::OrderKind::kStreams, waits, count);
  });
}

stowage_code stowage_builder_users(stowage_builder* builder, uint64_t record,
                                   const uint64_t* tasks, size_t count,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecord(builder, record);
    if (s.ok()) s = c_api::CheckArray(tasks, count, "tasks");
    if (!s.ok()) return s;
    builder->users.resize(builder->spec.records.size());
    builder->users[record].assign(tasks, tasks + count);
    return s;
  });
}

}  // extern "C"
