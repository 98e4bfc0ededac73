// SPDX-License-Identifier: Apache-2.0
#include "src/testing/growing_traces.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/testing/random_draws.h"
#include "stowage/planner.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

GrowingTraces::GrowingTraces(const PlannerCheckOptions& options)
    : options_(options), families_(options.families) {
  if (!families_.empty()) return;
  for (const FamilyInfo& info : AllFamilies()) {
    families_.push_back(info.family);
  }
}

ProblemSpec GrowingTraces::MakeTrace(size_t trace) const {
  const uint64_t seed = options_.seed + trace;
  if (HasProblems() && trace % 2 == 1) return MakeProblem(trace);
  const Parameters parameters = ParametersOf(trace);
  const size_t size =
      std::max<size_t>(1, options_.max_records * (trace + 1) / options_.traces);
  ProblemSpec spec =
      LargeSize(trace) > 0
          ? LargeInstance(FamilyOf(trace), seed, LargeSize(trace), parameters)
          : RandomInstance(FamilyOf(trace), seed, size, parameters);
  if (options_.kind == PlanKind::kObjects || options_.max_alignment == 1) {
    spec.alignments.clear();
  }
  // A file cannot hold the half-open end of the very last task, 2^64 - 1.
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

Parameters GrowingTraces::ParametersOf(size_t trace) const {
  constexpr size_t kUsualAlignment = 256;
  Parameters parameters;
  const size_t round = PlainIndex(trace) / families_.size();
  if (round % 4 == 1) {
    parameters.max_alignment =
        std::min(kUsualAlignment, options_.max_alignment);
  } else if (round % 4 == 3) {
    parameters.max_alignment = options_.max_alignment;
  }
  return parameters;
}

size_t GrowingTraces::LargeSize(size_t trace) const {
  const size_t i = PlainIndex(trace);
  if (i % 16 != 15) return 0;
  return i / 16 % 2 == 0 ? std::min<size_t>(70, options_.large_records)
                         : options_.large_records;
}

}  // namespace stowage::testing
