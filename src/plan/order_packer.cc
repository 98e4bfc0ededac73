// SPDX-License-Identifier: Apache-2.0
#include "src/plan/order_packer.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/model/watch.h"
#include "src/plan/is_better.h"
#include "src/plan/solve_steps.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/free_order.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

namespace {

ProblemSpec WithoutFreeOrder(const Problem& problem) {
  ProblemSpec spec = problem.ToSpec();
  spec.free_order.reset();
  spec.labels = Labels();
  return spec;
}

}  // namespace

OrderPacker::OrderPacker(const Problem& problem, const Strategy& strategy,
                         const SolveOptions& options)
    : spec_(WithoutFreeOrder(problem)),
      free_order_(*problem.free_order()),
      strategy_(strategy),
      options_(options),
      without_progress_(options.observer),
      begin_(std::chrono::steady_clock::now()) {}

size_t OrderPacker::Most() const {
  size_t max = kNone;
  if (spec_.capacity && *spec_.capacity < kNone) max = *spec_.capacity + 1;
  if (has_plan()) max = std::min(max, best_->total_size);
  return max;
}

int64_t OrderPacker::elapsed_ns() const { return NanosecondsSince(begin_); }

uint64_t OrderPacker::NodesLeft() const {
  if (!options_.node_budget) return std::numeric_limits<uint64_t>::max();
  return *options_.node_budget - std::min(*options_.node_budget, nodes_);
}

SolveOptions OrderPacker::OptionsOfNext(bool is_last) {
  SolveOptions options = options_;
  options.observer = &without_progress_;
  options.time_limit_ns = TimeLeft(options_.time_limit_ns, elapsed_ns());
  if (options.node_budget) options.node_budget = NodesLeft();
  if (is_last) return options;
  options.time_limit_ns = HalfOf(options.time_limit_ns);
  if (options.node_budget) *options.node_budget /= 2;
  // After the first order, many other orders follow, and their problems are
  // small. Each of these problems is therefore solved on a single thread.
  if (best_) options.threads = 1;
  return options;
}

StatusOr<bool> OrderPacker::Pack(Span<const TaskId> order, bool is_last) {
  ProblemSpec spec = spec_;
  spec.records = RecordsInOrder(spec_.records, free_order_, order);
  const bool is_search = strategy_.info().is_search;
  const size_t max = Most();
  if (is_search && max != kNone) spec.capacity = max - 1;
  StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  StatusOr<Solution> solution =
      SolveUnsettled(*problem, strategy_, OptionsOfNext(is_last));
  if (!solution.ok()) return solution.status();
  nodes_ += solution->nodes;
  const bool is_proved = solution->status == SolutionStatus::kOptimal ||
                         solution->status == SolutionStatus::kInfeasible;
  if (!is_proved) {
    unproved_bound_ = std::min(unproved_bound_, solution->lower_bound);
  }
  if (!best_ || IsBetter(*solution, *best_)) {
    best_ = *std::move(solution);
    best_->order.assign(order.begin(), order.end());
  }
  return is_proved;
}

}  // namespace stowage::order_planner
