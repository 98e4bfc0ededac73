// SPDX-License-Identifier: Apache-2.0
// The problem of a model whose shapes have parameters: its records, with sizes
// that are expressions of the parameters. To plan it for all values use
// dynamic/plan_dynamic.h; for shapes that are numbers use cpu_trace.h.
//
//   absl::StatusOr<DynamicModel> model = DynamicProblemOfModel(
//       open, [&](absl::Span<const GivenShape> shapes) {
//         return RecordsOfSomeKind(shapes);
//       });
//   model->spec.sizes[0];  // "3072*batch*seq"
//
// The model is prepared at some values, and each size is fitted by a polynomial
// of the parameters, or of quotients of them, and tested at other values. A
// size between these may differ. A run under the plan finds out (run_model.h).
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

// Returns the records of a model with these shapes.
using RecordsAtShapes = std::function<absl::StatusOr<ProblemSpec>(
    absl::Span<const GivenShape> shapes)>;

struct DynamicModel {
  // If the sizes of some record fit no expression, the problem has scenarios,
  // each of which is named after its values: "seq=16".
  DynamicSpec spec;
  // Says at how many values the model was prepared, and which record, if any,
  // fits no expression.
  std::string note;
};

// Makes the problem. It is the same whenever the records are the same. The
// names and types of tensors are kept; extents that depend on a parameter are
// shown as "?". Errors: those of ValuesOf; those of `records_at`, with the
// value at which it failed; InvalidArgument, naming the first tensor, if
// records or lifetimes differ at two values; Unimplemented if the records have
// groups, an order or fixed offsets.
absl::StatusOr<DynamicModel> DynamicProblemOfModel(
    const ShapeParameters& open, const RecordsAtShapes& records_at);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DYNAMIC_MODEL_H_
