// SPDX-License-Identifier: Apache-2.0
// Writes the data of a page (page.h), which the script of the page reads. The
// data consist of a JSON header and blocks of columns. For the format, see
// src/views/web/README.md.
#ifndef STOWAGE_SRC_VIEWS_PAGE_DATA_H_
#define STOWAGE_SRC_VIEWS_PAGE_DATA_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/write_text.h"

namespace stowage::views {

// A trace to which one or more plans of a page belong.
struct PageTrace {
  // The first plan that belongs to this trace.
  const PlanView* view = nullptr;
};

struct PagePlan {
  const PlanView* view = nullptr;
  // The index of the PageTrace of this plan.
  size_t trace = 0;
  // Maps each record of the trace to a record of the plan. Empty if the trace
  // and the plan list their records in the same order.
  std::vector<size_t> rows;

  // Returns the index in the plan of record `i` of the trace.
  size_t Row(size_t i) const { return rows.empty() ? i : rows[i]; }
};

struct PagePlans {
  std::vector<PageTrace> traces;
  std::vector<PagePlan> plans;
};

// Groups plans by trace. Two plans belong to the same trace if their records
// have the same ids, sizes and tasks. O(n) expected.
PagePlans GroupPlans(absl::Span<const PlanView> views);

// Writes the header and the blocks, each in an element <script
// type="text/plain" id="...">. `slider` is the name of the slider, as in
// PageOptions::slider. Errors: those of `write`.
absl::Status WritePageData(const PagePlans& plans, const std::string& title,
                           const std::string& slider, const WriteText& write);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PAGE_DATA_H_
