// SPDX-License-Identifier: Apache-2.0
// Tracks for the tensors of a plan, on which no two overlap.
#ifndef STOWAGE_SRC_VIEWS_TRACE_LANES_H_
#define STOWAGE_SRC_VIEWS_TRACE_LANES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/profile.h"

namespace stowage::views {

// Records in the order of tasks, no two of which are live together.
struct TraceLane {
  std::string name;
  std::vector<size_t> records;
};

// The lanes of an arena, a pool, or all shared objects.
struct TraceLaneGroup {
  std::string name;
  std::vector<TraceLane> lanes;
};

struct TraceLanes {
  std::vector<TraceLaneGroup> groups;
  std::vector<size_t> hidden;  // records without a lane, rising
};

// Lanes of `records[i]` for i in `subset`, as few as can be, at most `most`.
// Where more are live the smallest have none, of equal ones the last: they are
// added to `hidden`. O(n log n).
std::vector<std::vector<size_t>> ColourLanes(
    absl::Span<const ByteRecord> records, std::vector<size_t> subset,
    size_t most, std::vector<size_t>* hidden);

// For offsets at most `most` lanes for the arena or each pool. A lane for each
// of the `most` largest shared objects, of equal ones the first: more for one
// that is unsafe or that tensors of a group share. Tensors of other objects
// have none.
TraceLanes LanesOf(const PlanView& plan, size_t most);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TRACE_LANES_H_
