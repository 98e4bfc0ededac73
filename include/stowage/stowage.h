// SPDX-License-Identifier: Apache-2.0
// Includes the headers of stowage::core that are directly in include/stowage.
// The recommended reading order is: usage_record.h, tensor_size.h,
// assignment.h, profile.h, task_order.h, free_order.h, constraints.h, labels.h,
// problem.h, bound_proof.h, solution.h, verify.h, plan_cost.h, lower_bound.h,
// strategy.h, planner.h, registry.h, compare.h, cost_curve.h, replan.h,
// identified_plan.h, plan_cache.h, error_payload.h. Headers in the folders
// base/, construct/, model/ and verify/ must be included separately. Files
// (io/problem_file.h) and certificates (certificate.h) are separate libraries.
#ifndef STOWAGE_STOWAGE_H_
#define STOWAGE_STOWAGE_H_

#include "stowage/assignment.h"
#include "stowage/bound_proof.h"
#include "stowage/compare.h"
#include "stowage/constraints.h"
#include "stowage/cost_curve.h"
#include "stowage/error_payload.h"
#include "stowage/feature.h"
#include "stowage/free_order.h"
#include "stowage/identified_plan.h"
#include "stowage/labels.h"
#include "stowage/lower_bound.h"
#include "stowage/plan_cache.h"
#include "stowage/plan_cost.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/replan.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "stowage/version.h"
#include "stowage/write_text.h"

#endif  // STOWAGE_STOWAGE_H_
