// SPDX-License-Identifier: Apache-2.0
// Usage records with their alignments: what every generator returns and every
// failure contains. For records that have names and a plan beside them see
// Trace (stowage/trace.h).
//
//   Instance instance = RandomInstance(Family::kTightPackings, seed, 20);
//   WriteFile("failure.csv", *FormatTraceCsv(ToTrace(instance)));
//
// Such a file can be attached to a report and read by every verb of the
// command.
#ifndef STOWAGE_TESTING_INSTANCE_H_
#define STOWAGE_TESTING_INSTANCE_H_

#include <cstddef>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

using ByteRecords = std::vector<ByteRecord>;

struct Instance {
  ByteRecords records;
  std::vector<size_t> alignments;  // bytes, one for each record; none: all 1
  // The bytes of the smallest arena, where the construction knows them.
  absl::optional<size_t> optimum;

  // Of problems (random_problems.h), as in ProblemSpec; other instances have
  // none of these.
  std::vector<absl::optional<size_t>> fixed_offsets = {};
  Constraints constraints = {};
  // A plan, where one is known.
  OffsetsAssignment witness = {};

  // A view of `alignments`.
  Alignments alignment() const;
  // Whether it has fixed offsets or constraints.
  bool is_problem() const {
    return !fixed_offsets.empty() || !constraints.empty();
  }
};

// Copies of records and of their alignments, if one is not 1. O(n).
Instance MakeInstance(absl::Span<const ByteRecord> records,
                      const Alignments& alignments = Alignments());

// The problem that the instance stands for.
ProblemSpec SpecOf(const Instance& instance);

// The instance of a problem of offsets in bytes; it has no witness.
Instance MakeInstance(const Problem& problem);

// Whether every planner must have a plan: the records pass CheckUsageRecords,
// the alignments are valid, and the padded sizes fit 64 bits in sum. Of a
// problem, whether its witness is safe and no record has a `max` and no pool a
// capacity: records can then be stacked, while a bounded memory may take a
// search. O(n), of problems what the verifier takes.
bool IsPlannable(const Instance& instance);

// The instance as a trace, with "t0", "t1", ... for ids. O(n).
Trace ToTrace(const Instance& instance);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_INSTANCE_H_
