// SPDX-License-Identifier: Apache-2.0
#include "src/testing/growing_traces.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/kit/random_samples.h"
#include "stowage/planner.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

ProblemSpec GrowingTraces::MakeTrace(size_t trace) const {
  if (HasProblems() && trace % 2 == 1) return MakeProblem(trace);
  const size_t i = PlainIndex(trace);
  // The third trace of a long check is empty. The first is not, because it is
  // the one on which a check stops if the program leaves no plan file.
  const size_t least = trace == 2 ? 0 : 1;
  ProblemSpec spec = rounds_.MakeTrace(
      i, i, options_.seed + trace,
      std::max(least, options_.max_records * (trace + 1) / options_.traces));
  if (options_.kind == PlanKind::kObjects || options_.max_alignment == 1) {
    spec.alignments.clear();
  }
  // In a file, the end of a record is one past its last task, so a file cannot
  // contain a record with 2^64 - 1 as its last task.
  constexpr TaskId kLast = std::numeric_limits<TaskId>::max() - 1;
  for (ByteRecord& record : spec.records) {
    record.first_task = std::min(record.first_task, kLast);
    record.last_task = std::min(record.last_task, kLast);
  }
  return spec;
}

ProblemSpec GrowingTraces::MakeProblem(size_t trace) const {
  constexpr size_t kMaxSize = 10;
  ProblemParameters parameters;
  parameters.features = options_.claims;
  const size_t size =
      std::max<size_t>(2, std::min(kMaxSize, options_.max_records) *
                              (trace + 1) / options_.traces);
  return NthProblem(trace / 2, options_.seed + trace, size, parameters);
}

}  // namespace stowage::testing
