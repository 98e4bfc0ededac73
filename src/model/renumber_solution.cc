// SPDX-License-Identifier: Apache-2.0
#include "stowage/model/renumber_solution.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/assignment.h"

namespace stowage {
namespace {

// Returns the records of the original problem that are represented by the
// records `solved` of the solved problem, in rising order.
std::vector<size_t> RenumberedRecords(const std::vector<size_t>& solved,
                                      const RecordMap& map) {
  std::vector<size_t> records;
  if (solved.empty()) return records;
  std::vector<bool> is_in(*std::max_element(solved.begin(), solved.end()) + 1);
  for (const size_t i : solved) is_in[i] = true;
  for (size_t i = 0; i < map.record_of.size(); ++i) {
    const uint32_t record = map.record_of[i];
    if (record < is_in.size() && is_in[record]) records.push_back(i);
  }
  return records;
}

void RenumberProof(const RecordMap& map, BoundProof* proof) {
  using Kind = BoundProof::Kind;
  const bool names_record = proof->kind == Kind::kFixedEnd ||
                            proof->kind == Kind::kOnlyPlace ||
                            proof->kind == Kind::kLowestPlace;
  if (!names_record || proof->index == BoundProof::kNoRecord) return;
  const auto found =
      std::find(map.record_of.begin(), map.record_of.end(), proof->index);
  proof->index = found == map.record_of.end()
                     ? BoundProof::kNoRecord
                     : static_cast<size_t>(found - map.record_of.begin());
}

// Renumbers the records in the proofs of a cost. Drops all proofs if a record
// in a proof does not represent exactly one record of the original problem.
void RenumberCostProofs(const RecordMap& map, std::vector<CostProof>* proofs) {
  if (proofs->empty()) return;
  constexpr size_t kMissing = ~size_t{0};
  constexpr size_t kSeveral = kMissing - 1;
  std::vector<size_t> record_of(map.record_of.size(), kMissing);
  for (size_t i = 0; i < map.record_of.size(); ++i) {
    if (map.record_of[i] == RecordMap::kNone) continue;
    if (map.record_of[i] >= record_of.size()) {
      record_of.resize(map.record_of[i] + 1, kMissing);
    }
    size_t& record = record_of[map.record_of[i]];
    record = record == kMissing ? i : kSeveral;
  }
  for (CostProof& proof : *proofs) {
    for (CostProof::Clique& clique : proof.cliques) {
      for (size_t& record : clique.records) {
        record = record < record_of.size() ? record_of[record] : kMissing;
        if (record >= kSeveral) {
          proofs->clear();
          return;
        }
      }
      std::sort(clique.records.begin(), clique.records.end());
    }
  }
}

}  // namespace

OffsetsAssignment Renumbered(const OffsetsAssignment& plan,
                             const RecordMap& map) {
  OffsetsAssignment renumbered;
  renumbered.total_size = plan.total_size;
  for (size_t i = 0; i < map.record_of.size(); ++i) {
    const uint32_t record = map.record_of[i];
    const bool is_solved = record != RecordMap::kNone;
    renumbered.offsets.push_back((is_solved ? plan.offsets[record] : 0) +
                                 (map.at.empty() ? 0 : map.at[i]));
    if (plan.pools.empty()) continue;
    renumbered.pools.push_back(is_solved ? plan.pools[record] : 0);
  }
  return renumbered;
}

Solution Renumbered(Solution solution, const RecordMap& map) {
  if (const OffsetsAssignment* const plan = solution.offsets()) {
    solution.SetPlan(Renumbered(*plan, map));
  }
  const std::vector<size_t> solved = std::move(solution.conflict);
  solution.conflict = RenumberedRecords(solved, map);
  if (solution.conflict.size() != solved.size()) {
    solution.conflict_is_irreducible = false;
  }
  // The witnesses list records in the same order as the conflict, so they
  // remain valid only if renumbering has preserved this order.
  const bool is_in_order = std::equal(
      solved.begin(), solved.end(), solution.conflict.begin(),
      solution.conflict.end(),
      [&](size_t before, size_t now) { return map.record_of[now] == before; });
  if (!is_in_order) solution.conflict_witnesses.clear();
  RenumberProof(map, &solution.bound_proof);
  RenumberCostProofs(map, &solution.cost_proofs);
  solution.search_proof = SearchProof();
  solution.chain_weights = ChainWeights();
  return solution;
}

}  // namespace stowage
