// SPDX-License-Identifier: Apache-2.0
#include "src/testing/problem_transforms.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "src/core/lower_problem.h"
#include "stowage/constraints.h"
#include "stowage/task_order.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

template <typename T>
void Pick(absl::Span<const size_t> kept, std::vector<T>* list) {
  if (list->empty()) return;
  std::vector<T> picked;
  for (const size_t i : kept) picked.push_back((*list)[i]);
  *list = std::move(picked);
}

// The lists that call records by their index. `number` is the new index of a
// record, or the number of records if it is gone.
void RenumberRecords(absl::Span<const size_t> number, Constraints* made) {
  const size_t none = number.size();
  std::vector<std::vector<size_t>> apart;
  for (const std::vector<size_t>& set : made->apart) {
    std::vector<size_t> rest;
    for (const size_t i : set) {
      if (number[i] != none) rest.push_back(number[i]);
    }
    if (rest.size() > 1) apart.push_back(std::move(rest));
  }
  DropRepeatedSets(&apart);
  made->apart = std::move(apart);
  std::vector<std::pair<size_t, size_t>> never;
  for (const auto& [a, b] : made->never) {
    if (number[a] != none && number[b] != none) {
      never.emplace_back(number[a], number[b]);
    }
  }
  made->never = std::move(never);
  std::vector<ApartPreference> prefer;
  for (const ApartPreference& p : made->prefer_apart) {
    if (number[p.first] != none && number[p.second] != none) {
      prefer.push_back({number[p.first], number[p.second], p.cost});
    }
  }
  made->prefer_apart = std::move(prefer);
}

// Tasks are renumbered by `number`; precedence is turned around if `is_back`.
void RenumberTasks(const std::function<TaskId(TaskId)>& number, bool is_back,
                   Instance* made) {
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
  if (!changed.ok()) return;  // wider by another cover of chains
  UserLists lists;
  for (size_t i = 0; i < made->records.size(); ++i) {
    std::vector<TaskId> users;
    for (const TaskId user : constraints.users[i]) {
      users.push_back(number(user));
    }
    const auto [first, last] = std::minmax_element(users.begin(), users.end());
    made->records[i].first_task = *first;
    made->records[i].last_task = *last;
    lists.Add(users);
  }
  constraints.users = std::move(lists);
  constraints.order = *std::move(changed);
}

}  // namespace

Instance ProblemOfRecords(const Instance& instance,
                          absl::Span<const size_t> kept) {
  Instance made = instance;
  const size_t count = instance.records.size();
  std::vector<size_t> number(count, count);
  for (size_t k = 0; k < kept.size(); ++k) number[kept[k]] = k;
  Pick(kept, &made.records);
  Pick(kept, &made.alignments);
  Pick(kept, &made.fixed_offsets);
  Pick(kept, &made.witness.offsets);
  Pick(kept, &made.witness.pools);
  Pick(kept, &made.constraints.places);
  Pick(kept, &made.constraints.choices);
  if (!instance.constraints.users.empty()) {
    made.constraints.users = UserLists();
    for (const size_t i : kept) {
      made.constraints.users.Add(instance.constraints.users[i]);
    }
  }
  RenumberRecords(number, &made.constraints);
  return made;
}

Instance ReversedProblem(const Instance& instance) {
  Instance made = instance;
  TaskId last = 0;
  for (const ByteRecord& record : made.records) {
    last = std::max(last, record.last_task);
  }
  for (const Hole& hole : made.constraints.holes) {
    last = std::max(last, hole.last_task);
  }
  if (made.constraints.order) {
    last = std::max<TaskId>(last, made.constraints.order->tasks() - 1);
  }
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
  return made;
}

Instance WithTasksRenumbered(const Instance& instance) {
  Instance made = instance;
  if (!made.constraints.order) return made;
  const TaskId tasks = made.constraints.order->tasks();
  // Of an odd number of tasks k * 2 is a permutation, else backward is one.
  RenumberTasks(
      [tasks](TaskId task) {
        return tasks % 2 == 1 ? task * 2 % tasks : tasks - 1 - task;
      },
      false, &made);
  return made;
}

}  // namespace stowage::testing
