// SPDX-License-Identifier: Apache-2.0
#include "greedy_in_order/extents.h"

#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "src/construct/release_queue.h"
#include "src/model/execution_order.h"
#include "stowage/base/span.h"

namespace stowage::greedy_in_order {
namespace {

template <typename Extent>
struct Object {
  Extent extent;
  size_t elements;
};

// Returns the position in `pool` of the object to reuse, or pool.size() if a
// new object is needed.
template <typename Extent>
size_t Choose(const std::vector<size_t>& pool,
              const std::vector<Object<Extent>>& objects, const Extent& extent,
              size_t elements) {
  size_t chosen = pool.size();
  size_t least = std::numeric_limits<size_t>::max();
  for (size_t k = 0; k < pool.size(); ++k) {
    const Object<Extent>& object = objects[pool[k]];
    if (!Covers(object.extent, extent)) continue;
    const size_t spare = object.elements - elements;
    if (spare < least) {
      least = spare;
      chosen = k;
    }
  }
  return chosen;
}

template <typename Extent>
ObjectsAssignment<Extent> Assign(
    Span<const TensorUsageRecord<Extent>> records) {
  ObjectsAssignment<Extent> assignment;
  assignment.object_ids.resize(records.size());
  std::vector<Object<Extent>> objects;
  std::vector<size_t> pool;  // is sorted by time of release
  ReleaseQueue in_use;
  for (const size_t i : ExecutionOrder(records)) {
    in_use.ReleaseBefore(records[i].first_task,
                         [&](size_t id) { pool.push_back(id); });
    const Extent& extent = records[i].tensor_size;
    // ElementCount returns no error, because the records have been checked.
    const size_t elements = *ElementCount(extent);
    const size_t position = Choose(pool, objects, extent, elements);
    size_t id = objects.size();
    if (position == pool.size()) {
      objects.push_back({extent, elements});
    } else {
      id = pool[position];
      pool.erase(std::next(pool.begin(), static_cast<ptrdiff_t>(position)));
    }
    assignment.object_ids[i] = id;
    in_use.Add(records[i].last_task, id);
  }
  for (const Object<Extent>& object : objects) {
    assignment.object_sizes.push_back(object.extent);
  }
  return assignment;
}

}  // namespace

ObjectsAssignment<uint2> AssignExtents(
    Span<const TensorUsageRecord<uint2>> records) {
  return Assign(records);
}

ObjectsAssignment<uint3> AssignExtents(
    Span<const TensorUsageRecord<uint3>> records) {
  return Assign(records);
}

}  // namespace stowage::greedy_in_order
