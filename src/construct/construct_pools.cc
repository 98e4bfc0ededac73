// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_pools.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bounds/cliques.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/construct_groups.h"
#include "stowage/constraints.h"

namespace stowage::rigid {
namespace {

// The maximum number of selections of pools that are tried.
constexpr size_t kMaxSelections = 64;
// A capacity is reduced by at least its 256th part at a time.
constexpr size_t kLeastLowering = 256;

class PoolConstruction {
 public:
  PoolConstruction(const Problem& problem, const Relation& relation,
                   absl::Span<const PoolItem> items, const GroupEffort& effort)
      : problem_(problem),
        relation_(relation),
        items_(items),
        effort_(effort),
        stop_(*effort.stop),
        room_(problem.constraints()->pools) {
    packed_.plan.offsets.resize(problem.size());
    packed_.plan.pools.resize(problem.size());
  }

  absl::StatusOr<absl::optional<PackedPools>> Run(const PoolEffort& effort) {
    max_in_nogood_ = effort.max_in_nogood;
    PoolLimits limits;
    limits.states = effort.states;
    limits.selections = 1;
    limits.stop = stop_;
    for (size_t k = 0; k < kMaxSelections && !stop_.IsSet(); ++k) {
      const PoolSelections selected =
          SelectPools(items_, room_, nogoods_, limits);
      if (selected.selections.empty()) break;
      const absl::StatusOr<bool> is_packed = Pack(selected.selections.front());
      if (!is_packed.ok()) return is_packed.status();
      if (*is_packed) return absl::make_optional(std::move(packed_));
    }
    return absl::optional<PackedPools>();
  }

  absl::StatusOr<absl::optional<PackedPools>> RunWithoutLimits() {
    for (MemoryPool& pool : room_) {
      if (pool.capacity) pool.capacity = 0;
    }
    const auto selection = SelectFirstFit(items_, room_, {});
    if (!selection) return absl::optional<PackedPools>();
    const absl::StatusOr<bool> is_packed = Pack(*selection);
    if (!is_packed.ok()) return is_packed.status();
    if (!*is_packed) return absl::optional<PackedPools>();
    return absl::make_optional(std::move(packed_));
  }

 private:
  // Packs the items of each pool. Returns false if a pool is too small.
  absl::StatusOr<bool> Pack(const std::vector<uint32_t>& pools) {
    const std::vector<MemoryPool>& all = problem_.constraints()->pools;
    packed_.plan.total_size = 0;
    std::vector<std::vector<uint32_t>> chosen = ItemsByPool(pools, all.size());
    for (uint32_t pool = 0; pool < chosen.size(); ++pool) {
      const std::vector<uint32_t> records = RecordsOf(items_, chosen[pool]);
      const auto groups = RigidGroups::Make(problem_, records, pool);
      if (!groups) return LevelsOverflow();
      const auto placing =
          ConstructGroups(*groups, relation_,
                          FindGroupBound(*groups, relation_).bytes, effort_);
      const Level capacity = groups->capacity().value_or(kNoLevel);
      if (!placing || placing->top > capacity) {
        Exclude(pool, std::move(chosen[pool]),
                placing ? placing->top - capacity : 0);
        return false;
      }
      packed_.plan.total_size += static_cast<size_t>(
          groups->WriteOffsets(placing->starts, &packed_.plan.offsets));
      for (const uint32_t i : records) packed_.plan.pools[i] = pool;
      packed_.found_by = placing->found_by;
    }
    return true;
  }

  // Keeps later selections from putting these items together into the pool,
  // which is too small for them. `excess` is the number of bytes by which they
  // exceed its capacity, or 0 if that is unknown. A small set is excluded as a
  // nogood. For a large set, reduces the capacity of the pool that selections
  // use.
  void Exclude(uint32_t pool, std::vector<uint32_t> items, Level excess) {
    absl::optional<size_t>& room = room_[pool].capacity;
    if (items.size() <= max_in_nogood_ || !room) {
      nogoods_.push_back({pool, std::move(items)});
      return;
    }
    const size_t lowering =
        std::max(static_cast<size_t>(excess), *room / kLeastLowering + 1);
    *room -= std::min(*room, lowering);
  }

  const Problem& problem_;
  const Relation& relation_;
  const absl::Span<const PoolItem> items_;
  const GroupEffort effort_;
  const StopSignal stop_;
  size_t max_in_nogood_ = 0;
  // The pools, with the capacities that selections use.
  std::vector<MemoryPool> room_;
  std::vector<Nogood> nogoods_;
  PackedPools packed_;
};

}  // namespace

absl::StatusOr<absl::optional<PackedPools>> ConstructPools(
    const Problem& problem, const Relation& relation,
    absl::Span<const PoolItem> items, const PoolEffort& effort) {
  GroupEffort of_pool;
  of_pool.stop = &effort.stop;
  return PoolConstruction(problem, relation, items, of_pool).Run(effort);
}

absl::StatusOr<absl::optional<PackedPools>> ConstructInUnlimitedPools(
    const Problem& problem, const Relation& relation,
    absl::Span<const PoolItem> items, const StopSignal& stop) {
  GroupEffort effort;
  effort.checks = 0;
  effort.stop = &stop;
  return PoolConstruction(problem, relation, items, effort).RunWithoutLimits();
}

}  // namespace stowage::rigid
