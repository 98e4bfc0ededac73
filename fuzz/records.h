// SPDX-License-Identifier: Apache-2.0
// Usage records, and what plans ask for with them, out of a fuzzer's bytes.
#ifndef STOWAGE_FUZZ_RECORDS_H_
#define STOWAGE_FUZZ_RECORDS_H_

#include <cstddef>
#include <vector>

#include "absl/types/optional.h"
#include "fuzz/input.h"
#include "stowage/usage_record.h"

namespace stowage {

using Records = std::vector<TensorUsageRecord<size_t>>;

inline TensorUsageRecord<size_t> TakeRecord(Input* input) {
  const size_t size = input->Number();
  const size_t first = input->Number();
  // Now and then it wraps, and the record is invalid.
  return {size, first, first + input->Number()};
}

inline Records TakeRecords(Input* input, size_t most) {
  Records records;
  const size_t count = input->UpTo(most);
  while (records.size() < count) records.push_back(TakeRecord(input));
  return records;
}

inline size_t TakeAlignment(Input* input) {
  // One in 32 is no power of two, or too large for any sum.
  const uint8_t kind = input->Byte();
  if (kind >= 248) return input->Number();
  return size_t{1} << (kind % 8);
}

// One for each record.
inline std::vector<size_t> TakeAlignments(Input* input, size_t count) {
  std::vector<size_t> alignments;
  while (alignments.size() < count) alignments.push_back(TakeAlignment(input));
  return alignments;
}

// Offsets for some of the records. What lies far above all else makes a plan
// that large, so they are small.
inline std::vector<absl::optional<size_t>> TakeFixedOffsets(Input* input,
                                                            size_t count) {
  std::vector<absl::optional<size_t>> offsets(count);
  for (absl::optional<size_t>& offset : offsets) {
    if (input->Flag()) offset = input->Number();
  }
  return offsets;
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_RECORDS_H_
