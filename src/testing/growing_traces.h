// SPDX-License-Identifier: Apache-2.0
// Generates the traces with which a planner is checked.
#ifndef STOWAGE_SRC_TESTING_GROWING_TRACES_H_
#define STOWAGE_SRC_TESTING_GROWING_TRACES_H_

#include <cstddef>

#include "src/kit/family_rounds.h"
#include "stowage/problem.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"

namespace stowage::testing {

// Generates the traces of one check. Because a check has only a few traces,
// their size grows from the first trace to the last.
class GrowingTraces {
 public:
  // `options` must outlive the object.
  explicit GrowingTraces(const PlannerCheckOptions& options)
      : options_(options),
        rounds_(options.families, Parameters(), options.max_alignment,
                options.large_records, kPeriod) {}

  Family FamilyOf(size_t trace) const {
    return rounds_.FamilyOf(PlainIndex(trace));
  }

  ProblemSpec MakeTrace(size_t trace) const;

 private:
  // One trace in this many is large. The number has no factor in common with
  // the number of all families, so that large traces occur in all families.
  static constexpr size_t kPeriod = 17;

  // Returns whether every second trace is a problem with constraints, because
  // the planner is claimed to support some feature of problems.
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
