// SPDX-License-Identifier: Apache-2.0
// What two traces have in common, for pages that show plans of both: records
// and tasks. Plans of one trace need none of it.
#ifndef STOWAGE_SRC_VIEWS_PAGE_LINKS_H_
#define STOWAGE_SRC_VIEWS_PAGE_LINKS_H_

#include <cstddef>
#include <vector>

#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// For each record of `other` the record of `base` that it is, plus one, or 0:
// by name where every tensor of both has a name and no two the same, else by
// id. O(n) expected.
std::vector<size_t> LinkRecords(const Trace& base, const Trace& other);

// Tasks of one trace and those of another that they are: both rise.
struct TaskAlignment {
  std::vector<TaskId> from;  // of `other`
  std::vector<TaskId> to;    // of `base`
};

// The longest common subsequence of the operators' names, or a shorter one if
// the traces differ in more than about a thousand operators. Empty if one has
// no names: the tasks are then aligned by number. O(n * d) for n operators and
// d differences.
TaskAlignment AlignTasks(const Trace& base, const Trace& other);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PAGE_LINKS_H_
