// SPDX-License-Identifier: Apache-2.0
// Some records of a problem on their own: for the check of what a certificate
// says of a conflict. Whether each of them is needed: irreducible.h.
#ifndef STOWAGE_SRC_CERTIFICATE_CONFLICT_H_
#define STOWAGE_SRC_CERTIFICATE_CONFLICT_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// The problem of the records, by index.
absl::StatusOr<Problem> Subproblem(const Problem& problem,
                                   absl::Span<const size_t> indices);

// What the records take one after the other, which is a plan. Nothing if one of
// them has a fixed offset. Problem::Create has made sure that it fits 64 bits.
absl::optional<size_t> SizeOfStack(const Problem& problem,
                                   absl::Span<const size_t> indices);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_CONFLICT_H_
