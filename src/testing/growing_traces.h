// SPDX-License-Identifier: Apache-2.0
// The generated traces of a check of a planner.
#ifndef STOWAGE_SRC_TESTING_GROWING_TRACES_H_
#define STOWAGE_SRC_TESTING_GROWING_TRACES_H_

#include <cstddef>
#include <vector>

#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/random_records.h"

namespace stowage::testing {

// The traces of a check: few, so that they grow from the first to the last.
class GrowingTraces {
 public:
  // `options` must outlive it.
  explicit GrowingTraces(const PlannerCheckOptions& options);

  Family FamilyOf(size_t trace) const {
    return families_[PlainIndex(trace) % families_.size()];
  }

  Instance MakeTrace(size_t trace) const;

 private:
  // With claims every other trace is a problem.
  bool HasProblems() const {
    return options_.kind == PlanKind::kOffsets && !options_.claims.empty();
  }
  size_t PlainIndex(size_t trace) const {
    return HasProblems() ? trace / 2 : trace;
  }
  Instance MakeProblem(size_t trace) const;
  Parameters ParametersOf(size_t trace) const;
  // The records that a trace may have if it is a large one; otherwise 0.
  size_t LargeSize(size_t trace) const;

  const PlannerCheckOptions& options_;
  std::vector<Family> families_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_GROWING_TRACES_H_
