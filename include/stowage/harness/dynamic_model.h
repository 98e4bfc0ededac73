// SPDX-License-Identifier: Apache-2.0
// Creates the planning problem of a model with shapes that depend on
// parameters. The sizes of its records are expressions of the parameters. To
// plan the problem for all values of the parameters, use
// dynamic/plan_dynamic.h. For a model in which all shapes are numbers, use
// cpu_trace.h.
//
//   absl::StatusOr<DynamicModel> model = DynamicProblemOfModel(
//       open, [&](absl::Span<const GivenShape> shapes) {
//         return RecordsOfSomeKind(shapes);
//       });
//   model->spec.sizes[0];  // "3072*batch*seq"
//
// The model is prepared at some values of the parameters, to find the sizes of
// the records at these values. A polynomial is then fitted to the sizes of each
// record, and tested at other values. The variables of the polynomial are the
// parameters, or the parameters divided by constants. At values that were not
// tested, the polynomial may be wrong; a run under the plan detects such an
// error (run_model.h).
#ifndef STOWAGE_HARNESS_DYNAMIC_MODEL_H_
#define STOWAGE_HARNESS_DYNAMIC_MODEL_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/problem.h"

namespace stowage::harness {

// Returns the records of a model for the given shapes.
using RecordsAtShapes = std::function<absl::StatusOr<ProblemSpec>(
    absl::Span<const GivenShape> shapes)>;

struct DynamicModel {
  // The problem. If no expression fits the sizes of some record, it has
  // scenarios instead of expressions. Each scenario is named after its values
  // of the parameters, for example "seq=16".
  DynamicSpec spec;
  // A text with the number of values at which the model was prepared and, if
  // there is one, a record that fits no expression.
  std::string note;
};

// Creates the problem. The result depends only on `open` and on the records
// that `records_at` returns. Names and types of tensors are kept; extents that
// depend on a parameter are shown as "?". Errors: those of ValuesOf; those of
// `records_at`, with the values of the parameters at which it failed;
// InvalidArgument, naming the first tensor, if records or lifetimes differ
// between two values; Unimplemented if the records have groups, an order or
// fixed offsets.
absl::StatusOr<DynamicModel> DynamicProblemOfModel(
    const ShapeParameters& open, const RecordsAtShapes& records_at);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DYNAMIC_MODEL_H_
