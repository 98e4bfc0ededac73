// SPDX-License-Identifier: Apache-2.0
#include "src/plan/memory_size.h"

#include <cstddef>
#include <vector>

#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/task_order.h"

namespace stowage {
namespace {

template <typename T>
size_t SizeOf(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

template <typename T>
size_t SizeOf(const std::vector<std::vector<T>>& lists) {
  size_t bytes = lists.capacity() * sizeof(std::vector<T>);
  for (const std::vector<T>& list : lists) bytes += SizeOf(list);
  return bytes;
}

size_t SizeOf(const std::vector<MemoryPool>& pools) {
  size_t bytes = pools.capacity() * sizeof(MemoryPool);
  for (const MemoryPool& pool : pools) bytes += pool.name.capacity();
  return bytes;
}

size_t SizeOf(const UserLists& users) {
  size_t bytes = users.size() * sizeof(size_t);
  for (size_t i = 0; i < users.size(); ++i) {
    bytes += users[i].size() * sizeof(TaskId);
  }
  return bytes;
}

// For each task, a TaskOrder stores the position of the task, and two numbers
// per chain.
size_t SizeOf(const TaskOrder& order) {
  constexpr size_t kOfTask = 2 * sizeof(TaskId) + 2 * sizeof(uint32_t);
  return order.tasks() * (kOfTask + order.chains() * 2 * sizeof(uint32_t)) +
         order.edges().size() * sizeof(TaskEdge);
}

size_t SizeOf(const Constraints& constraints) {
  size_t bytes = SizeOf(constraints.places) + SizeOf(constraints.holes) +
                 SizeOf(constraints.apart) + SizeOf(constraints.never) +
                 SizeOf(constraints.prefer_apart) +
                 SizeOf(constraints.same_or_apart) + SizeOf(constraints.pools) +
                 SizeOf(constraints.choices) + SizeOf(constraints.users) +
                 constraints.group_word.capacity();
  if (constraints.order) bytes += SizeOf(*constraints.order);
  return bytes;
}

}  // namespace

size_t MemorySize(const ProblemSpec& spec) {
  size_t bytes = sizeof(spec) + SizeOf(spec.records) + SizeOf(spec.alignments) +
                 SizeOf(spec.fixed_offsets) + SizeOf(spec.place_first) +
                 SizeOf(spec.constraints);
  if (spec.reallocation_graph) bytes += SizeOf(*spec.reallocation_graph);
  if (spec.free_order) {
    bytes += SizeOf(spec.free_order->edges) + SizeOf(spec.free_order->users);
  }
  return bytes;
}

size_t MemorySize(const Solution& solution) {
  size_t bytes = sizeof(solution) + solution.reason.capacity() +
                 solution.strategy.capacity() + solution.found_by.capacity() +
                 SizeOf(solution.order) + SizeOf(solution.places) +
                 SizeOf(solution.search_proof.records) +
                 SizeOf(solution.chain_weights.records) +
                 SizeOf(solution.chain_weights.weights) +
                 SizeOf(solution.conflict) +
                 SizeOf(solution.conflict_witnesses);
  if (const OffsetsAssignment* plan = solution.offsets()) {
    bytes += SizeOf(plan->offsets) + SizeOf(plan->pools);
  }
  if (const ObjectsAssignment<size_t>* plan = solution.objects()) {
    bytes += SizeOf(plan->object_ids) + SizeOf(plan->object_sizes);
  }
  return bytes;
}

}  // namespace stowage
