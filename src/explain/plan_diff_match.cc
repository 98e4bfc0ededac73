// SPDX-License-Identifier: Apache-2.0
// Finds the tensors that two problems have in common.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/labels.h"
#include "stowage/problem.h"

namespace stowage::views {
namespace {

using TensorMatches = std::vector<absl::optional<size_t>>;
// A function that returns the key by which a record is matched, or an empty
// string if the record has no key.
using KeyOf =
    std::function<std::string(const ProblemSpec& problem, size_t record)>;

std::string IdKey(const ProblemSpec& problem, size_t record) {
  return problem.names[record];
}

std::string NameKey(const ProblemSpec& problem, size_t record) {
  return record < problem.labels.tensors.size()
             ? problem.labels.tensors[record].name
             : "";
}

// The key contains the lengths of its parts, so that different parts never
// produce the same key.
std::string ShapeKey(const ProblemSpec& problem, size_t record) {
  if (record >= problem.labels.tensors.size()) return "";
  const TensorInfo& info = problem.labels.tensors[record];
  const bool has_operator =
      info.producer && *info.producer < problem.labels.operators.size();
  const std::string made_by =
      has_operator ? problem.labels.operators[*info.producer] : "";
  if (made_by.empty() && info.shape.empty()) return "";
  return absl::StrCat(made_by.size(), " ", made_by, " ", info.shape.size(), " ",
                      info.shape, " ", info.type);
}

std::vector<size_t> InExecutionOrder(const ProblemSpec& problem) {
  std::vector<size_t> order(problem.records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return problem.records[a].first_task < problem.records[b].first_task;
  });
  return order;
}

// Matches records of the two problems that have the same key and no match yet,
// in the order of their first tasks.
void MatchByKey(const ProblemSpec& old_problem, const ProblemSpec& new_problem,
                const KeyOf& key_of, TensorMatches* matches) {
  std::vector<bool> is_taken(new_problem.records.size(), false);
  for (const absl::optional<size_t>& match : *matches) {
    if (match) is_taken[*match] = true;
  }
  // For each key, the records of the new problem with this key, and how many of
  // them are matched already.
  absl::flat_hash_map<std::string, std::pair<std::vector<size_t>, size_t>> left;
  for (const size_t i : InExecutionOrder(new_problem)) {
    if (is_taken[i]) continue;
    std::string key = key_of(new_problem, i);
    if (!key.empty()) left[std::move(key)].first.push_back(i);
  }
  for (const size_t i : InExecutionOrder(old_problem)) {
    if ((*matches)[i]) continue;
    const auto found = left.find(key_of(old_problem, i));
    if (found == left.end()) continue;
    auto& [records, used] = found->second;
    if (used < records.size()) (*matches)[i] = records[used++];
  }
}

bool KnowsTensors(const ProblemSpec& problem) {
  for (size_t i = 0; i < problem.labels.tensors.size(); ++i) {
    if (!NameKey(problem, i).empty() || !ShapeKey(problem, i).empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<absl::optional<size_t>> MatchTensors(const ProblemSpec& old_problem,
                                                 const ProblemSpec& new_problem,
                                                 MatchBy by) {
  TensorMatches matches(old_problem.records.size());
  const bool is_known = KnowsTensors(old_problem) && KnowsTensors(new_problem);
  if (by == MatchBy::kId || (by == MatchBy::kWhatIsKnown && !is_known)) {
    MatchByKey(old_problem, new_problem, IdKey, &matches);
    return matches;
  }
  MatchByKey(old_problem, new_problem, NameKey, &matches);
  if (by == MatchBy::kName) return matches;
  MatchByKey(old_problem, new_problem, ShapeKey, &matches);
  return matches;
}

}  // namespace stowage::views
