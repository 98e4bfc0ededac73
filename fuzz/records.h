// SPDX-License-Identifier: Apache-2.0
// Generates usage records, alignments and fixed offsets from the bytes of a
// fuzzer.
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
  // The sum sometimes wraps around, and the record is then invalid.
  return {size, first, first + input->Number()};
}

inline Records TakeRecords(Input* input, size_t max) {
  Records records;
  const size_t count = input->UpTo(max);
  while (records.size() < count) records.push_back(TakeRecord(input));
  return records;
}

inline size_t TakeAlignment(Input* input) {
  // One alignment in 32 is any number, and usually not a power of two.
  const uint8_t kind = input->Byte();
  if (kind >= 248) return input->Number();
  return size_t{1} << (kind % 8);
}

// Returns an alignment for each record.
inline std::vector<size_t> TakeAlignments(Input* input, size_t count) {
  std::vector<size_t> alignments;
  while (alignments.size() < count) alignments.push_back(TakeAlignment(input));
  return alignments;
}

// Returns fixed offsets for some of the records. The offsets are small, because
// a record far above all others would determine the total of every plan.
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
