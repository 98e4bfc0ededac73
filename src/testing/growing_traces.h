// SPDX-License-Identifier: Apache-2.0
// Generates the traces for a check of a planner.
#ifndef STOWAGE_SRC_TESTING_GROWING_TRACES_H_
#define STOWAGE_SRC_TESTING_GROWING_TRACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/problem.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"

namespace stowage::testing {

// Makes traces in rounds: each round has one trace of every family. The traces
// of every other round have alignments, and some traces are large.
class FamilyRounds {
 public:
  // One trace in `period` is large: it has at most 70 records or, every other
  // time, at most `large_size`. If `families` is empty, all families are used.
  FamilyRounds(std::vector<Family> families, const Parameters& parameters,
               size_t max_alignment, size_t large_size, size_t period);

  size_t size() const { return families_.size(); }
  Family FamilyOf(size_t i) const { return families_[i % families_.size()]; }
  // Returns the i-th trace. It is large if `place` is the last number of a
  // period (unless `large_size` is 0). Otherwise it is generated from `samples`
  // random samples (Sample, families.h).
  ProblemSpec MakeTrace(size_t i, size_t place, uint64_t seed,
                        size_t samples) const;

 private:
  std::vector<Family> families_;
  Parameters parameters_;
  size_t max_alignment_;
  size_t large_size_;
  size_t period_;
};

// The traces of one check. There are few of them, so their size grows from the
// first to the last.
class GrowingTraces {
 public:
  // `options` must outlive the object.
  explicit GrowingTraces(const PlannerCheckOptions& options)
      : options_(options),
        rounds_(options.families, Parameters(), options.max_alignment,
                options.large_records, 16) {}

  Family FamilyOf(size_t trace) const {
    return rounds_.FamilyOf(PlainIndex(trace));
  }

  ProblemSpec MakeTrace(size_t trace) const;

 private:
  // Returns whether every other trace is a problem with constraints. This is so
  // if the planner is claimed to support any feature of problems.
  bool HasProblems() const {
    return options_.kind == PlanKind::kOffsets && !options_.claims.empty();
  }
  size_t PlainIndex(size_t trace) const {
    return HasProblems() ? trace / 2 : trace;
  }
  ProblemSpec MakeProblem(size_t trace) const;

  const PlannerCheckOptions& options_;
  FamilyRounds rounds_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_GROWING_TRACES_H_
