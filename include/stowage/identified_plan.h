// SPDX-License-Identifier: Apache-2.0
// Represents a plan that identifies its problem only by the fingerprint.
//
// PlanCache (plan_cache.h) and files of plans (io/plans_file.h) consist of such
// plans. If you have the problem itself, use a Solution (solution.h).
#ifndef STOWAGE_IDENTIFIED_PLAN_H_
#define STOWAGE_IDENTIFIED_PLAN_H_

#include <memory>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

struct IdentifiedPlan {
  // The fingerprint of the problem (Problem::fingerprint).
  Fingerprint fingerprint;
  std::shared_ptr<const Solution> solution;
};

}  // namespace stowage

#endif  // STOWAGE_IDENTIFIED_PLAN_H_
