// SPDX-License-Identifier: Apache-2.0
#include "src/construct/place_bodies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/construct/floors.h"

namespace stowage::bodies {
namespace {

constexpr Level kUnplaced = -1;

// Moves the fixed groups to the front of the order. Sorts the other groups by
// their highest possible start, the lowest first.
void MoveLimitedFirst(const Bodies& bodies, std::vector<uint32_t>* order) {
  std::stable_sort(order->begin(), order->end(), [&](uint32_t a, uint32_t b) {
    const bool is_fixed_a = bodies[a].is_fixed();
    const bool is_fixed_b = bodies[b].is_fixed();
    if (is_fixed_a != is_fixed_b) return is_fixed_a;
    return bodies[a].max < bodies[b].max;
  });
}

// Keeps the fixed groups, around which a bottom-left pass places the other
// groups.
class FixedBodies {
 public:
  FixedBodies(const Bodies& bodies, const Relation& relation)
      : bodies_(bodies), relation_(relation) {
    for (const Piece& piece : bodies.pieces()) {
      if (bodies[piece.body].is_fixed()) pieces_.push_back(piece);
    }
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [&](const Piece& a, const Piece& b) {
                       return LowOf(a) + a.size < LowOf(b) + b.size;
                     });
    lows_.resize(pieces_.size());
    Level least = kNoLevel;
    for (size_t k = pieces_.size(); k-- > 0;) {
      least = std::min(least, LowOf(pieces_[k]));
      lows_[k] = least;
    }
  }

  // Returns the lowest start at or above `level` at which the group overlaps no
  // fixed group; kNoLevel if there is none, or if `work` ends.
  Level LowestStart(size_t body, Level level, WorkLimit* work) const {
    Level start = bodies_.LowestStart(body, level);
    for (bool is_free = pieces_.empty(); !is_free && start != kNoLevel;) {
      is_free = true;
      for (const Piece& piece : bodies_.PiecesOf(body)) {
        const Level free = FreeFrom(piece, start + piece.at, work);
        if (free == kNoLevel) return kNoLevel;
        if (free == start + piece.at) continue;
        start = bodies_.LowestStart(body, free - piece.at);
        is_free = false;
        break;
      }
    }
    return start;
  }

 private:
  // Returns the highest end of the fixed pieces that the piece overlaps at
  // `begin`; `begin` if there are none.
  Level FreeFrom(const Piece& piece, Level begin, WorkLimit* work) const {
    Level free = begin;
    const auto first = std::partition_point(
        pieces_.begin(), pieces_.end(),
        [&](const Piece& fixed) { return LowOf(fixed) + fixed.size <= begin; });
    for (auto k = static_cast<size_t>(first - pieces_.begin());
         k < pieces_.size() && lows_[k] < begin + piece.size; ++k) {
      if (!work->Spend(1)) return kNoLevel;
      const Piece& fixed = pieces_[k];
      const Level low = LowOf(fixed);
      if (low >= begin + piece.size || low + fixed.size <= begin ||
          !relation_.Conflict(piece.record, fixed.record)) {
        continue;
      }
      free = std::max(free, low + fixed.size);
    }
    return free;
  }

  Level LowOf(const Piece& fixed) const {
    return bodies_[fixed.body].min + fixed.at;
  }

  const Bodies& bodies_;
  const Relation& relation_;
  std::vector<Piece> pieces_;  // by end
  std::vector<Level> lows_;    // least begin of this piece and of those after
                               // it
};

// Places groups one after the other, each as low as possible without sharing a
// byte with a placed group that conflicts with it.
class LowestPlacing {
 public:
  LowestPlacing(const Bodies& bodies,
                absl::Span<const std::vector<uint32_t>> conflicts)
      : bodies_(bodies),
        conflicts_(conflicts),
        starts_(bodies.size(), kUnplaced) {}

  // Returns the lowest free start of the group, or kNoLevel if there is none or
  // if `work` ends.
  Level FindStart(uint32_t body, WorkLimit* work) {
    blocked_.clear();
    const Body& moved = bodies_[body];
    for (uint32_t p = moved.first_piece; p < moved.end_piece; ++p) {
      const Piece& piece = bodies_.pieces()[p];
      for (const uint32_t q : conflicts_[p]) {
        const Piece& other = bodies_.pieces()[q];
        const Level start = starts_[other.body];
        if (start == kUnplaced) continue;
        const Level begin = start + other.at;
        blocked_.emplace_back(begin - piece.at - piece.size,
                              begin + other.size - piece.at);
      }
      if (!work->Spend(conflicts_[p].size() + 1)) return kNoLevel;
    }
    std::sort(blocked_.begin(), blocked_.end());
    Level start = bodies_.LowestStart(body, 0);
    Level passed = 0;  // one past the last start known to be blocked
    for (const auto& [low, high] : blocked_) {
      if (start == kNoLevel) return kNoLevel;
      if (low >= start) break;
      passed = std::max(passed, high);
      if (passed > start) start = bodies_.LowestStart(body, passed);
    }
    return start;
  }

  void PlaceAt(uint32_t body, Level start) { starts_[body] = start; }
  std::vector<Level> TakeStarts() { return std::move(starts_); }

 private:
  const Bodies& bodies_;
  absl::Span<const std::vector<uint32_t>> conflicts_;
  std::vector<Level> starts_;
  std::vector<std::pair<Level, Level>> blocked_;  // open intervals of starts
};

}  // namespace

bool FixedBodiesFit(const Bodies& bodies, const Relation& relation) {
  std::vector<std::pair<Level, const Piece*>> fixed;  // by first byte
  for (uint32_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].is_fixed()) continue;
    if (bodies.LowestStart(b, 0) == kNoLevel) return false;
    for (const Piece& piece : bodies.PiecesOf(b)) {
      fixed.emplace_back(bodies[b].min + piece.at, &piece);
    }
  }
  std::sort(fixed.begin(), fixed.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : a.second->record < b.second->record;
  });
  // Visits the pieces from the lowest up: two pieces share bytes if the lower
  // one ends above the begin of the other.
  Floors floors(bodies, relation);
  for (size_t k = 0; k < fixed.size(); ++k) {
    const auto& [begin, piece] = fixed[k];
    if (floors.FloorOf(*piece) > begin) {
      // Pieces of the same group may overlap.
      if (bodies.PiecesOf(piece->body).size() == 1) return false;
      for (size_t m = 0; m < k; ++m) {
        const auto& [lower, other] = fixed[m];
        if (other->body != piece->body && lower + other->size > begin &&
            relation.Conflict(piece->record, other->record)) {
          return false;
        }
      }
    }
    floors.RaisePiece(*piece, begin + piece->size);
  }
  return true;
}

absl::optional<std::vector<Level>> DiveBodies(const Bodies& bodies,
                                              const Relation& relation,
                                              absl::Span<const uint32_t> order,
                                              Level limit, WorkLimit* work) {
  Floors floors(bodies, relation);
  const FixedBodies fixed(bodies, relation);
  std::vector<Level> starts(bodies.size(), 0);
  using Waiting = std::pair<Level, uint32_t>;  // lower bound of the start, and
                                               // rank
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    const uint32_t body = order[rank];
    starts[body] = bodies[body].min;
    if (!bodies[body].is_fixed()) waiting.push({0, rank});
  }
  // With a partial order, each check of a group visits every chain and takes
  // one unit of work for each of them.
  const auto& tasks = bodies.problem().constraints()->order;
  const uint64_t looks = tasks ? std::max<size_t>(tasks->chains(), 1) : 1;
  while (!waiting.empty()) {
    const auto [level, rank] = waiting.top();
    waiting.pop();
    const uint32_t body = order[rank];
    const Level floor = floors.Floor(body);
    if (!work->Spend(looks * floors.TakeLooks())) return absl::nullopt;
    const Level start = fixed.LowestStart(body, floor, work);
    if (start == kNoLevel || start + bodies[body].extent >= limit) {
      return absl::nullopt;
    }
    if (start > level) {
      waiting.push({start, rank});
      continue;
    }
    starts[body] = start;
    floors.Raise(body, start);
  }
  return starts;
}

absl::optional<std::vector<Level>> PlaceBodiesLowest(
    const Bodies& bodies, absl::Span<const std::vector<uint32_t>> conflicts,
    absl::Span<const uint32_t> order, Level limit, WorkLimit* work) {
  LowestPlacing placing(bodies, conflicts);
  std::vector<uint32_t> limited_first(order.begin(), order.end());
  MoveLimitedFirst(bodies, &limited_first);
  for (const uint32_t body : limited_first) {
    const Level start = placing.FindStart(body, work);
    if (start == kNoLevel || start + bodies[body].extent >= limit) {
      return absl::nullopt;
    }
    placing.PlaceAt(body, start);
  }
  return placing.TakeStarts();
}

}  // namespace stowage::bodies
