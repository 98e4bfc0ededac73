// SPDX-License-Identifier: Apache-2.0
// Verifies plans of problems with constraints. Used by verify_problem.cc only.
#ifndef STOWAGE_SRC_VERIFY_VERIFY_CONSTRAINTS_H_
#define STOWAGE_SRC_VERIFY_VERIFY_CONSTRAINTS_H_

#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {

// Returns a violation, if there is one, of the constraints or of anything else
// that the problem requires. Requires problem.constraints().
absl::optional<Violation> FindConstraintViolation(
    const Problem& problem, const OffsetsAssignment& assignment);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_VERIFY_CONSTRAINTS_H_
