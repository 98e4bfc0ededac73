// SPDX-License-Identifier: Apache-2.0
// Checks that a conflict fits without any single one of its tensors. That it
// does not fit with all of them is checked with its bound
// (check_certificate.cc).
#ifndef STOWAGE_SRC_PROOF_IRREDUCIBLE_H_
#define STOWAGE_SRC_PROOF_IRREDUCIBLE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/proof/claim.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Checks a conflict that exceeds the capacity of the claim. If the claim has
// witnesses, each of them must be a plan. Otherwise irreducibility is confirmed
// if the remaining tensors fit one after the other, refuted if their own bound
// exceeds the capacity, and listed as not checked in all other cases and for
// conflicts of more than kMostInIrreducible tensors. `conflict` has the indices
// of its tensors. O(c^2 log c).
absl::Status CheckIrreducible(const Problem& problem, const Claim& claim,
                              absl::Span<const size_t> conflict,
                              CertificateVerdict* verdict);

// Checks a conflict of fixed offsets that contradict each other. Without
// witnesses, irreducibility is confirmed if all remaining tensors are fixed
// within the capacity.
absl::Status CheckIrreducibleContradiction(const Problem& problem,
                                           const Claim& claim,
                                           absl::Span<const size_t> conflict,
                                           CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_IRREDUCIBLE_H_
