// SPDX-License-Identifier: Apache-2.0
// Returns the lists that connect a certificate with its problem. Each list has
// one entry for each record.
#ifndef STOWAGE_SRC_PROOF_NAMES_H_
#define STOWAGE_SRC_PROOF_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns the names of the tensors of the problem, or the indices of the
// records as text if the problem has no names.
inline std::vector<std::string> NamesOf(const Problem& problem) {
  std::vector<std::string> names(problem.names().begin(),
                                 problem.names().end());
  if (!names.empty()) return names;
  for (size_t i = 0; i < problem.size(); ++i) {
    names.push_back(StrCat(i));
  }
  return names;
}

inline std::vector<size_t> AlignmentsOf(const Problem& problem) {
  std::vector<size_t> alignments;
  for (size_t i = 0; i < problem.size(); ++i) {
    alignments.push_back(problem.alignments().Of(i));
  }
  return alignments;
}

// Checks that a problem can have a certificate. Errors: Unimplemented if the
// problem leaves a choice to the planner: a free order, optional groups, or
// pairs that may share one place.
inline Status CheckIsCertifiable(const Problem& problem) {
  // A certificate does not record these choices, so its check would ignore
  // them.
  if (problem.groups_are_optional()) {
    return UnimplementedError(
        "certificate: not supported for optional groups; expected the groups "
        "that the plan keeps");
  }
  if (problem.constraints() != nullptr &&
      !problem.constraints()->same_or_apart.empty()) {
    return UnimplementedError(
        "certificate: not supported for pairs that may lie in one place; "
        "expected the groups that the plan makes of them");
  }
  if (problem.free_order() != nullptr) {
    return UnimplementedError(
        "certificate: not supported for a free order; expected the intervals "
        "of the records");
  }
  return OkStatus();
}

// Returns the fixed offset of each record, or an empty list if no record has a
// fixed offset.
inline std::vector<optional<size_t>> FixedOffsetsOf(const Problem& problem) {
  std::vector<optional<size_t>> fixed;
  if (!problem.has_fixed_offsets()) return fixed;
  for (size_t i = 0; i < problem.size(); ++i) {
    fixed.push_back(problem.fixed_offset(i));
  }
  return fixed;
}

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_NAMES_H_
