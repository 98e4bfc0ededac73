// SPDX-License-Identifier: Apache-2.0
// Computes the memory that plans and problems occupy, for PlanCache.
#ifndef STOWAGE_SRC_PLAN_MEMORY_SIZE_H_
#define STOWAGE_SRC_PLAN_MEMORY_SIZE_H_

#include <cstddef>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns the size of an object in bytes, including all memory that the object
// has allocated. Excludes the overhead of the allocator, and the names and
// labels of records. O(number of lists).
size_t MemorySize(const ProblemSpec& spec);
size_t MemorySize(const Solution& solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_MEMORY_SIZE_H_
