// SPDX-License-Identifier: Apache-2.0
// Builds the section "Why this big?" of a page (page.h). The section shows the
// reasons of explain.h as blocks of text and tables, which the script of the
// page displays.
#ifndef STOWAGE_SRC_VIEWS_PAGE_REASONS_H_
#define STOWAGE_SRC_VIEWS_PAGE_REASONS_H_

#include <nlohmann/json.hpp>

#include "src/views/page_data.h"
#include "stowage/explain/explain.h"

namespace stowage::views {

// Returns an array of blocks. A block is an object with the keys "title" and
// "text", or with the keys "title", "columns" and "rows". A row is an object
// with the keys "record" and "cells". Records are numbered as in the plan's
// trace. O(n log n).
nlohmann::ordered_json PageReasons(const PagePlan& plan,
                                   const PlanExplanation& why);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PAGE_REASONS_H_
