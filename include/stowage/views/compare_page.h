// SPDX-License-Identifier: Apache-2.0
// Formats a comparison of strategies as one HTML file: a table with a row for
// each input and a column for each strategy. A click on the title of a column
// sorts the rows by this column. To show the plans themselves, use page.h.
//
//   std::vector<views::ComparePageRow> rows;
//   rows.push_back({"unet.csv", 54, 300 << 20, 191102976,
//                   PlanKind::kOffsets, *CompareStrategies(*problem)});
//   const std::string page = views::FormatComparePage(rows, "U-Nets");
//
// Each cell shows the excess over the lower bound as a number and as a color.
// Like all pages of this folder, the file is self-contained and runs only its
// own script. If scripts are disabled, the rows remain in their original order.
#ifndef STOWAGE_VIEWS_COMPARE_PAGE_H_
#define STOWAGE_VIEWS_COMPARE_PAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "stowage/compare.h"
#include "stowage/problem.h"

namespace stowage::views {

// One input, and its plans of one kind.
struct ComparePageRow {
  std::string input;  // the name of the input
  size_t records = 0;
  size_t naive_size = 0;   // is in bytes
  size_t lower_bound = 0;  // is in bytes
  PlanKind kind = PlanKind::kOffsets;
  std::vector<ComparedPlan> plans;  // has at most one plan per strategy
};

// Returns the page, with a table for each kind of plan. A table has a column
// for each strategy that occurs in its rows. Names may contain any text. O(rows
// * strategies).
std::string FormatComparePage(absl::Span<const ComparePageRow> rows,
                              const std::string& title);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_COMPARE_PAGE_H_
