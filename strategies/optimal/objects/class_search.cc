// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/class_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/objects/class_plan.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::optimal {
namespace {

// A share or a count is integral if it is this close to an integer. This value
// affects which plans are found and where the search branches, but not what is
// proved.
constexpr double kWhole = 1e-5;

// Returns the distance of the fractional part of a number from one half, or
// nullopt if the number is integral.
optional<double> DistanceFromHalf(double number) {
  const double fraction = number - std::floor(number);
  if (fraction < kWhole || fraction > 1 - kWhole) return nullopt;
  return std::abs(fraction - 0.5);
}

// The candidate with the smallest distance, and on ties the first one.
struct Candidate {
  double distance = 1;
  uint32_t item = 0;
  uint32_t k = 0;
  double number = 0;

  void Improve(uint32_t new_item, uint32_t new_k, double new_number) {
    const optional<double> found = DistanceFromHalf(new_number);
    if (!found || *found >= distance) return;
    *this = {*found, new_item, new_k, new_number};
  }
  bool is_there() const { return distance < 1; }
};

ClassNode Child(const ClassNode& node) {
  ClassNode child = node;
  child.is_root = false;
  return child;
}

}  // namespace

ClassSearch::ClassSearch(const ClassModel& model,
                         std::unique_ptr<LinearProgram> program,
                         KernelLimits limits, OnBound on_bound)
    : model_(model),
      program_(model, std::move(program)),
      limits_(std::move(limits)),
      on_bound_(std::move(on_bound)) {}

bool ClassSearch::Run() {
  const ClassNode root = {model_.ranges, {}, true};
  const ClassProgram::Outcome outcome =
      program_.Solve(root, limits_.limit, *limits_.stop, limits_.nodes_left);
  const ChainBound bound = program_.BestBound(root, *limits_.stop);
  if (bound.bytes > 0) on_bound_(bound);
  if (bound.bytes >= limits_.limit) return true;
  if (outcome == ClassProgram::Outcome::kStopped) return false;
  if (OfferRounded(root, "class program (rounded)")) return false;
  if (bound.bytes >= limits_.limit) return true;
  RoundRepeatedly(root);
  if (is_enough_) return false;
  return bound.bytes >= limits_.limit || Search(root);
}

bool ClassSearch::Offer(const std::vector<uint32_t>& classes,
                        string_view found_by) {
  ObjectsAssignment<size_t> plan = ObjectsOf(model_, classes);
  // The total is at most the sum of the sizes of all items, which fits 64 bits.
  const size_t total = std::accumulate(plan.object_sizes.begin(),
                                       plan.object_sizes.end(), size_t{0});
  if (total >= limits_.limit) return false;
  limits_.limit = total;
  is_enough_ = limits_.on_plan(std::move(plan), total, found_by);
  return is_enough_;
}

bool ClassSearch::OfferRounded(const ClassNode& node, string_view found_by) {
  constexpr double kHalf = 0.5 - kWhole;
  std::vector<uint32_t> classes(model_.lives.size());
  for (uint32_t i = 0; i < classes.size(); ++i) {
    uint32_t k = node.ranges[i].end - 1;
    double sum = program_.share(i, k);
    while (sum < kHalf && k > node.ranges[i].first) {
      sum += program_.share(i, --k);
    }
    classes[i] = k;
  }
  if (Offer(classes, found_by)) return true;
  RaiseToFreeObjects(model_, &classes);
  return Offer(classes, found_by);
}

bool ClassSearch::FixShares(ClassNode* node) const {
  double largest = -1;
  uint32_t item = 0;
  uint32_t its_class = 0;
  bool has_fixed = false;
  for (uint32_t i = 0; i < node->ranges.size(); ++i) {
    ClassRange& range = node->ranges[i];
    if (range.end - range.first == 1) continue;
    uint32_t best = range.first;
    for (uint32_t k = range.first; k < range.end; ++k) {
      if (program_.share(i, k) > program_.share(i, best)) best = k;
    }
    const double share = program_.share(i, best);
    if (share > 1 - kWhole) {
      range = {best, best + 1};
      has_fixed = true;
    } else if (share > largest) {
      largest = share;
      item = i;
      its_class = best;
    }
  }
  if (largest < 0) return has_fixed;
  node->ranges[item] = {its_class, its_class + 1};
  return true;
}

void ClassSearch::RoundRepeatedly(ClassNode node) {
  node.is_root = false;
  while (FixShares(&node)) {
    const ClassProgram::Outcome outcome =
        program_.Solve(node, limits_.limit, *limits_.stop, limits_.nodes_left);
    if (outcome != ClassProgram::Outcome::kOptimal) return;
    if (OfferRounded(node, "class program (dive)")) return;
  }
}

bool ClassSearch::Search(const ClassNode& node) {
  if (*limits_.nodes_left == 0) return false;
  --*limits_.nodes_left;
  const ClassProgram::Outcome outcome =
      program_.Solve(node, limits_.limit, *limits_.stop, limits_.nodes_left);
  if (outcome == ClassProgram::Outcome::kPruned) return GiveUp(node);
  if (outcome == ClassProgram::Outcome::kStopped) return false;
  if (OfferRounded(node, "class program (branch)")) return false;
  if (program_.bound() >= limits_.limit) return GiveUp(node);
  return Branch(node);
}

bool ClassSearch::GiveUp(const ClassNode& node) {
  if (node.is_root) {
    return GiveUp(node, program_.BestBound(node, *limits_.stop));
  }
  if (observer_ == nullptr) return true;
  return GiveUp(node, program_.ShortBound(node, limits_.limit));
}

// Reports the bound of a node that is given up. The root is not reported: its
// bound is proved by its weights alone, without a log.
bool ClassSearch::GiveUp(const ClassNode& node, const ChainBound& bound) {
  if (node.is_root) {
    on_bound_(bound);
  } else if (observer_ != nullptr) {
    observer_->OnBound(node, bound);
  }
  return true;
}

bool ClassSearch::Branch(const ClassNode& node) {
  Candidate count;
  double objects = 0;
  for (auto k = static_cast<uint32_t>(model_.sizes.size()); k-- > 0;) {
    objects += program_.objects(k);
    count.Improve(0, k, objects);
  }
  if (count.is_there()) return SearchBothCounts(node, count.k, count.number);
  Candidate split;
  const ClassRange* open = nullptr;  // the range of the first item that is not
                                     // fixed
  for (uint32_t i = 0; i < node.ranges.size(); ++i) {
    const ClassRange range = node.ranges[i];
    if (range.end - range.first > 1 && open == nullptr) open = &node.ranges[i];
    double above = 0;
    for (uint32_t k = range.end; --k > range.first;) {
      above += program_.share(i, k);
      split.Improve(i, k, above);
    }
  }
  if (split.is_there()) return SearchClasses(node, split.item, split.k);
  // All shares are integral, and the plan that they describe has been offered.
  // However, a proof requires that the class of every item is fixed, so the
  // search continues to branch until all classes are fixed.
  if (open == nullptr) {
    std::vector<uint32_t> classes;
    for (const ClassRange& range : node.ranges) classes.push_back(range.first);
    return GiveUp(node, BoundOfClasses(model_, classes));
  }
  return SearchClasses(node, static_cast<uint32_t>(open - node.ranges.data()),
                       open->first + 1);
}

bool ClassSearch::SearchBothCounts(const ClassNode& node, uint32_t first,
                                   double count) {
  ClassNode child = Child(node);
  auto found =
      std::find_if(child.counts.begin(), child.counts.end(),
                   [&](const ClassCount& c) { return c.first == first; });
  if (found == child.counts.end()) {
    found = child.counts.insert(child.counts.end(),
                                {first, 0, model_.lives.size()});
  }
  const auto fewer = static_cast<size_t>(std::floor(count));
  const ClassCount old = *found;
  // Searches the half closer to the count of the relaxation first, since its
  // plans are likely to cost less.
  const bool is_fewer_first = count - std::floor(count) < 0.5;
  // If the solution of the relaxation violates the limits of the count,
  // branching makes no progress.
  if (fewer < old.least || fewer >= old.max) return false;
  if (observer_ != nullptr) observer_->OnCounts(first, fewer, is_fewer_first);
  for (const bool is_fewer : {is_fewer_first, !is_fewer_first}) {
    *found = old;
    if (is_fewer) {
      found->max = fewer;
    } else {
      found->least = fewer + 1;
    }
    if (!Search(child)) return false;
  }
  return true;
}

bool ClassSearch::SearchClasses(const ClassNode& node, uint32_t item,
                                uint32_t k) {
  const ClassRange old = node.ranges[item];
  if (observer_ != nullptr) observer_->OnClasses(item, k);
  for (const ClassRange range : {ClassRange{k, old.end}, {old.first, k}}) {
    ClassNode child = Child(node);
    child.ranges[item] = range;
    if (!Search(child)) return false;
  }
  return true;
}

}  // namespace stowage::optimal
