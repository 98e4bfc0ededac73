// SPDX-License-Identifier: Apache-2.0
// Stores the plans of a PlanCache in a table, without planning itself. The
// table finds plans by fingerprint. If the plans take more bytes than allowed,
// the table removes the plans that were used least recently.
#ifndef STOWAGE_SRC_PLAN_CACHED_PLANS_H_
#define STOWAGE_SRC_PLAN_CACHED_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/optional.h"
#include "stowage/plan_cache.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// A plan and the problem for which it has been verified. The names of the
// problem are not stored.
struct PlanEntry {
  Fingerprint fingerprint;
  std::shared_ptr<const Solution> solution;
  // Null if the plan has not been verified for any problem.
  std::shared_ptr<const ProblemSpec> problem;
  uint64_t uses = 0;
};

// A table of plans. Thread-safe.
class CachedPlans {
 public:
  explicit CachedPlans(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns a copy of an entry. Changes nothing.
  optional<PlanEntry> Find(const Fingerprint& fingerprint) const;

  // Counts a hit. If the entry is in the table, makes it the most recent one.
  void CountHit(const Fingerprint& fingerprint);
  void CountMiss();

  // Adds a verified plan as the most recent one. If the table has another
  // verified plan of the same problem, keeps the better of the two, and adds up
  // the uses of both. If the table has a plan that was not verified, replaces
  // that plan. Removes the least recent plans if there are too many bytes.
  void Store(PlanEntry entry);

  // Replaces the plan that the table has for the fingerprint of the entry, but
  // only if that plan is still `expected`. Returns whether the plan was
  // replaced.
  bool Replace(PlanEntry entry, const Solution* expected);

  // Adds a plan as the least recent one, if it fits and is not in the table
  // yet.
  bool Add(PlanEntry entry);

  // Removes the plan `solution` because it is not valid for its problem, and
  // counts the removal. Does nothing if another plan has replaced it in the
  // meantime.
  void Refuse(const Fingerprint& fingerprint, const Solution* solution);

  // Returns all entries, the most recent one first.
  std::vector<PlanEntry> All() const;
  PlanCacheStats stats() const;

 private:
  struct Node {
    PlanEntry entry;
    size_t bytes = 0;
  };
  using Nodes = std::list<Node>;

  static size_t BytesOf(const PlanEntry& entry);
  // These functions require the lock. Insert requires a new fingerprint.
  void Insert(Nodes::iterator place, PlanEntry entry);
  void Set(Nodes::iterator node, PlanEntry entry);
  void Remove(Nodes::iterator node);
  void RemoveOld();

  const size_t max_bytes_;
  mutable std::mutex mutex_;
  Nodes nodes_;  // has the most recent node first
  btree_map<Fingerprint, Nodes::iterator> by_fingerprint_;
  PlanCacheStats stats_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CACHED_PLANS_H_
