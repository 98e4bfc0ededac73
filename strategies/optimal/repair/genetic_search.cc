// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/genetic_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"
#include "optimal/repair/lifetime_orders.h"
#include "optimal/repair/lowest_first.h"
#include "optimal/search_tuning.h"
#include "src/base/int128.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {
namespace {

// Returns a capacity slightly above the maximum breadth.
Level CrossoverCapacityOf(const Packing& packing) {
  const Level breadth = MaximumBreadth(packing);
  return breadth + breadth / 32;
}

}  // namespace

GeneticSearch::GeneticSearch(const Packing& packing, bool by_load,
                             uint64_t seed, const GeneticTuning& tuning)
    : packing_(packing),
      by_load_(by_load),
      tuning_(tuning),
      orders_(packing, seed),
      crossover_capacity_(CrossoverCapacityOf(packing)),
      uses_crossover_(tuning.generations > 0 &&
                      LowestFirst::Takes(packing, crossover_capacity_)) {}

optional<uint128> GeneticSearch::least_left() const {
  if (!IsFull() || tried_ < population_.size()) return nullopt;
  return std::min_element(population_.begin(), population_.end(), LeavesLess)
      ->left;
}

// Returns the maximum number of nodes of a try. For the maximum of the next
// step, which may also be a generation of OrderCrossover, use NodesOfStep.
uint64_t GeneticSearch::NodesOfTry() const {
  return tuning_.nodes_per_item * orders_.count();
}

uint64_t GeneticSearch::NodesOfStep() const {
  if (uses_crossover_ && !IsFull()) {
    return OrderCrossover::NodesOfGeneration(orders_.count(), tuning_);
  }
  return NodesOfTry();
}

bool GeneticSearch::Run(Level capacity, uint64_t nodes, WorkLimit* work) {
  if (orders_.count() == 0 || capacity <= exhausted_) return false;
  if (capacity != capacity_) Forget();
  capacity_ = capacity;
  const uint64_t stop = nodes_ + nodes;
  while (nodes_ + NodesOfStep() <= stop && work->left() > 0) {
    switch (Step(work)) {
      case Outcome::kFits:
        return true;
      case Outcome::kExhausted:
        exhausted_ = capacity;
        return false;
      case Outcome::kStopped:
        return false;
      case Outcome::kOpen:
        break;
    }
  }
  return false;
}

// Resets the unplaced areas of the population, because they belong to a
// different capacity.
void GeneticSearch::Forget() {
  for (Member& member : population_) member.left.reset();
  tried_ = 0;
  vain_tries_ = 0;
}

GeneticSearch::Outcome GeneticSearch::Step(WorkLimit* work) {
  if (!IsFull()) {
    Populate(work);
    return Outcome::kOpen;
  }
  if (tried_ < population_.size()) {
    const Outcome outcome = Try(&population_[tried_], work);
    if (outcome == Outcome::kOpen) ++tried_;
    return outcome;
  }
  const size_t parent = PickParent();
  Member child = Recombine(parent);
  const Outcome outcome = Try(&child, work);
  if (outcome == Outcome::kOpen) {
    Insert(parent, std::move(child));
  } else if (outcome == Outcome::kFits) {
    // Adds the offspring to the population, because the next search, at a
    // smaller capacity, starts with this population.
    population_[Worst()] = std::move(child);
  }
  return outcome;
}

// If OrderCrossover can handle the packing, lets it make one generation, and
// after the last generation adds its best orders to the population. Otherwise
// adds a random order to the population.
void GeneticSearch::Populate(WorkLimit* work) {
  if (!uses_crossover_) {
    population_.push_back({orders_.Sample(), nullopt});
    return;
  }
  if (!crossover_) {
    crossover_.emplace(packing_, crossover_capacity_, &orders_, tuning_);
  }
  nodes_ += crossover_->MakeGeneration(work);
  if (!crossover_->IsDone()) return;
  for (auto& factors : crossover_->Best(tuning_.of_each_crossover)) {
    population_.push_back({std::move(factors), nullopt});
  }
  crossover_.reset();
}

GeneticSearch::Outcome GeneticSearch::Try(Member* member, WorkLimit* work) {
  SearchOrder order;
  order.by_load = by_load_;
  order.items = orders_.Sorted(member->factors);
  PackingSearch search(packing_, std::move(order), capacity_);
  search.Run(NodesOfTry(), work);
  nodes_ += search.nodes();
  ++tries_;
  if (search.state() == PackingSearch::State::kFits) {
    levels_ = search.levels();
    return Outcome::kFits;
  }
  if (search.state() == PackingSearch::State::kExhausted) {
    return Outcome::kExhausted;
  }
  if (search.nodes() < NodesOfTry()) return Outcome::kStopped;
  member->left = search.least_left();
  return Outcome::kOpen;
}

size_t GeneticSearch::PickParent() {
  size_t best = orders_.Below(population_.size());
  for (size_t k = 1; k < tuning_.sampled_for_parent; ++k) {
    const size_t other = orders_.Below(population_.size());
    if (LeavesLess(population_[other], population_[best])) best = other;
  }
  return best;
}

GeneticSearch::Member GeneticSearch::Recombine(size_t parent) {
  Member child;
  child.factors = population_[parent].factors;
  if (orders_.Below(100) < tuning_.crosses) {
    child.factors =
        orders_.Cross(child.factors, population_[PickParent()].factors);
  }
  orders_.Change(tuning_.changes, &child.factors);
  return child;
}

size_t GeneticSearch::Worst() const {
  return static_cast<size_t>(
      std::max_element(population_.begin(), population_.end(), LeavesLess) -
      population_.begin());
}

// Inserts an offspring into the population if it leaves little enough area
// unplaced. The offspring replaces its parent if it leaves at most as much area
// as the parent. Otherwise it replaces the worst member if it leaves less area
// than this member and if no member leaves exactly the same area as the
// offspring. (Such a member may represent the same packing.)
void GeneticSearch::Insert(size_t parent, Member child) {
  const uint128 left = *child.left;
  ++vain_tries_;
  if (left < *least_left()) vain_tries_ = 0;
  if (left <= *population_[parent].left) {
    population_[parent] = std::move(child);
  } else if (LeavesLess(child, population_[Worst()]) &&
             std::none_of(
                 population_.begin(), population_.end(),
                 [&](const Member& member) { return *member.left == left; })) {
    population_[Worst()] = std::move(child);
  }
  if (vain_tries_ < tuning_.patience) return;
  population_.clear();
  ++restarts_;
  Forget();
}

}  // namespace stowage::optimal
