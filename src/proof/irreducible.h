// SPDX-License-Identifier: Apache-2.0
// Checks that a conflict fits if any one of its tensors is left out. A
// different check, in check_certificate.cc, shows that the whole conflict does
// not fit.
#ifndef STOWAGE_SRC_PROOF_IRREDUCIBLE_H_
#define STOWAGE_SRC_PROOF_IRREDUCIBLE_H_

#include <cstddef>

#include "src/proof/claim.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Checks that a conflict which exceeds the capacity of the claim is
// irreducible. `conflict` has the indices of its tensors. If the claim has
// witnesses, each of them must be a plan. Otherwise each tensor is left out in
// turn. Irreducibility is confirmed if in every case the remaining tensors fit
// the capacity when they are laid out one after the other. Irreducibility is
// refuted if, in one case, the lower bound of the remaining tensors exceeds the
// capacity. Otherwise, and for conflicts of more than kMaxInIrreducible
// tensors, irreducibility is listed as not checked. O(c^2 log c).
Status CheckIrreducible(const Problem& problem, const Claim& claim,
                        Span<const size_t> conflict,
                        CertificateVerdict* verdict);

// Checks that a conflict of fixed offsets that contradict each other is
// irreducible. If the claim has witnesses, each of them must be a plan.
// Otherwise each tensor is left out in turn. Irreducibility is confirmed if the
// remaining tensors certainly fit in every case: they do not contradict each
// other, and, if the claim has a capacity, all of them are fixed within it.
// Irreducibility is refuted if, in one case, the remaining tensors contradict
// each other. Otherwise, and for conflicts with more tensors than a
// contradiction can have, irreducibility is listed as not checked.
Status CheckIrreducibleContradiction(const Problem& problem, const Claim& claim,
                                     Span<const size_t> conflict,
                                     CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_IRREDUCIBLE_H_
