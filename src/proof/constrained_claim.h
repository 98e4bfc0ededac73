// SPDX-License-Identifier: Apache-2.0
// Checks the claims of a certificate about a problem with constraints. Such a
// certificate either claims that no plan exists, or has a plan and states its
// cost. In the second case, it also claims that no plan costs less, and that no
// plan with the same cost needs fewer bytes. To check that a plan is safe, use
// CheckCertificate.
#ifndef STOWAGE_SRC_PROOF_CONSTRAINED_CLAIM_H_
#define STOWAGE_SRC_PROOF_CONSTRAINED_CLAIM_H_

#include <cstddef>
#include <vector>

#include "src/proof/claim.h"
#include "stowage/base/status.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Checks the claims and adds statements to the verdict. Requires that the plan
// of the claim is safe. Errors: InvalidArgument, with the name of the key, if a
// proof lists tensors that do not exist or are not in order, or if the claim
// has no cost. For claims of infeasibility, use CheckOverfullClaim.
Status CheckConstrainedClaim(const Problem& problem, const Claim& claim,
                             CertificateVerdict* verdict);

// Checks the claim that a problem has no plan because the records of its
// conflict do not fit, and adds statements to the verdict. Requires that
// `conflict` has distinct indices of existing records.
void CheckOverfullClaim(const Problem& problem, const Claim& claim,
                        const std::vector<size_t>& conflict,
                        CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CONSTRAINED_CLAIM_H_
