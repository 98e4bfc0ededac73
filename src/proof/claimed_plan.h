// SPDX-License-Identifier: Apache-2.0
// Checks the plan of a certificate: that the plan is safe, that it has the size
// that the certificate claims, and that it fits within the capacity that the
// certificate states. To check the bound of the claim as well, use
// CheckCertificate (certificate.h).
#ifndef STOWAGE_SRC_PROOF_CLAIMED_PLAN_H_
#define STOWAGE_SRC_PROOF_CLAIMED_PLAN_H_

#include <cstddef>

#include "src/proof/claim.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns the number of bytes that a plan occupies: the sum over all pools of
// the highest end in the pool, or the highest end if there are no pools.
// OffsetsAssignment::total_size may be larger. Requires a safe plan. O(n).
size_t BytesTaken(const Problem& problem, const OffsetsAssignment& plan);

// Adds a statement about the plan of the claim to the verdict, or sets the
// verdict to refuted. Requires that the pools of the claim exist. Errors: those
// of TotalSize.
Status CheckClaimedPlan(const Problem& problem, const Claim& claim,
                        CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CLAIMED_PLAN_H_
