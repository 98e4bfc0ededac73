// SPDX-License-Identifier: Apache-2.0
// What the kit needs of a ProblemSpec (stowage/problem.h), in which it
// describes everything that it asks a planner for. Usage records with their
// alignments are a problem without constraints. For records that have names and
// a plan see Trace (stowage/trace.h).
//
//   ProblemSpec spec = RandomInstance(Family::kTightPackings, seed, 20);
//   WriteFile("failure.csv", *FormatTraceCsv(ToTrace(spec)));
//
// The file of this example can be attached to a report and read by every verb
// of the command.
#ifndef STOWAGE_TESTING_SPECS_H_
#define STOWAGE_TESTING_SPECS_H_

#include <vector>

#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

using ByteRecords = std::vector<ByteRecord>;

// Returns the problem of these records, without constraints. It has their
// alignments only if one of the alignments is not 1. O(n).
ProblemSpec SpecOf(absl::Span<const ByteRecord> records,
                   const Alignments& alignments = Alignments());

// Returns a view of the alignments of a problem.
Alignments AlignmentsOf(const ProblemSpec& spec);

// Returns the problem in its simplest form: without alignments if all are 1,
// fixed offsets if no record has one, and constraints if there are none. O(n).
ProblemSpec Simplified(const ProblemSpec& spec);

// Returns whether a problem has fixed offsets or constraints.
bool HasConstraints(const ProblemSpec& spec);

// Returns whether every planner must have a plan for the problem. The records
// must pass CheckUsageRecords, the alignments must be valid, and the sum of the
// padded sizes must fit 64 bits. If the problem has constraints, a short search
// must also find a plan, and no record may have a `max` and no pool a capacity:
// the records can then be stacked, while a plan in a bounded memory may require
// a long search. O(n) without constraints.
bool IsPlannable(const ProblemSpec& spec);

// Returns the problem as a trace with the ids "t0", "t1", .... O(n).
Trace ToTrace(const ProblemSpec& spec);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_SPECS_H_
