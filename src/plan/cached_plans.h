// SPDX-License-Identifier: Apache-2.0
// The table that stores the plans of a PlanCache. The table finds plans by
// fingerprint, but does not compute plans. If the plans occupy more bytes than
// allowed, the table removes the least recently used plans.
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

// A plan, and the problem for which the plan has been verified. The names in
// the problem are not stored.
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

  // Returns a copy of the entry for `fingerprint`, or nothing if there is none.
  // Does not change the table.
  optional<PlanEntry> Find(const Fingerprint& fingerprint) const;

  // Counts a hit. If the entry is in the table, marks it as the most recently
  // used one.
  void CountHit(const Fingerprint& fingerprint);
  void CountMiss();

  // Adds a verified plan as the most recently used one. If the table already
  // has a verified plan of the same problem, keeps the better plan, with the
  // sum of the uses of both plans. If the table has a plan that has not been
  // verified, replaces that plan. Removes the least recently used plans if the
  // plans occupy too many bytes.
  void Store(PlanEntry entry);

  // Replaces the plan in the table that has the fingerprint of `entry`, but
  // only if that plan is still `expected`. Returns whether the plan was
  // replaced.
  bool Replace(PlanEntry entry, const Solution* expected);

  // Adds a plan as the least recently used one. Returns false, without adding
  // the plan, if it does not fit or if the table already has its fingerprint.
  bool Add(PlanEntry entry);

  // Removes the plan `solution`, which has been found to be invalid for its
  // problem, and counts the removal. Does nothing if another plan has replaced
  // `solution` in the meantime.
  void Refuse(const Fingerprint& fingerprint, const Solution* solution);

  // Returns all entries, the most recently used one first.
  std::vector<PlanEntry> All() const;
  PlanCacheStats stats() const;

 private:
  struct Node {
    PlanEntry entry;
    size_t bytes = 0;
  };
  using Nodes = std::list<Node>;

  static size_t BytesOf(const PlanEntry& entry);
  // These functions require that the lock is held. Insert also requires a
  // fingerprint that is not in the table.
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
