// SPDX-License-Identifier: Apache-2.0
// Generates small problems with a free order, and visits each of their orders.
#ifndef STOWAGE_TESTS_PLAN_RANDOM_ORDERS_H_
#define STOWAGE_TESTS_PLAN_RANDOM_ORDERS_H_

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <vector>

#include "stowage/free_order.h"
#include "stowage/problem.h"

namespace stowage::support {

struct RandomOrderProblem {
  ProblemSpec spec;  // has records, but their intervals have no meaning
  FreeOrder free_order;
};

// Generates problems with up to `tasks` tasks and with `least` to `records`
// records. Tasks are numbered randomly, so an edge may lead from a task to a
// task with a lower number.
inline rc::Gen<RandomOrderProblem> RandomOrders(size_t tasks, size_t records,
                                                size_t least = 0) {
  return rc::gen::exec([tasks, records, least] {
    RandomOrderProblem problem;
    FreeOrder& order = problem.free_order;
    order.tasks = *rc::gen::inRange<size_t>(1, tasks + 1);
    std::vector<TaskId> name(order.tasks);
    std::iota(name.begin(), name.end(), TaskId{0});
    for (size_t k = name.size(); k > 1; --k) {
      std::swap(name[k - 1], name[*rc::gen::inRange<size_t>(0, k)]);
    }
    for (TaskId a = 0; a < order.tasks; ++a) {
      for (TaskId b = a + 1; b < order.tasks; ++b) {
        if (*rc::gen::inRange(0, 4) == 0) {
          order.edges.push_back({name[a], name[b]});
        }
      }
    }
    const size_t count = *rc::gen::inRange<size_t>(least, records + 1);
    for (size_t i = 0; i < count; ++i) {
      std::set<TaskId> users;
      const size_t uses = *rc::gen::inRange<size_t>(1, 4);
      for (size_t k = 0; k < uses; ++k) {
        users.insert(*rc::gen::inRange<TaskId>(0, order.tasks));
      }
      order.users.Add(std::vector<TaskId>(users.begin(), users.end()));
      problem.spec.records.emplace_back(*rc::gen::inRange<size_t>(0, 12), 0, 0);
    }
    return problem;
  });
}

// Calls `visit` with every order of the tasks that the edges allow.
template <typename Visit>
void ForEachOrder(const FreeOrder& free_order, Visit visit) {
  std::vector<TaskId> order(free_order.tasks);
  std::iota(order.begin(), order.end(), TaskId{0});
  do {
    if (!FindOrderViolation(free_order, order)) visit(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_PLAN_RANDOM_ORDERS_H_
