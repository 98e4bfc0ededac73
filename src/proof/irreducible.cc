// SPDX-License-Identifier: Apache-2.0
#include "src/proof/irreducible.h"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/bounds/contradiction.h"
#include "src/proof/conflict.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/lower_bound.h"
#include "stowage/verify.h"

namespace stowage::certificate {
namespace {

// The maximum number of records for which the irreducibility of a contradiction
// is checked. No contradiction has more records: it consists of two records
// that overlap, and of at most two other records involved by constraints.
constexpr size_t kMaxRecordsInConflict = 8;

void ListFact(bool is_seen, CertificateVerdict* verdict) {
  (is_seen ? verdict->checked : verdict->not_checked)
      .emplace_back("the conflict fits without any one of its tensors");
}

std::vector<size_t> Without(Span<const size_t> conflict, size_t k) {
  std::vector<size_t> rest(conflict.begin(), conflict.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
  return rest;
}

std::string NotIrreducible(string_view id, string_view reason) {
  return StrCat("the conflict is not irreducible: without '", id, "' ", reason);
}

std::string NotPlan(string_view id, string_view reason) {
  return StrCat("the rest of the conflict without '", id,
                "' has no plan in 'rests': ", reason);
}

// Checks each witness: its offsets must be a plan of the conflict without one
// of its tensors.
Status CheckWitnesses(const Problem& problem, const Claim& claim,
                      Span<const size_t> conflict,
                      CertificateVerdict* verdict) {
  for (size_t k = 0; k < conflict.size(); ++k) {
    const std::vector<size_t> rest = Without(conflict, k);
    const StatusOr<Problem> alone = Subproblem(problem, rest);
    if (!alone.ok()) return alone.status();
    const size_t capacity =
        claim.capacity.value_or(std::numeric_limits<size_t>::max());
    const auto violation =
        FindViolation(*alone, {claim.witnesses[k], capacity});
    if (!violation) continue;
    std::vector<std::string> names;
    names.reserve(rest.size());
    for (const size_t i : rest) names.push_back(claim.ids[i]);
    verdict->refuted =
        NotPlan(claim.ids[conflict[k]], Describe(*violation, names));
    return OkStatus();
  }
  ListFact(/*is_seen=*/true, verdict);
  return OkStatus();
}

// Returns whether the records certainly fit, because the claim has no capacity,
// or because all records are fixed within the capacity. Requires that the fixed
// offsets of the records do not contradict each other.
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

Status CheckIrreducible(const Problem& problem, const Claim& claim,
                        Span<const size_t> conflict,
                        CertificateVerdict* verdict) {
  if (!claim.witnesses.empty()) {
    return CheckWitnesses(problem, claim, conflict, verdict);
  }
  const bool is_short = conflict.size() <= kMaxInIrreducible;
  bool is_seen = is_short;
  for (size_t k = 0; is_short && k < conflict.size(); ++k) {
    const std::vector<size_t> rest = Without(conflict, k);
    const auto stack = SizeOfStack(problem, rest);
    if (stack && *stack <= *claim.capacity) continue;
    is_seen = false;
    const StatusOr<Problem> alone = Subproblem(problem, rest);
    if (!alone.ok()) return alone.status();
    const size_t bound = LowerBoundOf(*alone).bytes;
    if (bound <= *claim.capacity) continue;
    verdict->refuted = NotIrreducible(
        claim.ids[conflict[k]],
        StrCat("the rest need ", bound, " bytes, more than the capacity of ",
               *claim.capacity));
    return OkStatus();
  }
  ListFact(is_seen, verdict);
  return OkStatus();
}

Status CheckIrreducibleContradiction(const Problem& problem, const Claim& claim,
                                     Span<const size_t> conflict,
                                     CertificateVerdict* verdict) {
  if (!claim.witnesses.empty()) {
    return CheckWitnesses(problem, claim, conflict, verdict);
  }
  bool is_seen = conflict.size() <= kMaxRecordsInConflict;
  for (size_t k = 0; is_seen && k < conflict.size(); ++k) {
    const StatusOr<Problem> without = Subproblem(problem, Without(conflict, k));
    if (!without.ok()) return without.status();
    if (FindContradiction(*without)) {
      verdict->refuted =
          NotIrreducible(claim.ids[conflict[k]],
                         "the fixed offsets of the rest contradict each other");
      return OkStatus();
    }
    is_seen = IsKnownToFit(*without, claim);
  }
  ListFact(is_seen, verdict);
  return OkStatus();
}

}  // namespace stowage::certificate
