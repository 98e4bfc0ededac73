// SPDX-License-Identifier: Apache-2.0
#include "src/construct/place_tightly.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/base/work_limit.h"
#include "src/bounds/cliques.h"
#include "src/construct/group_search.h"
#include "src/construct/place_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// The maximum number of attempts with new orders. Most plans need fewer than
// ten.
constexpr size_t kMaxAttempts = 100;
// The maximum number of checks in all attempts together, and the maximum number
// of checks for growing cliques.
constexpr uint64_t kMaxChecksInAttempts = uint64_t{1} << 25;
constexpr uint64_t kMaxChecksInCliques = uint64_t{1} << 22;
// The maximum number of nodes of the search, and the maximum number of visits
// to pairs of groups in all nodes together.
constexpr uint64_t kMaxSearchNodes = uint64_t{1} << 14;
constexpr uint64_t kMaxSearchPairs = uint64_t{1} << 22;
// The maximum number of pairs of a problem for which the search is made. It
// ensures that every search can visit at least 128 nodes.
constexpr uint64_t kMaxPairsToSearch = kMaxSearchPairs / 128;

class TightPlacing {
 public:
  TightPlacing(const RigidGroups& groups, const Relation& relation,
               Span<const std::vector<uint32_t>> conflicts,
               Span<const uint32_t> order)
      : groups_(groups),
        relation_(relation),
        conflicts_(conflicts),
        order_(LimitedFirst(groups, order)),
        limit_(groups.capacity().value_or(kNoLevel - 1) + 1) {}

  optional<Placing> Run() {
    auto placing = Attempt();
    return placing ? std::move(placing) : Search();
  }

 private:
  bool IsLimited(uint32_t group) const {
    return limit_ < kNoLevel || groups_[group].max < kNoLevel;
  }

  optional<Placing> Attempt() {
    WorkLimit work(kMaxChecksInAttempts);
    std::vector<uint32_t> order = order_;
    for (size_t attempt = 1; attempt <= kMaxAttempts; ++attempt) {
      std::vector<Level> starts(groups_.size(), kUnplaced);
      std::vector<uint32_t> without_place;
      for (Span<const uint32_t> rest = order;;) {
        const size_t placed =
            PlaceInOrder(groups_, conflicts_, rest, limit_, &work, &starts);
        if (work.left() == 0) return nullopt;
        if (placed == rest.size()) break;
        without_place.push_back(rest[placed]);
        rest.remove_prefix(placed + 1);
      }
      if (without_place.empty()) {
        return PlacingOf(std::move(starts),
                         StrCat("lowest place (attempt ", attempt, ")"));
      }
      // Fixed groups come first. If one of them cannot be placed, there is no
      // plan.
      if (groups_[without_place.front()].is_fixed()) return nullopt;
      MoveToFront(without_place, &order);
    }
    return nullopt;
  }

  // Moves some groups to the front of the order, after the fixed groups.
  void MoveToFront(const std::vector<uint32_t>& moved,
                   std::vector<uint32_t>* order) const {
    std::vector<uint8_t> keys(groups_.size(), 2);
    for (const uint32_t group : moved) keys[group] = 1;
    for (const uint32_t group : *order) {
      if (groups_[group].is_fixed()) keys[group] = 0;
    }
    std::stable_sort(order->begin(), order->end(),
                     [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  }

  optional<Placing> Search() {
    const Span<const uint32_t> records = groups_.records();
    const Span<const uint32_t> group_of = groups_.groups_of_records();
    std::vector<uint32_t> limited;
    for (size_t k = 0; k < records.size(); ++k) {
      if (IsLimited(group_of[k])) limited.push_back(records[k]);
    }
    const auto searched = RigidGroups::Make(groups_.problem(), limited, 0);
    if (!searched) return nullopt;
    optional<GroupPlan> plan = SearchAmong(*searched);
    if (!plan) return nullopt;
    std::vector<Level> starts(groups_.size(), kUnplaced);
    for (size_t k = 0, m = 0; k < records.size(); ++k) {
      if (!IsLimited(group_of[k])) continue;
      starts[group_of[k]] = plan->starts[searched->groups_of_records()[m++]];
    }
    std::vector<uint32_t> rest;
    for (const uint32_t group : order_) {
      if (!IsLimited(group)) rest.push_back(group);
    }
    WorkLimit work(kMaxChecksInAttempts);
    if (PlaceInOrder(groups_, conflicts_, rest, limit_, &work, &starts) <
        rest.size()) {
      return nullopt;
    }
    return PlacingOf(std::move(starts),
                     StrCat("body search (node ", nodes_, ")"));
  }

  optional<GroupPlan> SearchAmong(const RigidGroups& searched) {
    WorkLimit work(kMaxChecksInAttempts);
    const auto conflicts =
        ListConflicts(searched, relation_, kMaxPairsToSearch, &work);
    if (!conflicts) return nullopt;
    WorkLimit growth(kMaxChecksInCliques);
    const std::vector<Clique> cliques =
        GrowCliques(searched, relation_, *conflicts, &growth);
    const uint64_t pairs = 1 + EstimatePairs(*conflicts);
    GroupSearch search(searched, *conflicts, cliques, {});
    search.SetEnough(0, kNoLevel);
    search.Run(std::min(searched.max(), limit_ - 1), nullopt,
               std::min(kMaxSearchNodes, kMaxSearchPairs / pairs),
               StopSignal());
    nodes_ = search.nodes();
    return search.best();
  }

  Placing PlacingOf(std::vector<Level> starts, std::string found_by) const {
    Placing placing;
    placing.top = groups_.TopOf(starts);
    placing.starts = std::move(starts);
    placing.found_by = std::move(found_by);
    return placing;
  }

  const RigidGroups& groups_;
  const Relation& relation_;
  const Span<const std::vector<uint32_t>> conflicts_;
  const std::vector<uint32_t> order_;
  const Level limit_;  // groups end below it
  uint64_t nodes_ = 0;
};

}  // namespace

optional<Placing> PlaceTightly(const RigidGroups& groups,
                               const Relation& relation,
                               Span<const std::vector<uint32_t>> conflicts,
                               Span<const uint32_t> order) {
  return TightPlacing(groups, relation, conflicts, order).Run();
}

}  // namespace stowage::rigid
