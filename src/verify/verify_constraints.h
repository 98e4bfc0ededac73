// SPDX-License-Identifier: Apache-2.0
// Verifies plans of problems with constraints. Only verify_problem.cc calls
// this function, through the table in src/model/constraint_support.h.
#ifndef STOWAGE_SRC_VERIFY_VERIFY_CONSTRAINTS_H_
#define STOWAGE_SRC_VERIFY_VERIFY_CONSTRAINTS_H_

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {

// Returns a violation of the constraints or of any other requirement of the
// problem, or nullopt if there is none. Requires that problem.constraints() is
// not null.
optional<Violation> FindConstraintViolation(
    const Problem& problem, const OffsetsAssignment& assignment);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_VERIFY_CONSTRAINTS_H_
