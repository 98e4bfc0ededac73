// SPDX-License-Identifier: Apache-2.0
// Generates records for which a search takes a long time to find the smallest
// plan.
#ifndef STOWAGE_TESTS_SUPPORT_HARD_RECORDS_H_
#define STOWAGE_TESTS_SUPPORT_HARD_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/usage_record.h"

namespace stowage::support {

// The size of the smallest plan of hard records, in bytes.
constexpr size_t kHardOptimum = 1000;

// Cuts a rectangle of tasks and bytes into `count` pieces and returns them as
// records. The smallest plan has no gaps, so nearly every other plan is larger.
inline std::vector<TensorUsageRecord<size_t>> HardRecords(uint64_t seed,
                                                          size_t count) {
  struct Piece {
    TaskId begin;
    TaskId end;
    size_t size;
  };
  Random random(seed);
  std::vector<Piece> pieces = {{0, count, kHardOptimum}};
  while (pieces.size() < count) {
    Piece& piece = pieces[random.Below(pieces.size())];
    Piece rest = piece;
    if (random.Below(2) == 0 && piece.end - piece.begin > 1) {
      piece.end = piece.begin + 1 + random.Below(piece.end - piece.begin - 1);
      rest.begin = piece.end;
    } else if (piece.size > 1) {
      piece.size = 1 + random.Below(piece.size - 1);
      rest.size -= piece.size;
    } else {
      continue;
    }
    pieces.push_back(rest);
  }
  std::vector<TensorUsageRecord<size_t>> records;
  for (const Piece& piece : pieces) {
    records.emplace_back(piece.size, piece.begin, piece.end - 1);
  }
  return records;
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_HARD_RECORDS_H_
