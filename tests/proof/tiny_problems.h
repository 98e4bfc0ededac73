// SPDX-License-Identifier: Apache-2.0
// Makes problems so small that every plan can be tried, for tests of proofs.
#ifndef STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_
#define STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_

#include <cstddef>

#include "src/base/random.h"
#include "stowage/problem.h"

namespace stowage {

// Returns at most `most` records of few tasks and small sizes, with alignments
// and sometimes a fixed record. Most of them need more bytes than are live at
// any task.
ProblemSpec RandomSpec(Random* random, size_t most);

// Returns whether some plan fits. Tries every offset of every record in no
// particular order.
bool Fits(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_
