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

// Copies the records of the trace into a plan that has only ids and places
// (TraceOptions::accept_places_alone), by id. A row with an id that the trace
// does not have gets an empty record. Does nothing for a plan with records.
// O(n).
void AddRecords(const Trace& trace, Trace* plan);

// Returns for every record of the trace the row of the plan with the same id.
// The names stand for the files in messages. Error: InvalidArgument if the plan
// belongs to another trace: if only one of them has an id, or an interval or a
// size differs. O(n).
absl::StatusOr<std::vector<size_t>> MatchRows(const Trace& trace,
                                              absl::string_view trace_name,
                                              const Trace& plan,
                                              absl::string_view plan_name);

// Returns a column of the plan in the order of the trace.
std::vector<size_t> InTraceOrder(const std::vector<size_t>& column,
                                 const std::vector<size_t>& rows);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_MATCH_ROWS_H_
