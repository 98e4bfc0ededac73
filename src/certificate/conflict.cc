// SPDX-License-Identifier: Apache-2.0
#include "src/certificate/conflict.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/core/contradiction.h"

namespace stowage::certificate {
namespace {

// Above it whether a contradiction is irreducible is not checked: two records
// overlap, and where constraints join in, two more.
constexpr size_t kMostRecordsInConflict = 8;

// Of records whose fixed offsets do not contradict each other: whether they
// have a plan, as far as that is seen without one.
bool IsKnownToFit(const Problem& problem, const Claim& claim) {
  for (size_t i = 0; claim.capacity && i < problem.size(); ++i) {
    const auto offset = problem.fixed_offset(i);
    if (!offset ||
        *offset + problem.records()[i].tensor_size > *claim.capacity) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<Problem> Subproblem(const Problem& problem,
                                   absl::Span<const size_t> indices) {
  ProblemSpec spec;
  spec.kind = problem.kind();
  for (const size_t i : indices) {
    spec.records.push_back(problem.records()[i]);
    spec.alignments.push_back(problem.alignments().Of(i));
    if (problem.has_fixed_offsets()) {
      spec.fixed_offsets.push_back(problem.fixed_offset(i));
    }
  }
  return Problem::Create(std::move(spec));
}

absl::StatusOr<bool> CheckContradiction(const Problem& problem,
                                        const Claim& claim,
                                        absl::Span<const size_t> conflict,
                                        CertificateVerdict* verdict) {
  const absl::StatusOr<Problem> alone = Subproblem(problem, conflict);
  if (!alone.ok()) return alone.status();
  if (!FindContradiction(*alone)) return false;
  verdict->proved.push_back(
      absl::StrCat("the fixed offsets of the conflict of ", conflict.size(),
                   " tensors contradict each other"));
  if (!claim.irreducible) return true;
  bool is_seen = conflict.size() <= kMostRecordsInConflict;
  for (size_t k = 0; is_seen && k < conflict.size(); ++k) {
    std::vector<size_t> rest(conflict.begin(), conflict.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    const absl::StatusOr<Problem> without = Subproblem(problem, rest);
    if (!without.ok()) return without.status();
    if (FindContradiction(*without)) {
      verdict->refuted = absl::StrCat(
          "the conflict is not irreducible: without '", claim.ids[conflict[k]],
          "' the fixed offsets of the rest contradict each other");
      return true;
    }
    is_seen = IsKnownToFit(*without, claim);
  }
  (is_seen ? verdict->checked : verdict->not_checked)
      .emplace_back("the conflict fits without any one of its tensors");
  return true;
}

}  // namespace stowage::certificate
