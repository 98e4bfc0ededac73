// SPDX-License-Identifier: Apache-2.0
// Extracts some records of a problem, to check the conflict of a certificate.
// To check that each of them is needed, use irreducible.h.
#ifndef STOWAGE_SRC_PROOF_CONFLICT_H_
#define STOWAGE_SRC_PROOF_CONFLICT_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns the problem that consists of these records, given by index.
StatusOr<Problem> Subproblem(const Problem& problem,
                             Span<const size_t> indices);

// Returns the size of the plan that lays out the records one after the other.
// Returns nothing if one of them has a fixed offset. Problem::Create has
// checked that the size fits 64 bits.
optional<size_t> SizeOfStack(const Problem& problem,
                             Span<const size_t> indices);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CONFLICT_H_
