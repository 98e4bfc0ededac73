// SPDX-License-Identifier: Apache-2.0
// Checks constraints before a problem is made. Used by check_problem.cc only.
#ifndef STOWAGE_SRC_MODEL_CHECK_CONSTRAINTS_H_
#define STOWAGE_SRC_MODEL_CHECK_CONSTRAINTS_H_

#include "absl/status/status.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the errors of Problem::Create that concern constraints. Requires that
// records of bytes, alignments, sums (CheckSums) and the lengths of all lists
// except that of users have been checked. O(n log n + size of the constraints).
absl::Status CheckConstraints(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_CONSTRAINTS_H_
