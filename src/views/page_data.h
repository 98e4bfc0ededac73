// SPDX-License-Identifier: Apache-2.0
// Writes the data of a page (page.h): a header in JSON and blocks of columns.
// The script of the page reads them; src/views/web/README.md describes the
// format.
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

// A trace that one or more plans of a page have in common.
struct PageTrace {
  const PlanView* view = nullptr;  // the first plan of this trace
};

struct PagePlan {
  const PlanView* view = nullptr;
  size_t trace = 0;  // index of its PageTrace
  // Maps each record of the trace to a record of the plan; empty if both have
  // the same order.
  std::vector<size_t> rows;

  // Returns the plan's record for record `i` of its trace.
  size_t Row(size_t i) const { return rows.empty() ? i : rows[i]; }
};

struct PagePlans {
  std::vector<PageTrace> traces;
  std::vector<PagePlan> plans;
};

// Groups the plans that belong to the same trace: their records have the same
// ids, sizes and tasks. O(n) expected.
PagePlans GroupPlans(absl::Span<const PlanView> views);

// Writes the blocks, each as an element <script type="text/plain" id="...">.
// Errors: those of `write`.
absl::Status WritePageData(const PagePlans& plans, const std::string& title,
                           const WriteText& write);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PAGE_DATA_H_
