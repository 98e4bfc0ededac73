// SPDX-License-Identifier: Apache-2.0
// Implements the functions of replan.h that plan for several shapes at once.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/str_cat.h"
#include "src/model/constraint_support.h"
#include "src/plan/check_plan.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"
#include "stowage/planner.h"
#include "stowage/replan.h"

namespace stowage {
namespace {

Status CheckShape(const Problem& shape, const Problem& first) {
  if (NeedsConstraints(shape) || shape.reallocation_graph() != nullptr) {
    return UnimplementedError(
        "it has constraints, a free order, optional groups or a reallocation "
        "graph; expected records alone");
  }
  if (shape.kind() != first.kind()) {
    return InvalidArgumentError(
        StrCat("its plan is of ", PlanKindName(shape.kind()), "; expected ",
               PlanKindName(first.kind())));
  }
  if (shape.size() != first.size()) {
    return InvalidArgumentError(StrCat("it has ", shape.size(),
                                       " records; expected ", first.size(),
                                       ", as the first shape has"));
  }
  return OkStatus();
}

// Adds the requirements of a shape to `spec`.
Status AddShape(const Problem& shape, ProblemSpec* spec) {
  for (size_t i = 0; i < shape.size(); ++i) {
    const ByteRecord& record = shape.records()[i];
    ByteRecord& merged = spec->records[i];
    merged.tensor_size = std::max(merged.tensor_size, record.tensor_size);
    merged.first_task = std::min(merged.first_task, record.first_task);
    merged.last_task = std::max(merged.last_task, record.last_task);
    spec->alignments[i] =
        std::max(spec->alignments[i], shape.alignments().Of(i));
    const optional<size_t> offset = shape.fixed_offset(i);
    if (!offset) continue;
    optional<size_t>& fixed = spec->fixed_offsets[i];
    if (fixed && *fixed != *offset) {
      return WithRecords(
          InvalidArgumentError(StrCat("record ", i, ": its fixed offset is ",
                                      *offset, "; expected ", *fixed,
                                      ", as in an earlier shape")),
          {i});
    }
    fixed = offset;
  }
  if (shape.capacity()) {
    spec->capacity =
        std::min(spec->capacity.value_or(*shape.capacity()), *shape.capacity());
  }
  return OkStatus();
}

}  // namespace

StatusOr<Problem> ProblemForAll(Span<const Problem> shapes) {
  if (shapes.empty()) {
    return InvalidArgumentError(
        "shapes: there are none; expected at least one");
  }
  for (size_t s = 0; s < shapes.size(); ++s) {
    if (Status status = CheckShape(shapes[s], shapes[0]); !status.ok()) {
      return AtPlace(StrCat("shape ", s), status);
    }
  }
  ProblemSpec spec = shapes[0].ToSpec();
  spec.alignments.assign(spec.records.size(), 1);
  spec.fixed_offsets.resize(spec.records.size());
  for (size_t s = 0; s < shapes.size(); ++s) {
    if (Status status = AddShape(shapes[s], &spec); !status.ok()) {
      return AtPlace(StrCat("shape ", s), status);
    }
  }
  return Problem::Create(std::move(spec));
}

StatusOr<PlanOfAll> PlanForAll(Span<const Problem> shapes, string_view strategy,
                               const SolveOptions& options) {
  StatusOr<Problem> problem = ProblemForAll(shapes);
  if (!problem.ok()) return problem.status();
  StatusOr<Solution> solution = Solve(*problem, strategy, options);
  if (!solution.ok()) return solution.status();
  for (size_t s = 0; s < shapes.size() && solution->has_plan(); ++s) {
    if (Status status = CheckPlan(shapes[s], *solution); !status.ok()) {
      return AtPlace(StrCat("the plan for all is unsafe for shape ", s),
                     status);
    }
  }
  return PlanOfAll{*std::move(problem), *std::move(solution)};
}

}  // namespace stowage
