// SPDX-License-Identifier: Apache-2.0
// Replaces the planner of TensorFlow Lite's GPU delegate
// (tensorflow/lite/delegates/gpu/common/memory_management.h) with functions
// that call Stowage, with the same names and parameters in the same namespace,
// tflite::gpu.
//
// Include this header instead of memory_management.h and
// memory_management/types.h; code that calls their functions need not change.
// In new code, include stowage/planner.h, which also has searches, bounds and
// constraints.
//
//   OffsetsAssignment assignment;
//   RETURN_IF_ERROR(AssignOffsetsToTensors(
//       usage_records, MemoryStrategy::GREEDY_BY_SIZE, &assignment, 64));
//
// Unlike the planner of the host, this planner verifies every plan before
// returning it and accepts records in any order. A strategy returns
// Unimplemented if it does not support a type of sizes or the reallocation
// graph. For all differences, see README.md in this folder.
#ifndef STOWAGE_ADAPTERS_TFLITE_GPU_MEMORY_MANAGEMENT_H_
#define STOWAGE_ADAPTERS_TFLITE_GPU_MEMORY_MANAGEMENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/strategy.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace tflite::gpu {

using TaskId = size_t;
using stowage::MemoryStrategy;
using stowage::UsageGraph;

// The size of a tensor, and the first and last task that use it, both
// inclusive.
template <typename TensorSizeT>
struct TensorUsageRecord {
  TensorSizeT tensor_size;
  TaskId first_task;
  TaskId last_task;

  TensorUsageRecord(TensorSizeT size, TaskId first, TaskId last)
      : tensor_size(size), first_task(first), last_task(last) {}

  // Orders records by their first task.
  bool operator<(const TensorUsageRecord& other) const {
    return first_task < other.first_task;
  }
};

// The object of each tensor, and the size of each object.
template <typename TensorSizeT>
struct ObjectsAssignment {
  std::vector<size_t> object_ids;
  std::vector<TensorSizeT> object_sizes;
};

// The offset of each tensor in one arena of `total_size` bytes.
struct OffsetsAssignment {
  std::vector<size_t> offsets;
  size_t total_size = 0;
};

namespace internal {

template <typename...>
struct MakeVoid {
  using Type = void;
};

// Converts sizes of the host to sizes of Stowage and back. Extents are
// converted component by component. Sizes of all other types are not converted.
template <typename T, typename = void>
struct SizeOf {
  using Type = void;
};
template <>
struct SizeOf<size_t> {
  using Type = size_t;
  static size_t From(size_t size) { return size; }
  static size_t To(size_t size) { return size; }
};
template <typename T>
struct SizeOf<T, typename MakeVoid<decltype(T().b, T().h, T().w,
                                            T(0, 0, 0, 0).c)>::Type> {
  using Type = stowage::BHWC;
  static Type From(const T& size) { return {size.b, size.h, size.w, size.c}; }
  static T To(const Type& size) { return T(size.b, size.h, size.w, size.c); }
};
template <typename T>
struct SizeOf<T,
              typename MakeVoid<decltype(T().x, T().y, T(0, 0, 0).z)>::Type> {
  using Type = stowage::uint3;
  static Type From(const T& size) { return {size.x, size.y, size.z}; }
  static T To(const Type& size) { return T(size.x, size.y, size.z); }
};
template <typename T>
struct SizeOf<T, typename MakeVoid<decltype(T().x, T(0, 0).y)>::Type> {
  using Type = stowage::uint2;
  static Type From(const T& size) { return {size.x, size.y}; }
  static T To(const Type& size) { return T(size.x, size.y); }
};

template <typename To, typename From, typename Convert>
std::vector<stowage::TensorUsageRecord<To>> RecordsOf(
    const std::vector<TensorUsageRecord<From>>& records,
    const Convert& convert) {
  std::vector<stowage::TensorUsageRecord<To>> converted;
  converted.reserve(records.size());
  for (const auto& record : records) {
    converted.emplace_back(convert(record.tensor_size), record.first_task,
                           record.last_task);
  }
  return converted;
}

// Assigns objects to tensors with sizes that can only be compared for equality.
template <typename T>
stowage::Status AssignEqual(const std::vector<TensorUsageRecord<T>>& records,
                            MemoryStrategy strategy,
                            ObjectsAssignment<T>* assignment,
                            const UsageGraph* reallocation_graph) {
  if (strategy != MemoryStrategy::NAIVE &&
      strategy != MemoryStrategy::EQUALITY) {
    return stowage::UnimplementedError(
        "sizes of this type have no order; expected NAIVE or EQUALITY");
  }
  // The records for Stowage have numbers as sizes. A size of the host becomes
  // the number i + 1, where i is its index in the list `types`.
  std::vector<T> types;
  const auto number_of = [&types](const T& type) {
    const auto found = std::find(types.begin(), types.end(), type);
    const auto number = static_cast<size_t>(found - types.begin()) + 1;
    if (found == types.end()) types.push_back(type);
    return number;
  };
  stowage::ObjectsAssignment<size_t> numbers;
  stowage::Status status =
      stowage::AssignObjectsToTensors(RecordsOf<size_t>(records, number_of),
                                      strategy, &numbers, reallocation_graph);
  if (!status.ok()) return status;
  assignment->object_ids = std::move(numbers.object_ids);
  assignment->object_sizes.clear();
  for (const size_t number : numbers.object_sizes) {
    assignment->object_sizes.push_back(types[number - 1]);
  }
  return status;
}

}  // namespace internal

// Derives the reallocation graph from a graph of dependencies, as
// stowage::BuildReallocationGraph does. If the dependencies form a cycle or
// refer to tensors that do not exist, returns a graph without tensors, which
// the functions below refuse.
inline UsageGraph ReallocationGraph(const UsageGraph& deps_graph) {
  stowage::StatusOr<UsageGraph> graph =
      stowage::BuildReallocationGraph(deps_graph);
  if (!graph.ok()) return {};
  return *std::move(graph);
}

// Lays objects out one after the other. Returns no offsets if an object does
// not exist or the total does not fit in 64 bits.
inline OffsetsAssignment ObjectsToOffsets(
    const ObjectsAssignment<size_t>& objects) {
  const stowage::StatusOr<stowage::OffsetsAssignment> offsets =
      stowage::ObjectsToOffsets({objects.object_ids, objects.object_sizes});
  if (!offsets.ok()) return {};
  return {offsets->offsets, offsets->total_size};
}

// Assigns a shared object to every tensor. TensorSizeT is size_t (bytes), a
// type with the components x and y, or x, y and z, or b, h, w and c, or, for
// the strategies NAIVE and EQUALITY, any type with operator==. Errors: those of
// stowage::AssignObjectsToTensors. On error, `assignment` is unchanged.
template <typename TensorSizeT>
stowage::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph = nullptr) {
  using Size = internal::SizeOf<TensorSizeT>;
  if constexpr (std::is_void_v<typename Size::Type>) {
    return internal::AssignEqual(usage_records, strategy, assignment,
                                 reallocation_graph);
  } else {
    stowage::ObjectsAssignment<typename Size::Type> objects;
    stowage::Status status = stowage::AssignObjectsToTensors(
        internal::RecordsOf<typename Size::Type>(usage_records, Size::From),
        strategy, &objects, reallocation_graph);
    if (!status.ok()) return status;
    assignment->object_ids = std::move(objects.object_ids);
    assignment->object_sizes.clear();
    for (const auto& size : objects.object_sizes) {
      assignment->object_sizes.push_back(Size::To(size));
    }
    return status;
  }
}

// Assigns to every tensor an offset in one arena. Each offset is a multiple of
// `base_addr_align_bytes`, which must be a power of two. Errors: those of
// stowage::AssignOffsetsToTensors. On error, `assignment` is unchanged.
inline stowage::Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes = 1,
    const UsageGraph* reallocation_graph = nullptr) {
  stowage::OffsetsAssignment offsets;
  stowage::Status status = stowage::AssignOffsetsToTensors(
      internal::RecordsOf<size_t>(usage_records,
                                  internal::SizeOf<size_t>::From),
      strategy, &offsets, base_addr_align_bytes, reallocation_graph);
  if (!status.ok()) return status;
  assignment->offsets = std::move(offsets.offsets);
  assignment->total_size = offsets.total_size;
  return status;
}

// Assigns shared objects with the best of the greedy strategies.
inline stowage::Status BestGreedy(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    ObjectsAssignment<size_t>* assignment) {
  return AssignObjectsToTensors(usage_records, MemoryStrategy::GREEDY_BEST,
                                assignment);
}

}  // namespace tflite::gpu

#endif  // STOWAGE_ADAPTERS_TFLITE_GPU_MEMORY_MANAGEMENT_H_
