// SPDX-License-Identifier: Apache-2.0
// Makes a problem of a trace: the step from files (trace.h) to planning
// (planner.h).
//
//   absl::StatusOr<Trace> trace = ReadTraceCsv("trace.csv");
//   if (!trace.ok()) return trace.status();
//   const absl::StatusOr<Problem> problem =
//       Problem::Create(ProblemSpecOf(*trace, PlanKind::kOffsets));
#ifndef STOWAGE_TRACE_PROBLEM_H_
#define STOWAGE_TRACE_PROBLEM_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/trace.h"

namespace stowage {

// Returns the records of `trace` with their ids and everything that it asks of
// them: its alignments (or `alignment` instead, if given), fixed offsets,
// constraints and capacity. A plan in the trace is ignored. O(n).
ProblemSpec ProblemSpecOf(const Trace& trace, PlanKind kind,
                          absl::optional<size_t> alignment = absl::nullopt);

}  // namespace stowage

#endif  // STOWAGE_TRACE_PROBLEM_H_
