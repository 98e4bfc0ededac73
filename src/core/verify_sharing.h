// SPDX-License-Identifier: Apache-2.0
// Finds records that share bytes although they conflict, and records in holes:
// the part of the verifier that looks at records together. For problems with
// constraints; those without have a sweep of their own in verify.cc.
#ifndef STOWAGE_SRC_CORE_VERIFY_SHARING_H_
#define STOWAGE_SRC_CORE_VERIFY_SHARING_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/profile.h"
#include "stowage/verify.h"

namespace stowage {

// A violation of kind kOverlappingBytes, kUnorderedSharing or kInHole among
// `placed`: records by rising index, of which every end is below 2^64 and, if
// there are pools, the pool exists. The places of other records are not read.
//
// For n of these records and holes: O(n log n + pairs of `never`) by intervals,
// O(n * (users + chains) * log tasks) by a partial order; O(n + tasks) memory.
absl::optional<Violation> FindSharing(absl::Span<const ByteRecord> records,
                                      const Constraints& constraints,
                                      const OffsetsAssignment& assignment,
                                      absl::Span<const size_t> placed);

// The same of kind kNotApart. O(n log n) for n records in all sets.
absl::optional<Violation> FindNotApart(absl::Span<const ByteRecord> records,
                                       const Constraints& constraints,
                                       const OffsetsAssignment& assignment,
                                       absl::Span<const size_t> placed);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_VERIFY_SHARING_H_
