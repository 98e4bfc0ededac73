// SPDX-License-Identifier: Apache-2.0
#include "src/testing/growing_traces.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/testing/random_samples.h"
#include "stowage/planner.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

FamilyRounds::FamilyRounds(std::vector<Family> families,
                           const Parameters& parameters, size_t max_alignment,
                           size_t large_size, size_t period)
    : families_(std::move(families)),
      parameters_(parameters),
      max_alignment_(max_alignment),
      large_size_(large_size),
      period_(period) {
  if (!families_.empty()) return;
  for (const FamilyInfo& info : AllFamilies()) {
    families_.push_back(info.family);
  }
}

ProblemSpec FamilyRounds::MakeTrace(size_t i, size_t place, uint64_t seed,
                                    size_t samples) const {
  constexpr size_t kUsualAlignment = 256;
  constexpr size_t kUsualLargeSize = 70;
  const size_t round = i / families_.size();
  Parameters parameters = parameters_;
  parameters.max_alignment = round % 2 == 0 ? 1
                             : round % 4 == 1
                                 ? std::min(kUsualAlignment, max_alignment_)
                                 : max_alignment_;
  const size_t large_size = place / period_ % 2 == 0
                                ? std::min(kUsualLargeSize, large_size_)
                                : large_size_;
  return place % period_ == period_ - 1 && large_size > 0
             ? LargeInstance(FamilyOf(i), seed, large_size, parameters)
             : RandomInstance(FamilyOf(i), seed, samples, parameters);
}

ProblemSpec GrowingTraces::MakeTrace(size_t trace) const {
  if (HasProblems() && trace % 2 == 1) return MakeProblem(trace);
  const size_t i = PlainIndex(trace);
  ProblemSpec spec =
      rounds_.MakeTrace(i, i, options_.seed + trace,
                        std::max<size_t>(1, options_.max_records * (trace + 1) /
                                                options_.traces));
  if (options_.kind == PlanKind::kObjects || options_.max_alignment == 1) {
    spec.alignments.clear();
  }
  // The end of a record in a file is one past its last task. A file therefore
  // cannot hold a record that ends at task 2^64 - 1.
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
