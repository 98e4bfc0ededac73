// SPDX-License-Identifier: Apache-2.0
#include "src/construct/lowest_offsets.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/base/range_tree.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/span.h"
#include "stowage/task_order.h"

namespace stowage::rigid {
namespace {

class IntervalTops final : public LifetimeTops {
 public:
  explicit IntervalTops(const Problem& problem)
      : intervals_(RanksOf(problem).intervals),
        skyline_(RanksOf(problem).tasks.size()) {}

  Level Highest(uint32_t record) override {
    const StepInterval interval = intervals_[record];
    return skyline_.Highest(interval.begin, interval.end);
  }
  void Prefetch(uint32_t record) const override {
    __builtin_prefetch(&intervals_[record]);
  }
  void Raise(uint32_t record, Level end) override {
    // A step that is already higher keeps its height. This happens if the piece
    // is below another piece of its group, or below the other record of a
    // `never` pair.
    const StepInterval interval = intervals_[record];
    skyline_.Raise(interval.begin, interval.end, end);
  }

 private:
  const std::vector<StepInterval>& intervals_;
  RangeHeights<Level> skyline_;
};

class OrderTops final : public LifetimeTops {
 public:
  explicit OrderTops(const Constraints& constraints)
      : order_(*constraints.order),
        users_(constraints.users),
        windows_(order_.chains()),
        over_windows_(order_.tasks()),
        at_users_(order_.tasks()) {
    std::vector<uint32_t> place_of(order_.tasks());
    uint32_t place = 0;
    for (size_t c = 0; c < order_.chains(); ++c) {
      first_of_chain_.push_back(place);
      for (const TaskId task : order_.chain(c)) place_of[task] = place++;
    }
    std::vector<uint32_t> rank_of(order_.tasks());
    uint32_t rank = 0;
    for (const TaskId task : order_.sequence()) rank_of[task] = rank++;
    lives_.reserve(users_.size());
    for (size_t i = 0; i < users_.size(); ++i) {
      AddLife(users_[i], place_of, rank_of);
    }
  }

  Level Highest(uint32_t record) override {
    const Life& life = lives_[record];
    Level highest = 0;
    for (const uint32_t place : life.places) {
      highest = std::max(highest, over_windows_.At(place));
    }
    const uint32_t* const more = &more_places_[life.more];
    for (uint32_t k = 1; k <= *more; ++k) {
      highest = std::max(highest, over_windows_.At(more[k]));
    }
    return at_users_.Best(life.begin, life.end, highest);
  }

  void Prefetch(uint32_t record) const override {
    __builtin_prefetch(&lives_[record]);
  }
  void Raise(uint32_t record, Level end) override {
    at_users_.Raise(lives_[record].begin, end);
    FindWindows(order_, users_[record], MakeSpan(windows_));
    for (size_t c = 0; c < windows_.size(); ++c) {
      const size_t first = first_of_chain_[c];
      over_windows_.Raise(first + windows_[c].begin, first + windows_[c].end,
                          end);
    }
  }

 private:
  // The data of one record that Highest reads. They are stored together because
  // Highest is called far more often than there are records, and for records in
  // any order.
  struct Life {
    // The places of the first users. If there are fewer users, the place of the
    // first one is repeated.
    std::array<uint32_t, 4> places = {};
    // The index in `more_places_` of the number of other users, which is
    // followed by their places.
    size_t more = 0;
    // The positions of the record's users in the sequence of the order, from
    // the first user to one past the last user.
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  void AddLife(Span<const TaskId> users, const std::vector<uint32_t>& place_of,
               const std::vector<uint32_t>& rank_of) {
    Life life;
    life.begin = ~uint32_t{0};
    for (const TaskId user : users) {
      life.begin = std::min(life.begin, rank_of[user]);
      life.end = std::max(life.end, rank_of[user] + 1);
    }
    const size_t first = std::min(users.size(), life.places.size());
    for (size_t k = 0; k < life.places.size() && first > 0; ++k) {
      life.places[k] = place_of[users[k < first ? k : 0]];
    }
    if (users.size() > first) {
      life.more = more_places_.size();
      more_places_.push_back(static_cast<uint32_t>(users.size() - first));
      for (const TaskId user : users.subspan(first)) {
        more_places_.push_back(place_of[user]);
      }
    }
    lives_.push_back(life);
  }

  const TaskOrder& order_;
  const UserLists& users_;
  // For each chain, the place of the chain's first task. The tasks of one chain
  // have successive places.
  std::vector<size_t> first_of_chain_;
  std::vector<uint32_t> more_places_ = {0};  // the 0 is for all short lists
  std::vector<Life> lives_;                  // by record
  std::vector<Window> windows_;              // is scratch memory
  RaisedRanges<Level> over_windows_;
  BestOfRange<Level> at_users_;  // by position in the sequence
};

}  // namespace

LowestOffsets::LowestOffsets(const RigidGroups& groups,
                             const Relation& relation)
    : groups_(groups),
      relation_(relation),
      apart_(groups.problem().constraints()->apart.size()) {
  const Constraints& constraints = *groups.problem().constraints();
  if (constraints.order) {
    lives_ = std::make_unique<OrderTops>(constraints);
  } else {
    lives_ = std::make_unique<IntervalTops>(groups.problem());
  }
  only_record_.reserve(groups.size());
  for (size_t b = 0; b < groups.size(); ++b) {
    const Span<const Piece> pieces = groups.PiecesOf(b);
    const bool is_only = pieces.size() == 1 && pieces[0].at == 0 &&
                         !relation.HasPermissions(pieces[0].record) &&
                         relation.ApartSetsOf(pieces[0].record).empty();
    only_record_.push_back(is_only ? pieces[0].record : kSeveral);
  }
}

Level LowestOffsets::LowestOf(uint32_t record) {
  Level lowest = 0;
  if (relation_.HasPermissions(record)) {
    // Visits the pieces from the one placed last to the one placed first, until
    // no remaining piece ends above `lowest` (Placed::highest). The loop
    // usually stops soon, since the piece placed last is nearly always the
    // highest.
    for (size_t k = placed_.size(); k > 0 && placed_[k - 1].highest > lowest;
         --k) {
      const Placed& placed = placed_[k - 1];
      ++checks_;
      if (placed.end > lowest && relation_.Conflict(record, placed.record)) {
        lowest = placed.end;
      }
    }
    return lowest;
  }
  lowest = lives_->Highest(record);
  for (const uint32_t set : relation_.ApartSetsOf(record)) {
    lowest = std::max(lowest, apart_[set]);
  }
  return lowest;
}

Level LowestOffsets::LowestStart(size_t group) {
  if (only_record_[group] != kSeveral) {
    return lives_->Highest(only_record_[group]);
  }
  Level start = 0;
  for (const Piece& piece : groups_.PiecesOf(group)) {
    start = std::max(start, LowestOf(piece.record) - piece.at);
  }
  return start;
}

uint64_t LowestOffsets::TakeChecks() {
  const uint64_t checks = checks_ + 1;
  checks_ = 0;
  return checks;
}

void LowestOffsets::Raise(size_t group, Level start) {
  for (const Piece& piece : groups_.PiecesOf(group)) {
    RaisePiece(piece, start + piece.at + piece.size);
  }
}

void LowestOffsets::RaisePiece(const Piece& piece, Level end) {
  lives_->Raise(piece.record, end);
  for (const uint32_t set : relation_.ApartSetsOf(piece.record)) {
    apart_[set] = std::max(apart_[set], end);
  }
  if (groups_.problem().constraints()->never.empty()) return;
  const Level highest =
      placed_.empty() ? end : std::max(end, placed_.back().highest);
  placed_.push_back({piece.record, end, highest});
}

}  // namespace stowage::rigid
