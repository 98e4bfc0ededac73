// SPDX-License-Identifier: Apache-2.0
// Generates packings for tests of the searches of OPTIMAL, and checks whether
// given levels are a valid packing.
#ifndef STOWAGE_TESTS_STRATEGIES_PACKINGS_H_
#define STOWAGE_TESTS_STRATEGIES_PACKINGS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "rapidcheck.h"
#include "stowage/base/random.h"

namespace stowage::optimal {

// Returns a packing in which item i represents record i.
inline Packing MakePacking(uint32_t steps, std::vector<Item> items) {
  Packing packing;
  packing.steps = steps;
  packing.items = std::move(items);
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    packing.items[i].record = i;
  }
  return packing;
}

// Returns a random packing of up to 80 items, some of which are aligned.
// Requires that it is called inside a RapidCheck property.
inline Packing AnyPacking() {
  Packing packing;
  packing.steps = *rc::gen::inRange<uint32_t>(1, 60);
  const auto count = *rc::gen::inRange<size_t>(1, 80);
  for (size_t k = 0; k < count; ++k) {
    Item item;
    item.begin = *rc::gen::inRange<uint32_t>(0, packing.steps);
    item.end = item.begin +
               *rc::gen::inRange<uint32_t>(1, packing.steps - item.begin + 1);
    item.size = *rc::gen::inRange<Level>(1, 40);
    item.alignment = Level{1} << *rc::gen::inRange(0, 3);
    packing.items.push_back(item);
  }
  return packing;
}

// Cuts a rectangle randomly into `items` pieces, and returns a packing of these
// pieces.
inline Packing CutPacking(uint64_t seed, uint32_t steps, Level height,
                          size_t items) {
  struct Piece {
    uint32_t begin, end;
    Level bottom, top;
  };
  Random random(seed);
  std::vector<Piece> pieces = {{0, steps, 0, height}};
  while (pieces.size() < items) {
    const size_t k = random.Below(pieces.size());
    Piece rest = pieces[k];
    if (random.Below(2) == 0 && rest.end - rest.begin > 1) {
      const uint32_t length = rest.end - rest.begin - 1;
      rest.begin += 1 + static_cast<uint32_t>(random.Below(length));
      pieces[k].end = rest.begin;
    } else if (rest.top - rest.bottom > 1) {
      const auto depth = static_cast<uint64_t>(rest.top - rest.bottom - 1);
      rest.bottom += 1 + static_cast<Level>(random.Below(depth));
      pieces[k].top = rest.bottom;
    } else {
      continue;
    }
    pieces.push_back(rest);
  }
  Packing packing;
  packing.steps = steps;
  for (const Piece& piece : pieces) {
    Item item;
    item.begin = piece.begin;
    item.end = piece.end;
    item.size = piece.top - piece.bottom;
    item.lifetime = item.end - item.begin;
    item.record = static_cast<uint32_t>(packing.items.size());
    packing.items.push_back(item);
  }
  return packing;
}

// Returns what is known before a search: the maximum breadth as a lower bound,
// and a packing in which all items are stacked on top of each other.
inline Known KnownStack(const Packing& packing) {
  Known known;
  known.lower = MaximumBreadth(packing);
  known.levels = StackLevels(packing);
  known.upper = TopOf(packing, known.levels);
  return known;
}

inline bool IsPacking(const Packing& packing,
                      const std::vector<Level>& levels) {
  for (size_t a = 0; a < levels.size(); ++a) {
    const Item& item = packing.items[a];
    if (levels[a] < 0 || levels[a] % item.alignment != 0) return false;
    for (size_t b = 0; b < a; ++b) {
      if (Overlap(item, packing.items[b]) &&
          levels[a] < levels[b] + packing.items[b].size &&
          levels[b] < levels[a] + item.size) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace stowage::optimal

#endif  // STOWAGE_TESTS_STRATEGIES_PACKINGS_H_
