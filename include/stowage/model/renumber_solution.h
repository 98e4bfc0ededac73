// SPDX-License-Identifier: Apache-2.0
// Converts the solution of one problem (the *solved* problem) into a solution
// of another problem (the *original* problem). Use it after solving a smaller
// or simpler problem in place of the original one. To solve a problem as it is,
// use planner.h.
//
//   // Record 0 was left out and is at offset 64; 1 and 2 are one record.
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

// Maps each record of the original problem to the record of the solved problem
// that represents it.
struct RecordMap {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // For each record of the original problem, the record of the solved problem
  // that represents it, or kNone if no record represents it.
  std::vector<uint32_t> record_of;
  // For each record of the original problem, the offset of this record minus
  // the offset of the record that represents it, in bytes. If no record
  // represents it, the entry is the offset of the record itself. Empty if all
  // entries are 0.
  std::vector<size_t> at = {};
};

// Returns the solution with the offsets, the pools and the conflict of the
// records of the original problem. Requires a solution with offsets, or without
// a plan. O(n).
//
// The total size, bounds, costs and all other fields keep their values, with
// these exceptions:
//
// - If `bound_proof` names a record, the result names one record of the
//   original problem that is represented by that record, or kNoRecord if there
//   is none.
// - The proof of a search and the weights of chains are dropped, since they
//   list records of the solved problem.
// - The proofs of a cost are dropped unless each of their records represents
//   exactly one record of the original problem.
// - The witnesses of a conflict are dropped if the order of the conflict's
//   records changes.
// - The conflict no longer counts as irreducible if a record of the solved
//   problem represents several records.
Solution Renumbered(Solution solution, const RecordMap& map);

// Returns the plan with the offsets and pools of the records of the original
// problem. O(n).
OffsetsAssignment Renumbered(const OffsetsAssignment& plan,
                             const RecordMap& map);

}  // namespace stowage

#endif  // STOWAGE_MODEL_RENUMBER_SOLUTION_H_
