// SPDX-License-Identifier: Apache-2.0
// Distributes the tensors of a plan over tracks such that no two tensors of a
// track overlap in time.
#ifndef STOWAGE_SRC_VIEWS_TRACE_LANES_H_
#define STOWAGE_SRC_VIEWS_TRACE_LANES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/profile.h"

namespace stowage::views {

// A track. Its records are in the order of tasks, and no two of them are live
// at the same task.
struct TraceLane {
  std::string name;
  std::vector<size_t> records;
};

// The lanes of the arena, of one pool, or of all shared objects.
struct TraceLaneGroup {
  std::string name;
  std::vector<TraceLane> lanes;
};

struct TraceLanes {
  std::vector<TraceLaneGroup> groups;
  // The records without a lane, in rising order.
  std::vector<size_t> hidden;
};

// Distributes `records[i]` for i in `subset` over at most `max` lanes, and over
// as few lanes as possible. If more than `max` records are live at a task, the
// smallest of them get no lane and are added to `hidden`. Among records of
// equal size, the last ones get no lane. O(n log n).
std::vector<std::vector<size_t>> ColourLanes(
    absl::Span<const ByteRecord> records, std::vector<size_t> subset,
    size_t max, std::vector<size_t>* hidden);

// Returns the lanes of a plan. A plan of offsets has at most `max` lanes for
// the arena or for each pool. A plan of shared objects has a lane for each of
// the `max` largest objects. Among objects of equal size, the first ones are
// chosen. An object that is unsafe or that tensors of a group share has several
// lanes. Tensors of objects that are not chosen get no lane.
TraceLanes LanesOf(const PlanView& plan, size_t max);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TRACE_LANES_H_
