// SPDX-License-Identifier: Apache-2.0
#include "stowage/free_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/error_payload.h"
#include "stowage/labels.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

constexpr size_t kUnplaced = std::numeric_limits<size_t>::max();
// The maximum number of tasks that have neither edges nor users. The number is
// limited because each task occupies memory.
constexpr size_t kMaxIdleTasks = size_t{1} << 24;

Status CheckTaskNumber(const FreeOrder& free_order, size_t users) {
  constexpr size_t kMax = std::numeric_limits<uint32_t>::max() - 1;
  const size_t named = 2 * free_order.edges.size() + users;
  if (free_order.tasks <= std::min(kMax, named + kMaxIdleTasks)) {
    return OkStatus();
  }
  return ResourceExhaustedError(StrCat("free order: ", free_order.tasks,
                                       " tasks; expected at most ",
                                       std::min(kMax, named + kMaxIdleTasks)));
}

Status CheckUserList(const FreeOrder& free_order, size_t record) {
  const Span<const TaskId> users = free_order.users[record];
  if (users.empty()) {
    return WithRecords(InvalidArgumentError(
                           StrCat("free order: record ", record,
                                  " has no users; expected at least one task")),
                       {record});
  }
  for (const TaskId task : users) {
    if (task < free_order.tasks) continue;
    return WithRecords(InvalidArgumentError(StrCat(
                           "free order: record ", record, " has user ", task,
                           "; expected tasks below ", free_order.tasks)),
                       {record});
  }
  return OkStatus();
}

Status CheckFreeEdge(const FreeOrder& free_order, size_t index) {
  const TaskEdge& edge = free_order.edges[index];
  const TaskId greater = std::max(edge.before, edge.after);
  if (greater >= free_order.tasks) {
    return InvalidArgumentError(
        StrCat("free order: edge ", index, " names task ", greater,
               "; expected tasks below ", free_order.tasks));
  }
  if (edge.before != edge.after) return OkStatus();
  return InvalidArgumentError(StrCat("free order: edge ", index, " makes task ",
                                     edge.before,
                                     " precede itself; expected no cycle"));
}

// Checks with Kahn's algorithm that the edges form no cycle. A task that never
// becomes ready either is on a cycle or depends on a task that is on a cycle.
Status CheckNoCycle(const FreeOrder& free_order) {
  std::vector<size_t> first(free_order.tasks + 1, 0);
  std::vector<size_t> awaited(free_order.tasks, 0);
  for (const TaskEdge& edge : free_order.edges) {
    ++first[edge.before + 1];
    ++awaited[edge.after];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<TaskId> followers(free_order.edges.size());
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (const TaskEdge& edge : free_order.edges) {
    followers[next[edge.before]++] = edge.after;
  }
  std::vector<TaskId> ready;
  for (TaskId task = 0; task < free_order.tasks; ++task) {
    if (awaited[task] == 0) ready.push_back(task);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const TaskId task = ready.back();
    ready.pop_back();
    ++done;
    for (size_t e = first[task]; e < first[task + 1]; ++e) {
      if (--awaited[followers[e]] == 0) ready.push_back(followers[e]);
    }
  }
  if (done == free_order.tasks) return OkStatus();
  const auto stuck = std::find_if(awaited.begin(), awaited.end(),
                                  [](size_t count) { return count > 0; });
  return InvalidArgumentError(
      StrCat("free order: task ", stuck - awaited.begin(), " and ",
             free_order.tasks - done - 1,
             " more wait for each other in a cycle; expected an order"));
}

}  // namespace

Status CheckFreeOrder(const FreeOrder& free_order, size_t records) {
  if (free_order.users.size() != records) {
    return InvalidArgumentError(
        StrCat("free order: users of ", free_order.users.size(),
               " records; expected those of each of ", records, " records"));
  }
  size_t users = 0;
  for (size_t i = 0; i < records; ++i) users += free_order.users[i].size();
  if (Status s = CheckTaskNumber(free_order, users); !s.ok()) return s;
  for (size_t i = 0; i < records; ++i) {
    if (Status s = CheckUserList(free_order, i); !s.ok()) return s;
  }
  for (size_t e = 0; e < free_order.edges.size(); ++e) {
    if (Status s = CheckFreeEdge(free_order, e); !s.ok()) return s;
  }
  return CheckNoCycle(free_order);
}

optional<OrderViolation> FindOrderViolation(const FreeOrder& free_order,
                                            Span<const TaskId> order) {
  OrderViolation violation;
  violation.length = order.size();
  violation.tasks = free_order.tasks;
  if (order.size() != free_order.tasks) return violation;
  std::vector<size_t> positions(order.size(), kUnplaced);
  for (size_t p = 0; p < order.size(); ++p) {
    violation.task = order[p];
    violation.position = p;
    violation.kind = OrderViolation::Kind::kUnknownTask;
    if (order[p] >= order.size()) return violation;
    violation.other_position = positions[order[p]];
    violation.kind = OrderViolation::Kind::kRepeatedTask;
    if (violation.other_position != kUnplaced) return violation;
    positions[order[p]] = p;
  }
  violation.kind = OrderViolation::Kind::kNotTopological;
  for (const TaskEdge& edge : free_order.edges) {
    if (positions[edge.before] < positions[edge.after]) continue;
    violation.edge = edge;
    violation.task = edge.after;
    violation.position = positions[edge.after];
    violation.other_position = positions[edge.before];
    return violation;
  }
  return nullopt;
}

std::string Describe(const OrderViolation& violation) {
  switch (violation.kind) {
    case OrderViolation::Kind::kWrongLength:
      return StrCat("order has ", violation.length,
                    " entries; expected each of ", violation.tasks,
                    " tasks once");
    case OrderViolation::Kind::kUnknownTask:
      return StrCat("order has task ", violation.task, " at position ",
                    violation.position, "; expected tasks below ",
                    violation.tasks);
    case OrderViolation::Kind::kRepeatedTask:
      return StrCat("order has task ", violation.task, " at positions ",
                    violation.other_position, " and ", violation.position,
                    "; expected each task once");
    case OrderViolation::Kind::kNotTopological:
      break;
  }
  return StrCat("order is not topological: task ", violation.edge.after,
                " runs at position ", violation.position, ", before task ",
                violation.edge.before, " at position ",
                violation.other_position, "; expected the edge [",
                violation.edge.before, ", ", violation.edge.after,
                "] to be kept");
}

std::vector<size_t> PositionsIn(Span<const TaskId> order) {
  std::vector<size_t> positions(order.size());
  for (size_t p = 0; p < order.size(); ++p) positions[order[p]] = p;
  return positions;
}

std::vector<TensorUsageRecord<size_t>> RecordsInOrder(
    Span<const TensorUsageRecord<size_t>> records, const FreeOrder& free_order,
    Span<const TaskId> order) {
  const std::vector<size_t> positions = PositionsIn(order);
  std::vector<TensorUsageRecord<size_t>> placed(records.begin(), records.end());
  for (size_t i = 0; i < records.size(); ++i) {
    size_t first = kUnplaced;
    size_t last = 0;
    for (const TaskId user : free_order.users[i]) {
      first = std::min(first, positions[user]);
      last = std::max(last, positions[user]);
    }
    placed[i].first_task = first;
    placed[i].last_task = last;
  }
  return placed;
}

Labels LabelsInOrder(Labels labels, Span<const TaskId> order) {
  const std::vector<size_t> positions = PositionsIn(order);
  const auto move = [&](size_t* task) {
    if (*task < positions.size()) *task = positions[*task];
  };
  for (TensorInfo& info : labels.tensors) {
    if (info.producer) move(&*info.producer);
    for (size_t& consumer : info.consumers) move(&consumer);
    std::sort(info.consumers.begin(), info.consumers.end());
  }
  if (labels.operators.empty()) return labels;
  std::vector<std::string> operators(order.size());
  for (size_t task = 0; task < labels.operators.size(); ++task) {
    if (task >= positions.size()) break;
    operators[positions[task]] = std::move(labels.operators[task]);
  }
  labels.operators = std::move(operators);
  return labels;
}

}  // namespace stowage
