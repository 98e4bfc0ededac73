// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_bodies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/random.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/construct_relaxed.h"
#include "src/construct/place_bodies.h"

namespace stowage::bodies {
namespace {

// The maximum number of checks in the first bottom-left pass. They take tens of
// seconds if most records are in `never` pairs or overlap many fixed records.
constexpr uint64_t kMostLooksAtFirst = uint64_t{1} << 31;

// With fewer groups than this, a bottom-left pass takes negligible time.
constexpr size_t kManyBodies = size_t{1} << 13;

// The sort keys of a group; groups with a larger key are placed earlier.
enum Key : size_t { kSize, kLifetime, kArea, kCrowd, kKeys };

constexpr std::array<absl::string_view, kKeys> kKeyNames = {"size", "lifetime",
                                                            "area", "crowd"};

absl::uint128 ToKey(Level size) { return static_cast<uint64_t>(size); }

// Returns the number of tasks at which a record may be live. Without a partial
// order this is the number of its steps.
uint64_t LifetimeOf(const Problem& problem, uint32_t record,
                    std::vector<Window>* windows) {
  const Constraints& constraints = *problem.constraints();
  if (!constraints.order) {
    const StepInterval interval = RanksOf(problem).intervals[record];
    return interval.end - interval.begin;
  }
  windows->resize(constraints.order->chains());
  FindWindows(*constraints.order, constraints.users[record],
              absl::MakeSpan(*windows));
  uint64_t tasks = 1;
  for (const Window& window : *windows) tasks += window.end - window.begin;
  return tasks;
}

// The sort keys of all groups.
class Keys {
 public:
  explicit Keys(const Bodies& bodies) {
    for (std::vector<absl::uint128>& key : keys_) key.resize(bodies.size());
    std::vector<Window> windows;
    for (const Piece& piece : bodies.pieces()) {
      const absl::uint128 size = ToKey(piece.size);
      const absl::uint128 lifetime =
          LifetimeOf(bodies.problem(), piece.record, &windows);
      keys_[kSize][piece.body] += size;
      keys_[kLifetime][piece.body] =
          std::max(keys_[kLifetime][piece.body], lifetime);
      keys_[kArea][piece.body] += size * lifetime;
    }
  }

  // Sets the key kCrowd of each group: the sum, over its records, of the sizes
  // of the record and of the records that conflict with it.
  void AddCrowds(const Bodies& bodies,
                 absl::Span<const std::vector<uint32_t>> conflicts) {
    for (size_t p = 0; p < conflicts.size(); ++p) {
      absl::uint128 crowd = ToKey(bodies.pieces()[p].size);
      for (const uint32_t q : conflicts[p]) {
        crowd += ToKey(bodies.pieces()[q].size);
      }
      keys_[kCrowd][bodies.pieces()[p].body] += crowd;
    }
  }

  std::vector<uint32_t> Sort(Key first, Key second) const {
    return Sort(keys_[first], keys_[second]);
  }

  // Sorts the groups by a key, after the key of each group is multiplied by a
  // random factor between 1 and 2.
  std::vector<uint32_t> SortAtRandom(Key key, Random* random) const {
    std::vector<absl::uint128> drawn = keys_[key];
    constexpr uint64_t kParts = 1024;
    for (absl::uint128& value : drawn) value *= kParts + random->Below(kParts);
    return Sort(drawn, keys_[kSize]);
  }

 private:
  static std::vector<uint32_t> Sort(const std::vector<absl::uint128>& first,
                                    const std::vector<absl::uint128>& second) {
    std::vector<uint32_t> order(first.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return first[a] != first[b] ? first[a] > first[b] : second[a] > second[b];
    });
    return order;
  }

  std::array<std::vector<absl::uint128>, kKeys> keys_;
};

// Stacks all groups on top of each other, above the fixed ones. Returns nothing
// if a group has no place above those before it.
absl::optional<std::vector<Level>> StackBodies(const Bodies& bodies) {
  std::vector<Level> starts(bodies.size());
  Level top = 0;
  for (uint32_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].min != bodies[b].max) continue;
    starts[b] = bodies[b].min;
    top = std::max(top, starts[b] + bodies[b].extent);
  }
  for (uint32_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].is_fixed()) continue;
    starts[b] = bodies.LowestStart(b, top);
    if (starts[b] == kNoLevel) return absl::nullopt;
    top = starts[b] + bodies[b].extent;
  }
  return starts;
}

class BodyConstruction {
 public:
  BodyConstruction(const Bodies& bodies, const Relation& relation, Level enough,
                   const BodyEffort& effort)
      : bodies_(bodies),
        relation_(relation),
        enough_(enough),
        effort_(effort),
        looks_(effort.looks, effort.stop),
        keys_(bodies) {}

  absl::optional<Placing> Run() {
    if (!FixedBodiesFit(bodies_, relation_)) return absl::nullopt;
    Keep("stack", "index", StackBodies(bodies_));
    if (IsDone()) return best_;
    if (ConstructMany(); IsDone()) return best_;
    FindConflicts();
    constexpr std::pair<Key, Key> kOrders[] = {{kSize, kLifetime},
                                               {kArea, kLifetime},
                                               {kLifetime, kSize},
                                               {kCrowd, kArea}};
    for (const auto& [first, second] : kOrders) {
      if (first == kCrowd && !conflicts_) continue;
      const std::vector<uint32_t> order = keys_.Sort(first, second);
      const std::string name =
          absl::StrCat(kKeyNames[first], "-", kKeyNames[second]);
      if (Try(order, name)) return best_;
    }
    Random random(effort_.seed);
    for (size_t k = 0; k < effort_.drawn_orders; ++k) {
      const auto key = static_cast<Key>(k % (conflicts_ ? kKeys : kCrowd));
      if (Try(keys_.SortAtRandom(key, &random),
              absl::StrCat(kKeyNames[key], ", drawn ", k))) {
        return best_;
      }
    }
    return best_;
  }

 private:
  void ConstructMany() {
    if (bodies_.size() < kManyBodies) return;
    const StopSignal stop =
        effort_.stop != nullptr ? *effort_.stop : StopSignal();
    auto relaxed = ConstructRelaxed(bodies_, effort_.looks, stop);
    if (!relaxed) return;
    is_thorough_ = relaxed->is_thorough;
    const Level top = bodies_.TopOf(relaxed->starts);
    if (top >= Limit()) return;
    best_ =
        Placing{std::move(relaxed->starts), top, std::move(relaxed->found_by)};
  }

  void FindConflicts() {
    WorkLimit work(effort_.looks, effort_.stop);
    conflicts_ = ListConflicts(bodies_, relation_, effort_.looks, &work);
    if (conflicts_) keys_.AddCrowds(bodies_, *conflicts_);
  }

  // Makes a bottom-left pass and, if the conflicts are listed, a plan by
  // PlaceBodiesLowest, both with the groups in `order`. Returns whether no
  // further orders are to be tried.
  bool Try(absl::Span<const uint32_t> order, absl::string_view name) {
    // The first pass is made even if it costs far more than the effort allows.
    // After it, a pass is not started if less effort remains than the first
    // pass took.
    if (looks_.left() <= looks_of_dive_) return true;
    WorkLimit first(kMostLooksAtFirst, effort_.stop);
    WorkLimit* const work = looks_of_dive_ == 0 ? &first : &looks_;
    const uint64_t before = work->left();
    Keep("skyline dive", name,
         DiveBodies(bodies_, relation_, order, Limit(), work));
    if (looks_of_dive_ == 0) {
      looks_of_dive_ = before - work->left();
      looks_.Spend(looks_of_dive_);
    }
    if (!IsDone() && conflicts_) {
      Keep("lowest place", name,
           PlaceBodiesLowest(bodies_, *conflicts_, order, Limit(), &looks_));
    }
    return IsDone() || looks_.left() == 0;
  }

  Level Limit() const { return best_ ? best_->top : kNoLevel; }
  bool IsDone() const { return is_thorough_ || Limit() <= enough_; }

  void Keep(absl::string_view part, absl::string_view order,
            absl::optional<std::vector<Level>> starts) {
    if (!starts) return;
    Placing placing;
    placing.top = bodies_.TopOf(*starts);
    placing.starts = *std::move(starts);
    placing.found_by = absl::StrCat(part, " (order ", order, ")");
    best_ = std::move(placing);
  }

  const Bodies& bodies_;
  const Relation& relation_;
  const Level enough_;
  const BodyEffort& effort_;
  WorkLimit looks_;
  uint64_t looks_of_dive_ = 0;  // cost of the first pass
  Keys keys_;
  absl::optional<std::vector<std::vector<uint32_t>>> conflicts_;
  absl::optional<Placing> best_;
  bool is_thorough_ = false;  // no pass would find a better plan
};

}  // namespace

absl::optional<Placing> ConstructBodies(const Bodies& bodies,
                                        const Relation& relation, Level enough,
                                        const BodyEffort& effort) {
  return BodyConstruction(bodies, relation, enough, effort).Run();
}

std::vector<uint32_t> LargestFirst(const Bodies& bodies) {
  std::vector<Level> sizes(bodies.size());
  for (const Piece& piece : bodies.pieces()) sizes[piece.body] += piece.size;
  std::vector<uint32_t> order(bodies.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace stowage::bodies
