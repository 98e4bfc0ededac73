// SPDX-License-Identifier: Apache-2.0
// Computes task profiles, and the lower bounds that follow from them, from
// records alone. For the lower bound of a Problem, use LowerBoundOf
// (lower_bound.h).
//
// The *profile* of a task is the set of tensors that are live at the task, and
// the *breadth* of the task is the sum of their sizes. No arena can be smaller
// than the maximum breadth. The k-th *positional maximum* is the largest size
// at position k in any profile, when each profile is sorted by decreasing size.
// The total size of shared objects cannot be less than the sum of the
// positional maximums:
//
//   task         0     1     2       profiles, by decreasing size
//   a (6 bytes)  [=============]     task 0: 6 4     breadth 10
//   b (4 bytes)  [=======]           task 1: 6 4 3   breadth 13
//   c (3 bytes)        [=======]     task 2: 6 5 3   breadth 14
//   d (5 bytes)              [=]
//                                    lower bound for offsets: 14, at task 2
//   positional maximums 6 5 3        lower bound for objects: 14, their sum
//
// Every function takes at most O(n log n) time and O(n) memory, however large
// the task numbers are, because profiles are computed only at tasks at which a
// record begins. All functions require records that CheckUsageRecords accepts.
//
// Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference" (2020), sections 3 to 5.
#ifndef STOWAGE_PROFILE_H_
#define STOWAGE_PROFILE_H_

#include <cstddef>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage {

// Returns the indices of the records that are live at `task`, sorted by
// decreasing size and then by index. O(n + k log k) for k live records.
std::vector<size_t> TaskProfile(Span<const ByteRecord> records, TaskId task);

// A task and the number of bytes that are live at the task.
struct TaskBreadth {
  TaskId task = 0;
  size_t breadth = 0;
};

// Returns the breadth of every task at which some record begins, sorted by
// task. At any other task no record begins, so the breadth is at most that of
// the previous task. O(n log n).
std::vector<TaskBreadth> TaskBreadths(Span<const ByteRecord> records);

// Returns the lower bound for offsets and the first task that attains it, or
// {0, 0} if there are no records. O(n log n).
TaskBreadth MaximumBreadth(Span<const ByteRecord> records);

// Returns the positional maximums: entry k is the largest size at position k in
// any profile, when each profile is sorted by decreasing size. The list is as
// long as the profile with the most records, and its entries never increase.
// O(n log n).
std::vector<size_t> PositionalMaximums(Span<const ByteRecord> records);

// Returns the lower bound for shared objects: the sum of PositionalMaximums.
// O(n log n).
size_t ObjectsLowerBound(Span<const ByteRecord> records);

// Returns the lower bound for offsets: the breadth of MaximumBreadth.
// O(n log n).
size_t OffsetsLowerBound(Span<const ByteRecord> records);

// Returns the size of a plan without any sharing: the sum of all sizes. O(n).
size_t NaiveSize(Span<const ByteRecord> records);

}  // namespace stowage

#endif  // STOWAGE_PROFILE_H_
