// SPDX-License-Identifier: Apache-2.0
// Defines tensor usage records, the input of every planner. Start reading here.
//
// A *task* is one step of execution, numbered from 0 in execution order. A
// *usage record* has the size of a tensor and its usage interval: the first and
// the last task during which the tensor must be kept in memory. Both ends of
// the interval are INCLUSIVE everywhere in this library. Only files on disk
// have half-open intervals (see io/problem_file.h).
//
//        task   0   1   2   3   4
//   tensor a    [-------]              {size, first_task = 0, last_task = 2}
//   tensor b            [-------]      {size, first_task = 2, last_task = 4}
//   tensor c                [---]      {size, first_task = 3, last_task = 4}
//
// Tensors a and b CONFLICT: task 2 reads a while it writes b, so a and b must
// not share a byte. Tensors a and c do not conflict, so c may reuse the memory
// of a.
//
//   std::vector<TensorUsageRecord<size_t>> records = {
//       {4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
#ifndef STOWAGE_USAGE_RECORD_H_
#define STOWAGE_USAGE_RECORD_H_

#include <cstddef>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/tensor_size.h"

namespace stowage {

// The index of a task in execution order. Any 64-bit value is accepted; high
// task numbers cost no more time or memory than low ones.
using TaskId = size_t;

// The size and usage interval of one tensor. `TensorSizeT` is size_t (bytes),
// uint2, uint3 or BHWC. Requires first_task <= last_task.
template <typename TensorSizeT>
struct TensorUsageRecord {
  TensorSizeT tensor_size{};
  TaskId first_task = 0;  // inclusive
  TaskId last_task = 0;   // inclusive

  TensorUsageRecord() = default;
  TensorUsageRecord(TensorSizeT size, TaskId first, TaskId last)
      : tensor_size(size), first_task(first), last_task(last) {}
};

using ByteRecord = TensorUsageRecord<size_t>;

// Orders records by first task (execution order). Records with the same first
// task compare equal, so a stable sort preserves their relative order.
//
//   std::stable_sort(records.begin(), records.end(), BeginsBefore());
struct BeginsBefore {
  template <typename TensorSizeT>
  bool operator()(const TensorUsageRecord<TensorSizeT>& a,
                  const TensorUsageRecord<TensorSizeT>& b) const {
    return a.first_task < b.first_task;
  }
};

// Returns whether the intervals of the two records share a task. A single
// shared task is enough for a conflict.
template <typename TensorSizeT>
bool Conflict(const TensorUsageRecord<TensorSizeT>& a,
              const TensorUsageRecord<TensorSizeT>& b) {
  return a.first_task <= b.last_task && b.first_task <= a.last_task;
}

// The maximum number of records in a problem. The library counts records in 32
// bits.
constexpr size_t kMaxRecords = 0xFFFFFFFF;

// Checks records. Errors, naming the record:
//   InvalidArgument  an interval has first_task > last_task; an extent has a
//                    negative component
//   OutOfRange       an extent has more than 2^64 - 1 elements; the sum of all
//                    byte sizes exceeds 2^64 - 1; there are more than
//                    kMaxRecords records
// If this check accepts records with sizes in bytes, the sum of their sizes
// fits in 64 bits. O(n).
Status CheckUsageRecords(Span<const TensorUsageRecord<size_t>> records);
Status CheckUsageRecords(Span<const TensorUsageRecord<uint2>> records);
Status CheckUsageRecords(Span<const TensorUsageRecord<uint3>> records);
Status CheckUsageRecords(Span<const TensorUsageRecord<BHWC>> records);

// A graph with usage records as nodes. graph[x] lists the indices of the
// records to which record x has an edge.
using UsageGraph = std::vector<std::vector<size_t>>;

// Returns the reallocation graph. Given this graph, GREEDY_IN_ORDER lets a
// tensor take over the object of another tensor only if the graph has an edge
// between the two tensors, so a shared object never forces a parallel executor
// to wait.
//
// `deps[x]` lists the children of x: the tensors that are computed from x. The
// result has an edge between r and v if r has children and v depends, directly
// or indirectly, on every child of r. The edge appears in the lists of both
// tensors. There is no edge between r and its children, because no child
// depends on itself. Each list is ascending and has no duplicates.
//
// Error: InvalidArgument, naming the tensor, if an index in `deps` is not below
// deps.size() or the dependencies form a cycle.
//
// O(m * (n + m)) time and O(n + m + result) memory for n tensors and m edges.
StatusOr<UsageGraph> BuildReallocationGraph(const UsageGraph& deps);

}  // namespace stowage

#endif  // STOWAGE_USAGE_RECORD_H_
