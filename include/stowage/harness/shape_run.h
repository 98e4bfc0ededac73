// SPDX-License-Identifier: Apache-2.0
// Runs a model at several shapes with a single placement order. The order is
// found once; at each shape, the offsets are computed from the order and the
// sizes at this shape. To run a model at one shape, use run_model.h.
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

// Returns the problem that a run plans, with the records that an interpreter
// with these options must place. Errors: those of DynamicProblemOfModel,
// ResolveShapes and ResizeInputs; Unimplemented if there are several streams,
// if Sharing::kGroups is set, if subgraphs that call each other share the
// arena, or if shapes are known only while the model runs.
absl::StatusOr<DynamicModel> DynamicProblemOfRun(const Model& model,
                                                 const RunOptions& options,
                                                 const ShapeParameters& open);

// Makes runs place tensors in the order of `plan`, which must be a plan for the
// problem of DynamicProblemOfRun. At all shapes, the arena has at least the
// bytes that the plan reserves. A run at a shape that needs more bytes returns
// ResourceExhausted, and a run with other records returns InvalidArgument.
void UseOrder(const DynamicProblem& problem, const DynamicPlan& plan,
              RunOptions* options);

// Returns options with which CheckPlan checks the runs of RunModelAt, one after
// another in one interpreter. The invocations at the second shape follow the
// invocations at the first. If `at` is not null, the index of the current shape
// is written to `*at`, which must outlive the check.
CheckOptions CheckOptionsAt(const RunOptions& options,
                            absl::Span<const GivenTensors> shapes, size_t* at);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHAPE_RUN_H_
