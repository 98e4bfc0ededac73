// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/instance.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

bool IsBounded(const Constraints& constraints) {
  return std::any_of(constraints.places.begin(), constraints.places.end(),
                     [](const RecordPlace& p) { return p.max.has_value(); }) ||
         std::any_of(
             constraints.pools.begin(), constraints.pools.end(),
             [](const MemoryPool& p) { return p.capacity.has_value(); });
}

bool IsPlannableProblem(const Instance& instance) {
  if (IsBounded(instance.constraints)) return false;
  const absl::StatusOr<Problem> problem = Problem::Create(SpecOf(instance));
  return problem.ok() && !FindViolation(*problem, instance.witness);
}

}  // namespace

Alignments Instance::alignment() const {
  if (alignments.empty()) return {};
  return absl::MakeConstSpan(alignments);
}

Instance MakeInstance(absl::Span<const ByteRecord> records,
                      const Alignments& alignments) {
  Instance instance;
  instance.records.assign(records.begin(), records.end());
  bool is_aligned = false;
  for (size_t i = 0; i < records.size(); ++i) {
    instance.alignments.push_back(alignments.Of(i));
    is_aligned = is_aligned || alignments.Of(i) != 1;
  }
  if (!is_aligned) instance.alignments.clear();
  return instance;
}

ProblemSpec SpecOf(const Instance& instance) {
  ProblemSpec spec;
  spec.records = instance.records;
  spec.alignments = instance.alignments;
  spec.fixed_offsets = instance.fixed_offsets;
  spec.constraints = instance.constraints;
  return spec;
}

Instance MakeInstance(const Problem& problem) {
  Instance instance = MakeInstance(problem.records(), problem.alignments());
  if (problem.has_fixed_offsets()) {
    for (size_t i = 0; i < problem.size(); ++i) {
      instance.fixed_offsets.push_back(problem.fixed_offset(i));
    }
  }
  if (problem.constraints() != nullptr) {
    instance.constraints = *problem.constraints();
  }
  return instance;
}

bool IsPlannable(const Instance& instance) {
  if (instance.is_problem()) return IsPlannableProblem(instance);
  if (!CheckUsageRecords(instance.records).ok()) return false;
  const Alignments alignments = instance.alignment();
  if (!alignments.Check(instance.records.size()).ok()) return false;
  absl::optional<size_t> sum = 0;
  for (size_t i = 0; i < instance.records.size() && sum; ++i) {
    sum = CheckedAdd(*sum, instance.records[i].tensor_size);
    if (sum) sum = CheckedAdd(*sum, alignments.Of(i) - 1);
  }
  return sum.has_value();
}

Trace ToTrace(const Instance& instance) {
  Trace trace;
  trace.records = instance.records;
  trace.alignments = instance.alignments;
  trace.fixed = instance.fixed_offsets;
  trace.constraints = instance.constraints;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    trace.ids.push_back(absl::StrCat("t", i));
  }
  return trace;
}

}  // namespace stowage::testing
