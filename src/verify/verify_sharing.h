// SPDX-License-Identifier: Apache-2.0
// Finds records that share bytes although they conflict, and records in holes.
// This is the part of the verifier that compares records with each other. It is
// used for problems with constraints; for all other problems, verify.cc has a
// sweep of its own.
#ifndef STOWAGE_SRC_VERIFY_VERIFY_SHARING_H_
#define STOWAGE_SRC_VERIFY_VERIFY_SHARING_H_

#include <cstddef>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {

// Returns a violation of kind kOverlappingBytes, kUnorderedSharing or kInHole
// among `placed`, if there is one. `placed` lists records by rising index; the
// end of each must be below 2^64 and, with pools, its pool must exist. The
// places of other records are not read.
//
// Let n be the number of these records and holes. O(n log n + pairs of `never`)
// time with intervals, and O(n * (users + chains) * log tasks) with a partial
// order; O(n + tasks) memory.
optional<Violation> FindSharing(Span<const ByteRecord> records,
                                const Constraints& constraints,
                                const OffsetsAssignment& assignment,
                                Span<const size_t> placed);

// Returns a violation of kind kNotApart, if there is one. O(n log n), where n
// is the sum of the sizes of all sets.
optional<Violation> FindNotApart(Span<const ByteRecord> records,
                                 const Constraints& constraints,
                                 const OffsetsAssignment& assignment,
                                 Span<const size_t> placed);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_VERIFY_SHARING_H_
