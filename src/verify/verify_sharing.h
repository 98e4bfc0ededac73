// SPDX-License-Identifier: Apache-2.0
// Finds conflicting records that share bytes, and records in holes. This is the
// part of the verifier that compares records with each other. It is used only
// for problems with constraints; verify.cc has a sweep of its own for all other
// problems.
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

// Returns a violation of kind kOverlappingBytes, kUnorderedSharing,
// kSharedInPart or kInHole among the records of `placed`, if there is one.
// Requires that `placed` lists records by rising index, that the end of each of
// them is below 2^64 and, with pools, that the pool of each of them exists.
// Does not read the places of other records.
//
// Takes O(n log n + pairs of `never`) time with intervals, O(n * (users +
// chains) * log tasks) time with a partial order, and O(n + tasks) memory,
// where n is the number of placed records and holes.
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
