// SPDX-License-Identifier: Apache-2.0
// Converts the solution of one problem (the *solved* problem) into a solution
// of another (the *original* problem). Use it to solve a smaller or simpler
// problem in place of the original one. To solve a problem as it is, use
// planner.h.
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

// Says which record of the solved problem stands for each record of the
// original problem.
struct RecordMap {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // For each record of the original problem, the record of the solved problem
  // that stands for it, or kNone if there is none.
  std::vector<uint32_t> record_of;
  // For each record of the original problem: the offset of this record minus
  // the offset of the record that stands for it, in bytes. If no record stands
  // for it, the entry is the offset of the record itself. The list is empty if
  // all entries are 0.
  std::vector<size_t> at = {};
};

// Returns the solution with the offsets, the pools and the conflict of the
// records of the original problem. Total size, bounds, costs and all other
// fields keep their values, with these exceptions. If `bound_proof` names a
// record, the result names one record of the original problem for which that
// record stands, or kNoRecord if there is none. The proof of a search and the
// weights of chains are dropped, since they list records of the solved problem.
// The proofs of a cost are dropped unless each of their records stands for
// exactly one record of the original problem. The witnesses of a conflict are
// dropped if the conflict lists its records in a different order afterwards.
// The conflict no longer counts as irreducible if a record of the solved
// problem stands for several records. Requires a solution with offsets or
// without a plan. O(n).
Solution Renumbered(Solution solution, const RecordMap& map);

// Returns the plan with the offsets and pools of the records of the original
// problem. O(n).
OffsetsAssignment Renumbered(const OffsetsAssignment& plan,
                             const RecordMap& map);

}  // namespace stowage

#endif  // STOWAGE_MODEL_RENUMBER_SOLUTION_H_
