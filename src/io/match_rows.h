// SPDX-License-Identifier: Apache-2.0
// Matches the rows of a plan file with the records of its trace, by id.
#ifndef STOWAGE_SRC_IO_MATCH_ROWS_H_
#define STOWAGE_SRC_IO_MATCH_ROWS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/trace.h"

namespace stowage {

// Gives a plan of places alone (TraceOptions::accept_places_alone) the records
// of its trace, by id; a row of another id gets an empty one. Leaves a plan
// with records as it is. O(n).
void AddRecords(const Trace& trace, Trace* plan);

// For every record of the trace, the row of the plan with its id. The names
// stand for the files in messages. Error: InvalidArgument if it is a plan for
// another trace: ids that only one of them has, other intervals or sizes. O(n).
absl::StatusOr<std::vector<size_t>> MatchRows(const Trace& trace,
                                              absl::string_view trace_name,
                                              const Trace& plan,
                                              absl::string_view plan_name);

// A column of the plan, in the order of the trace.
std::vector<size_t> InTraceOrder(const std::vector<size_t>& column,
                                 const std::vector<size_t>& rows);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_MATCH_ROWS_H_
