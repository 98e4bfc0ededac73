// SPDX-License-Identifier: Apache-2.0
// Measures what embedding costs, with the number that is to be reached.
#ifndef STOWAGE_BENCH_EMBEDDING_NUMBERS_H_
#define STOWAGE_BENCH_EMBEDDING_NUMBERS_H_

#include <cstddef>
#include <vector>

#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::bench {

inline constexpr size_t kAlignment = 64;

// Returns the problem of the records, as a runtime makes it from its graph.
Problem ProblemOf(const std::vector<ByteRecord>& records);

// Prints, as a Markdown table, what calls in C cost over the same in C++, the
// allocations of a plan, and the time of a change and of a cancellation, each
// with the most that is wanted. Ratios can be compared between machines, times
// cannot. Returns whether plans that should be equal are.
bool PrintEmbeddingNumbers();

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_EMBEDDING_NUMBERS_H_
