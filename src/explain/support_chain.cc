// SPDX-License-Identifier: Apache-2.0
// Finds the support chain of the highest byte, and its lifts: the parts that
// are live at the peak but are above bytes that are free at the peak.
#include "src/explain/support_chain.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/range_tree.h"
#include "src/explain/steps.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

constexpr size_t kNoNumber = static_cast<size_t>(-1);

// The best support chain that ends with a given record at the top. A chain is
// better than another if it has more bytes; if they have equally many bytes, if
// it has fewer records; if they also have equally many records, if `live` is
// larger.
struct ChainColumn {
  size_t bytes = 0;
  // The bytes from the top down to the first record that is not live at the
  // peak.
  size_t live = 0;
  size_t height = 0;       // the number of records
  size_t top = kNoNumber;  // the number of the record on top
  friend bool operator<(const ChainColumn& a, const ChainColumn& b) {
    return std::tie(a.bytes, b.height, a.live) <
           std::tie(b.bytes, a.height, b.live);
  }
};

// The best column at each step. Initially all columns are empty. RangeHeights
// cannot be used instead, because it may choose a different one among equally
// good columns of a range, and reports would change.
class BestColumns {
 public:
  explicit BestColumns(size_t steps)
      : leaves_(LeavesFor(steps)), whole_(2 * leaves_), best_(2 * leaves_) {}

  // Sets the column of each step in [begin, end) to `column` if that is better.
  // Requires begin < end. O(log steps).
  void Raise(size_t begin, size_t end, const ChainColumn& column) {
    VisitCover(leaves_ + begin, leaves_ + end, [&](size_t node) {
      whole_[node] = Larger()(whole_[node], column);
      best_[node] = Larger()(best_[node], column);
    });
    for (const size_t leaf : {leaves_ + begin, leaves_ + end - 1}) {
      for (size_t node = leaf / 2; node > 0; node /= 2) {
        best_[node] = Larger()(best_[node], column);
      }
    }
  }

  // Returns the best column of the steps in [begin, end). Requires begin < end.
  // O(log steps).
  ChainColumn Largest(size_t begin, size_t end) const {
    ChainColumn largest;
    VisitCover(leaves_ + begin, leaves_ + end,
               [&](size_t node) { largest = Larger()(largest, best_[node]); });
    for (const size_t leaf : {leaves_ + begin, leaves_ + end - 1}) {
      for (size_t node = leaf; node > 0; node /= 2) {
        largest = Larger()(largest, whole_[node]);
      }
    }
    return largest;
  }

 private:
  size_t leaves_;
  // For each node, the best column that was set for all steps below the node at
  // once.
  std::vector<ChainColumn> whole_;
  // For each node, the best column of all steps below the node.
  std::vector<ChainColumn> best_;
};

bool IsLiveAt(const ByteRecord& life, TaskId task) {
  return life.first_task <= task && task <= life.last_task;
}

// The records of a band that have bytes, numbered from 0.
struct ChainStack {
  std::vector<size_t> records;  // is indexed by number
  std::vector<ByteRecord> lives;
  std::vector<size_t> begins;  // is in bytes from the bottom of the band
  std::vector<size_t> ends;
  Steps steps;
};

ChainStack ChainStackOf(const PlanView& view, absl::Span<const size_t> members,
                        size_t floor) {
  ChainStack stack;
  for (const size_t i : members) {
    const ByteRecord& record = view.problem.records[i];
    if (record.tensor_size == 0) continue;
    stack.records.push_back(i);
    stack.lives.push_back(record);
    stack.begins.push_back(view.offsets[i] - floor);
    stack.ends.push_back(stack.begins.back() + record.tensor_size);
  }
  stack.steps = StepsOf(stack.lives);
  return stack;
}

std::vector<size_t> NumbersSortedBy(const std::vector<size_t>& keys) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return order;
}

// Returns the numbers of the records of a best support chain, from the bottom
// up. Visits the records by rising begin. When a record is visited, the chains
// of all records that end at or below its begin are already known, because
// those records begin lower.
std::vector<size_t> BestChain(const ChainStack& stack, TaskId peak) {
  const std::vector<size_t> by_begin = NumbersSortedBy(stack.begins);
  const std::vector<size_t> by_end = NumbersSortedBy(stack.ends);
  std::vector<ChainColumn> columns(stack.records.size());
  std::vector<size_t> below(stack.records.size(), kNoNumber);
  BestColumns known(stack.steps.tasks.size());
  size_t next = 0;
  for (const size_t k : by_begin) {
    for (; next < by_end.size() && stack.ends[by_end[next]] <= stack.begins[k];
         ++next) {
      const StepRange& range = stack.steps.ranges[by_end[next]];
      known.Raise(range.begin, range.end, columns[by_end[next]]);
    }
    const StepRange& range = stack.steps.ranges[k];
    const ChainColumn under = known.Largest(range.begin, range.end);
    below[k] = under.top;
    const size_t size = stack.lives[k].tensor_size;
    columns[k] = {under.bytes + size,
                  IsLiveAt(stack.lives[k], peak) ? under.live + size : 0,
                  under.height + 1, k};
  }
  size_t top = kNoNumber;
  for (size_t k = 0; k < columns.size(); ++k) {
    if (stack.ends[k] != stack.ends[by_end.back()]) continue;
    if (top == kNoNumber || columns[top] < columns[k]) top = k;
  }
  std::vector<size_t> chain;
  for (size_t k = top; k != kNoNumber; k = below[k]) chain.push_back(k);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// Computes the total size of the records that are live at `task` and begin
// below a given byte of the band.
class BytesBelow {
 public:
  BytesBelow(const ChainStack& stack, TaskId task) {
    std::vector<size_t> order;
    for (const size_t k : NumbersSortedBy(stack.begins)) {
      if (IsLiveAt(stack.lives[k], task)) order.push_back(k);
    }
    sums_.push_back(0);
    for (const size_t k : order) {
      begins_.push_back(stack.begins[k]);
      sums_.push_back(sums_.back() + stack.lives[k].tensor_size);
    }
  }

  size_t Of(size_t end) const {
    const auto found = std::lower_bound(begins_.begin(), begins_.end(), end);
    return sums_[static_cast<size_t>(found - begins_.begin())];
  }

 private:
  std::vector<size_t> begins_;
  std::vector<size_t> sums_;
};

void FillLifts(const ChainStack& stack, const std::vector<size_t>& numbers,
               SupportChain* chain) {
  const BytesBelow needed(stack, chain->peak);
  size_t foot = 0;
  size_t lifted = 0;
  for (size_t part = 0; part < numbers.size(); ++part) {
    if (!IsLiveAt(stack.lives[numbers[part]], chain->peak)) continue;
    const size_t held = stack.begins[numbers[part]];
    const size_t live = needed.Of(held);
    // If records share bytes, the live bytes below a part may exceed the bytes
    // below it. The part is then not lifted.
    if (live <= held && held - live > lifted) {
      chain->lifts.push_back({part, foot, held, live, held - live - lifted});
      lifted = held - live;
    }
    foot = part + 1;
  }
  chain->rest = chain->excess - std::min(chain->excess, lifted);
}

}  // namespace

SupportChain SupportChainOf(const PlanView& view,
                            absl::Span<const size_t> members,
                            absl::optional<size_t> band) {
  SupportChain chain;
  chain.band = band;
  chain.size = view.total_size;
  if (band) {
    chain.floor = view.bands[*band].begin;
    chain.size = view.bands[*band].size;
  }
  const ChainStack stack = ChainStackOf(view, members, chain.floor);
  if (stack.records.empty()) return chain;
  const TaskBreadth peak = MaximumBreadth(stack.lives);
  chain.breadth = peak.breadth;
  chain.peak = peak.task;
  const std::vector<size_t> numbers = BestChain(stack, chain.peak);
  size_t height = 0;
  for (const size_t k : numbers) {
    const size_t gap = stack.begins[k] - height;
    chain.parts.push_back({stack.records[k], gap});
    chain.gaps += gap;
    height = stack.ends[k];
  }
  chain.above = chain.size - height;
  chain.excess = chain.size - std::min(chain.size, chain.breadth);
  FillLifts(stack, numbers, &chain);
  return chain;
}

}  // namespace stowage::views
