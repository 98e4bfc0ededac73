// SPDX-License-Identifier: Apache-2.0
// Reads the plan files of external planners. Such a file has only two columns:
//
//   id,offset
//   t1,0
//   t0,64
//
// For plan files that also contain the trace, in the format of `stowage plan`
// and `stowage verify`, see ParseProblemCsv (stowage/io/problem_file.h).
#ifndef STOWAGE_SRC_TESTING_PLAN_FILE_H_
#define STOWAGE_SRC_TESTING_PLAN_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::program {

// The number for each id in a plan file: an offset, an object or a pool.
using PlanColumn = absl::flat_hash_map<std::string, size_t>;

// Parses the columns `id` and `column` ("offset" or "object"). They may be in
// any order and among other columns. A file without rows need not have
// `column`. Errors: InvalidArgument, "NAME:LINE: ...". O(n) for n bytes.
absl::StatusOr<PlanColumn> ParsePlanColumn(absl::string_view csv,
                                           absl::string_view name,
                                           absl::string_view column);

// Like ParsePlanColumn, but for a `column` that contains names. Each name is
// replaced by its index in `names`.
absl::StatusOr<PlanColumn> ParseNamesColumn(
    absl::string_view csv, absl::string_view name, absl::string_view column,
    const std::vector<std::string>& names);

// Returns the numbers in the order of `ids`. Requires unique ids. Errors:
// InvalidArgument, "NAME: ...", if an id has no number or a number belongs to
// an id that is not in `ids`. O(n).
absl::StatusOr<std::vector<size_t>> InOrderOfIds(
    const PlanColumn& numbers, absl::string_view name,
    const std::vector<std::string>& ids);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_PLAN_FILE_H_
