// SPDX-License-Identifier: Apache-2.0
// Finds which tensors of two traces are the same.
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
#include "stowage/trace.h"

namespace stowage::views {
namespace {

using TensorMatches = std::vector<absl::optional<size_t>>;
// Returns the key by which a record is matched; empty if it has none.
using KeyOf = std::function<std::string(const Trace& trace, size_t record)>;

std::string IdKey(const Trace& trace, size_t record) {
  return trace.ids[record];
}

std::string NameKey(const Trace& trace, size_t record) {
  return record < trace.tensors.size() ? trace.tensors[record].name : "";
}

// Returns a key that consists of the operator, the shape and the type. The
// lengths of the first two are part of the key, so that different parts never
// make the same key.
std::string ShapeKey(const Trace& trace, size_t record) {
  if (record >= trace.tensors.size()) return "";
  const TensorInfo& info = trace.tensors[record];
  const bool has_operator =
      info.producer && *info.producer < trace.operators.size();
  const std::string made_by =
      has_operator ? trace.operators[*info.producer] : "";
  if (made_by.empty() && info.shape.empty()) return "";
  return absl::StrCat(made_by.size(), " ", made_by, " ", info.shape.size(), " ",
                      info.shape, " ", info.type);
}

std::vector<size_t> InExecutionOrder(const Trace& trace) {
  std::vector<size_t> order(trace.records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return trace.records[a].first_task < trace.records[b].first_task;
  });
  return order;
}

// Matches records of both traces that have the same key, if they have no match
// yet.
void MatchByKey(const Trace& old_trace, const Trace& new_trace,
                const KeyOf& key_of, TensorMatches* matches) {
  std::vector<bool> is_taken(new_trace.records.size(), false);
  for (const absl::optional<size_t>& match : *matches) {
    if (match) is_taken[*match] = true;
  }
  // For each key, the records of the new trace that have it, and how many of
  // them are matched.
  absl::flat_hash_map<std::string, std::pair<std::vector<size_t>, size_t>> left;
  for (const size_t i : InExecutionOrder(new_trace)) {
    if (is_taken[i]) continue;
    std::string key = key_of(new_trace, i);
    if (!key.empty()) left[std::move(key)].first.push_back(i);
  }
  for (const size_t i : InExecutionOrder(old_trace)) {
    if ((*matches)[i]) continue;
    const auto found = left.find(key_of(old_trace, i));
    if (found == left.end()) continue;
    auto& [records, used] = found->second;
    if (used < records.size()) (*matches)[i] = records[used++];
  }
}

bool KnowsTensors(const Trace& trace) {
  for (size_t i = 0; i < trace.tensors.size(); ++i) {
    if (!NameKey(trace, i).empty() || !ShapeKey(trace, i).empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<absl::optional<size_t>> MatchTensors(const Trace& old_trace,
                                                 const Trace& new_trace,
                                                 MatchBy by) {
  TensorMatches matches(old_trace.records.size());
  const bool is_known = KnowsTensors(old_trace) && KnowsTensors(new_trace);
  if (by == MatchBy::kId || (by == MatchBy::kWhatIsKnown && !is_known)) {
    MatchByKey(old_trace, new_trace, IdKey, &matches);
    return matches;
  }
  MatchByKey(old_trace, new_trace, NameKey, &matches);
  if (by == MatchBy::kName) return matches;
  MatchByKey(old_trace, new_trace, ShapeKey, &matches);
  return matches;
}

}  // namespace stowage::views
