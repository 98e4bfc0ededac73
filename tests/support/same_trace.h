// SPDX-License-Identifier: Apache-2.0
// Compares traces, for tests that write a trace and read it back.
#ifndef STOWAGE_TESTS_SUPPORT_SAME_TRACE_H_
#define STOWAGE_TESTS_SUPPORT_SAME_TRACE_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::support {

template <typename List, typename IsSameEntry>
bool AreSame(const List& a, const List& b, IsSameEntry is_same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same);
}

inline bool IsSameOrder(const Constraints& a, const Constraints& b) {
  if (a.order.has_value() != b.order.has_value()) return false;
  if (!a.order) return a.users.empty() && b.users.empty();
  if (a.order->tasks() != b.order->tasks() ||
      a.order->is_of_streams() != b.order->is_of_streams() ||
      a.order->edges() != b.order->edges() ||
      a.order->chains() != b.order->chains() ||
      a.users.size() != b.users.size()) {
    return false;
  }
  for (size_t c = 0; c < a.order->chains(); ++c) {
    if (a.order->chain(c) != b.order->chain(c)) return false;
  }
  for (size_t i = 0; i < a.users.size(); ++i) {
    if (a.users[i] != b.users[i]) return false;
  }
  return true;
}

// Returns the name of the first member in which the constraints differ, or an
// empty string if they are the same.
inline std::string DifferenceOf(const Constraints& a, const Constraints& b) {
  if (!AreSame(a.places, b.places, [](const auto& x, const auto& y) {
        return x.min == y.min && x.max == y.max && x.group == y.group &&
               x.at == y.at;
      })) {
    return "places";
  }
  if (!AreSame(a.holes, b.holes, [](const Hole& x, const Hole& y) {
        return x.begin == y.begin && x.end == y.end &&
               x.first_task == y.first_task && x.last_task == y.last_task &&
               x.pool == y.pool;
      })) {
    return "holes";
  }
  if (a.apart != b.apart) return "apart";
  if (a.never != b.never) return "never";
  if (!AreSame(a.prefer_apart, b.prefer_apart,
               [](const auto& x, const auto& y) {
                 return x.first == y.first && x.second == y.second &&
                        x.cost == y.cost;
               })) {
    return "prefer_apart";
  }
  if (!AreSame(a.same_or_apart, b.same_or_apart,
               [](const auto& x, const auto& y) {
                 return x.first == y.first && x.second == y.second &&
                        x.copied == y.copied;
               })) {
    return "same_or_apart";
  }
  if (!AreSame(a.pools, b.pools, [](const auto& x, const auto& y) {
        return x.name == y.name && x.capacity == y.capacity;
      })) {
    return "pools";
  }
  if (!AreSame(a.choices, b.choices, [](const auto& x, const auto& y) {
        return AreSame(x, y, [](const PoolChoice& c, const PoolChoice& d) {
          return c.pool == d.pool && c.cost == d.cost;
        });
      })) {
    return "choices";
  }
  return IsSameOrder(a, b) ? "" : "order";
}

inline bool IsSameInfo(const TensorInfo& a, const TensorInfo& b) {
  return a.name == b.name && a.type == b.type && a.shape == b.shape &&
         a.producer == b.producer && a.consumers == b.consumers;
}

// Returns the name of the first member in which the traces differ, or an empty
// string if they are the same. Compares only the members that are written to
// files.
inline std::string DifferenceOf(const ProblemFile& a, const ProblemFile& b) {
  if (a.problem.names != b.problem.names) return "ids";
  if (!AreSame(a.problem.records, b.problem.records,
               [](const auto& x, const auto& y) {
                 return x.tensor_size == y.tensor_size &&
                        x.first_task == y.first_task &&
                        x.last_task == y.last_task;
               })) {
    return "records";
  }
  if (a.problem.alignments != b.problem.alignments) return "alignments";
  if (a.problem.fixed_offsets != b.problem.fixed_offsets) return "fixed";
  if (a.plan.offsets != b.plan.offsets) return "offsets";
  if (a.plan.objects != b.plan.objects) return "objects";
  if (a.plan.chosen_pools != b.plan.chosen_pools) return "chosen_pools";
  if (a.problem.labels.groups != b.problem.labels.groups) return "groups";
  if (a.problem.capacity != b.problem.capacity) return "capacity";
  if (!AreSame(a.problem.labels.tensors, b.problem.labels.tensors,
               IsSameInfo)) {
    return "tensors";
  }
  if (a.problem.labels.operators != b.problem.labels.operators) {
    return "operators";
  }
  return DifferenceOf(a.problem.constraints, b.problem.constraints);
}

inline bool IsSame(const ProblemFile& a, const ProblemFile& b) {
  return DifferenceOf(a, b).empty();
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_SAME_TRACE_H_
