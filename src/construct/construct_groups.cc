// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_groups.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/construct_relaxed.h"
#include "src/construct/place_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::rigid {
namespace {

// The maximum number of checks in the first bottom-left pass. Only if most
// records are in `never` pairs or overlap many fixed records does a pass need
// this many checks, which take tens of seconds.
constexpr uint64_t kMaxChecksAtFirst = uint64_t{1} << 31;

// The maximum number of checks in a bottom-left pass that is made although no
// time is left. They take some tens of milliseconds.
constexpr uint64_t kChecksWithoutTime = uint64_t{1} << 18;

// With fewer groups than this, the time of a bottom-left pass is negligible.
constexpr size_t kManyGroups = size_t{1} << 13;

// The sort keys of a group. Groups with a larger key are placed earlier.
enum Key : size_t { kSize, kLifetime, kArea, kCrowd, kKeys };

constexpr std::array<string_view, kKeys> kKeyNames = {"size", "lifetime",
                                                      "area", "crowd"};

uint128 ToKey(Level size) { return static_cast<uint64_t>(size); }

// Returns the number of tasks at which a record may be live. Without a partial
// order, this is the number of its steps.
uint64_t LifetimeOf(const Problem& problem, uint32_t record,
                    std::vector<Window>* windows) {
  const Constraints& constraints = *problem.constraints();
  if (!constraints.order) {
    const StepInterval interval = RanksOf(problem).intervals[record];
    return interval.end - interval.begin;
  }
  windows->resize(constraints.order->chains());
  FindWindows(*constraints.order, constraints.users[record],
              MakeSpan(*windows));
  uint64_t tasks = 1;
  for (const Window& window : *windows) tasks += window.end - window.begin;
  return tasks;
}

// The sort keys of all groups.
class Keys {
 public:
  explicit Keys(const RigidGroups& groups) {
    for (std::vector<uint128>& key : keys_) key.resize(groups.size());
    std::vector<Window> windows;
    for (const Piece& piece : groups.pieces()) {
      const uint128 size = ToKey(piece.size);
      const uint128 lifetime =
          LifetimeOf(groups.problem(), piece.record, &windows);
      keys_[kSize][piece.group] += size;
      keys_[kLifetime][piece.group] =
          std::max(keys_[kLifetime][piece.group], lifetime);
      keys_[kArea][piece.group] += size * lifetime;
    }
  }

  // Sets the key kCrowd of each group to a sum over its records. The term of a
  // record is its size plus the sizes of all records that conflict with it.
  void AddCrowds(const RigidGroups& groups,
                 Span<const std::vector<uint32_t>> conflicts) {
    for (size_t p = 0; p < conflicts.size(); ++p) {
      uint128 crowd = ToKey(groups.pieces()[p].size);
      for (const uint32_t q : conflicts[p]) {
        crowd += ToKey(groups.pieces()[q].size);
      }
      keys_[kCrowd][groups.pieces()[p].group] += crowd;
    }
  }

  std::vector<uint32_t> Sort(Key first, Key second) const {
    return Sort(keys_[first], keys_[second]);
  }

  // Multiplies the key of each group by a random factor between 1 and 2, and
  // sorts the groups by the products.
  std::vector<uint32_t> SortAtRandom(Key key, Random* random) const {
    std::vector<uint128> sampled = keys_[key];
    constexpr uint64_t kParts = 1024;
    for (uint128& value : sampled) {
      value *= kParts + random->Below(kParts);
    }
    return Sort(sampled, keys_[kSize]);
  }

 private:
  static std::vector<uint32_t> Sort(const std::vector<uint128>& first,
                                    const std::vector<uint128>& second) {
    std::vector<uint32_t> order(first.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return first[a] != first[b] ? first[a] > first[b] : second[a] > second[b];
    });
    return order;
  }

  std::array<std::vector<uint128>, kKeys> keys_;
};

// Stacks all groups on top of each other, above the fixed groups. Returns
// nullopt if some group has no feasible start above the groups before it.
optional<std::vector<Level>> StackGroups(const RigidGroups& groups) {
  std::vector<Level> starts(groups.size());
  Level top = 0;
  for (uint32_t b = 0; b < groups.size(); ++b) {
    if (groups[b].min != groups[b].max) continue;
    starts[b] = groups[b].min;
    top = std::max(top, starts[b] + groups[b].extent);
  }
  for (uint32_t b = 0; b < groups.size(); ++b) {
    if (groups[b].is_fixed()) continue;
    starts[b] = groups.LowestStart(b, top);
    if (starts[b] == kNoLevel) return nullopt;
    top = starts[b] + groups[b].extent;
  }
  return starts;
}

class GroupConstruction {
 public:
  GroupConstruction(const RigidGroups& groups, const Relation& relation,
                    Level enough, const GroupEffort& effort)
      : groups_(groups),
        relation_(relation),
        enough_(enough),
        effort_(effort),
        checks_(effort.checks, effort.stop),
        keys_(groups) {}

  optional<Placing> Run() {
    if (!FixedGroupsFit(groups_, relation_)) return nullopt;
    Keep("stack", "index", StackGroups(groups_));
    if (IsDone()) return best_;
    if (ConstructMany(); IsDone()) return best_;
    constexpr std::pair<Key, Key> kOrders[] = {{kSize, kLifetime},
                                               {kArea, kLifetime},
                                               {kLifetime, kSize},
                                               {kCrowd, kArea}};
    for (const auto& [first, second] : kOrders) {
      if (first == kCrowd && !conflicts_) continue;
      const std::vector<uint32_t> order = keys_.Sort(first, second);
      const std::string name = StrCat(kKeyNames[first], "-", kKeyNames[second]);
      if (Try(order, name)) return best_;
    }
    Random random(effort_.seed);
    for (size_t k = 0; k < effort_.sampled_orders; ++k) {
      const auto key = static_cast<Key>(k % (conflicts_ ? kKeys : kCrowd));
      if (Try(keys_.SortAtRandom(key, &random),
              StrCat(kKeyNames[key], ", drawn ", k))) {
        return best_;
      }
    }
    return best_;
  }

 private:
  void ConstructMany() {
    if (groups_.size() < kManyGroups) return;
    const StopSignal stop =
        effort_.stop != nullptr ? *effort_.stop : StopSignal();
    auto relaxed = ConstructRelaxed(groups_, effort_.checks, stop);
    if (!relaxed) return;
    is_thorough_ = relaxed->is_thorough;
    const Level top = groups_.TopOf(relaxed->starts);
    if (top >= Limit()) return;
    best_ =
        Placing{std::move(relaxed->starts), top, std::move(relaxed->found_by)};
  }

  void FindConflicts() {
    WorkLimit work(effort_.checks, effort_.stop);
    conflicts_ = ListConflicts(groups_, relation_, effort_.checks, &work);
    if (conflicts_) keys_.AddCrowds(groups_, *conflicts_);
  }

  // Makes a bottom-left pass and, if the conflicts are listed, a plan by
  // PlaceGroupsLowest, both with the groups in `order`. Returns true if no
  // further order should be tried.
  bool Try(Span<const uint32_t> order, string_view name) {
    if (checks_.left() == 0) return true;
    if (work_of_pass_ == 0) {
      MakeFirstPass(order, name);
      // The conflicts are listed after the first pass, because this can take
      // far more time than the pass.
      if (!IsDone()) FindConflicts();
    } else {
      // A later pass is started only if the remaining effort exceeds the cost
      // of the first pass.
      if (checks_.left() <= work_of_pass_) return true;
      Keep("skyline dive", name,
           PlaceGroupsBottomLeft(groups_, relation_, order, Limit(), &checks_));
    }
    if (!IsDone() && conflicts_) {
      Keep("lowest place", name,
           PlaceGroupsLowest(groups_, *conflicts_, order, Limit(), &checks_));
    }
    return IsDone() || checks_.left() == 0;
  }

  // Makes a bottom-left pass, even if it costs far more than the effort allows.
  // If the time ends before the pass does, makes the pass nevertheless, unless
  // there are so many groups that it would take long: a pass checks each group
  // several times.
  void MakeFirstPass(Span<const uint32_t> order, string_view name) {
    WorkLimit work(kMaxChecksAtFirst, effort_.stop);
    auto starts =
        PlaceGroupsBottomLeft(groups_, relation_, order, Limit(), &work);
    work_of_pass_ = std::max<uint64_t>(kMaxChecksAtFirst - work.left(), 1);
    checks_.Spend(work_of_pass_);
    const bool is_short = groups_.size() < kChecksWithoutTime / 4;
    if (!starts && is_short && effort_.stop != nullptr &&
        effort_.stop->IsSet()) {
      WorkLimit rest(kChecksWithoutTime);
      starts = PlaceGroupsBottomLeft(groups_, relation_, order, Limit(), &rest);
    }
    Keep("skyline dive", name, std::move(starts));
  }

  Level Limit() const { return best_ ? best_->top : kNoLevel; }
  bool IsDone() const { return is_thorough_ || Limit() <= enough_; }

  void Keep(string_view part, string_view order,
            optional<std::vector<Level>> starts) {
    if (!starts) return;
    Placing placing;
    placing.top = groups_.TopOf(*starts);
    placing.starts = *std::move(starts);
    placing.found_by = StrCat(part, " (order ", order, ")");
    best_ = std::move(placing);
  }

  const RigidGroups& groups_;
  const Relation& relation_;
  const Level enough_;
  const GroupEffort& effort_;
  WorkLimit checks_;
  uint64_t work_of_pass_ = 0;  // the cost of the first pass
  Keys keys_;
  optional<std::vector<std::vector<uint32_t>>> conflicts_;
  optional<Placing> best_;
  bool is_thorough_ = false;  // says whether no pass would find a better plan
};

}  // namespace

optional<Placing> ConstructGroups(const RigidGroups& groups,
                                  const Relation& relation, Level enough,
                                  const GroupEffort& effort) {
  return GroupConstruction(groups, relation, enough, effort).Run();
}

std::vector<uint32_t> LargestFirst(const RigidGroups& groups) {
  std::vector<Level> sizes(groups.size());
  for (const Piece& piece : groups.pieces()) sizes[piece.group] += piece.size;
  std::vector<uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace stowage::rigid
