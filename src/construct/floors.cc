// SPDX-License-Identifier: Apache-2.0
#include "src/construct/floors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "src/base/range_tree.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/task_order.h"

namespace stowage::bodies {
namespace {

class IntervalFloors final : public LifeFloors {
 public:
  explicit IntervalFloors(const Problem& problem)
      : intervals_(RanksOf(problem).intervals),
        skyline_(RanksOf(problem).tasks.size()) {}

  Level Highest(uint32_t record) override {
    const StepInterval interval = intervals_[record];
    return skyline_.Highest(interval.begin, interval.end);
  }
  void Raise(uint32_t record, Level end) override {
    // A step that is already higher stays as it is. There are such steps if the
    // piece lies below another piece of its group, or below the other record of
    // a `never` pair.
    const StepInterval interval = intervals_[record];
    skyline_.Raise(interval.begin, interval.end, end);
  }

 private:
  const std::vector<StepInterval>& intervals_;
  RangeHeights<Level> skyline_;
};

class OrderFloors final : public LifeFloors {
 public:
  explicit OrderFloors(const Constraints& constraints)
      : order_(*constraints.order),
        users_(constraints.users),
        windows_(order_.chains()),
        over_windows_(order_.tasks()),
        at_users_(order_.tasks()) {
    size_t first = 0;
    for (size_t c = 0; c < order_.chains(); ++c) {
      first_of_chain_.push_back(first);
      first += order_.chain(c).size();
    }
  }

  Level Highest(uint32_t record) override {
    FindWindows(order_, users_[record], absl::MakeSpan(windows_));
    Level highest = 0;
    for (const TaskId user : users_[record]) {
      highest = std::max(highest, over_windows_.At(PlaceOf(user)));
    }
    for (size_t c = 0; c < windows_.size(); ++c) {
      const size_t first = first_of_chain_[c];
      highest = at_users_.Best(first + windows_[c].begin,
                               first + windows_[c].end, highest);
    }
    return highest;
  }

  void Raise(uint32_t record, Level end) override {
    FindWindows(order_, users_[record], absl::MakeSpan(windows_));
    for (const TaskId user : users_[record]) {
      at_users_.Raise(PlaceOf(user), end);
    }
    for (size_t c = 0; c < windows_.size(); ++c) {
      const size_t first = first_of_chain_[c];
      over_windows_.Raise(first + windows_[c].begin, first + windows_[c].end,
                          end);
    }
  }

 private:
  size_t PlaceOf(TaskId task) const {
    return first_of_chain_[order_.chain_of(task)] + order_.position_of(task);
  }

  const TaskOrder& order_;
  const UserLists& users_;
  std::vector<size_t> first_of_chain_;  // by chain: the place of its first task
  std::vector<Window> windows_;         // scratch
  RaisedRanges<Level> over_windows_;
  BestOfRange<Level> at_users_;
};

}  // namespace

Floors::Floors(const Bodies& bodies, const Relation& relation)
    : bodies_(bodies),
      relation_(relation),
      apart_(bodies.problem().constraints()->apart.size()) {
  const Constraints& constraints = *bodies.problem().constraints();
  if (constraints.order) {
    lives_ = std::make_unique<OrderFloors>(constraints);
  } else {
    lives_ = std::make_unique<IntervalFloors>(bodies.problem());
  }
}

Level Floors::FloorOf(uint32_t record) {
  Level floor = 0;
  if (relation_.HasPermissions(record)) {
    // The search ends soon, since the piece that was placed last is nearly
    // always the highest.
    for (size_t k = placed_.size(); k > 0 && placed_[k - 1].highest > floor;
         --k) {
      const Placed& placed = placed_[k - 1];
      ++looks_;
      if (placed.end > floor && relation_.Conflict(record, placed.record)) {
        floor = placed.end;
      }
    }
    return floor;
  }
  floor = lives_->Highest(record);
  for (const uint32_t set : relation_.ApartSetsOf(record)) {
    floor = std::max(floor, apart_[set]);
  }
  return floor;
}

Level Floors::Floor(size_t body) {
  Level start = 0;
  for (const Piece& piece : bodies_.PiecesOf(body)) {
    start = std::max(start, FloorOf(piece.record) - piece.at);
  }
  return start;
}

uint64_t Floors::TakeLooks() {
  const uint64_t looks = looks_ + 1;
  looks_ = 0;
  return looks;
}

void Floors::Raise(size_t body, Level start) {
  for (const Piece& piece : bodies_.PiecesOf(body)) {
    RaisePiece(piece, start + piece.at + piece.size);
  }
}

void Floors::RaisePiece(const Piece& piece, Level end) {
  lives_->Raise(piece.record, end);
  for (const uint32_t set : relation_.ApartSetsOf(piece.record)) {
    apart_[set] = std::max(apart_[set], end);
  }
  if (bodies_.problem().constraints()->never.empty()) return;
  const Level highest =
      placed_.empty() ? end : std::max(end, placed_.back().highest);
  placed_.push_back({piece.record, end, highest});
}

}  // namespace stowage::bodies
