// SPDX-License-Identifier: Apache-2.0
// Checks a problem before it is created. Only problem.cc calls this function.
#ifndef STOWAGE_SRC_MODEL_CHECK_PROBLEM_H_
#define STOWAGE_SRC_MODEL_CHECK_PROBLEM_H_

#include "stowage/base/status.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the errors of Problem::Create.
Status CheckProblem(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_CHECK_PROBLEM_H_
