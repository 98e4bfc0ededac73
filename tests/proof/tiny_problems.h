// SPDX-License-Identifier: Apache-2.0
// Generates problems that are small enough to try every plan, for tests of
// proofs.
#ifndef STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_
#define STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_

#include <cstddef>

#include "stowage/base/random.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a problem of at most `max` records with few tasks and small sizes.
// The records are aligned, and sometimes one of them is fixed. Most of the
// problems need more bytes than are live at any task.
ProblemSpec RandomSpec(Random* random, size_t max);

// Returns whether the problem has a plan within the capacity. Tries every
// offset of every record.
bool Fits(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROOF_TINY_PROBLEMS_H_
