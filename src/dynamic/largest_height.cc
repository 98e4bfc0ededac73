// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/largest_height.h"

#include <cstddef>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {

LargestHeight LargestHeightOf(const DynamicProblem& problem,
                              const StackPlan& stack) {
  LargestHeight largest;
  std::vector<size_t> offsets(problem.size());
  // Problem::Create has accepted the sum of the largest sizes, so that no end
  // overflows.
  const auto take = [&](const ParameterValues& values,
                        Span<const size_t> sizes) {
    const size_t height = *stack.Offsets(sizes, MakeSpan(offsets));
    if (largest.values.empty() || height > largest.height) {
      largest.height = height;
      largest.values = values;
    }
    return true;
  };
  if (const optional<ParameterValues> value = problem.LargestValue(); value) {
    largest.rule = LargestRule::kRising;
    take(*value, problem.largest_sizes());
    return largest;
  }
  const std::vector<ParameterValues> corners = problem.Corners();
  for (const ParameterValues& corner : corners) {
    largest.rule = LargestRule::kCorner;
    take(corner, *problem.SizesAt(corner));
  }
  if (!corners.empty()) return largest;
  if (problem.CountValues()) {
    largest.rule = LargestRule::kAllValues;
    size_t count = 0;
    problem.VisitValues(
        [&](const ParameterValues& values, Span<const size_t> sizes) {
          ++count;
          return take(values, sizes);
        });
    largest.count = count;
    return largest;
  }
  take({}, problem.largest_sizes());
  largest.rule = LargestRule::kUnion;
  return largest;
}

}  // namespace stowage
