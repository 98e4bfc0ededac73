// SPDX-License-Identifier: Apache-2.0
#include "greedy_in_order/bytes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/construct/release_queue.h"
#include "src/model/execution_order.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::greedy_in_order {
namespace {

// The free objects, as pairs of size and id, sorted by size and then by id.
using Pool = btree_set<std::pair<size_t, size_t>>;

// Assigns each record to the object that `choose(pool, record)` returns, or to
// a new object if `choose` returns pool.end(). Returns nullopt if the signal
// stops the work.
template <typename Choose>
optional<ObjectsAssignment<size_t>> Assign(
    Span<const TensorUsageRecord<size_t>> records, const StopSignal& stop,
    Choose choose) {
  constexpr size_t kRecordsPerPoll = 256;
  ObjectsAssignment<size_t> assignment;
  assignment.object_ids.resize(records.size());
  std::vector<size_t>& sizes = assignment.object_sizes;
  Pool pool;
  ReleaseQueue in_use;
  const auto order = ExecutionOrderUntil(stop, records);
  if (!order) return nullopt;
  size_t placed = 0;
  for (const size_t i : *order) {
    if (placed++ % kRecordsPerPoll == 0 && stop.IsSet()) return nullopt;
    in_use.ReleaseBefore(records[i].first_task,
                         [&](size_t id) { pool.emplace(sizes[id], id); });
    const size_t size = records[i].tensor_size;
    const auto chosen = choose(pool, i);
    size_t id = sizes.size();
    if (chosen == pool.end()) {
      sizes.push_back(size);
    } else {
      id = chosen->second;
      sizes[id] = std::max(sizes[id], size);
      pool.erase(chosen);
    }
    assignment.object_ids[i] = id;
    in_use.Add(records[i].last_task, id);
  }
  return assignment;
}

Pool::iterator ClosestInSize(Pool& pool, size_t size) {
  const auto larger = pool.lower_bound({size, 0});
  if (larger == pool.begin()) return larger;
  const auto smaller = std::prev(larger);
  if (larger == pool.end()) return smaller;
  return size - smaller->first < larger->first - size ? smaller : larger;
}

}  // namespace

optional<ObjectsAssignment<size_t>> AssignBytes(
    Span<const TensorUsageRecord<size_t>> records, const StopSignal& stop) {
  return Assign(records, stop, [&](Pool& pool, size_t i) {
    return ClosestInSize(pool, records[i].tensor_size);
  });
}

optional<ObjectsAssignment<size_t>> AssignBytesWithGraph(
    Span<const TensorUsageRecord<size_t>> records, const UsageGraph& graph,
    const StopSignal& stop) {
  UsageGraph heirs = graph;
  for (std::vector<size_t>& list : heirs) std::sort(list.begin(), list.end());
  std::vector<size_t> last_tensor;  // is indexed by object
  return Assign(records, stop, [&](Pool& pool, size_t i) {
    const size_t size = records[i].tensor_size;
    size_t least = std::numeric_limits<size_t>::max();
    auto chosen = pool.end();
    for (auto entry = pool.begin(); entry != pool.end(); ++entry) {
      const std::vector<size_t>& allowed = heirs[last_tensor[entry->second]];
      const size_t difference =
          std::max(entry->first, size) - std::min(entry->first, size);
      if (difference < least &&
          std::binary_search(allowed.begin(), allowed.end(), i)) {
        least = difference;
        chosen = entry;
      }
    }
    if (chosen == pool.end()) {
      last_tensor.push_back(i);
    } else {
      last_tensor[chosen->second] = i;
    }
    return chosen;
  });
}

}  // namespace stowage::greedy_in_order
