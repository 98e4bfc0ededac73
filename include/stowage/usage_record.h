// SPDX-License-Identifier: Apache-2.0
// Defines tensor usage records, which every planner reads. Start here.
//
// A *task* is one step of execution, numbered from 0 in execution order. A
// *usage record* says how large a tensor is and during which tasks it must be
// kept. Both ends of the usage interval are INCLUSIVE everywhere in this
// library. Only in files on disk are intervals half-open (see
// io/problem_file.h).
//
//        task   0   1   2   3   4
//   tensor a    [-------]              {size, first_task = 0, last_task = 2}
//   tensor b            [-------]      {size, first_task = 2, last_task = 4}
//   tensor c                [---]      {size, first_task = 3, last_task = 4}
//
// a and b CONFLICT: task 2 reads a while it writes b, so they may not share a
// byte. a and c do not: c may reuse the memory of a.
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

// Index of a task in execution order. Any 64-bit value is accepted, and a high
// one costs no more than a low one.
using TaskId = size_t;

// Size and usage interval of one tensor. `TensorSizeT` is size_t (bytes),
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

// Orders records by their first task (execution order). Records with the same
// first task compare equal, so that a stable sort keeps their sequence.
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

// The largest number of records that can be planned: the library counts them in
// 32 bits.
constexpr size_t kMaxRecords = 0xFFFFFFFF;

// Checks records. Errors, naming the record:
//   InvalidArgument  an interval has first_task > last_task; an extent has a
//                    negative component
//   OutOfRange       an extent has more than 2^64 - 1 elements; the sum of all
//                    byte sizes exceeds 2^64 - 1; there are more than
//                    kMaxRecords records
// The sum of the sizes of byte records that pass this check therefore fits 64
// bits. O(n).
Status CheckUsageRecords(Span<const TensorUsageRecord<size_t>> records);
Status CheckUsageRecords(Span<const TensorUsageRecord<uint2>> records);
Status CheckUsageRecords(Span<const TensorUsageRecord<uint3>> records);
Status CheckUsageRecords(Span<const TensorUsageRecord<BHWC>> records);

// A graph with usage records as its nodes. graph[x] lists the indices of the
// records to which record x has an edge.
using UsageGraph = std::vector<std::vector<size_t>>;

// Returns the reallocation graph. GREEDY_IN_ORDER lets a tensor take over the
// object of another tensor only if this graph joins the two tensors, so that a
// shared object never forces a parallel executor to wait.
//
// `deps[x]` lists the children of x: the tensors that are computed from x. The
// result joins r and v if r has children and v depends, directly or indirectly,
// on every child of r. Two joined tensors list each other. No child depends on
// itself, so r is never joined with a child of its own. Each list ascends and
// has no repetitions.
//
// Error: InvalidArgument, naming the tensor, if an index in `deps` is not below
// deps.size() or the tensors depend on each other in a cycle.
// O(m * (n + m)) time and O(n + m + result) memory for n tensors and m edges.
StatusOr<UsageGraph> BuildReallocationGraph(const UsageGraph& deps);

}  // namespace stowage

#endif  // STOWAGE_USAGE_RECORD_H_
