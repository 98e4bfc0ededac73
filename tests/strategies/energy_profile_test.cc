// SPDX-License-Identifier: Apache-2.0
// Tests the exponentials of the annealing that reduces costs, and the profile
// of a group.
#include "optimal/constrained/reuse/energy_profile.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/constrained/reuse/boltzmann.h"
#include "rapidcheck/gtest.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

using rigid::Level;

TEST(Exponentials, AreThoseOfFloatingPoint) {
  for (int64_t steps = 0; steps < 12 * 64; ++steps) {
    const double x = static_cast<double>(steps) / 64;
    EXPECT_NEAR(static_cast<double>(kExponentials[steps]),
                std::exp(-x) * (1 << 20), 2)
        << steps;
  }
  EXPECT_EQ(kExponentials[12 * 64], 0);
}

TEST(Temperature, WeighsDifferencesOfEnergies) {
  const Temperature temperature(32 << 16);
  EXPECT_EQ(temperature.cutoff(), 12 * 32);
  EXPECT_EQ(temperature.Weight(0), 1 << 20);
  EXPECT_NEAR(static_cast<double>(temperature.Weight(32)),
              std::exp(-1.0) * (1 << 20), 2);
  EXPECT_EQ(temperature.Weight(12 * 32 + 1), 0);
}

struct Interval {
  Level low = 0;
  Level high = 0;
  int64_t packed = 0;
};

// Both functions return the sum at one start, either of the pieces or of the
// intervals.
int64_t At(Span<const EnergyProfile::Piece> pieces, Level start) {
  size_t k = 0;
  while (k + 1 < pieces.size() && pieces[k + 1].begin <= start) ++k;
  return pieces[k].packed;
}
int64_t At(const std::vector<Interval>& intervals, Level start) {
  int64_t sum = 0;
  for (const Interval& interval : intervals) {
    if (interval.low <= start && start < interval.high) sum += interval.packed;
  }
  return sum;
}

// With the second scale, there are too many starts for the bitmap.
RC_GTEST_PROP(EnergyProfile, IsTheSumOfItsIntervals, ()) {
  EnergyProfile profile;
  for (const Level scale : {Level{1}, Level{1} << 40}) {
    const Level count = scale * *rc::gen::inRange<Level>(1, 200);
    std::vector<Interval> intervals;
    for (int k = *rc::gen::inRange(0, 12); k > 0; --k) {
      const Level low = scale * *rc::gen::inRange<Level>(-50, 220);
      const Level size = scale * *rc::gen::inRange<Level>(1, 60);
      intervals.push_back({low, low + size, *rc::gen::inRange(1, 100)});
      if (k % 2 == 0) intervals.back().packed += PackedEnergy::kOneHard;
    }
    const auto pieces =
        profile.Sum(count, intervals.size(), [&](const auto& add) {
          for (const Interval& i : intervals) add(i.low, i.high, i.packed);
        });
    RC_ASSERT(pieces.front().begin == 0);
    RC_ASSERT(pieces.back().begin == count);
    for (size_t k = 1; k < pieces.size(); ++k) {
      RC_ASSERT(pieces[k - 1].begin < pieces[k].begin);
    }
    for (Level start = 0; start < count; start += scale) {
      RC_ASSERT(At(pieces, start) == At(intervals, start));
      RC_ASSERT(At(pieces, start + scale - 1) ==
                At(intervals, start + scale - 1));
    }
  }
}

}  // namespace
}  // namespace stowage::optimal
