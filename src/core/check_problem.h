// SPDX-License-Identifier: Apache-2.0
// The check of a problem before it is made: for problem.cc alone.
#ifndef STOWAGE_SRC_CORE_CHECK_PROBLEM_H_
#define STOWAGE_SRC_CORE_CHECK_PROBLEM_H_

#include "absl/status/status.h"
#include "stowage/problem.h"

namespace stowage {

// The errors of Problem::Create.
absl::Status CheckProblem(const ProblemSpec& spec);

// The alignments that a problem asks for; a view of the spec.
Alignments AlignmentsOf(const ProblemSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_CHECK_PROBLEM_H_
