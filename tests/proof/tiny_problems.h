// SPDX-License-Identifier: Apache-2.0
// Problems so small that every plan can be tried, for tests of what is proved.
#ifndef STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_
#define STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_

#include <cstddef>

#include "src/base/random.h"
#include "stowage/problem.h"

namespace stowage {

// At most `most` records of few tasks and small sizes, with alignments and at
// times a fixed record: most need more than any task holds.
ProblemSpec RandomSpec(Random* random, size_t most);

// Whether a plan fits, by every offset of every record: knows no order.
bool Fits(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_
