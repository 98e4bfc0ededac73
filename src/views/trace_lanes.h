// SPDX-License-Identifier: Apache-2.0
// Distributes the tensors of a plan over tracks such that no two tensors of the
// same track overlap in time.
#ifndef STOWAGE_SRC_VIEWS_TRACE_LANES_H_
#define STOWAGE_SRC_VIEWS_TRACE_LANES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/profile.h"

namespace stowage::views {

// A track. Its records are ordered by task, and no two of them are live at the
// same task.
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

// Distributes `records[i]` for i in `subset` over as few lanes as possible, and
// at most `max`. If more than `max` records are live at a task, the smallest of
// them get no lane and are added to `hidden`. Among records of equal size, the
// last ones get no lane. O(n log n).
std::vector<std::vector<size_t>> ColourLanes(
    absl::Span<const ByteRecord> records, std::vector<size_t> subset,
    size_t max, std::vector<size_t>* hidden);

// Returns the lanes of a plan. A plan of offsets gets at most `max` lanes for
// the arena or for each pool. A plan of shared objects gets a lane for each of
// the `max` largest objects; among objects of equal size, prefers the first
// ones. An object has several lanes if it is unsafe or if tensors of a group
// share it. Tensors in other objects get no lane.
TraceLanes LanesOf(const PlanView& plan, size_t max);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TRACE_LANES_H_
