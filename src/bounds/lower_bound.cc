// SPDX-License-Identifier: Apache-2.0
#include "stowage/lower_bound.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "src/bounds/interval_ranks.h"
#include "src/model/constraint_support.h"
#include "src/model/derived_values.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

LowerBound BoundOfObjects(const Problem& problem) {
  const std::vector<size_t> maximums =
      PositionalMaximums(problem.records(), RanksOf(problem));
  return {std::accumulate(maximums.begin(), maximums.end(), size_t{0}),
          {BoundProof::Kind::kPositionalMaximums}};
}

LowerBound BoundOfOffsets(const Problem& problem) {
  const TaskBreadth peak = Broadest(BreadthsOf(problem));
  LowerBound bound = {peak.breadth, {BoundProof::Kind::kBytesLive, peak.task}};
  for (size_t i = 0; problem.has_fixed_offsets() && i < problem.size(); ++i) {
    const optional<size_t> offset = problem.fixed_offset(i);
    if (!offset) continue;
    const size_t end = *offset + problem.records()[i].tensor_size;
    if (end <= bound.bytes) continue;
    bound = {end, {BoundProof::Kind::kFixedEnd, i}};
  }
  return bound;
}

LowerBound ComputeLowerBound(const Problem& problem) {
  if (problem.free_order() != nullptr || problem.constraints() != nullptr) {
    return LinkedConstraints()->lower_bound(problem);
  }
  return problem.kind() == PlanKind::kOffsets ? BoundOfOffsets(problem)
                                              : BoundOfObjects(problem);
}

}  // namespace

const LowerBound& LowerBoundOf(const Problem& problem) {
  return problem.derived().Get<LowerBound>(DerivedValues::kLowerBound, [&] {
    LowerBound bound = ComputeLowerBound(problem);
    if (bound.bytes == 0) bound.proof = {BoundProof::Kind::kNoBytes};
    return bound;
  });
}

size_t AlignedLowerBound(const Problem& problem) {
  return problem.constraints() == nullptr
             ? LowerBoundOf(problem).bytes
             : LinkedConstraints()->aligned_lower_bound(problem);
}

uint64_t CostLowerBound(const Problem& problem) {
  return problem.constraints() == nullptr
             ? 0
             : LinkedConstraints()->cost_lower_bound(problem);
}

Span<const TaskBreadth> BreadthsOf(const Problem& problem) {
  return problem.derived().Get<std::vector<TaskBreadth>>(
      DerivedValues::kBreadths,
      [&] { return TaskBreadths(problem.records(), RanksOf(problem)); });
}

size_t NaiveSize(const Problem& problem) {
  return problem.derived().Get<size_t>(
      DerivedValues::kNaiveSize, [&] { return NaiveSize(problem.records()); });
}

}  // namespace stowage
