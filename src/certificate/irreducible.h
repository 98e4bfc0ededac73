// SPDX-License-Identifier: Apache-2.0
// Checks that a conflict fits without any one of its tensors. Whether it does
// not fit with all of them is for the check of its bound
// (check_certificate.cc).
#ifndef STOWAGE_SRC_CERTIFICATE_IRREDUCIBLE_H_
#define STOWAGE_SRC_CERTIFICATE_IRREDUCIBLE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/certificate/claim.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Of a conflict that exceeds the capacity of the claim. Each of its rests has
// to be a plan, if it has them. Otherwise that is seen where what is left fits
// one after the other, refuted where its own bound exceeds the capacity, and
// not checked where neither is so, and of more than kMostInIrreducible.
// Requires the tensors of the conflict, by index. O(c^2 log c).
absl::Status CheckIrreducible(const Problem& problem, const Claim& claim,
                              absl::Span<const size_t> conflict,
                              CertificateVerdict* verdict);

// Of one whose fixed offsets contradict each other. Without rests it is seen
// where all that is left is fixed within the capacity.
absl::Status CheckIrreducibleContradiction(const Problem& problem,
                                           const Claim& claim,
                                           absl::Span<const size_t> conflict,
                                           CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_IRREDUCIBLE_H_
