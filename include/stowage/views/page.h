// SPDX-License-Identifier: Apache-2.0
// Formats plans as one HTML file with pictures that can be zoomed. The page
// shows each plan as rectangles over tasks and bytes, with a curve of the live
// bytes below. It has a search field and a table of the tensors that are live
// at the peak, and can show several plans side by side. For a picture in a
// document, use svg.h; for a picture in a terminal, use terminal.h.
//
//   const absl::StatusOr<views::PlanView> view = ...;
//   const absl::StatusOr<std::string> page =
//       views::FormatPage({*view}, {"mobilenet_v1"});
//   if (page.ok()) WriteFile("page.html", *page).IgnoreError();
//
// The file is self-contained: it makes no requests, stores nothing and runs
// only its own script, which its Content-Security-Policy allows by hash. Names
// of tensors are not trusted and are embedded as data. The page needs a browser
// with DecompressionStream: Chrome 80, Firefox 113, Safari 16.4, or later.
//
// Plans of the same trace share the columns of the trace, even if the rows of
// the plans are in different orders; each additional plan of the trace adds
// about two bytes per record. Records of different traces are linked by name if
// the names are unique in both traces, and otherwise by id. Tasks of different
// traces are aligned by the names of the operators if possible, and otherwise
// by number.
#ifndef STOWAGE_VIEWS_PAGE_H_
#define STOWAGE_VIEWS_PAGE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/write_text.h"

namespace stowage::views {

struct PageOptions {
  std::string title;  // if it is empty, the titles of the plans are used
  // If not empty, the page shows one plan at a time, and a slider with this
  // name selects the plan.
  std::string slider = {};
};

// Returns a page that shows the plans in this order. An unsafe plan is shown
// with its violation. The page is valid UTF-8 even if names are not. Error:
// InvalidArgument if there are no plans. O(n log n) for a total of n records,
// plus the time of zlib, which is about a second for a million records.
absl::StatusOr<std::string> FormatPage(absl::Span<const PlanView> plans,
                                       const PageOptions& options = {});

// Writes the same page piece by piece. Errors: those of FormatPage, and the
// first error of `write`.
absl::Status WritePage(absl::Span<const PlanView> plans,
                       const PageOptions& options, const WriteText& write);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_PAGE_H_
