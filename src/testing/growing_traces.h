// SPDX-License-Identifier: Apache-2.0
// Generates the traces for a check of a planner.
#ifndef STOWAGE_SRC_TESTING_GROWING_TRACES_H_
#define STOWAGE_SRC_TESTING_GROWING_TRACES_H_

#include <cstddef>
#include <vector>

#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

// The traces of one check. There are few of them, so their size grows from the
// first to the last.
class GrowingTraces {
 public:
  // `options` must outlive the object.
  explicit GrowingTraces(const PlannerCheckOptions& options);

  Family FamilyOf(size_t trace) const {
    return families_[PlainIndex(trace) % families_.size()];
  }

  ProblemSpec MakeTrace(size_t trace) const;

 private:
  // Returns whether every other trace is a problem, which is so if the planner
  // makes claims.
  bool HasProblems() const {
    return options_.kind == PlanKind::kOffsets && !options_.claims.empty();
  }
  size_t PlainIndex(size_t trace) const {
    return HasProblems() ? trace / 2 : trace;
  }
  ProblemSpec MakeProblem(size_t trace) const;
  Parameters ParametersOf(size_t trace) const;
  // Returns the largest number of records of this trace if it is a large one;
  // otherwise 0.
  size_t LargeSize(size_t trace) const;

  const PlannerCheckOptions& options_;
  std::vector<Family> families_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_GROWING_TRACES_H_
