// SPDX-License-Identifier: Apache-2.0
// Some records of a problem on their own: for the check of what a certificate
// says of a conflict.
#ifndef STOWAGE_SRC_CERTIFICATE_CONFLICT_H_
#define STOWAGE_SRC_CERTIFICATE_CONFLICT_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/certificate/claim.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// The problem of the records, by index.
absl::StatusOr<Problem> Subproblem(const Problem& problem,
                                   absl::Span<const size_t> indices);

// Whether fixed offsets of the conflict contradict each other, whatever the
// capacity; the verdict then has that, and whether the claim that the conflict
// is irreducible holds.
absl::StatusOr<bool> CheckContradiction(const Problem& problem,
                                        const Claim& claim,
                                        absl::Span<const size_t> conflict,
                                        CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_CONFLICT_H_
