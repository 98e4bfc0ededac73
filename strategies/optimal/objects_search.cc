// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "greedy_best/greedy_best.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"

namespace stowage::optimal {
namespace {

// Nodes between two looks at the signal.
constexpr uint64_t kInterval = 64;

}  // namespace

ObjectsSearch::ObjectsSearch(const Problem& problem,
                             const SolveOptions& options,
                             const StopSignal& stop,
                             const ObjectsTuning& tuning)
    : problem_(problem),
      records_(problem.records()),
      options_(options),
      stop_(stop),
      tuning_(tuning) {
  nodes_left_ =
      options.node_budget.value_or(std::numeric_limits<uint64_t>::max());
}

absl::Status ObjectsSearch::Offer(
    absl::StatusOr<ObjectsAssignment<size_t>> plan) {
  if (!plan.ok()) return plan.status();
  const absl::StatusOr<size_t> total = TotalSize(*plan);
  if (!total.ok()) return total.status();
  // The first counts whatever it takes: that may be all that there is.
  const bool is_first = best_.object_ids.size() != records_.size();
  if (is_first || *total < best_total_) {
    best_total_ = *total;
    best_ = *std::move(plan);
  }
  return absl::OkStatus();
}

// MINCOSTFLOW is in a library of its own; without it the search goes on from
// the greedy plans.
absl::Status ObjectsSearch::OfferFlow() {
  const absl::StatusOr<const Strategy*> flow =
      FindStrategy(StrategyName(MemoryStrategy::MINCOSTFLOW));
  if (!flow.ok()) return absl::OkStatus();
  const absl::StatusOr<Solution> solution =
      (*flow)->Solve(problem_, SolveOptions());
  // It may find the records too many.
  if (absl::IsResourceExhausted(solution.status())) return absl::OkStatus();
  if (!solution.ok()) return solution.status();
  return Offer(solution->objects());
}

absl::Status ObjectsSearch::Begin() {
  best_total_ = std::numeric_limits<size_t>::max();
  if (absl::Status s = Offer(greedy_best::AssignObjects(problem_)); !s.ok()) {
    return s;
  }
  report_.lower_bound = problem_.lower_bound().bytes;
  const bool has_time =
      !stop_.deadline || options_.time_limit >= tuning_.flow_time;
  if (best_total_ > report_.lower_bound && !stop_.IsSet() &&
      (records_.size() <= tuning_.quick_flow ||
       (records_.size() <= tuning_.flow && has_time))) {
    return OfferFlow();
  }
  return absl::OkStatus();
}

// Whether the first plan within the capacity is there, and is all that was
// asked for.
bool ObjectsSearch::IsDecided() const {
  const absl::optional<size_t> capacity = problem_.capacity();
  return options_.decide && capacity && best_total_ <= *capacity;
}

absl::StatusOr<ObjectsAssignment<size_t>> ObjectsSearch::Run() {
  if (absl::Status s = Begin(); !s.ok()) return s;
  limit_ = best_total_;
  const absl::optional<size_t> capacity = problem_.capacity();
  if (capacity && *capacity < limit_) {
    limit_ = *capacity + 1;
  }
  if (limit_ <= report_.lower_bound || IsDecided() || stop_.IsSet() ||
      records_.size() > tuning_.most_records) {
    return std::move(best_);
  }
  order_.resize(records_.size());
  std::iota(order_.begin(), order_.end(), uint32_t{0});
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    const size_t x = records_[a].tensor_size;
    const size_t y = records_[b].tensor_size;
    if (x != y) return x > y;
    const uint32_t begin = problem_.ranks().intervals[a].begin;
    const uint32_t other = problem_.ranks().intervals[b].begin;
    return begin != other ? begin < other : a < b;
  });
  to_come_ = PositionalMaximums(records_, problem_.ranks());
  to_come_.push_back(0);
  for (size_t k = to_come_.size() - 1; k-- > 0;) to_come_[k] += to_come_[k + 1];
  ids_.resize(records_.size());
  if (Search(0)) {
    // All that is left below the limit has been tried.
    report_.searched = limit_ > report_.lower_bound;
    report_.lower_bound = std::max(report_.lower_bound, limit_);
  }
  return std::move(best_);
}

// The open objects that are free, those first that would idle least.
std::vector<ObjectsSearch::Choice> ObjectsSearch::FreeObjects(
    StepInterval interval) const {
  std::vector<Choice> choices;
  const auto steps = static_cast<uint32_t>(problem_.ranks().tasks.size());
  for (uint32_t k = 0; k < objects_.size(); ++k) {
    const auto& uses = objects_[k].uses;
    const auto after = uses.lower_bound(interval.begin);
    const uint32_t next = after == uses.end() ? steps : after->first;
    const uint32_t last = after == uses.begin() ? 0 : std::prev(after)->second;
    if (next < interval.end || last > interval.begin) continue;
    choices.push_back({next - last, k});
  }
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) {
              return a.idle != b.idle ? a.idle < b.idle : a.object > b.object;
            });
  return choices;
}

bool ObjectsSearch::Assign(size_t depth, size_t object) {
  const StepInterval interval = problem_.ranks().intervals[order_[depth]];
  objects_[object].uses.emplace(interval.begin, interval.end);
  ids_[order_[depth]] = object;
  const bool done = Search(depth + 1);
  objects_[object].uses.erase(interval.begin);
  return done;
}

bool ObjectsSearch::Search(size_t depth) {
  if (nodes_left_ == 0) return false;
  if (report_.nodes % kInterval == 0 && stop_.IsSet()) return false;
  --nodes_left_;
  ++report_.nodes;
  if (depth == order_.size()) {
    best_total_ = paid_;
    best_.object_ids = ids_;
    best_.object_sizes.clear();
    for (const Object& object : objects_) {
      best_.object_sizes.push_back(object.size);
    }
    limit_ = paid_;
    if (options_.progress) {
      options_.progress({best_total_, report_.lower_bound});
    }
    return !IsDecided();
  }
  const uint32_t record = order_[depth];
  for (const Choice& choice : FreeObjects(problem_.ranks().intervals[record])) {
    if (LeastTotal(std::min(objects_.size(), to_come_.size() - 1)) >= limit_) {
      return true;
    }
    if (!Assign(depth, choice.object)) return false;
  }
  const size_t size = records_[record].tensor_size;
  paid_ += size;
  objects_.push_back({size, {}});
  bool done = true;
  if (LeastTotal(std::min(objects_.size(), to_come_.size() - 1)) < limit_) {
    done = Assign(depth, objects_.size() - 1);
  }
  objects_.pop_back();
  paid_ -= size;
  return done;
}

}  // namespace stowage::optimal
