// SPDX-License-Identifier: Apache-2.0
// The part of verify.h that knows problems: apart, since the check of a problem
// itself uses the rest.
#include <cstddef>

#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {

absl::optional<Violation> FindViolation(const Problem& problem,
                                        const OffsetsAssignment& assignment) {
  if (auto violation =
          FindViolation(problem.records(), assignment, problem.alignments())) {
    return violation;
  }
  for (size_t i = 0; i < problem.size(); ++i) {
    const absl::optional<size_t> fixed = problem.fixed_offset(i);
    if (!fixed || *fixed == assignment.offsets[i]) continue;
    Violation violation;
    violation.kind = Violation::Kind::kMoved;
    violation.first_tensor = i;
    violation.begin = assignment.offsets[i];
    violation.limit = *fixed;
    return violation;
  }
  return absl::nullopt;
}

}  // namespace stowage
