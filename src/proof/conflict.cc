// SPDX-License-Identifier: Apache-2.0
#include "src/proof/conflict.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {

StatusOr<Problem> Subproblem(const Problem& problem,
                             Span<const size_t> indices) {
  ProblemSpec spec;
  spec.kind = problem.kind();
  for (const size_t i : indices) {
    spec.records.push_back(problem.records()[i]);
    spec.alignments.push_back(problem.alignments().Of(i));
    if (problem.has_fixed_offsets()) {
      spec.fixed_offsets.push_back(problem.fixed_offset(i));
    }
  }
  return Problem::Create(std::move(spec));
}

optional<size_t> SizeOfStack(const Problem& problem,
                             Span<const size_t> indices) {
  const bool is_offsets = problem.kind() == PlanKind::kOffsets;
  size_t top = 0;
  for (const size_t i : indices) {
    if (problem.fixed_offset(i)) return nullopt;
    const size_t size = problem.records()[i].tensor_size;
    if (size == 0) continue;
    const size_t alignment = is_offsets ? problem.alignments().Of(i) : 1;
    top = *CheckedAlignUp(top, alignment) + size;
  }
  return top;
}

}  // namespace stowage::certificate
