// SPDX-License-Identifier: Apache-2.0
// The verifier of problems with constraints: for verify_problem.cc.
#ifndef STOWAGE_SRC_CORE_VERIFY_CONSTRAINTS_H_
#define STOWAGE_SRC_CORE_VERIFY_CONSTRAINTS_H_

#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {

// FindViolation of problem.h's constraints and all else. Requires
// problem.constraints().
absl::optional<Violation> FindConstraintViolation(
    const Problem& problem, const OffsetsAssignment& assignment);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_VERIFY_CONSTRAINTS_H_
