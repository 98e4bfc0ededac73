// SPDX-License-Identifier: Apache-2.0
// Measures the overhead of embedding the library, and prints each measurement
// next to its target.
#ifndef STOWAGE_BENCH_EMBEDDING_NUMBERS_H_
#define STOWAGE_BENCH_EMBEDDING_NUMBERS_H_

#include <cstddef>
#include <vector>

#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::bench {

inline constexpr size_t kAlignment = 64;

// Returns the problem of the records, created in the way in which a runtime
// creates it from its graph.
Problem ProblemOf(const std::vector<ByteRecord>& records);

// Prints a Markdown table with these rows: the time of calls in C relative to
// the same calls in C++, the number of allocations for a plan, the time to
// change a plan, and the time to cancel a search. Each row also shows the
// largest acceptable number. Ratios can be compared between machines, but times
// cannot. Returns whether all plans that should be equal are equal.
bool PrintEmbeddingNumbers();

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_EMBEDDING_NUMBERS_H_
