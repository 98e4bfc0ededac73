// SPDX-License-Identifier: Apache-2.0
// Minimizes a trace on which a planner fails. FindFailure (find_failure.h) does
// both the search and this.
//
//   Instance smallest = ShrinkRecords(
//       records, alignments,
//       [&](absl::Span<const ByteRecord> r, const Alignments& a) {
//         return !safety.check(planner, r, a).ok();
//       });
//
// This works on any trace. RapidCheck itself shrinks what generators.h
// generates.
#ifndef STOWAGE_TESTING_SHRINK_H_
#define STOWAGE_TESTING_SHRINK_H_

#include <cstddef>
#include <functional>

#include "absl/types/span.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"

namespace stowage::testing {

// The reason for which the search for a smaller trace ended.
enum class ShrinkEnd {
  kNotShrunk,  // there was none, or it was stopped
  kSmallest,   // no step leads to a smaller trace that still fails
  kAttempts,   // the limit on attempts: smaller traces may fail as well
  kTime,       // the limit on time: likewise
};

// Returns whether the planner still fails on the records.
using StillFailsFn = std::function<bool(absl::Span<const ByteRecord> records,
                                        const Alignments& alignments)>;

// Drops records, then closes gaps in time and reduces tasks, sizes and
// alignments, as long as `still_fails` returns true, until none of these steps
// is possible or `still_fails` has been called `max_calls` times. The result
// still fails if the input does. It has no more records, later tasks or larger
// sizes than the input, and is in execution order if the input is.
// Deterministic. Requires valid records and alignments.
Instance ShrinkRecords(absl::Span<const ByteRecord> records,
                       const Alignments& alignments,
                       const StillFailsFn& still_fails,
                       size_t max_calls = 5000);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_SHRINK_H_
