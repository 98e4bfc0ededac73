// SPDX-License-Identifier: Apache-2.0
// Runs a model at several shapes under one order for all of them: the order is
// found once, and offsets follow from the sizes at hand. To run at one shape
// use run_model.h.
//
//   absl::StatusOr<DynamicModel> found =
//       DynamicProblemOfRun(*model, options, open);
//   auto problem = DynamicProblem::Create(found->spec);
//   auto plan = PlanForAllValues(*problem);
//   UseOrder(*problem, *plan, &options);
//   RunModelAt(*model, options, {{{0, {1, 16}}}, {{0, {1, 512}}}});
#ifndef STOWAGE_HARNESS_SHAPE_RUN_H_
#define STOWAGE_HARNESS_SHAPE_RUN_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Returns the problem of what a run plans: the records of an interpreter with
// these options. Errors: those of DynamicProblemOfModel, ResolveShapes and
// ResizeInputs; Unimplemented for several streams and Sharing::kGroups, if
// subgraphs that call each other share the arena, and if shapes are known only
// while the model runs.
absl::StatusOr<DynamicModel> DynamicProblemOfRun(const Model& model,
                                                 const RunOptions& options,
                                                 const ShapeParameters& open);

// Makes runs place tensors by the order of a plan, which must be a plan of the
// problem of DynamicProblemOfRun, in an arena that has its reserve at all
// shapes. A run at a shape that takes more than the reserve fails with
// ResourceExhausted, and one with other records with InvalidArgument.
void UseOrder(const DynamicProblem& problem, const DynamicPlan& plan,
              RunOptions* options);

// Returns options that check the same runs as RunModelAt, one after the other
// in one interpreter. The invocations of a run at the second shape follow those
// at the first. If `at` is not null, the index of the current shape is written
// to it; it must outlive the check.
CheckOptions CheckOptionsAt(const RunOptions& options,
                            absl::Span<const GivenTensors> shapes, size_t* at);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHAPE_RUN_H_
