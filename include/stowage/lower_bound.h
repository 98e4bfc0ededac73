// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound of a problem, and other numbers that follow from the
// problem alone.
//
// The results of LowerBoundOf, BreadthsOf and NaiveSize are computed on the
// first call and kept with the problem, for all of its copies. For records
// alone, use profile.h, which needs no problem. All functions are thread-safe.
#ifndef STOWAGE_LOWER_BOUND_H_
#define STOWAGE_LOWER_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/bound_proof.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage {

// A lower bound of the bytes of every plan of a problem, and its proof.
struct LowerBound {
  size_t bytes = 0;
  // If the proof names a task, this is the first task that proves the bound. If
  // the bound is 0 bytes, the kind of the proof is kNoBytes.
  BoundProof proof;
  // The records that need these bytes. The list is empty if the problem has no
  // constraints, or if these records are not known.
  std::vector<size_t> records = {};
};

// Returns the highest bound that is known without a search. If the planner
// chooses the order of the tasks, the groups to keep or the pairs that lie in
// one place, the bound holds for every such choice. O(n log n) on the first
// call.
const LowerBound& LowerBoundOf(const Problem& problem);

// Returns a bound that is at least LowerBoundOf. If the problem has groups and
// all of its offsets are multiples of some number of bytes, the bound may be
// higher, since it also counts the bytes that this alignment leaves unused. The
// bound is not kept with the problem, so every call takes O(n log n) time or,
// with large groups, up to O(n * members). The function stops counting after a
// fixed number of steps.
size_t AlignedLowerBound(const Problem& problem);

// Returns a lower bound of the cost of every plan (Solution::cost), or 0
// without constraints. If the problem has preferences, every call may take some
// seconds. Solve also computes a cost bound. If its strategy does not search,
// Solve spends less time on that bound, so this function may return a higher
// one.
uint64_t CostLowerBound(const Problem& problem);

// Returns the bytes live at every task at which some record begins, sorted by
// task. Requires a problem without a free order. O(n log n) on the first call.
Span<const TaskBreadth> BreadthsOf(const Problem& problem);

// Returns the size without any sharing: the sum of all sizes. O(n) on the first
// call.
size_t NaiveSize(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_LOWER_BOUND_H_
