// The check of offsets that a caller gives.
#ifndef STOWAGE_CORE_FIXED_OFFSETS_H_
#define STOWAGE_CORE_FIXED_OFFSETS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/profile.h"

namespace stowage {

// Error: InvalidArgument unless there is an entry for every record or none at
// all, every offset is aligned, and no two records overlap at theirs, naming
// both; OutOfRange, naming the record, if what lies above an offset may pass
// 2^64 - 1. The records must have passed the other checks. O(n log n).
absl::Status CheckFixedOffsets(
    absl::Span<const ByteRecord> records, const Alignments& alignments,
    absl::Span<const absl::optional<size_t>> fixed_offsets);

}  // namespace stowage

#endif  // STOWAGE_CORE_FIXED_OFFSETS_H_
