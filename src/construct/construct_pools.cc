// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_pools.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/bounds/cliques.h"
#include "src/bounds/quick_selection.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/construct_groups.h"
#include "src/construct/place_by_density.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/plan_cost.h"

namespace stowage::rigid {
namespace {

// The maximum number of selections of pools to try, and the maximum number of
// visits (PoolSelections::visits) in all of them but the first. This many
// visits take about a second.
constexpr size_t kMaxSelections = 64;
constexpr uint64_t kMaxVisitsInRounds = uint64_t{1} << 24;
// The maximum number of quick selections to try by density, and at the end. All
// of them but the first one have at most kMaxItemsByDensity items in total, or
// kMaxItemsOfQuickSelections at the end.
constexpr size_t kMaxQuickSelections = 16;
constexpr size_t kMaxItemsByDensity = size_t{1} << 18;
constexpr size_t kMaxItemsOfQuickSelections = 4096;
// GroupEffort::checks of a quick selection.
constexpr uint64_t kQuickChecks = uint64_t{1} << 19;
// Each reduction of a capacity is at least the capacity divided by
// kLeastLowering.
constexpr size_t kLeastLowering = 256;

class PoolConstruction {
 public:
  PoolConstruction(const Problem& problem, const Relation& relation,
                   Span<const PoolItem> items, const GroupEffort& effort)
      : problem_(problem),
        relation_(relation),
        items_(items),
        effort_(effort),
        stop_(*effort.stop),
        first_alike_(InterchangeablePools(problem, items)),
        room_(problem.constraints()->pools) {}

  StatusOr<optional<PackedPools>> Run(const PoolEffort& effort) {
    optional<PackedPools> best;
    if (effort.selects_quickly) {
      auto placed = RunInGaps();
      if (!placed.ok()) return placed;
      auto packed = RunByDensity();
      if (!packed.ok()) return packed;
      best = *std::move(placed);
      if (*packed && IsBetter(**packed, best)) best = *std::move(packed);
    }
    max_in_nogood_ = effort.max_in_nogood;
    PoolLimits limits;
    limits.states = effort.states;
    limits.selections = 1;
    limits.first_alike = first_alike_;
    limits.stop = stop_;
    uint64_t visits = 0;
    for (size_t k = 0; k < kMaxSelections && !stop_.IsSet(); ++k) {
      // Makes no further selection if it would probably exceed the limit.
      if (k > 0 && visits + visits / k > kMaxVisitsInRounds) break;
      const PoolSelections selected =
          SelectPools(items_, room_, nogoods_, limits);
      visits += selected.visits;
      if (selected.selections.empty()) {
        if (selected.is_exact) return best;
        break;
      }
      // Later selections do not cost less.
      if (best && selected.cost > CostOf(*best)) return best;
      auto packed = Pack(selected.selections.front());
      if (!packed.ok()) return packed;
      if (*packed) return IsBetter(**packed, best) ? packed : best;
    }
    if (effort.selects_quickly && !best) {
      return RunQuickly(effort.stop_of_quick);
    }
    return best;
  }

  StatusOr<optional<PackedPools>> RunWithoutLimits() {
    for (MemoryPool& pool : room_) {
      if (pool.capacity) pool.capacity = 0;
    }
    const auto selection = SelectFirstFit(items_, room_, {});
    if (!selection) return optional<PackedPools>();
    return Pack(*selection);
  }

 private:
  uint64_t CostOf(const PackedPools& packed) const {
    return CostOfPlan(problem_, packed.plan);
  }

  bool IsBetter(const PackedPools& packed,
                const optional<PackedPools>& other) const {
    return !other || std::pair(CostOf(packed), packed.plan.total_size) <
                         std::pair(CostOf(*other), other->plan.total_size);
  }

  // Places items by density, and packs the pools without a capacity.
  StatusOr<optional<PackedPools>> RunInGaps() {
    const optional<PlacedItems> placed =
        PlaceByDensity(problem_, relation_, items_, stop_);
    if (!placed) return optional<PackedPools>();
    const GroupEffort effort = effort_;
    effort_.checks = kQuickChecks;
    auto packed = Pack(placed->pools, placed->starts);
    effort_ = effort;
    return packed;
  }

  // Makes selections by density until one of them can be packed.
  StatusOr<optional<PackedPools>> RunByDensity() {
    const GroupEffort effort = effort_;
    effort_.checks = kQuickChecks;
    // Small reductions keep more items in the pool.
    divisor_ = 2;
    optional<PackedPools> found;
    const size_t count =
        std::min(kMaxQuickSelections,
                 kMaxItemsByDensity / std::max<size_t>(items_.size(), 1) + 1);
    for (size_t k = 0; k < count && !found && !stop_.IsSet(); ++k) {
      const auto selection = SelectByDensity(items_, room_, nogoods_);
      if (!selection) break;
      auto packed = Pack(*selection);
      if (!packed.ok()) return packed;
      found = *std::move(packed);
    }
    effort_ = effort;
    divisor_ = 1;
    room_ = problem_.constraints()->pools;
    nogoods_.clear();
    return found;
  }

  // Makes a few selections in much less time than SelectPools takes. If no
  // selection can be packed, puts every item into a pool without a capacity.
  StatusOr<optional<PackedPools>> RunQuickly(const StopSignal& stop) {
    // A reduced capacity changes more of the next selection than a nogood does,
    // so no nogoods are added.
    max_in_nogood_ = 0;
    effort_.checks = kQuickChecks;
    effort_.stop = &stop;
    const size_t count = std::min(
        kMaxQuickSelections,
        kMaxItemsOfQuickSelections / std::max<size_t>(items_.size(), 1) + 1);
    for (size_t k = 0; k < count && !stop.IsSet(); ++k) {
      const auto selection = SelectFirstFit(items_, room_, nogoods_);
      if (!selection) break;
      auto packed = Pack(*selection);
      if (!packed.ok() || *packed) return packed;
    }
    if (stop.IsSet()) return optional<PackedPools>();
    return RunWithoutLimits();
  }

  // Packs the items of each pool. If there are starts of items, items of pools
  // with a capacity have them. Returns nullopt if a pool is too small.
  StatusOr<optional<PackedPools>> Pack(const std::vector<uint32_t>& pools,
                                       Span<const Level> starts = {}) {
    const std::vector<MemoryPool>& all = problem_.constraints()->pools;
    PackedPools packed;
    packed.plan.offsets.resize(problem_.size());
    packed.plan.pools.resize(problem_.size());
    std::vector<std::vector<uint32_t>> chosen = ItemsByPool(pools, all.size());
    for (uint32_t pool = 0; pool < chosen.size(); ++pool) {
      const std::vector<uint32_t> records = RecordsOf(items_, chosen[pool]);
      const auto groups = RigidGroups::Make(problem_, records, pool);
      if (!groups) return LevelsOverflow();
      optional<Placing> placing = Construct(*groups);
      if (all[pool].capacity && !starts.empty()) {
        Placing placed = PlacingOf(*groups, chosen[pool], starts);
        if (!placing || placed.top < placing->top) placing = std::move(placed);
      }
      const Level capacity = groups->capacity().value_or(kNoLevel);
      if (!placing || placing->top > capacity) {
        Exclude(pool, std::move(chosen[pool]),
                placing ? placing->top - capacity : 0);
        return optional<PackedPools>();
      }
      packed.plan.total_size += static_cast<size_t>(
          groups->WriteOffsets(placing->starts, &packed.plan.offsets));
      for (const uint32_t i : records) packed.plan.pools[i] = pool;
      packed.found_by = placing->found_by;
    }
    return make_optional(std::move(packed));
  }

  optional<Placing> Construct(const RigidGroups& groups) const {
    return ConstructGroups(groups, relation_,
                           FindGroupBound(groups, relation_).bytes, effort_);
  }

  // Returns the plan in which the items have the given starts.
  Placing PlacingOf(const RigidGroups& groups, Span<const uint32_t> items,
                    Span<const Level> starts) const {
    std::vector<uint32_t> item_of(problem_.size());  // by record
    for (const uint32_t k : items) {
      for (const uint32_t record : items_[k].records) item_of[record] = k;
    }
    Placing placing;
    placing.starts.resize(groups.size());
    for (size_t k = 0; k < groups.records().size(); ++k) {
      placing.starts[groups.groups_of_records()[k]] =
          starts[item_of[groups.records()[k]]];
    }
    placing.top = groups.TopOf(placing.starts);
    placing.found_by = "best fit (order density)";
    return placing;
  }

  // Records that the pool is too small for these items, so that later
  // selections do not put all of them into it. `excess` is the number of bytes
  // by which they exceed its capacity, or 0 if this is unknown. A small set is
  // stored as a nogood. For a large set, the capacity that later selections
  // assume is reduced instead.
  void Exclude(uint32_t pool, std::vector<uint32_t> items, Level excess) {
    optional<size_t>& room = room_[pool].capacity;
    if (items.size() <= max_in_nogood_ || !room) {
      nogoods_.push_back({pool, std::move(items)});
      return;
    }
    const size_t lowering = std::max(static_cast<size_t>(excess) / divisor_,
                                     *room / kLeastLowering + 1);
    const size_t lowered = *room - std::min(*room, lowering);
    // Interchangeable pools remain interchangeable.
    for (size_t p = 0; p < room_.size(); ++p) {
      if (first_alike_[p] == first_alike_[pool]) room_[p].capacity = lowered;
    }
  }

  const Problem& problem_;
  const Relation& relation_;
  const Span<const PoolItem> items_;
  GroupEffort effort_;
  const StopSignal stop_;
  const std::vector<uint32_t> first_alike_;  // see InterchangeablePools
  size_t max_in_nogood_ = 0;
  // The part of an excess by which a capacity is reduced.
  size_t divisor_ = 1;
  // The pools, with the capacities that the selections assume.
  std::vector<MemoryPool> room_;
  std::vector<Nogood> nogoods_;
};

}  // namespace

StatusOr<optional<PackedPools>> ConstructPools(const Problem& problem,
                                               const Relation& relation,
                                               Span<const PoolItem> items,
                                               const PoolEffort& effort) {
  GroupEffort of_pool;
  of_pool.stop = &effort.stop;
  return PoolConstruction(problem, relation, items, of_pool).Run(effort);
}

StatusOr<optional<PackedPools>> ConstructInUnlimitedPools(
    const Problem& problem, const Relation& relation,
    Span<const PoolItem> items, const StopSignal& stop) {
  GroupEffort effort;
  effort.checks = 0;
  effort.stop = &stop;
  return PoolConstruction(problem, relation, items, effort).RunWithoutLimits();
}

}  // namespace stowage::rigid
