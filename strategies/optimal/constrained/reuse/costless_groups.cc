// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/reuse/costless_groups.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "src/model/keep_records.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"

namespace stowage::optimal {

using rigid::CostlyPair;
using rigid::Level;
using rigid::RigidGroups;

CostlessGroups MakeCostlessGroups(const RigidGroups& groups,
                                  const std::vector<CostlyPair>& costly,
                                  Level limit) {
  const std::vector<size_t> kept(groups.records().begin(),
                                 groups.records().end());
  std::vector<size_t> record_of(groups.problem().size());
  for (size_t k = 0; k < kept.size(); ++k) record_of[kept[k]] = k;
  ProblemSpec spec = KeepRecords(groups.problem().ToSpec(), kept);
  spec.capacity = static_cast<size_t>(limit);
  Constraints& constraints = spec.constraints;
  constraints.prefer_apart.clear();
  for (const CostlyPair& pair : costly) {
    if (pair.cost == 0) continue;
    constraints.apart.push_back(
        {record_of[groups.pieces()[pair.first].record],
         record_of[groups.pieces()[pair.second].record]});
  }
  DropRepeatedSets(&constraints.apart);
  constraints.pools.clear();
  constraints.choices.clear();
  constraints.holes.assign(groups.holes().begin(), groups.holes().end());
  for (Hole& hole : constraints.holes) hole.pool = 0;
  CostlessGroups made;
  StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok() || problem->constraints() == nullptr) return made;
  made.problem = std::make_unique<const Problem>(*std::move(problem));
  auto apart =
      RigidGroups::Make(*made.problem, rigid::AllRecordsOf(*made.problem), 0);
  if (!apart) return made;
  made.groups = std::make_unique<const RigidGroups>(*std::move(apart));
  made.relation = std::make_unique<const rigid::Relation>(*made.problem);
  return made;
}

}  // namespace stowage::optimal
