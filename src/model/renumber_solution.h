// SPDX-License-Identifier: Apache-2.0
// Turns the solution of one problem into one of another, whose records it
// stands for. Whatever solves a smaller or simpler problem in place of the one
// that was asked for returns its answer through this function.
#ifndef STOWAGE_SRC_MODEL_RENUMBER_SOLUTION_H_
#define STOWAGE_SRC_MODEL_RENUMBER_SOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/solution.h"

namespace stowage {

// How the records of a solved problem stand for those of another one.
struct RecordMap {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // For each record of the other problem: the solved record that stands for it,
  // or kNone if none does.
  std::vector<uint32_t> record_of;
  // For each record of the other problem: how many bytes it lies above the
  // offset of the solved record, or its offset if there is none. Empty if these
  // are all 0.
  std::vector<size_t> at = {};
};

// Returns the solution with the offsets, pools and conflict of the other
// problem's records; all else is kept. Proofs that list records are about the
// solved ones and are left out: the log of a search, weights of chains, and,
// where several records stand for one, the irreducibility of a conflict. Total
// size, bounds and costs stay as they are. Requires offsets or no plan. O(n).
Solution Renumbered(Solution solution, const RecordMap& map);

// Returns the plan with the offsets and pools of the other problem's records.
// O(n).
OffsetsAssignment Renumbered(const OffsetsAssignment& plan,
                             const RecordMap& map);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_RENUMBER_SOLUTION_H_
