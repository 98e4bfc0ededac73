// SPDX-License-Identifier: Apache-2.0
// Tests which parts of given stretches are free in a column, by comparison with
// a plain list of single bytes. A column is one of the lists of FreeSpace. For
// tests of FreeSpace itself, see free_space_test.cc.
#include "src/construct/column_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/construct/stretch.h"

namespace stowage {
namespace {

using ShortList = ColumnList<uint16_t>;
using Stretches = std::vector<std::pair<size_t, size_t>>;

constexpr uint16_t kColumnSteps = 8;

struct ColumnUse {
  uint16_t first;
  uint16_t last;
  Stretch bytes;
};

bool Conflict(const ColumnUse& a, const ColumnUse& b) {
  return a.first < b.last && b.first < a.last && a.bytes.begin < b.bytes.end &&
         b.bytes.begin < a.bytes.end;
}

// Returns the parts of `free` that have at least `size` bytes and are not in
// use at any of the steps [first, last). Requires that all bytes in use are
// below `top`. A stretch of `free` may be unlimited.
Stretches PlainRestOf(const std::vector<ColumnUse>& in_use, uint16_t first,
                      uint16_t last, const std::vector<Stretch>& free,
                      size_t size, size_t top) {
  std::vector<bool> is_taken(top, false);
  for (const ColumnUse& some : in_use) {
    if (some.first >= last || first >= some.last) continue;
    for (size_t b = some.bytes.begin; b < some.bytes.end; ++b) {
      is_taken[b] = true;
    }
  }
  Stretches rest;
  for (const Stretch& bytes : free) {
    size_t begin = bytes.begin;
    for (size_t b = begin; b < std::min(bytes.end, top); ++b) {
      if (!is_taken[b]) continue;
      if (b - begin >= size) rest.emplace_back(begin, b);
      begin = b + 1;
    }
    if (bytes.end == kNoEnd || bytes.end - begin >= size) {
      rest.emplace_back(begin, bytes.end);
    }
  }
  return rest;
}

RC_GTEST_PROP(ColumnList, KeepsWhatIsFree, ()) {
  constexpr size_t kColumnTop = 300;
  ShortList::Pool pool;
  ShortList list(&pool);
  std::vector<ColumnUse> in_use;
  const auto count = *rc::gen::inRange<size_t>(0, 150);
  const auto longest = *rc::gen::element<size_t>(3, 40);
  while (in_use.size() < count) {
    const auto first = *rc::gen::inRange<uint16_t>(0, kColumnSteps);
    const auto last = *rc::gen::inRange<uint16_t>(first + 1, kColumnSteps + 1);
    const auto begin = *rc::gen::inRange<size_t>(0, kColumnTop - longest);
    const auto size = *rc::gen::inRange<size_t>(1, longest);
    in_use.push_back({first, last, {begin, begin + size}});
    const ColumnUse& added = in_use.back();
    if (std::any_of(
            in_use.begin(), in_use.end() - 1,
            [&](const ColumnUse& other) { return Conflict(added, other); })) {
      in_use.pop_back();
      if (*rc::gen::inRange(0, 50) == 0) break;  // there may be no room left
      continue;
    }
    list.Add(added.bytes, first, last, kColumnSteps, &pool);
  }
  std::vector<Stretch> free;
  size_t at = 0;
  while (true) {
    at += *rc::gen::inRange<size_t>(0, longest);
    const size_t end = at + *rc::gen::inRange<size_t>(1, longest);
    if (end >= kColumnTop) break;
    free.push_back({at, end});
    at = end + 1;
  }
  free.push_back({at, kNoEnd});
  const auto first = *rc::gen::inRange<uint16_t>(0, kColumnSteps);
  const auto last = *rc::gen::inRange<uint16_t>(first + 1, kColumnSteps + 1);
  const auto size = *rc::gen::inRange<size_t>(1, 6);
  std::vector<Stretch> rest;
  list.KeepFree(first, last, free, size, &rest);
  Stretches found;
  for (const Stretch& bytes : rest) found.emplace_back(bytes.begin, bytes.end);
  RC_ASSERT(found == PlainRestOf(in_use, first, last, free, size, kColumnTop));
}

TEST(ColumnList, KeepsTheLastStretchWhateverIsInUse) {
  ShortList::Pool pool;
  ShortList list(&pool);
  list.Add({7, kNoEnd}, 0, 1, kColumnSteps, &pool);
  std::vector<Stretch> rest;
  list.KeepFree(0, 1, {{0, 3}, {5, kNoEnd}}, 2, &rest);
  Stretches found;
  for (const Stretch& bytes : rest) found.emplace_back(bytes.begin, bytes.end);
  EXPECT_EQ(found, (Stretches{{0, 3}, {5, 7}, {kNoEnd, kNoEnd}}));
}

}  // namespace
}  // namespace stowage
