// SPDX-License-Identifier: Apache-2.0
// Usage records with their alignments, as returned by every generator and
// contained in every failure. For records that have names and a plan see Trace
// (stowage/trace.h).
//
//   Instance instance = RandomInstance(Family::kTightPackings, seed, 20);
//   WriteFile("failure.csv", *FormatTraceCsv(ToTrace(instance)));
//
// The file of this example can be attached to a report and read by every verb
// of the command.
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
  std::vector<size_t> alignments;  // bytes, one for each record; empty: all 1
  // The bytes of the smallest arena, if the construction knows them.
  absl::optional<size_t> optimum;

  // The fixed offsets and constraints of a problem (random_problems.h), as in
  // ProblemSpec. They are empty for all other instances.
  std::vector<absl::optional<size_t>> fixed_offsets = {};
  Constraints constraints = {};
  // A plan, if one is known.
  OffsetsAssignment witness = {};

  // Returns a view of `alignments`.
  Alignments alignment() const;
  // Returns whether it has fixed offsets or constraints.
  bool is_problem() const {
    return !fixed_offsets.empty() || !constraints.empty();
  }
};

// Returns an instance with these records. It has their alignments only if one
// of the alignments is not 1. O(n).
Instance MakeInstance(absl::Span<const ByteRecord> records,
                      const Alignments& alignments = Alignments());

// Returns the problem of the instance.
ProblemSpec SpecOf(const Instance& instance);

// Returns the instance of a problem of offsets in bytes, without a witness.
Instance MakeInstance(const Problem& problem);

// Returns whether every planner must have a plan for the instance. The records
// must pass CheckUsageRecords, the alignments must be valid, and the sum of the
// padded sizes must fit 64 bits. For a problem, the witness must also be safe,
// and no record may have a `max` and no pool a capacity. The records can then
// be stacked, while a plan in a bounded memory may require a search. O(n); for
// problems the time of the verifier.
bool IsPlannable(const Instance& instance);

// Returns the instance as a trace with the ids "t0", "t1", .... O(n).
Trace ToTrace(const Instance& instance);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_INSTANCE_H_
