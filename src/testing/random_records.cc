// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/random_records.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/random.h"
#include "src/testing/random_draws.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

std::vector<Draw> DrawsBelow(const Draw& limits, uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<Draw> draws;
  draws.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    Draw draw;
    draw.size = random.Below(limits.size);
    draw.gap = random.Below(limits.gap);
    draw.life = random.Below(limits.life);
    draw.kind = random.Below(limits.kind);
    draw.alignment = random.Below(limits.alignment);
    draws.push_back(draw);
  }
  return draws;
}

std::vector<Draw> RandomDraws(Family family, uint64_t seed, size_t count,
                              const Parameters& parameters) {
  return DrawsBelow(DrawLimits(family, parameters), seed, count);
}

ProblemSpec RandomInstance(Family family, uint64_t seed, size_t size,
                           const Parameters& parameters) {
  return FromDraws(family, RandomDraws(family, seed, size, parameters),
                   parameters);
}

ByteRecords RandomRecords(Family family, uint64_t seed, size_t size,
                          const Parameters& parameters) {
  return RandomInstance(family, seed, size, parameters).records;
}

ProblemSpec LargeInstance(Family family, uint64_t seed, size_t records,
                          const Parameters& parameters) {
  size_t draws = records;
  ProblemSpec spec = RandomInstance(family, seed, draws, parameters);
  while (spec.records.size() > records) {
    draws /= 2;
    spec = RandomInstance(family, seed, draws, parameters);
  }
  return spec;
}

}  // namespace stowage::testing
