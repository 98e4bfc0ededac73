// SPDX-License-Identifier: Apache-2.0
// The check of constraints before a problem is made: for check_problem.cc
// alone.
#ifndef STOWAGE_SRC_CORE_CHECK_CONSTRAINTS_H_
#define STOWAGE_SRC_CORE_CHECK_CONSTRAINTS_H_

#include "absl/status/status.h"
#include "stowage/problem.h"

namespace stowage {

// The errors of Problem::Create that are about constraints. Requires records of
// bytes, alignments, sums (CheckSums) and counts of lists that pass, but for
// that of users. O(n log n + size of the constraints).
absl::Status CheckConstraints(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_CHECK_CONSTRAINTS_H_
