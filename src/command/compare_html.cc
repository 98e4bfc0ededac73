// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/command/compare.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/views/compare_page.h"

namespace stowage::cli {

std::string CompareHtml(const Comparison& comparison) {
  std::vector<views::ComparePageRow> rows;
  for (const ComparedInput& input : comparison.inputs) {
    for (const PlanKind kind : comparison.kinds) {
      views::ComparePageRow row = {input.name,
                                   input.records,
                                   input.naive_size,
                                   input.LowerBound(kind),
                                   kind,
                                   {}};
      for (const ComparedPlan& plan : input.plans) {
        if (plan.kind == kind) row.plans.push_back(plan);
      }
      rows.push_back(row);
    }
  }
  return views::FormatComparePage(
      rows, comparison.inputs.size() == 1
                ? comparison.inputs[0].name
                : Count(comparison.inputs.size(), "input"));
}

}  // namespace stowage::cli
