// SPDX-License-Identifier: Apache-2.0
#include "src/kit/random_samples.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/testing/families.h"

namespace stowage::testing {

std::vector<Sample> SamplesBelow(const Sample& limits, uint64_t seed,
                                 size_t count) {
  Random random(seed);
  std::vector<Sample> samples;
  samples.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    Sample sample;
    sample.size = random.Below(limits.size);
    sample.gap = random.Below(limits.gap);
    sample.life = random.Below(limits.life);
    sample.kind = random.Below(limits.kind);
    sample.alignment = random.Below(limits.alignment);
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace stowage::testing
