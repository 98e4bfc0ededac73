// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound of a problem, and other numbers that follow from the
// problem without a plan.
//
// LowerBoundOf, BreadthsOf and NaiveSize compute their results on the first
// call and cache them in the problem, shared by all of its copies. If there are
// only records but no Problem, use profile.h. All functions are thread-safe.
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

// A lower bound of the bytes that every plan of a problem needs, and its proof.
struct LowerBound {
  size_t bytes = 0;
  // The proof of the bound. If several tasks prove the bound, the proof names
  // the first of them. If the bound is 0 bytes, the kind of the proof is
  // kNoBytes.
  BoundProof proof;
  // The records that together need these bytes. Empty if the problem has no
  // constraints, or if the records are not known.
  std::vector<size_t> records = {};
};

// Returns the highest bound that is known without a search. If the planner
// chooses the order of the tasks, which groups to keep, or which pairs share
// one place, the bound holds for every such choice. O(n log n) on the first
// call.
const LowerBound& LowerBoundOf(const Problem& problem);

// Returns a bound that is at least LowerBoundOf. It may be higher if the
// problem has groups and all of its offsets must be multiples of some number of
// bytes, because it also counts the bytes that this alignment leaves unused.
// The result is not cached, so every call takes O(n log n) time or, with large
// groups, up to O(n * members). The function stops counting after a fixed
// number of steps.
size_t AlignedLowerBound(const Problem& problem);

// Returns a lower bound of the cost of every plan (Solution::cost), or 0 if the
// problem has no constraints. If the problem has preferences, every call may
// take some seconds. Solve also computes a bound of the cost, but spends less
// time on it if its strategy does not search, so this function may return a
// higher bound than Solve.
uint64_t CostLowerBound(const Problem& problem);

// Returns the number of live bytes at every task at which some record begins,
// sorted by task. Requires a problem without a free order. O(n log n) on the
// first call.
Span<const TaskBreadth> BreadthsOf(const Problem& problem);

// Returns the number of bytes without any sharing: the sum of all sizes. O(n)
// on the first call.
size_t NaiveSize(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_LOWER_BOUND_H_
