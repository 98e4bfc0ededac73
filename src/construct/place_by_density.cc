// SPDX-License-Identifier: Apache-2.0
#include "src/construct/place_by_density.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/bounds/interval_ranks.h"
#include "src/bounds/quick_selection.h"
#include "src/construct/conflict_index.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

constexpr uint32_t kNoNumber = ~uint32_t{0};
// The maximum number of placed records that are visited for all items together,
// which take a few hundred milliseconds.
constexpr uint64_t kMaxVisits = uint64_t{1} << 22;
// The maximum number of records times the number of pools. The memory for each
// pool is proportional to the number of records.
constexpr size_t kMaxRecordsInPools = size_t{1} << 24;

// A pool with a capacity, and the groups that are placed in it so far.
class LimitedPool {
 public:
  // `records` are those that may use the pool.
  static optional<LimitedPool> Make(const Problem& problem,
                                    const Relation& relation,
                                    Span<const uint32_t> records,
                                    uint32_t pool) {
    auto groups = RigidGroups::Make(problem, records, pool);
    if (!groups) return nullopt;
    return LimitedPool(*std::move(groups), relation);
  }

  // Returns the number of the group of a record.
  uint32_t GroupOf(uint32_t record) const { return group_of_[record]; }
  bool IsFixed(uint32_t record) const {
    return groups_[GroupOf(record)].is_fixed();
  }

  // Returns the start of the group in the tightest gap, or kNoLevel if there is
  // no room or if `work` ends; one unit is a visit of a placed record.
  Level FindStart(uint32_t group, WorkLimit* work) {
    if (!CollectBlocked(group, work)) return kNoLevel;
    // A very large capacity is no capacity of the groups.
    const Level last =
        groups_.capacity().value_or(kNoLevel - 1) - groups_[group].extent;
    Level tightest = kNoLevel;
    Level found = kNoLevel;
    Level passed = 0;  // one past the last start known to be blocked
    const auto try_gap = [&](Level end) {
      const Level start = groups_.LowestStart(group, passed);
      if (start > std::min(end, last)) return;
      if (end - passed >= tightest) return;
      tightest = end - passed;
      found = start;
    };
    for (const auto& [low, high] : blocked_) {
      if (low >= passed) try_gap(low);
      passed = std::max(passed, high);
    }
    // Above all other groups, any gap is tighter.
    if (found == kNoLevel) try_gap(kNoLevel - 1);
    return found;
  }

  void PlaceAt(uint32_t group, Level start) {
    for (const Piece& piece : groups_.PiecesOf(group)) {
      begins_[piece.record] = start + piece.at;
      sizes_[piece.record] = piece.size;
      placed_.Insert(piece.record);
    }
  }

 private:
  LimitedPool(RigidGroups groups, const Relation& relation)
      : groups_(std::move(groups)),
        relation_(&relation),
        intervals_(RanksOf(groups_.problem()).intervals),
        placed_(intervals_),
        group_of_(intervals_.size(), kNoNumber),
        begins_(intervals_.size()),
        sizes_(intervals_.size()) {
    for (size_t k = 0; k < groups_.records().size(); ++k) {
      group_of_[groups_.records()[k]] = groups_.groups_of_records()[k];
    }
  }

  // Sets blocked_ to the starts at which the group would overlap a group that
  // is placed. Returns false if `work` ends.
  bool CollectBlocked(uint32_t group, WorkLimit* work) {
    blocked_.clear();
    bool is_over = !work->Spend(1);
    for (const Piece& piece : groups_.PiecesOf(group)) {
      if (is_over) return false;
      placed_.VisitConflictsUntil(intervals_[piece.record], [&](size_t record) {
        is_over = !work->Spend(1);
        const auto other = static_cast<uint32_t>(record);
        if (!relation_->HasPermissions(piece.record) ||
            relation_->Conflict(piece.record, other)) {
          const Level begin = begins_[other] - piece.at;
          blocked_.emplace_back(begin - piece.size, begin + sizes_[other]);
        }
        return is_over;
      });
    }
    std::sort(blocked_.begin(), blocked_.end());
    return !is_over;
  }

  RigidGroups groups_;
  const Relation* relation_;  // is not owned
  Span<const StepInterval> intervals_;
  ConflictIndex placed_;
  std::vector<uint32_t> group_of_;  // by record
  std::vector<Level> begins_;       // by record, of records that are placed
  std::vector<Level> sizes_;        // by record, of records that are placed
  std::vector<std::pair<Level, Level>> blocked_;  // open intervals of starts
};

class DensityPlacing {
 public:
  DensityPlacing(const Problem& problem, const Relation& relation,
                 Span<const PoolItem> items)
      : items_(items) {
    const std::vector<MemoryPool>& pools = problem.constraints()->pools;
    std::vector<std::vector<uint32_t>> records(pools.size());
    for (const PoolItem& item : items) {
      for (const PoolChoice& choice : item.choices) {
        std::vector<uint32_t>& of_pool = records[choice.pool];
        of_pool.insert(of_pool.end(), item.records.begin(), item.records.end());
      }
    }
    limited_.resize(pools.size());
    for (uint32_t pool = 0; pool < pools.size(); ++pool) {
      if (!pools[pool].capacity) continue;
      std::sort(records[pool].begin(), records[pool].end());
      limited_[pool] =
          LimitedPool::Make(problem, relation, records[pool], pool);
      is_whole_ = is_whole_ && limited_[pool].has_value();
    }
  }

  optional<PlacedItems> Run(SizeWeight weight, WorkLimit* work) {
    if (!is_whole_) return nullopt;
    PlacedItems placed;
    placed.pools.resize(items_.size());
    placed.starts.resize(items_.size());
    for (const uint32_t k : FixedFirst(weight)) {
      if (!PlaceItem(k, &placed, work)) return nullopt;
    }
    return placed;
  }

 private:
  bool IsFixed(const PoolItem& item) const {
    return std::any_of(item.choices.begin(), item.choices.end(),
                       [&](const PoolChoice& choice) {
                         const auto& pool = limited_[choice.pool];
                         return pool && pool->IsFixed(item.records[0]);
                       });
  }

  std::vector<uint32_t> FixedFirst(SizeWeight weight) const {
    std::vector<uint32_t> order = ItemsByDensity(items_, weight);
    std::stable_partition(order.begin(), order.end(),
                          [&](uint32_t k) { return IsFixed(items_[k]); });
    return order;
  }

  bool PlaceItem(uint32_t k, PlacedItems* placed, WorkLimit* work) {
    for (const PoolChoice& choice : items_[k].choices) {
      if (!work->Spend(1)) return false;
      optional<LimitedPool>& pool = limited_[choice.pool];
      if (pool) {
        const uint32_t group = pool->GroupOf(items_[k].records[0]);
        const Level start = pool->FindStart(group, work);
        if (start == kNoLevel) continue;
        pool->PlaceAt(group, start);
        placed->starts[k] = start;
      }
      placed->pools[k] = choice.pool;
      placed->cost += choice.cost;
      return true;
    }
    return false;
  }

  Span<const PoolItem> items_;
  // The pools, by index. Those without a capacity have no value.
  std::vector<optional<LimitedPool>> limited_;
  bool is_whole_ = true;
};

}  // namespace

optional<PlacedItems> PlaceByDensity(const Problem& problem,
                                     const Relation& relation,
                                     Span<const PoolItem> items,
                                     const StopSignal& stop) {
  const Constraints& constraints = *problem.constraints();
  if (constraints.order || !constraints.apart.empty()) return nullopt;
  if (problem.size() > kMaxRecordsInPools / constraints.pools.size()) {
    return nullopt;
  }
  WorkLimit work(kMaxVisits, &stop);
  optional<PlacedItems> best;
  for (const SizeWeight weight :
       {SizeWeight::kOne, SizeWeight::kThreeQuarters, SizeWeight::kHalf}) {
    auto placed = DensityPlacing(problem, relation, items).Run(weight, &work);
    if (placed && (!best || placed->cost < best->cost)) best = placed;
    if (work.left() == 0) break;
  }
  return best;
}

}  // namespace stowage::rigid
