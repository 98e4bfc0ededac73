// SPDX-License-Identifier: Apache-2.0
// Includes the whole library. Its parts, in reading order: usage_record.h,
// tensor_size.h, assignment.h, profile.h, task_order.h, free_order.h,
// constraints.h, problem.h, solution.h, verify.h, strategy.h, planner.h,
// order_planner.h, compare.h, error_payload.h, trace.h. Certificates
// (certificate.h) are a separate library.
#ifndef STOWAGE_STOWAGE_H_
#define STOWAGE_STOWAGE_H_

#include "stowage/assignment.h"
#include "stowage/compare.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/feature.h"
#include "stowage/free_order.h"
#include "stowage/order_planner.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"
#include "stowage/trace_problem.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "stowage/version.h"

#endif  // STOWAGE_STOWAGE_H_
