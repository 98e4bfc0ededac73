// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/match_rows.h"

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Describes a record with the column names and half-open intervals of trace
// files, because the user will search for the record in such a file.
std::string Facts(const TensorUsageRecord<size_t>& record) {
  return StrCat("lower ", record.first_task, ", upper ", record.last_task + 1,
                ", size ", record.tensor_size);
}

}  // namespace

void AddRecords(const ProblemSpec& problem, ProblemSpec* plan) {
  if (!plan->records.empty()) return;
  flat_hash_map<string_view, size_t> records;
  for (size_t i = 0; i < problem.names.size(); ++i) {
    records[problem.names[i]] = i;
  }
  for (const std::string& id : plan->names) {
    const auto found = records.find(id);
    plan->records.push_back(found == records.end()
                                ? TensorUsageRecord<size_t>()
                                : problem.records[found->second]);
  }
}

StatusOr<std::vector<size_t>> MatchRows(const ProblemSpec& problem,
                                        string_view problem_name,
                                        const ProblemSpec& plan,
                                        string_view plan_name) {
  flat_hash_map<string_view, size_t> rows;
  for (size_t row = 0; row < plan.names.size(); ++row) {
    rows[plan.names[row]] = row;
  }
  std::vector<size_t> matched;
  for (size_t i = 0; i < problem.names.size(); ++i) {
    const auto found = rows.find(problem.names[i]);
    if (found == rows.end()) {
      return WithRecords(InvalidArgumentError(StrCat(
                             plan_name, ": no row for id '", problem.names[i],
                             "'; expected one for each of ", problem_name)),
                         {i});
    }
    const TensorUsageRecord<size_t>& mine = plan.records[found->second];
    const TensorUsageRecord<size_t>& asked = problem.records[i];
    if (mine.first_task != asked.first_task ||
        mine.last_task != asked.last_task ||
        mine.tensor_size != asked.tensor_size) {
      return WithRecords(
          InvalidArgumentError(StrCat(plan_name, ": id '", problem.names[i],
                                      "' has ", Facts(mine), "; expected ",
                                      Facts(asked), " as in ", problem_name)),
          {i});
    }
    matched.push_back(found->second);
    rows.erase(found);
  }
  for (const std::string& id : plan.names) {
    if (rows.count(id) == 0) continue;
    return InvalidArgumentError(StrCat(plan_name, ": id '", id, "' is not in ",
                                       problem_name,
                                       "; expected its ids alone"));
  }
  return matched;
}

std::vector<size_t> InRecordOrder(const std::vector<size_t>& column,
                                  const std::vector<size_t>& rows) {
  std::vector<size_t> ordered;
  ordered.reserve(rows.size());
  for (const size_t row : rows) ordered.push_back(column[row]);
  return ordered;
}

}  // namespace stowage
