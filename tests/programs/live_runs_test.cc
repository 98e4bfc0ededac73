// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/live_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "tests/programs/random_program.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

// Returns the slots that are live after each point. Applies the data-flow
// equations to all points repeatedly until nothing changes.
std::vector<std::set<SlotId>> LiveAfter(const ProgramPoints& points) {
  const size_t count = points.points.size();
  std::vector<std::set<SlotId>> after(count);
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t p = 0; p < count; ++p) {
      std::set<SlotId> live;
      for (const uint32_t next : points.points[p].next) {
        std::set<SlotId> before = after[next];
        for (const SlotId slot : points.points[next].writes) before.erase(slot);
        before.insert(points.points[next].reads.begin(),
                      points.points[next].reads.end());
        live.insert(before.begin(), before.end());
      }
      changes |= live != after[p];
      after[p] = std::move(live);
    }
  }
  return after;
}

TEST(LiveRuns, AreThoseOfANaiveDataFlow) {
  for (uint64_t seed = 0; seed < support::Sampled(1000); ++seed) {
    const Program program = RandomProgram(seed);
    PointOptions options;
    options.copies_arguments = seed % 2 == 0;
    const StatusOr<ProgramPoints> points = PointsOf(program, options);
    ASSERT_TRUE(points.ok());
    const std::vector<std::set<SlotId>> after = LiveAfter(*points);
    const std::vector<std::vector<LiveRun>> runs = LiveRuns(*points);
    std::vector<std::set<SlotId>> needed(points->points.size());
    for (SlotId slot = 0; slot < runs.size(); ++slot) {
      for (size_t i = 0; i < runs[slot].size(); ++i) {
        ASSERT_TRUE(i == 0 || runs[slot][i - 1].last + 1 < runs[slot][i].first);
        for (uint32_t p = runs[slot][i].first; p <= runs[slot][i].last; ++p) {
          needed[p].insert(slot);
        }
      }
    }
    for (size_t p = 0; p < needed.size(); ++p) {
      const Point& point = points->points[p];
      std::set<SlotId> expected = after[p];
      expected.insert(point.reads.begin(), point.reads.end());
      expected.insert(point.writes.begin(), point.writes.end());
      ASSERT_EQ(needed[p], expected) << "seed " << seed << ", point " << p;
    }
  }
}

TEST(SlotConflicts, AreThoseOfTheirDefinition) {
  for (uint64_t seed = 0; seed < support::Sampled(1000); ++seed) {
    const StatusOr<ProgramPoints> points = PointsOf(RandomProgram(seed));
    ASSERT_TRUE(points.ok());
    const std::vector<std::set<SlotId>> after = LiveAfter(*points);
    std::set<std::pair<SlotId, SlotId>> expected;
    for (size_t p = 0; p < after.size(); ++p) {
      const Point& point = points->points[p];
      for (const SlotId written : point.writes) {
        std::set<SlotId> others = after[p];
        others.insert(point.writes.begin(), point.writes.end());
        for (const SlotId slot : point.reads) {
          const bool is_in_place =
              std::any_of(point.in_place.begin(), point.in_place.end(),
                          [&](const SlotInPlace& each) {
                            return each.output == written && each.input == slot;
                          });
          if (!is_in_place) others.insert(slot);
        }
        for (const SlotCopy& copy : point.copies) {
          if (copy.destination == written) others.erase(copy.source);
        }
        for (const SlotInPlace& each : point.in_place) {
          const bool is_copied =
              std::any_of(point.copies.begin(), point.copies.end(),
                          [&](const SlotCopy& copy) {
                            return copy.destination == written;
                          });
          if (each.is_view && each.output == written && !is_copied) {
            others.erase(each.input);
          }
        }
        for (const SlotId other : others) {
          if (other == written) continue;
          expected.emplace(std::min(written, other), std::max(written, other));
        }
      }
    }
    const auto found = SlotConflicts(*points);
    ASSERT_EQ((std::set<std::pair<SlotId, SlotId>>(found.begin(), found.end())),
              expected)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace stowage
