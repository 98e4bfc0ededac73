// SPDX-License-Identifier: Apache-2.0
// The plan file of an external planner: what it has to hold and no more.
//
//   id,offset
//   t1,0
//   t0,64
//
// For plan files that hold the trace too, as `stowage plan` writes them and
// `stowage verify` wants them, see ParseTraceCsv (stowage/trace.h).
#ifndef STOWAGE_SRC_TESTING_PLAN_FILE_H_
#define STOWAGE_SRC_TESTING_PLAN_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::program {

// The numbers of a plan file by id.
using PlanColumn = absl::flat_hash_map<std::string, size_t>;

// Parses the columns `id` and `column` ("offset" or "object"), which may come
// in any order among others. A file without any row needs no such column.
// Error: InvalidArgument, "NAME:LINE: ...". O(n) for n bytes.
absl::StatusOr<PlanColumn> ParsePlanColumn(absl::string_view csv,
                                           absl::string_view name,
                                           absl::string_view column);

// The same for a column of names, each by its index in `names`.
absl::StatusOr<PlanColumn> ParseNamesColumn(
    absl::string_view csv, absl::string_view name, absl::string_view column,
    const std::vector<std::string>& names);

// The numbers in the order of `ids`, which are unique. Error: InvalidArgument,
// "NAME: ...", if an id has no number or a number has none of these ids. O(n).
absl::StatusOr<std::vector<size_t>> InOrderOfIds(
    const PlanColumn& numbers, absl::string_view name,
    const std::vector<std::string>& ids);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_PLAN_FILE_H_
