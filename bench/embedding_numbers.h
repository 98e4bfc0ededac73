// SPDX-License-Identifier: Apache-2.0
// Measures what embedding the library costs, and prints the target for each
// cost.
#ifndef STOWAGE_BENCH_EMBEDDING_NUMBERS_H_
#define STOWAGE_BENCH_EMBEDDING_NUMBERS_H_

#include <cstddef>
#include <vector>

#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::bench {

inline constexpr size_t kAlignment = 64;

// Returns the problem of the records, built as a runtime builds it from its
// graph.
Problem ProblemOf(const std::vector<ByteRecord>& records);

// Prints a Markdown table. Its rows are the cost of calls in C relative to the
// same calls in C++, the number of allocations for a plan, and the times to
// change a plan and to cancel a search. Each row also has the highest
// acceptable number. Ratios can be compared between machines, but times cannot.
// Returns whether all plans that should be equal are equal.
bool PrintEmbeddingNumbers();

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_EMBEDDING_NUMBERS_H_
