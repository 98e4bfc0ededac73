// SPDX-License-Identifier: Apache-2.0
// Defines functions on ProblemSpec (stowage/problem.h), the type of the
// problems that stowage/testing passes to planners. Usage records with their
// alignments are a problem without constraints. For records with names and a
// plan, use ProblemFile (stowage/io/problem_file.h).
//
//   ProblemSpec spec = RandomInstance(Family::kTightPackings, seed, 20);
//   WriteFile("failure.csv", *FormatProblemCsv(ToFile(spec)));
//
// The file of this example can be attached to a bug report, and all `stowage`
// commands can read it.
#ifndef STOWAGE_TESTING_SPECS_H_
#define STOWAGE_TESTING_SPECS_H_

#include <vector>

#include "stowage/base/span.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

using ByteRecords = std::vector<ByteRecord>;

// Returns a problem with these records and no constraints. Its list of
// alignments is empty if all alignments are 1. O(n).
ProblemSpec SpecOf(Span<const ByteRecord> records,
                   const Alignments& alignments = Alignments());

// Returns a problem with only the kind, the records, the alignments and the
// constraints of `spec`. Lists that have no effect are left out: a list of
// alignments that are all 1, a list of fixed offsets without any offset, and a
// list of places or choices that are all the default. Everything else, such as
// the capacity, is also left out. O(n).
ProblemSpec Simplified(const ProblemSpec& spec);

// Returns whether a problem has fixed offsets or constraints that have an
// effect. Simplified keeps exactly the constraints that have an effect. In
// stowage/testing, the word "constraints" includes fixed offsets. O(n).
bool HasConstraints(const ProblemSpec& spec);

// Returns whether every planner must be able to plan the problem.
//
// Without constraints, this is the case if CheckUsageRecords accepts the
// records, the alignments are valid, and the sum of the padded sizes fits in 64
// bits. O(n).
//
// With constraints, this is the case if a short search finds a plan, no record
// has a `max`, and no pool has a capacity. The last two conditions are needed
// because records can always be stacked in memory without a limit, whereas a
// planner may need a long search if memory is limited.
bool IsPlannable(const ProblemSpec& spec);

// Returns a file with this problem, in which the ids of the records are "t0",
// "t1", "t2" and so on. O(n).
ProblemFile ToFile(const ProblemSpec& spec);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_SPECS_H_
