// SPDX-License-Identifier: Apache-2.0
// Converts the solution of a solved problem to a solution of another problem,
// for callers that solve a smaller or simpler problem in place of the one that
// they were given. To solve a problem as it is use planner.h.
//
//   // Record 0 was left out and lies at offset 64; 1 and 2 are one record.
//   const RecordMap map = {{RecordMap::kNone, 0, 0}, {64, 0, 1024}};
//   solution = Renumbered(*std::move(solution), map);
#ifndef STOWAGE_MODEL_RENUMBER_SOLUTION_H_
#define STOWAGE_MODEL_RENUMBER_SOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/solution.h"

namespace stowage {

// Says which record of the solved problem stands for each record of the other
// problem.
struct RecordMap {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // Says for each record of the other problem which solved record stands for
  // it. The entry is kNone if no solved record does.
  std::vector<uint32_t> record_of;
  // Says for each record of the other problem how many bytes it lies above the
  // offset of the solved record that stands for it. If no solved record does,
  // the entry is the offset of the record itself. Empty if all entries are 0.
  std::vector<size_t> at = {};
};

// Returns the solution with the offsets, the pools and the conflict of the
// records of the other problem. Total size, bounds, costs and all other fields
// keep their values, with these exceptions. If `bound_proof` names a solved
// record, it afterwards names a record of the other problem that the solved
// record stands for. The proof of a search and the weights of chains list
// solved records and are dropped; so are the proofs of a cost, unless each of
// their records stands for one record. The witnesses of a conflict are dropped
// if its order changes. The conflict no longer counts as irreducible if a
// solved record stands for several records. Requires offsets or no plan. O(n).
Solution Renumbered(Solution solution, const RecordMap& map);

// Returns the plan with the offsets and pools of the records of the other
// problem. O(n).
OffsetsAssignment Renumbered(const OffsetsAssignment& plan,
                             const RecordMap& map);

}  // namespace stowage

#endif  // STOWAGE_MODEL_RENUMBER_SOLUTION_H_
