// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/largest_height.h"

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {

optional<LargestHeight> LargestHeightBy(LargestRule rule,
                                        const DynamicProblem& problem,
                                        const StackPlan& stack) {
  LargestHeight largest;
  largest.rule = rule;
  bool is_first = true;
  std::vector<size_t> offsets(problem.size());
  // No end overflows, because Problem::Create has accepted the sum of the
  // largest sizes.
  const auto take = [&](const ParameterValues& values,
                        Span<const size_t> sizes) {
    const size_t height = *stack.Offsets(sizes, MakeSpan(offsets));
    if (is_first || height > largest.height) {
      largest.height = height;
      largest.values = values;
      is_first = false;
    }
    return true;
  };
  switch (rule) {
    case LargestRule::kRising: {
      const optional<ParameterValues> value = problem.LargestValue();
      if (!value) return nullopt;
      take(*value, problem.largest_sizes());
      return largest;
    }
    case LargestRule::kCorner: {
      for (const ParameterValues& corner : problem.Corners()) {
        take(corner, *problem.SizesAt(corner));
      }
      if (is_first) return nullopt;
      return largest;
    }
    case LargestRule::kAllValues: {
      if (!problem.CountValues()) return nullopt;
      size_t count = 0;
      problem.VisitValues(
          [&](const ParameterValues& values, Span<const size_t> sizes) {
            ++count;
            return take(values, sizes);
          });
      largest.count = count;
      return largest;
    }
    case LargestRule::kUnion:
      break;
  }
  take({}, problem.largest_sizes());
  return largest;
}

LargestHeight LargestHeightOf(const DynamicProblem& problem,
                              const StackPlan& stack) {
  for (const LargestRule rule :
       {LargestRule::kRising, LargestRule::kCorner, LargestRule::kAllValues}) {
    if (optional<LargestHeight> found = LargestHeightBy(rule, problem, stack)) {
      return *found;
    }
  }
  return *LargestHeightBy(LargestRule::kUnion, problem, stack);
}

std::string DescribeLargest(const DynamicProblem& problem, LargestRule rule,
                            const ParameterValues& largest,
                            optional<size_t> values) {
  const std::string at =
      largest.empty() ? std::string() : problem.Describe(largest);
  switch (rule) {
    case LargestRule::kRising:
      return problem.has_scenarios()
                 ? StrCat("one scenario has the largest size of every record: ",
                          at)
                 : StrCat("no size falls as a parameter rises; largest at ",
                          at);
    case LargestRule::kCorner:
      return StrCat("heights are convex; largest at the corner ", at);
    case LargestRule::kAllValues: {
      const size_t count = values.value_or(0);
      return StrCat("all ", count, count == 1 ? " value" : " values",
                    " tried; largest at ", at);
    }
    case LargestRule::kUnion:
      break;
  }
  return "a bound from the largest size of each record, which need not occur "
         "together";
}

}  // namespace stowage
