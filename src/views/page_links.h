// SPDX-License-Identifier: Apache-2.0
// Finds the records and tasks that two different problems have in common, for
// pages that show plans of both problems. Not needed for plans of the same
// problem.
#ifndef STOWAGE_SRC_VIEWS_PAGE_LINKS_H_
#define STOWAGE_SRC_VIEWS_PAGE_LINKS_H_

#include <cstddef>
#include <vector>

#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// Returns, for each record of `other`, one plus the index of the same record in
// `base`, or 0 if `base` does not have this record. Records are matched by name
// if every tensor of both problems has a name and the names within each problem
// are distinct, and by id otherwise. O(n) expected.
std::vector<size_t> LinkRecords(const ProblemSpec& base,
                                const ProblemSpec& other);

// Pairs of tasks, one task from each problem, that run the same operator. Both
// lists are in rising order.
struct TaskAlignment {
  std::vector<TaskId> from;  // the tasks belong to `other`
  std::vector<TaskId> to;    // the tasks belong to `base`
};

// Aligns the tasks along a longest common subsequence of the names of the
// operators, or along a shorter common subsequence if the problems differ in
// more than about a thousand operators. If one of the problems has no names,
// returns an empty alignment; the page then aligns tasks with equal numbers.
// O(n * d) for n operators and d differences.
TaskAlignment AlignTasks(const ProblemSpec& base, const ProblemSpec& other);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PAGE_LINKS_H_
