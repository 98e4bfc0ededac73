// SPDX-License-Identifier: Apache-2.0
// Checks what a certificate claims about the plan of a problem with
// constraints: its cost, and that no plan costs less or, at that cost, takes
// fewer bytes. Whether the plan is safe is checked by CheckCertificate.
#ifndef STOWAGE_SRC_PROOF_CONSTRAINED_CLAIM_H_
#define STOWAGE_SRC_PROOF_CONSTRAINED_CLAIM_H_

#include "src/proof/claim.h"
#include "stowage/base/status.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Checks the claims and adds statements to the verdict. Requires that the plan
// of the claim is safe. Error: InvalidArgument, naming the key, if a proof
// lists tensors that do not exist or are not in order, or if the claim has no
// cost or is one of infeasibility.
Status CheckConstrainedClaim(const Problem& problem, const Claim& claim,
                             CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CONSTRAINED_CLAIM_H_
