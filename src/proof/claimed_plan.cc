// SPDX-License-Identifier: Apache-2.0
#include "src/proof/claimed_plan.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/proof/claim.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage::certificate {

size_t BytesTaken(const Problem& problem, const OffsetsAssignment& plan) {
  std::vector<size_t> tops(1);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    const size_t pool = plan.pools.empty() ? 0 : plan.pools[i];
    if (pool >= tops.size()) tops.resize(pool + 1);
    tops[pool] = std::max(tops[pool],
                          plan.offsets[i] + problem.records()[i].tensor_size);
  }
  return std::accumulate(tops.begin(), tops.end(), size_t{0});
}

Status CheckClaimedPlan(const Problem& problem, const Claim& claim,
                        CertificateVerdict* verdict) {
  optional<Violation> violation;
  size_t taken = 0;
  if (claim.kind == PlanKind::kOffsets) {
    const OffsetsAssignment plan = {claim.offsets,
                                    claim.total_size,
                                    {claim.pools.begin(), claim.pools.end()}};
    violation = FindViolation(problem, plan);
    if (!violation) taken = BytesTaken(problem, plan);
  } else {
    const ObjectsAssignment<size_t> plan = {claim.object_ids,
                                            claim.object_sizes};
    const StatusOr<size_t> sum = TotalSize(plan);
    if (!sum.ok()) return sum.status();
    violation = FindViolation(problem.records(), plan);
    taken = *sum;
  }
  if (violation) {
    verdict->refuted = Describe(*violation, claim.ids);
  } else if (taken != claim.total_size) {
    verdict->refuted =
        StrCat("the plan takes ", taken, " bytes, not ", claim.total_size);
  } else if (claim.capacity && taken > *claim.capacity) {
    verdict->refuted =
        StrCat("the plan takes ", taken, " bytes, more than the capacity of ",
               *claim.capacity);
  } else {
    verdict->checked.push_back(
        StrCat("the plan is safe and takes ", taken, " bytes"));
  }
  return OkStatus();
}

}  // namespace stowage::certificate
