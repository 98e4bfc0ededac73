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

  // A view of `alignments`.
  Alignments alignment() const;
};

// Copies of records and of their alignments, if one is not 1. O(n).
Instance MakeInstance(absl::Span<const ByteRecord> records,
                      const Alignments& alignments = Alignments());

// Whether every planner must have a plan: the records pass CheckUsageRecords,
// the alignments are valid, and the padded sizes fit 64 bits in sum. O(n).
bool IsPlannable(const Instance& instance);

// The instance as a trace, with "t0", "t1", ... for ids. O(n).
Trace ToTrace(const Instance& instance);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_INSTANCE_H_
