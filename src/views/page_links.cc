// SPDX-License-Identifier: Apache-2.0
#include "src/views/page_links.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "stowage/labels.h"
#include "stowage/problem.h"

namespace stowage::views {
namespace {

// The maximum number of differences that the search allows. Every difference
// requires another row of memory.
constexpr size_t kMaxDifferences = 1000;

using Keys = std::vector<absl::string_view>;
using KeyIndex = absl::flat_hash_map<absl::string_view, size_t>;

// Returns the names of all tensors, or an empty list if any tensor has no name.
Keys NamesOf(const ProblemSpec& problem) {
  Keys names;
  for (const TensorInfo& tensor : problem.labels.tensors) {
    if (tensor.name.empty()) return {};
    names.push_back(tensor.name);
  }
  return names;
}

KeyIndex IndexOf(const Keys& keys) {
  KeyIndex index;
  index.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) index.emplace(keys[i], i);
  return index;
}

// Finds common entries of two lists `a` and `b` with Myers's greedy algorithm,
// which searches for a path from the corner (0, 0) of a grid to the opposite
// corner. x is a position in `a`, and y a position in `b`. For 0, 1, 2, ...
// differences, the algorithm computes the furthest x on every diagonal. Source:
// Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), figure 2.
class OperatorPath {
 public:
  OperatorPath(const std::vector<std::string>& a,
               const std::vector<std::string>& b)
      : a_(a), b_(b) {}

  // Returns the pairs of indices of equal entries, in rising order. If the
  // lists differ too much, the list of pairs may be incomplete.
  std::vector<std::pair<size_t, size_t>> Find() {
    const size_t max = std::min(a_.size() + b_.size(), kMaxDifferences);
    for (size_t d = 0; d <= max; ++d) {
      if (Step(d)) return TraceBack(d, a_.size(), b_.size());
    }
    return TraceBack(furthest_d_, furthest_x_, furthest_y_);
  }

 private:
  // Computes the furthest x on each diagonal with d differences, and returns
  // whether one of these points is the end of both lists. rows_[d][k + d] is
  // the furthest x on the diagonal x - y = k.
  bool Step(size_t d) {
    rows_.emplace_back(2 * d + 1, 0);
    for (size_t at = 0; at <= 2 * d; at += 2) {
      size_t x = Start(d, at);
      size_t y = x + d - at;
      while (x < a_.size() && y < b_.size() && a_[x] == b_[y]) {
        ++x;
        ++y;
      }
      rows_[d][at] = x;
      const bool is_inside = x <= a_.size() && y <= b_.size();
      if (is_inside && x + y > furthest_x_ + furthest_y_) {
        furthest_d_ = d;
        furthest_x_ = x;
        furthest_y_ = y;
      }
      if (x == a_.size() && y == b_.size()) return true;
    }
    return false;
  }

  // Returns whether the last difference on the path to this diagonal skips an
  // entry of `b` rather than an entry of `a`.
  bool IsDown(size_t d, size_t at) const {
    // Row d - 1 stores the diagonal k at index k + d - 1 = at - 1.
    return at == 0 || (at != 2 * d && rows_[d - 1][at - 2] < rows_[d - 1][at]);
  }

  size_t Start(size_t d, size_t at) const {
    if (d == 0) return 0;
    return IsDown(d, at) ? rows_[d - 1][at] : rows_[d - 1][at - 2] + 1;
  }

  std::vector<std::pair<size_t, size_t>> TraceBack(size_t d, size_t x,
                                                   size_t y) const {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (;; --d) {
      const size_t at = x + d - y;
      const size_t start = Start(d, at);
      for (; x > start; --x, --y) pairs.emplace_back(x - 1, y - 1);
      if (d == 0) break;
      if (IsDown(d, at)) {
        --y;
      } else {
        --x;
      }
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  const std::vector<std::string>& a_;
  const std::vector<std::string>& b_;
  std::vector<std::vector<size_t>> rows_;
  size_t furthest_d_ = 0;
  size_t furthest_x_ = 0;
  size_t furthest_y_ = 0;
};

}  // namespace

std::vector<size_t> LinkRecords(const ProblemSpec& base,
                                const ProblemSpec& other) {
  Keys base_keys = NamesOf(base);
  Keys keys = NamesOf(other);
  KeyIndex index = IndexOf(base_keys);
  const bool has_names = !keys.empty() && !base_keys.empty() &&
                         index.size() == base_keys.size() &&
                         IndexOf(keys).size() == keys.size();
  if (!has_names) {
    base_keys.assign(base.names.begin(), base.names.end());
    keys.assign(other.names.begin(), other.names.end());
    index = IndexOf(base_keys);
  }
  std::vector<size_t> links;
  for (const absl::string_view key : keys) {
    const auto entry = index.find(key);
    links.push_back(entry == index.end() ? 0 : entry->second + 1);
  }
  links.resize(other.records.size(), 0);
  return links;
}

TaskAlignment AlignTasks(const ProblemSpec& base, const ProblemSpec& other) {
  TaskAlignment tasks;
  if (base.labels.operators.empty() || other.labels.operators.empty()) {
    return tasks;
  }
  OperatorPath path(other.labels.operators, base.labels.operators);
  for (const auto& [from, to] : path.Find()) {
    tasks.from.push_back(from);
    tasks.to.push_back(to);
  }
  return tasks;
}

}  // namespace stowage::views
