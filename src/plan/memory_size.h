// SPDX-License-Identifier: Apache-2.0
// Counts the memory that plans and problems take, for PlanCache.
#ifndef STOWAGE_SRC_PLAN_MEMORY_SIZE_H_
#define STOWAGE_SRC_PLAN_MEMORY_SIZE_H_

#include <cstddef>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns the size of an object in bytes, including all memory that the object
// has allocated, but without the overhead of the allocator. Names and labels of
// records are not counted. O(number of lists).
size_t MemorySize(const ProblemSpec& spec);
size_t MemorySize(const Solution& solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_MEMORY_SIZE_H_
