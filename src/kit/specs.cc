// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/specs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

bool IsBounded(const Constraints& constraints) {
  return std::any_of(constraints.places.begin(), constraints.places.end(),
                     [](const RecordPlace& p) { return p.max.has_value(); }) ||
         std::any_of(
             constraints.pools.begin(), constraints.pools.end(),
             [](const MemoryPool& p) { return p.capacity.has_value(); });
}

bool IsAnywhere(const RecordPlace& place) {
  return place.min == 0 && !place.max && place.group == kNoGroup;
}

// Returns whether a search finds a plan. The node budget of the search is many
// times larger than what small problems need.
bool HasPlan(const ProblemSpec& spec) {
  const StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return false;
  SolveOptions options;
  options.node_budget = 1000;
  options.threads = 1;
  const StatusOr<Solution> solution = Solve(*problem, "optimal", options);
  return solution.ok() && solution->has_plan();
}

}  // namespace

ProblemSpec SpecOf(Span<const ByteRecord> records,
                   const Alignments& alignments) {
  ProblemSpec spec;
  spec.records.assign(records.begin(), records.end());
  bool is_aligned = false;
  for (size_t i = 0; i < records.size(); ++i) {
    spec.alignments.push_back(alignments.Of(i));
    is_aligned = is_aligned || alignments.Of(i) != 1;
  }
  if (!is_aligned) spec.alignments.clear();
  return spec;
}

ProblemSpec Simplified(const ProblemSpec& spec) {
  ProblemSpec simple = SpecOf(spec.records, AlignmentsOf(spec));
  simple.kind = spec.kind;
  if (HasFixedOffsets(spec)) simple.fixed_offsets = spec.fixed_offsets;
  Constraints made = spec.constraints;
  if (std::all_of(made.places.begin(), made.places.end(), IsAnywhere)) {
    made.places.clear();
  }
  if (std::all_of(made.choices.begin(), made.choices.end(),
                  [](const auto& pools) { return pools.empty(); })) {
    made.choices.clear();
  }
  if (!made.empty()) simple.constraints = std::move(made);
  return simple;
}

bool HasConstraints(const ProblemSpec& spec) {
  const ProblemSpec simple = Simplified(spec);
  return !simple.fixed_offsets.empty() || !simple.constraints.empty();
}

bool IsPlannable(const ProblemSpec& spec) {
  if (HasConstraints(spec)) {
    return !IsBounded(spec.constraints) && HasPlan(spec);
  }
  if (!CheckUsageRecords(spec.records).ok()) return false;
  const Alignments alignments = AlignmentsOf(spec);
  if (!alignments.Check(spec.records.size()).ok()) return false;
  optional<size_t> sum = 0;
  for (size_t i = 0; i < spec.records.size() && sum; ++i) {
    sum = CheckedAdd(*sum, spec.records[i].tensor_size);
    if (sum) sum = CheckedAdd(*sum, alignments.Of(i) - 1);
  }
  return sum.has_value();
}

ProblemFile ToFile(const ProblemSpec& spec) {
  ProblemFile file;
  file.problem.records = spec.records;
  file.problem.alignments = spec.alignments;
  file.problem.fixed_offsets = spec.fixed_offsets;
  file.problem.constraints = spec.constraints;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    file.problem.names.push_back(StrCat("t", i));
  }
  if (spec.alignments.empty() && spec.alignment != 1) {
    file.problem.alignments.resize(spec.records.size(), spec.alignment);
  }
  return file;
}

}  // namespace stowage::testing
