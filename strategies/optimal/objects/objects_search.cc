// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/objects_search.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>  // NOLINT(build/c++11): only to tell threads apart
#include <utility>
#include <vector>

#include "equality/equality.h"
#include "greedy_by_breadth/greedy_by_breadth.h"
#include "greedy_by_size/greedy_by_size.h"
#include "greedy_in_order/greedy_in_order.h"
#include "optimal/limits.h"
#include "optimal/objects/class_log.h"
#include "optimal/objects/class_model.h"
#include "optimal/objects/class_program.h"
#include "optimal/objects/class_search.h"
#include "optimal/objects/objects_bands.h"
#include "optimal/objects/objects_tree.h"
#include "src/base/run_on_threads.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/linear_program.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/lower_bound.h"

namespace stowage::optimal {

ObjectsSearch::ObjectsSearch(const Problem& problem,
                             const SolveOptions& options,
                             const ObjectsTuning& tuning)
    : problem_(problem),
      records_(problem.records()),
      options_(options),
      watch_(options),
      stop_(watch_.SignalAfter()),
      tuning_(tuning),
      nodes_given_(
          options.node_budget.value_or(std::numeric_limits<uint64_t>::max())),
      nodes_left_(nodes_given_) {}

void ObjectsSearch::Report() {
  watch_.OnProgress({best_total_, report_.lower_bound,
                     nodes_given_ - nodes_left_, report_.found_by});
}

// Keeps the plan if it is at most as large as the best one. Of several plans
// with the same total, the last one is kept.
void ObjectsSearch::Offer(optional<ObjectsAssignment<size_t>> plan,
                          string_view found_by) {
  if (!plan) return;
  // The sum does not overflow, because the sum of the sizes of the objects is
  // at most the sum of the sizes of the records, which fits 64 bits.
  const size_t total = std::accumulate(plan->object_sizes.begin(),
                                       plan->object_sizes.end(), size_t{0});
  if (total > best_total_) return;
  best_total_ = total;
  best_ = *std::move(plan);
  report_.found_by = std::string(found_by);
  Report();
}

void ObjectsSearch::OfferNaivePlan() {
  ObjectsAssignment<size_t> alone;
  alone.object_ids.resize(records_.size());
  std::iota(alone.object_ids.begin(), alone.object_ids.end(), size_t{0});
  for (const ByteRecord& record : records_) {
    alone.object_sizes.push_back(record.tensor_size);
  }
  best_total_ = NaiveSize(problem_);
  Offer(std::move(alone), "naive");
}

// Offers the plans of the greedy strategies. With many records, a strategy
// stops without a plan when the signal is set, and greedy_by_size, which is by
// far the slowest, runs in parallel with the others. On ties, the plan is the
// one that GREEDY_BEST makes.
void ObjectsSearch::OfferGreedyPlans() {
  const bool is_quick = records_.size() <= tuning_.quick_greedy;
  const StopSignal never;
  const StopSignal& stop = is_quick ? never : stop_;
  optional<ObjectsAssignment<size_t>> by_size;
  std::atomic<bool> is_begun{false};
  const std::thread::id caller = std::this_thread::get_id();
  const size_t threads = std::min<size_t>(ThreadsOf(options_), 2);
  RunOnThreads(is_quick ? 1 : threads, &stop, [&] {
    if (std::this_thread::get_id() == caller) {
      Offer(equality::AssignObjectsUntil(stop, problem_), "equality");
      Offer(greedy_in_order::AssignObjectsUntil(stop, problem_),
            "greedy_in_order");
      Offer(greedy_by_breadth::AssignObjectsUntil(stop, problem_),
            "greedy_by_breadth");
    }
    if (is_begun.exchange(true)) return;
    by_size = greedy_by_size::AssignObjectsUntil(stop, problem_);
  });
  Offer(std::move(by_size), "greedy_by_size");
}

// Returns whether the search may stop because any plan within the capacity is
// good enough and such a plan has been found.
bool ObjectsSearch::IsDecided() const {
  const optional<size_t> capacity = problem_.capacity();
  return options_.decide && capacity && best_total_ <= *capacity;
}

Solution ObjectsSearch::Run() {
  Search();
  report_.SetPlan(std::move(best_));
  return std::move(report_);
}

void ObjectsSearch::Search() {
  report_.lower_bound = LowerBoundOf(problem_).bytes;
  OfferNaivePlan();
  OfferGreedyPlans();
  limit_ = best_total_;
  const optional<size_t> capacity = problem_.capacity();
  if (capacity && *capacity < limit_) limit_ = *capacity + 1;
  if (limit_ <= report_.lower_bound || IsDecided() || stop_.IsSet()) {
    return;
  }
  FindItems();
  const bool is_complete = SearchKernel();
  report_.nodes = nodes_given_ - nodes_left_;
  if (is_complete && limit_ > report_.lower_bound) {
    report_.lower_bound = limit_;
    report_.bound_proof = {BoundProof::Kind::kSearch};
    report_.chain_weights = {};
    Report();
  }
  if (capacity && report_.lower_bound > *capacity) {
    report_.conflict = report_.bound_proof.kind == BoundProof::Kind::kSearch
                           ? report_.search_proof.records
                           : report_.chain_weights.records;
  }
}

void ObjectsSearch::FindItems() {
  for (size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].tensor_size == 0) continue;
    items_.push_back({records_[i].tensor_size, RanksOf(problem_).intervals[i]});
    records_of_items_.push_back(i);
  }
}

bool ObjectsSearch::SearchKernel() {
  steps_ = static_cast<uint32_t>(RanksOf(problem_).tasks.size());
  kernel_ = FindKernel(items_, steps_, stop_);
  if (stop_.IsSet()) return false;
  std::unique_ptr<LinearProgram> program = CreateLinearProgram();
  if (program == nullptr) return SearchTree();
  const optional<size_t> shares = SharesUntil(stop_, items_, kernel_.kept);
  if (!shares) return false;
  // Proves bounds by bands first, since the bound of a large program is weak
  // until the program is nearly solved.
  if (*shares > tuning_.quick_shares) BoundKernelByBands();
  if (limit_ <= report_.lower_bound) return true;
  if (*shares > tuning_.max_shares ||
      stop_.IsSetWithin(TimeToMakeProgram(*shares))) {
    return false;
  }
  return SearchClasses(std::move(program));
}

bool ObjectsSearch::SearchClasses(std::unique_ptr<LinearProgram> program) {
  const optional<ClassModel> model =
      BuildClassModelUntil(stop_, items_, kernel_.kept);
  if (!model) return false;
  const auto on_bound = [this](const ChainBound& bound) {
    RaiseBound(bound, kernel_.kept);
  };
  const size_t limit = limit_;
  ClassSearch search(*model, std::move(program), LimitsOfKernel(), on_bound);
  if (!search.Run()) return false;
  if (limit_ <= report_.lower_bound) return true;
  CompleteSearch complete = {KeptItems(), {}, limit, limit_};
  for (const uint32_t i : kernel_.kept) {
    complete.records.push_back(records_of_items_[i]);
  }
  report_.search_proof = MakeClassProof(complete);
  return true;
}

KernelLimits ObjectsSearch::LimitsOfKernel() {
  KernelLimits limits;
  limits.limit = limit_;
  limits.stop = &stop_;
  limits.nodes_left = &nodes_left_;
  limits.on_plan = [this](const ObjectsAssignment<size_t>& plan, size_t total,
                          string_view found_by) {
    return OfferKernelPlan(plan, total, found_by);
  };
  return limits;
}

std::vector<ObjectItem> ObjectsSearch::KeptItems() const {
  std::vector<ObjectItem> kept;
  for (const uint32_t i : kernel_.kept) kept.push_back(items_[i]);
  return kept;
}

void ObjectsSearch::BoundKernelByBands() {
  BandsOptions options;
  options.max_shares = tuning_.max_shares;
  options.stop = &stop_;
  options.nodes_left = &nodes_left_;
  options.on_bound = [this](const ChainBound& bound,
                            Span<const uint32_t> some) {
    std::vector<uint32_t> items;
    for (const uint32_t k : some) items.push_back(kernel_.kept[k]);
    RaiseBound(bound, items);
    return report_.lower_bound < limit_;
  };
  BoundByBands(KeptItems(), steps_, options);
}

bool ObjectsSearch::SearchTree() {
  if (kernel_.kept.size() > tuning_.max_records) return false;
  return ObjectsTree(KeptItems(), steps_,
                     PositionalMaximums(records_, RanksOf(problem_)),
                     LimitsOfKernel())
      .Run();
}

// Accepts a plan of the kernel, after adding the records outside the kernel:
// the dropped items, which cost nothing, and the records without bytes, which
// conflict with nothing.
bool ObjectsSearch::OfferKernelPlan(const ObjectsAssignment<size_t>& plan,
                                    size_t total, string_view found_by) {
  ObjectsAssignment<size_t> of_items;
  of_items.object_sizes = plan.object_sizes;
  of_items.object_ids.resize(items_.size());
  for (size_t k = 0; k < kernel_.kept.size(); ++k) {
    of_items.object_ids[kernel_.kept[k]] = plan.object_ids[k];
  }
  if (!LiftPlan(items_, kernel_, stop_, &of_items)) return true;
  best_.object_ids.assign(records_.size(), 0);
  best_.object_sizes = std::move(of_items.object_sizes);
  for (size_t k = 0; k < items_.size(); ++k) {
    best_.object_ids[records_of_items_[k]] = of_items.object_ids[k];
  }
  best_total_ = total;
  limit_ = total;
  report_.found_by = std::string(found_by);
  Report();
  return IsDecided();
}

void ObjectsSearch::RaiseBound(const ChainBound& bound,
                               Span<const uint32_t> items) {
  if (bound.bytes <= report_.lower_bound) return;
  report_.lower_bound = bound.bytes;
  report_.bound_proof = {BoundProof::Kind::kChainWeights};
  ChainWeights& weights = report_.chain_weights;
  weights = {};
  weights.scale = bound.scale;
  for (size_t k = 0; k < items.size(); ++k) {
    if (bound.weights[k] == 0) continue;
    weights.records.push_back(records_of_items_[items[k]]);
    weights.weights.push_back(bound.weights[k]);
  }
  Report();
}

}  // namespace stowage::optimal
