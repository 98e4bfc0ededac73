// SPDX-License-Identifier: Apache-2.0
// Checks constraints and free orders before a problem is created. Only
// check_problem.cc and problem.cc call these functions, through the table in
// constraint_support.h.
#ifndef STOWAGE_SRC_MODEL_CHECK_CONSTRAINTS_H_
#define STOWAGE_SRC_MODEL_CHECK_CONSTRAINTS_H_

#include <cstddef>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the errors of Problem::Create about the free order: those of
// CheckFreeOrder, and an error if the spec uses a feature that cannot be
// combined with a free order. Requires that the spec has a free order. O(tasks
// + edges + users).
Status CheckWithFreeOrder(const ProblemSpec& spec);

// Returns the errors of Problem::Create about constraints. Requires that the
// records, the alignments, and the lengths of all lists except the list of
// users have been checked. `padded_sum` is the sum of all padded sizes. O(n log
// n + size of the constraints).
Status CheckConstraints(const ProblemSpec& spec, size_t padded_sum);

// Merges all preferences about the same two records into one. The first of them
// keeps its place in the list and gets the sum of all costs; the others are
// removed. Requires that CheckConstraints has found no error. O(preferences).
void AddUpPreferences(std::vector<ApartPreference>* preferences);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_CONSTRAINTS_H_
