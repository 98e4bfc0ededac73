// SPDX-License-Identifier: Apache-2.0
// The lower bound of a problem, and other figures that follow from its records.
//
// Each is computed on the first call and kept with the problem, for all of its
// copies. For records alone use profile.h, which needs no problem. Thread-safe.
#ifndef STOWAGE_LOWER_BOUND_H_
#define STOWAGE_LOWER_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/bound_proof.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage {

// A number of bytes that every plan of a problem needs at least, and its proof.
struct LowerBound {
  size_t bytes = 0;
  // If the proof names a task, it is the first one that proves this bound.
  BoundProof proof;
  // The records that need these bytes, if the problem has constraints and these
  // records are known. Otherwise empty.
  std::vector<size_t> records = {};
};

// Returns the description of the proof, which for a bound of 0 bytes names no
// task: "the bytes live at task 7", "no record needs any bytes".
std::string Describe(const LowerBound& bound);

// Returns the highest bound that is known without a search. If the problem
// leaves the order of the tasks, the choice of groups or that of pairs in one
// place to the planner, the bound holds for every order and every choice. O(n
// log n) on the first call.
const LowerBound& LowerBoundOf(const Problem& problem);

// Returns a bound that is at least LowerBoundOf. If the problem has groups and
// all of its offsets are multiples of some number of bytes, the bound may be
// higher, since it also counts the bytes that this alignment leaves unused. The
// bound is not kept with the problem: every call takes O(n log n) or, with
// large groups, up to O(n * members), cut off at a fixed number of steps.
size_t AlignedLowerBound(const Problem& problem);

// Returns a lower bound of the cost of every plan (Solution::cost); 0 without
// constraints. With preferences it takes longer than Solve spends on its bound
// with a strategy that does not search: up to some seconds, on every call.
uint64_t CostLowerBound(const Problem& problem);

// Returns the bytes live at every task at which some record begins, sorted by
// task. Requires a problem without a free order. O(n log n) on the first call.
Span<const TaskBreadth> BreadthsOf(const Problem& problem);

// Returns the size without any sharing: the sum of all sizes. O(n) on the first
// call.
size_t NaiveSize(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_LOWER_BOUND_H_
