// SPDX-License-Identifier: Apache-2.0
#include "src/plan/cached_plans.h"

#include <cstddef>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "src/plan/is_better.h"
#include "src/plan/memory_size.h"
#include "stowage/base/optional.h"

namespace stowage {

using Lock = std::lock_guard<std::mutex>;

namespace {

// Returns whether the cached plan `present` is kept when the plan `added` of
// the same problem is added.
bool IsToBeKept(const PlanEntry& present, const PlanEntry& added) {
  const auto is_optimal = [](const PlanEntry& entry) {
    return entry.solution->status == SolutionStatus::kOptimal;
  };
  if (!present.problem || IsBetter(*added.solution, *present.solution)) {
    return false;
  }
  return IsBetter(*present.solution, *added.solution) || is_optimal(present) ||
         !is_optimal(added);
}

}  // namespace

optional<PlanEntry> CachedPlans::Find(const Fingerprint& fingerprint) const {
  const Lock lock(mutex_);
  const auto found = by_fingerprint_.find(fingerprint);
  if (found == by_fingerprint_.end()) return nullopt;
  return found->second->entry;
}

void CachedPlans::CountHit(const Fingerprint& fingerprint) {
  const Lock lock(mutex_);
  ++stats_.hits;
  const auto found = by_fingerprint_.find(fingerprint);
  if (found == by_fingerprint_.end()) return;
  ++found->second->entry.uses;
  nodes_.splice(nodes_.begin(), nodes_, found->second);
}

void CachedPlans::CountMiss() {
  const Lock lock(mutex_);
  ++stats_.misses;
}

void CachedPlans::Store(PlanEntry entry) {
  const Lock lock(mutex_);
  const auto found = by_fingerprint_.find(entry.fingerprint);
  if (found == by_fingerprint_.end()) {
    Insert(nodes_.begin(), std::move(entry));
  } else {
    PlanEntry& present = found->second->entry;
    entry.uses += present.uses;
    nodes_.splice(nodes_.begin(), nodes_, found->second);
    if (IsToBeKept(present, entry)) {
      present.uses = entry.uses;
      return;
    }
    Set(nodes_.begin(), std::move(entry));
  }
  RemoveOld();
}

bool CachedPlans::Replace(PlanEntry entry, const Solution* expected) {
  const Lock lock(mutex_);
  const auto found = by_fingerprint_.find(entry.fingerprint);
  if (found == by_fingerprint_.end() ||
      found->second->entry.solution.get() != expected) {
    return false;
  }
  entry.uses = found->second->entry.uses;
  Set(found->second, std::move(entry));
  RemoveOld();
  return true;
}

bool CachedPlans::Add(PlanEntry entry) {
  const Lock lock(mutex_);
  const size_t bytes = BytesOf(entry);
  if (bytes > max_bytes_ - stats_.bytes ||
      by_fingerprint_.count(entry.fingerprint) > 0) {
    return false;
  }
  Insert(nodes_.end(), std::move(entry));
  return true;
}

void CachedPlans::Refuse(const Fingerprint& fingerprint,
                         const Solution* solution) {
  const Lock lock(mutex_);
  const auto found = by_fingerprint_.find(fingerprint);
  if (found == by_fingerprint_.end() ||
      found->second->entry.solution.get() != solution) {
    return;
  }
  ++stats_.refused;
  Remove(found->second);
}

std::vector<PlanEntry> CachedPlans::All() const {
  const Lock lock(mutex_);
  std::vector<PlanEntry> entries;
  entries.reserve(nodes_.size());
  for (const Node& node : nodes_) entries.push_back(node.entry);
  return entries;
}

PlanCacheStats CachedPlans::stats() const {
  const Lock lock(mutex_);
  PlanCacheStats stats = stats_;
  stats.plans = nodes_.size();
  return stats;
}

size_t CachedPlans::BytesOf(const PlanEntry& entry) {
  // Each entry needs one node of the list, one node of the map, and two
  // reference-counted pointers.
  constexpr size_t kOfTable = sizeof(Node) + sizeof(Fingerprint) + 128;
  return kOfTable + MemorySize(*entry.solution) +
         (entry.problem ? MemorySize(*entry.problem) : 0);
}

void CachedPlans::Insert(Nodes::iterator place, PlanEntry entry) {
  // The next two lines may throw if memory runs out. The table is still
  // unchanged at that point.
  Nodes node(1);
  by_fingerprint_.emplace(entry.fingerprint, node.begin());
  const auto added = node.begin();
  nodes_.splice(place, node);
  Set(added, std::move(entry));
}

void CachedPlans::Set(Nodes::iterator node, PlanEntry entry) {
  stats_.bytes -= node->bytes;
  node->entry = std::move(entry);
  node->bytes = BytesOf(node->entry);
  stats_.bytes += node->bytes;
}

void CachedPlans::RemoveOld() {
  // If the new plan alone is too large for the cache, removes only that plan.
  // Without this check, the loop below would first remove all other plans.
  if (!nodes_.empty() && nodes_.front().bytes > max_bytes_) {
    ++stats_.evicted;
    Remove(nodes_.begin());
  }
  while (stats_.bytes > max_bytes_) {
    ++stats_.evicted;
    Remove(std::prev(nodes_.end()));
  }
}

void CachedPlans::Remove(Nodes::iterator node) {
  stats_.bytes -= node->bytes;
  by_fingerprint_.erase(node->entry.fingerprint);
  nodes_.erase(node);
}

}  // namespace stowage
