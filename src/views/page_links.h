// SPDX-License-Identifier: Apache-2.0
// Finds the records and tasks that two problems have in common, for pages that
// show plans of both. Plans of the same problem do not need this.
#ifndef STOWAGE_SRC_VIEWS_PAGE_LINKS_H_
#define STOWAGE_SRC_VIEWS_PAGE_LINKS_H_

#include <cstddef>
#include <vector>

#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// Returns, for each record of `other`, one plus the index of the same record in
// `base`, or 0 if `base` does not have it. Records are matched by name if every
// tensor of both problems has a name and no two names of a problem are equal,
// and by id otherwise. O(n) expected.
std::vector<size_t> LinkRecords(const ProblemSpec& base,
                                const ProblemSpec& other);

// Lists pairs of tasks, one of each problem, that run the same operator. Both
// lists are in rising order.
struct TaskAlignment {
  std::vector<TaskId> from;  // the tasks belong to `other`
  std::vector<TaskId> to;    // the tasks belong to `base`
};

// Returns the tasks of the longest common subsequence of the operators' names,
// or of a shorter subsequence if the problems differ in more than about a
// thousand operators. If one of the problems has no names, returns an empty
// alignment, and the page aligns tasks that have the same number. O(n * d) for
// n operators and d differences.
TaskAlignment AlignTasks(const ProblemSpec& base, const ProblemSpec& other);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PAGE_LINKS_H_
