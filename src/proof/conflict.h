// SPDX-License-Identifier: Apache-2.0
// Extracts the records of a conflict from its problem, in order to check a
// certificate. To check that every record of the conflict is needed, use
// irreducible.h.
#ifndef STOWAGE_SRC_PROOF_CONFLICT_H_
#define STOWAGE_SRC_PROOF_CONFLICT_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns the problem that consists of the records with these indices.
StatusOr<Problem> Subproblem(const Problem& problem,
                             Span<const size_t> indices);

// Returns the size of the plan that places the records one after another.
// Returns nothing if one of the records has a fixed offset. Problem::Create has
// checked that the size fits in 64 bits.
optional<size_t> SizeOfStack(const Problem& problem,
                             Span<const size_t> indices);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CONFLICT_H_
