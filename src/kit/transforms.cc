// SPDX-License-Identifier: Apache-2.0
#include "src/kit/transforms.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "src/model/keep_records.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

TaskId LastTask(const ProblemSpec& spec) {
  TaskId last = 0;
  for (const ByteRecord& record : spec.records) {
    last = std::max(last, record.last_task);
  }
  for (const Hole& hole : spec.constraints.holes) {
    last = std::max(last, hole.last_task);
  }
  if (spec.constraints.order) {
    last = std::max<TaskId>(last, spec.constraints.order->tasks() - 1);
  }
  return last;
}

std::vector<std::vector<TaskId>> UsersOf(const ProblemSpec& spec) {
  std::vector<std::vector<TaskId>> lists;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const Span<const TaskId> users = spec.constraints.users[i];
    lists.emplace_back(users.begin(), users.end());
  }
  return lists;
}

// Sets the users of each record, and sets its interval to their bounding
// interval. Requires that no list is empty.
void SetUsers(const std::vector<std::vector<TaskId>>& lists,
              ProblemSpec* made) {
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto [first, last] =
        std::minmax_element(lists[i].begin(), lists[i].end());
    made->records[i].first_task = *first;
    made->records[i].last_task = *last;
  }
  made->constraints.users = lists;
}

// Replaces each task by number(task). If `is_back` is true, also reverses
// precedence, so a task that came before another task comes after it.
void RenumberTasks(const std::function<TaskId(TaskId)>& number, bool is_back,
                   ProblemSpec* made) {
  Constraints& constraints = made->constraints;
  const TaskOrder& order = *constraints.order;
  std::vector<TaskEdge> edges;
  for (const TaskEdge& edge : order.edges()) {
    TaskEdge changed = {number(edge.before), number(edge.after)};
    if (is_back) std::swap(changed.before, changed.after);
    edges.push_back(changed);
  }
  std::vector<std::vector<TaskId>> streams;
  for (size_t c = order.chains(); c-- > 0;) {
    streams.emplace_back();
    for (const TaskId task : order.chain(c)) {
      streams.back().push_back(number(task));
    }
    if (is_back) std::reverse(streams.back().begin(), streams.back().end());
  }
  auto changed = order.is_of_streams()
                     ? TaskOrder::FromStreams(std::move(streams), edges)
                     : TaskOrder::FromEdges(order.tasks(), edges);
  // If the changed order needs too many chains, the problem is not changed.
  if (!changed.ok()) return;
  constraints.order = *std::move(changed);
  std::vector<std::vector<TaskId>> lists = UsersOf(*made);
  for (std::vector<TaskId>& users : lists) {
    for (TaskId& user : users) user = number(user);
  }
  SetUsers(lists, made);
}

// Returns edges that preserve the order among the tasks of `chains`, which are
// numbered as in `order`. There is an edge to each task from the last preceding
// task of every chain, unless other edges imply it. If the order has streams,
// only the waits are returned, because the sequences of the streams imply all
// other edges.
std::vector<TaskEdge> EdgesAmong(
    const TaskOrder& order, const std::vector<std::vector<TaskId>>& chains) {
  std::vector<TaskEdge> edges;
  for (const std::vector<TaskId>& chain : chains) {
    for (const TaskId task : chain) {
      std::vector<TaskId> before;
      for (const std::vector<TaskId>& other : chains) {
        const auto end =
            std::find_if(other.begin(), other.end(),
                         [&](TaskId t) { return !order.Precedes(t, task); });
        if (end != other.begin()) before.push_back(*(end - 1));
      }
      for (const TaskId first : before) {
        const bool is_implied = std::any_of(
            before.begin(), before.end(),
            [&](TaskId between) { return order.Precedes(first, between); });
        const bool is_of_stream = order.is_of_streams() &&
                                  order.chain_of(first) == order.chain_of(task);
        if (!is_implied && !is_of_stream) edges.push_back({first, task});
      }
    }
  }
  return edges;
}

}  // namespace

std::vector<size_t> FirstToLast(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

std::vector<size_t> BackwardOrder(size_t count) {
  std::vector<size_t> order = FirstToLast(count);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<size_t> ShuffledOrder(size_t count) {
  std::vector<size_t> order = FirstToLast(count);
  Random random(count);
  for (size_t i = 1; i < count; ++i) {
    std::swap(order[i], order[random.Below(i + 1)]);
  }
  return order;
}

// Undoes a reordering: record i of `plan` becomes record order[i] of the
// result.
OffsetsAssignment RestoreOrder(const OffsetsAssignment& plan,
                               Span<const size_t> order) {
  OffsetsAssignment result = plan;
  for (size_t i = 0; i < order.size(); ++i) {
    result.offsets[order[i]] = plan.offsets[i];
    if (!plan.pools.empty()) result.pools[order[i]] = plan.pools[i];
  }
  return result;
}

// Undoes a reordering: record i of `plan` becomes record order[i] of the
// result. Objects are numbered by first use, because plans that differ only in
// the numbers of objects count as equal.
ObjectsAssignment<size_t> RestoreOrder(const ObjectsAssignment<size_t>& plan,
                                       Span<const size_t> order) {
  std::vector<size_t> ids(order.size());
  for (size_t i = 0; i < order.size(); ++i) ids[order[i]] = plan.object_ids[i];
  ObjectsAssignment<size_t> result;
  const size_t none = plan.object_sizes.size();
  std::vector<size_t> renumbered(plan.object_sizes.size(), none);
  for (const size_t id : ids) {
    if (renumbered[id] == none) {
      renumbered[id] = result.object_sizes.size();
      result.object_sizes.push_back(plan.object_sizes[id]);
    }
    result.object_ids.push_back(renumbered[id]);
  }
  return result;
}

optional<ProblemSpec> Scaled(const ProblemSpec& spec, size_t size_factor,
                             size_t alignment_factor) {
  if (HasConstraints(spec)) return nullopt;
  ProblemSpec result = spec;
  for (ByteRecord& record : result.records) {
    const auto size = CheckedMultiply(record.tensor_size, size_factor);
    if (!size) return nullopt;
    record.tensor_size = *size;
  }
  if (alignment_factor != 1 && result.alignments.empty()) {
    result.alignments.assign(result.records.size(), 1);
  }
  for (size_t& alignment : result.alignments) {
    const auto scaled = CheckedMultiply(alignment, alignment_factor);
    if (!scaled) return nullopt;
    alignment = *scaled;
  }
  return result;
}

ProblemSpec Reversed(const ProblemSpec& spec) {
  const TaskId last = LastTask(spec);
  ProblemSpec made = spec;
  for (Hole& hole : made.constraints.holes) {
    hole.first_task =
        last - std::exchange(hole.last_task, last - hole.first_task);
  }
  if (made.constraints.order) {
    const TaskId end = made.constraints.order->tasks() - 1;
    RenumberTasks([end](TaskId task) { return end - task; }, true, &made);
    return made;
  }
  for (ByteRecord& record : made.records) {
    record.first_task =
        last - std::exchange(record.last_task, last - record.first_task);
  }
  if (HasConstraints(spec) ||
      !std::is_sorted(spec.records.begin(), spec.records.end(),
                      BeginsBefore())) {
    return made;
  }
  std::vector<size_t> order = FirstToLast(made.records.size());
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return BeginsBefore()(made.records[a], made.records[b]);
  });
  return KeepRecords(made, order);
}

optional<ProblemSpec> WithLongRecord(const ProblemSpec& spec) {
  if (HasConstraints(spec) || spec.records.empty()) {
    return nullopt;
  }
  ByteRecord added = spec.records.front();
  for (const ByteRecord& record : spec.records) {
    added.tensor_size = std::max(added.tensor_size, record.tensor_size);
    added.first_task = std::min(added.first_task, record.first_task);
    added.last_task = std::max(added.last_task, record.last_task);
  }
  ProblemSpec result = spec;
  result.records.insert(result.records.begin(), added);
  if (!result.alignments.empty()) {
    result.alignments.insert(result.alignments.begin(),
                             spec.alignments.front());
  }
  return result;
}

optional<ProblemSpec> Shifted(const ProblemSpec& spec, TaskId later) {
  if (HasConstraints(spec) || !CheckedAdd(LastTask(spec), later)) {
    return nullopt;
  }
  ProblemSpec result = spec;
  for (ByteRecord& record : result.records) {
    record.first_task += later;
    record.last_task += later;
  }
  return result;
}

ProblemSpec WithTasksRenumbered(const ProblemSpec& spec) {
  ProblemSpec made = spec;
  if (!made.constraints.order) return made;
  const TaskId tasks = made.constraints.order->tasks();
  // If the number of tasks is odd, task k becomes task 2 * k modulo this
  // number, which is a permutation. If it is even, the tasks are reversed.
  RenumberTasks(
      [tasks](TaskId task) {
        return tasks % 2 == 1 ? task * 2 % tasks : tasks - 1 - task;
      },
      false, &made);
  return made;
}

ProblemSpec WithUsedTasksAlone(const ProblemSpec& spec) {
  std::vector<std::vector<TaskId>> users = UsersOf(spec);
  std::vector<TaskId> used;
  for (const std::vector<TaskId>& list : users) {
    used.insert(used.end(), list.begin(), list.end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto rank = [&](TaskId& task) {
    task = static_cast<TaskId>(
        std::lower_bound(used.begin(), used.end(), task) - used.begin());
  };
  const TaskOrder& order = *spec.constraints.order;
  std::vector<std::vector<TaskId>> chains;
  for (size_t c = 0; c < order.chains(); ++c) {
    std::vector<TaskId> chain;
    for (const TaskId task : order.chain(c)) {
      if (std::binary_search(used.begin(), used.end(), task)) {
        chain.push_back(task);
      }
    }
    if (!chain.empty()) chains.push_back(std::move(chain));
  }
  std::vector<TaskEdge> edges = EdgesAmong(order, chains);
  for (TaskEdge& edge : edges) {
    rank(edge.before);
    rank(edge.after);
  }
  for (std::vector<TaskId>& chain : chains) {
    std::for_each(chain.begin(), chain.end(), rank);
  }
  auto made_order = order.is_of_streams()
                        ? TaskOrder::FromStreams(std::move(chains), edges)
                        : TaskOrder::FromEdges(used.size(), edges);
  ProblemSpec made = spec;
  // If the order of the used tasks needs too many chains, the problem is not
  // changed.
  if (!made_order.ok()) return made;
  made.constraints.order = *std::move(made_order);
  for (std::vector<TaskId>& list : users) {
    std::for_each(list.begin(), list.end(), rank);
  }
  SetUsers(users, &made);
  return made;
}

ProblemSpec WithoutUser(const ProblemSpec& spec, size_t record, size_t user) {
  ProblemSpec made = spec;
  std::vector<std::vector<TaskId>> users = UsersOf(spec);
  users[record].erase(users[record].begin() +
                      static_cast<std::ptrdiff_t>(user));
  SetUsers(users, &made);
  return made;
}

bool DropEdge(size_t edge, ProblemSpec* spec) {
  const TaskOrder& order = *spec->constraints.order;
  std::vector<TaskEdge> edges(order.edges().begin(), order.edges().end());
  edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(edge));
  std::vector<std::vector<TaskId>> chains;
  for (size_t c = 0; c < order.chains(); ++c) {
    chains.emplace_back(order.chain(c).begin(), order.chain(c).end());
  }
  auto made = order.is_of_streams()
                  ? TaskOrder::FromStreams(std::move(chains), edges)
                  : TaskOrder::FromEdges(order.tasks(), edges);
  if (!made.ok()) return false;
  spec->constraints.order = *std::move(made);
  return true;
}

}  // namespace stowage::testing
