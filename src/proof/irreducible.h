// SPDX-License-Identifier: Apache-2.0
// Checks that a conflict fits if any one of its tensors is left out. The check
// that the whole conflict does not fit is in check_certificate.cc.
#ifndef STOWAGE_SRC_PROOF_IRREDUCIBLE_H_
#define STOWAGE_SRC_PROOF_IRREDUCIBLE_H_

#include <cstddef>

#include "src/proof/claim.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Checks that a conflict that exceeds the capacity of the claim is irreducible.
// `conflict` has the indices of its tensors. If the claim has witnesses, checks
// that each of them is a plan. Otherwise leaves out each tensor in turn, with
// one of these results:
// - Irreducibility is confirmed if, in every case, the remaining tensors fit
//   within the capacity when they are placed one after another.
// - Irreducibility is refuted if, in some case, the lower bound of the
//   remaining tensors exceeds the capacity.
// - Otherwise, and for conflicts of more than kMaxInIrreducible tensors,
//   irreducibility is listed as not checked.
//
// O(c^2 log c), where c is the number of tensors in the conflict.
Status CheckIrreducible(const Problem& problem, const Claim& claim,
                        Span<const size_t> conflict,
                        CertificateVerdict* verdict);

// Checks that a conflict of fixed offsets that contradict each other is
// irreducible. If the claim has witnesses, checks that each of them is a plan.
// Otherwise leaves out each tensor in turn, with one of these results:
// - Irreducibility is confirmed if, in every case, the remaining tensors
//   certainly fit: they do not contradict each other and, if the claim has a
//   capacity, all of them are fixed within it.
// - Irreducibility is refuted if, in some case, the remaining tensors
//   contradict each other.
// - Otherwise, and for conflicts with more tensors than a contradiction can
//   have, irreducibility is listed as not checked.
Status CheckIrreducibleContradiction(const Problem& problem, const Claim& claim,
                                     Span<const size_t> conflict,
                                     CertificateVerdict* verdict);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_IRREDUCIBLE_H_
