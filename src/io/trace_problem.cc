// SPDX-License-Identifier: Apache-2.0
#include "stowage/trace_problem.h"

#include <cstddef>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/trace.h"

namespace stowage {

ProblemSpec ProblemSpecOf(const Trace& trace, PlanKind kind,
                          absl::optional<size_t> alignment) {
  ProblemSpec spec;
  spec.kind = kind;
  spec.records = trace.records;
  spec.names = trace.ids;
  if (alignment) {
    spec.alignment = *alignment;
  } else {
    spec.alignments = trace.alignments;
  }
  const absl::Span<const absl::optional<size_t>> fixed = trace.fixed_offsets();
  spec.fixed_offsets.assign(fixed.begin(), fixed.end());
  spec.place_first = trace.place_first;
  spec.constraints = trace.constraints;
  spec.capacity = trace.capacity;
  return spec;
}

}  // namespace stowage
