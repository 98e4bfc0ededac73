// SPDX-License-Identifier: Apache-2.0
#include "src/proof/clique_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "src/proof/names.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"

namespace stowage::certificate {
namespace {

constexpr uint64_t kMaxPairs = uint64_t{1} << 28;
// Rounding up beyond this limit could overflow. Sizes, alignments and
// capacities that reach the limit are rejected. Holes and fixed records that
// end at or above the limit are ignored.
constexpr uint64_t kMaxSizeInBound = uint64_t{1} << 60;

using PairOfRecords = std::pair<size_t, size_t>;

PairOfRecords PairOf(size_t a, size_t b) {
  return {std::min(a, b), std::max(a, b)};
}

Status RefuteProof(size_t proof, string_view why) {
  return InvalidArgumentError(StrCat("cost proof ", proof + 1, ": ", why));
}

// Says whether two records may share bytes, and whether sharing has a cost.
enum class Sharing {
  kForbidden,
  kPaid,
  kFree,
};

// Determines which pairs of records may share bytes and at what cost, and which
// pool a record is in.
class Sharings {
 public:
  explicit Sharings(const Problem& problem)
      : problem_(problem), constraints_(*problem.constraints()) {
    sets_of_.resize(problem.size());
    for (size_t s = 0; s < constraints_.apart.size(); ++s) {
      for (const size_t i : constraints_.apart[s]) sets_of_[i].insert(s);
    }
    for (const auto& [a, b] : constraints_.never) never_.insert(PairOf(a, b));
    for (const ApartPreference& wish : constraints_.prefer_apart) {
      if (wish.cost > 0) costs_[PairOf(wish.first, wish.second)] = wish.cost;
    }
    for (size_t i = 0; i < problem.size(); ++i) AddPools(i);
  }

  Sharing Of(size_t a, size_t b) const {
    const bool are_apart =
        std::any_of(sets_of_[a].begin(), sets_of_[a].end(),
                    [&](size_t set) { return sets_of_[b].count(set) > 0; });
    if (are_apart) return Sharing::kForbidden;
    if (GroupOf(a) != kNoGroup && GroupOf(a) == GroupOf(b)) {
      return Sharing::kFree;
    }
    if (never_.count(PairOf(a, b)) == 0 && MeetInTime(a, b)) {
      return Sharing::kForbidden;
    }
    return costs_.count(PairOf(a, b)) > 0 ? Sharing::kPaid : Sharing::kFree;
  }

  uint64_t CostOf(const PairOfRecords& pair) const { return costs_.at(pair); }

  // Returns the pool of the record if it may use only one pool, otherwise
  // nullopt.
  optional<uint32_t> PoolOf(size_t record) const {
    if (constraints_.pools.empty()) return 0;
    const std::vector<uint64_t>& costs = CostsByPool(record);
    optional<uint32_t> only;
    for (uint32_t p = 0; p < costs.size(); ++p) {
      if (costs[p] == kNotThere) continue;
      if (only) return nullopt;
      only = p;
    }
    return only;
  }

  // Returns the minimum cost that any plan incurs for its pools and for pairs
  // that share bytes within a group.
  uint64_t ConstantCost() const {
    uint64_t cost = 0;
    for (const auto* const by_start : {&pools_of_record_, &pools_of_group_}) {
      for (const auto& [start, costs] : *by_start) {
        const uint64_t least = *std::min_element(costs.begin(), costs.end());
        if (least != kNotThere) cost += least;
      }
    }
    for (const auto& [pair, of_pair] : costs_) {
      const auto& [a, b] = pair;
      if (GroupOf(a) == kNoGroup || GroupOf(a) != GroupOf(b)) continue;
      const size_t begin_of_a = constraints_.places[a].at;
      const size_t begin_of_b = constraints_.places[b].at;
      const size_t size_of_a = problem_.records()[a].tensor_size;
      const size_t size_of_b = problem_.records()[b].tensor_size;
      const size_t first = std::max(begin_of_a, begin_of_b);
      if (size_of_a > 0 && size_of_b > 0 && first - begin_of_a < size_of_a &&
          first - begin_of_b < size_of_b) {
        cost += of_pair;
      }
    }
    return cost;
  }

 private:
  static constexpr uint64_t kNotThere = ~uint64_t{0};

  uint32_t GroupOf(size_t i) const {
    return constraints_.places.empty() ? kNoGroup
                                       : constraints_.places[i].group;
  }

  const std::vector<uint64_t>& CostsByPool(size_t i) const {
    return GroupOf(i) == kNoGroup ? pools_of_record_.at(i)
                                  : pools_of_group_.at(GroupOf(i));
  }

  // Adds the cost of the record in each pool to the costs of its group. If the
  // record has no group, stores these costs for the record alone.
  void AddPools(size_t i) {
    const size_t count = constraints_.pools.size();
    if (count == 0) return;
    std::vector<uint64_t> costs(count, 0);
    if (!constraints_.choices.empty() && !constraints_.choices[i].empty()) {
      costs.assign(count, kNotThere);
      for (const PoolChoice& choice : constraints_.choices[i]) {
        costs[choice.pool] = choice.cost;
      }
    }
    auto& sums = GroupOf(i) == kNoGroup ? pools_of_record_ : pools_of_group_;
    const size_t key = GroupOf(i) == kNoGroup ? i : GroupOf(i);
    const auto [sum, is_new] = sums.emplace(key, costs);
    for (size_t p = 0; p < count && !is_new; ++p) {
      uint64_t& of_pool = sum->second[p];
      if (of_pool == kNotThere || costs[p] == kNotThere) {
        of_pool = kNotThere;
      } else {
        of_pool += costs[p];
      }
    }
  }

  bool MeetInTime(size_t a, size_t b) const {
    if (!constraints_.order) {
      const ByteRecord& x = problem_.records()[a];
      const ByteRecord& y = problem_.records()[b];
      return x.first_task <= y.last_task && y.first_task <= x.last_task;
    }
    return !AllPrecede(a, b) && !AllPrecede(b, a);
  }

  bool AllPrecede(size_t a, size_t b) const {
    for (const TaskId first : constraints_.users[a]) {
      for (const TaskId second : constraints_.users[b]) {
        if (!constraints_.order->Precedes(first, second)) return false;
      }
    }
    return true;
  }

  const Problem& problem_;
  const Constraints& constraints_;
  std::vector<std::set<size_t>> sets_of_;
  std::set<PairOfRecords> never_;
  std::map<PairOfRecords, uint64_t> costs_;
  // The cost of each pool, for each record without a group and for each group.
  std::map<size_t, std::vector<uint64_t>> pools_of_record_;
  std::map<size_t, std::vector<uint64_t>> pools_of_group_;
};

// Rounds the sizes of the records of one clique up to a grid. The step of the
// grid is the least alignment of these records, so all of their offsets are on
// the grid.
class Grid {
 public:
  Grid(const Problem& problem, Span<const size_t> records) {
    for (const size_t i : records) {
      step_ = std::min<uint64_t>(step_, problem.alignments().Of(i));
    }
    for (const size_t i : records) {
      sizes_.push_back(problem.records()[i].tensor_size);
    }
  }

  uint64_t Up(uint64_t bytes) const {
    return (bytes + step_ - 1) / step_ * step_;
  }
  uint64_t SizeOf(size_t k) const { return Up(sizes_[k]); }
  // Returns the highest end, rounded up to the grid, of any record of the
  // clique that ends at or below `limit` before rounding.
  uint64_t HighestEnd(uint64_t limit) const {
    uint64_t highest = 0;
    for (const uint64_t size : sizes_) {
      if (size > limit) continue;
      highest = std::max(highest, (limit - size) / step_ * step_ + Up(size));
    }
    return highest;
  }

 private:
  uint64_t step_ = kMaxSizeInBound;
  std::vector<uint64_t> sizes_;
};

// Checks the proofs one after another and adds up the costs that they prove.
class CliqueChecker {
 public:
  CliqueChecker(const Problem& problem, Span<const CostProof> proofs)
      : problem_(problem),
        constraints_(*problem.constraints()),
        proofs_(proofs),
        names_(NamesOf(problem)),
        sharings_(problem) {}

  StatusOr<uint64_t> Run() {
    uint64_t pairs = 0;
    for (const CostProof& proof : proofs_) {
      for (const CostProof::Clique& clique : proof.cliques) {
        pairs += uint64_t{clique.records.size()} * clique.records.size();
      }
    }
    if (pairs > kMaxPairs) {
      return ResourceExhaustedError("too many pairs to check");
    }
    uint128 cost = sharings_.ConstantCost();
    for (number_ = 0; number_ < proofs_.size(); ++number_) {
      if (Status s = CheckProof(); !s.ok()) return s;
      cost += cost_;
    }
    if (Uint128High64(cost) > 0) {
      return InvalidArgumentError("the cost proofs show more than 64 bits");
    }
    return Uint128Low64(cost);
  }

  StatusOr<OverfullClique> Overfull(const std::vector<size_t>& records) {
    if (uint64_t{records.size()} * records.size() > kMaxPairs) {
      return ResourceExhaustedError("too many pairs to check");
    }
    if (Status s = CheckPool(records); !s.ok()) return s;
    const Grid grid(problem_, records);
    OverfullClique clique;
    clique.room = RoomOf(records, grid);
    uint128 bytes = 0;
    uint128 shared = 0;
    for (size_t k = 0; k < records.size(); ++k) {
      bytes += grid.SizeOf(k);
      for (size_t m = k + 1; m < records.size(); ++m) {
        const StatusOr<bool> pays = Pays(records[k], records[m]);
        if (!pays.ok()) return pays.status();
        if (*pays) shared += std::min(grid.SizeOf(k), grid.SizeOf(m));
      }
    }
    if (Uint128High64(bytes) > 0 || Uint128High64(shared) > 0) {
      return InvalidArgumentError("the sizes sum to more than 64 bits");
    }
    clique.bytes = Uint128Low64(bytes);
    clique.shared = Uint128Low64(shared);
    // If the room is 0, the records do not fit, no matter how many bytes they
    // share.
    if (clique.room > 0) {
      const optional<uint128> overlap = OverlapOf(bytes, clique.room);
      if (!overlap) return InvalidArgumentError("the overlap exceeds 64 bits");
      if (*overlap <= shared) {
        return InvalidArgumentError("the tensors may have room");
      }
    }
    return clique;
  }

 private:
  struct Load {
    size_t proof = 0;
    uint128 load = 0;
  };

  // Checks the current proof, and sets cost_ to the cost that it proves.
  Status CheckProof() {
    const CostProof& proof = proofs_[number_];
    if (proof.scale == 0 || (proof.scale & (proof.scale - 1)) != 0) {
      return RefuteProof(number_, "the scale is not a power of two");
    }
    uint128 sum = 0;
    paying_.clear();
    for (size_t c = 0; c < proof.cliques.size(); ++c) {
      if (Status s = CheckClique(proof.cliques[c]); !s.ok()) {
        return RefuteProof(number_,
                           StrCat("clique ", c + 1, ": ", s.message()));
      }
      sum += proof.cliques[c].weight;
    }
    uint64_t unit = 0;  // a divisor of all costs
    for (const PairOfRecords& pair : paying_) {
      const uint64_t cost = sharings_.CostOf(pair);
      unit = std::gcd(unit, cost);
      if (loads_[pair].load <= uint128(cost) * proof.scale) continue;
      return RefuteProof(
          number_, StrCat("the load of '", names_[pair.first], "' and '",
                          names_[pair.second], "' is larger than their cost"));
    }
    cost_ = 0;
    if (sum == 0) return OkStatus();
    const uint128 least = (sum - 1) / proof.scale + 1;
    cost_ = ((least - 1) / unit + 1) * unit;
    return OkStatus();
  }

  Status CheckClique(const CostProof::Clique& clique) {
    const std::vector<size_t>& records = clique.records;
    if (clique.weight == 0) return InvalidArgumentError("the weight is 0");
    if (Status s = CheckPool(records); !s.ok()) return s;
    const Grid grid(problem_, records);
    const uint64_t room = RoomOf(records, grid);
    uint128 sum = 0;
    for (size_t k = 0; k < records.size(); ++k) sum += grid.SizeOf(k);
    if (room == 0 || sum <= uint128(room)) {
      return InvalidArgumentError("the tensors need not overlap");
    }
    if (Uint128High64(sum) > 0) {
      return InvalidArgumentError("the sizes sum to more than 64 bits");
    }
    const optional<uint128> overlap = OverlapOf(sum, room);
    if (!overlap) return InvalidArgumentError("the overlap exceeds 64 bits");
    return AddLoads(clique, grid, *overlap);
  }

  // Returns the minimum number of shared bytes, summed over all pairs, if
  // records of `sum` bytes in total are placed in `room` bytes. Returns nullopt
  // if this number may exceed 64 bits. Requires that `sum` and `room` fit in 64
  // bits and are above 0.
  static optional<uint128> OverlapOf(uint128 sum, uint64_t room) {
    if (sum <= room) return uint128(0);
    // For each address, count the pairs of records that share the byte at that
    // address. The sum of these counts is least if every address is occupied by
    // either `full` or `full` + 1 records.
    const uint128 full = sum / room;
    if (Uint128High64(full * full * room) > 0) return nullopt;
    return full * (full - 1) / 2 * room + (sum - full * room) * full;
  }

  // Returns true if two records of a clique may share bytes at a cost, and
  // false if they must not share any. Errors: InvalidArgument if sharing is
  // free.
  StatusOr<bool> Pays(size_t a, size_t b) const {
    const Sharing sharing = sharings_.Of(a, b);
    if (sharing != Sharing::kFree) return sharing == Sharing::kPaid;
    return InvalidArgumentError(StrCat("'", names_[a], "' and '", names_[b],
                                       "' may share bytes at no cost"));
  }

  Status CheckPool(const std::vector<size_t>& records) {
    for (const size_t i : records) {
      const uint64_t size = problem_.records()[i].tensor_size;
      if (size == 0 || size >= kMaxSizeInBound ||
          problem_.alignments().Of(i) >= kMaxSizeInBound) {
        return InvalidArgumentError(
            StrCat("'", names_[i], "' has no bytes, or too many"));
      }
      const optional<uint32_t> pool = sharings_.PoolOf(i);
      if (!pool || pool != sharings_.PoolOf(records.front())) {
        return InvalidArgumentError(StrCat(
            "'", names_[i], "' need not be in the pool of the first tensor"));
      }
    }
    if (records.empty()) return InvalidArgumentError("no tensors");
    pool_ = *sharings_.PoolOf(records.front());
    const optional<size_t> capacity = constraints_.pools.empty()
                                          ? problem_.capacity()
                                          : constraints_.pools[pool_].capacity;
    if (!capacity || *capacity >= kMaxSizeInBound) {
      return InvalidArgumentError("no capacity, or too large a one");
    }
    capacity_ = *capacity;
    return OkStatus();
  }

  bool IsHeldOff(const Hole& hole, const std::vector<size_t>& records) const {
    return std::all_of(records.begin(), records.end(), [&](size_t i) {
      const ByteRecord& record = problem_.records()[i];
      return constraints_.order.has_value() ||
             (hole.first_task <= record.last_task &&
              record.first_task <= hole.last_task);
    });
  }

  // Returns the number of bytes of the pool that are left for the records of
  // the clique. Excludes the bytes of every hole or record at a fixed offset
  // with which no record of the clique may share bytes.
  uint64_t RoomOf(const std::vector<size_t>& records, const Grid& grid) const {
    std::vector<std::pair<uint64_t, uint64_t>> taken;
    const auto take = [&](uint64_t begin, uint64_t end) {
      if (end >= kMaxSizeInBound) return;
      taken.emplace_back(grid.HighestEnd(begin), grid.Up(end));
    };
    for (const Hole& hole : constraints_.holes) {
      if (hole.pool == pool_ && IsHeldOff(hole, records)) {
        take(hole.begin, hole.end);
      }
    }
    for (size_t f = 0; f < problem_.size(); ++f) {
      const optional<size_t> fixed = problem_.fixed_offset(f);
      if (!fixed || *fixed >= kMaxSizeInBound ||
          problem_.records()[f].tensor_size == 0 ||
          sharings_.PoolOf(f) != optional<uint32_t>(pool_)) {
        continue;
      }
      const bool is_foreign =
          std::all_of(records.begin(), records.end(), [&](size_t i) {
            return i != f && sharings_.Of(i, f) == Sharing::kForbidden;
          });
      if (is_foreign) take(*fixed, *fixed + problem_.records()[f].tensor_size);
    }
    std::sort(taken.begin(), taken.end());
    uint64_t room = 0;
    uint64_t next = 0;  // all bytes below `next` are counted
    const uint64_t top = grid.HighestEnd(capacity_);
    taken.emplace_back(top, top);
    for (const auto& [begin, end] : taken) {
      if (std::min(begin, top) > next) room += std::min(begin, top) - next;
      next = std::max(next, end);
    }
    return room;
  }

  // Checks that no pair of the clique may share bytes for free. Adds the load
  // of each pair that pays for sharing to loads_.
  Status AddLoads(const CostProof::Clique& clique, const Grid& grid,
                  uint128 overlap) {
    const std::vector<size_t>& records = clique.records;
    for (size_t k = 0; k < records.size(); ++k) {
      for (size_t m = k + 1; m < records.size(); ++m) {
        const StatusOr<bool> pays = Pays(records[k], records[m]);
        if (!pays.ok()) return pays.status();
        if (!*pays) continue;
        const PairOfRecords pair = PairOf(records[k], records[m]);
        const uint128 bytes = std::min(
            uint128(std::min(grid.SizeOf(k), grid.SizeOf(m))), overlap);
        const auto [load, is_new] = loads_.emplace(pair, Load{number_, 0});
        if (load->second.proof != number_) {
          return InvalidArgumentError(StrCat("'", names_[pair.first], "' and '",
                                             names_[pair.second],
                                             "' are in another proof"));
        }
        load->second.load += (bytes * clique.weight + overlap - 1) / overlap;
        if (is_new) paying_.push_back(pair);
      }
    }
    return OkStatus();
  }

  const Problem& problem_;
  const Constraints& constraints_;
  const Span<const CostProof> proofs_;
  const std::vector<std::string> names_;
  const Sharings sharings_;
  std::map<PairOfRecords, Load> loads_;
  // The number of the proof that is being checked.
  size_t number_ = 0;
  // The pairs in this proof that pay for sharing.
  std::vector<PairOfRecords> paying_;
  // The cost that this proof shows.
  uint128 cost_ = 0;
  // The pool of the clique that is being checked.
  uint32_t pool_ = 0;
  uint64_t capacity_ = 0;
};

}  // namespace

StatusOr<uint64_t> BoundOfCliques(const Problem& problem,
                                  Span<const CostProof> proofs) {
  return CliqueChecker(problem, proofs).Run();
}

StatusOr<OverfullClique> CheckOverfull(const Problem& problem,
                                       const std::vector<size_t>& records) {
  return CliqueChecker(problem, {}).Overfull(records);
}

}  // namespace stowage::certificate
