// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/random_records.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/random.h"
#include "src/testing/random_samples.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"

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

std::vector<Sample> RandomSamples(Family family, uint64_t seed, size_t count,
                                  const Parameters& parameters) {
  return SamplesBelow(SampleLimits(family, parameters), seed, count);
}

ProblemSpec RandomInstance(Family family, uint64_t seed, size_t size,
                           const Parameters& parameters) {
  return FromSamples(family, RandomSamples(family, seed, size, parameters),
                     parameters);
}

ByteRecords RandomRecords(Family family, uint64_t seed, size_t size,
                          const Parameters& parameters) {
  return RandomInstance(family, seed, size, parameters).records;
}

ProblemSpec LargeInstance(Family family, uint64_t seed, size_t records,
                          const Parameters& parameters) {
  size_t samples = records;
  ProblemSpec spec = RandomInstance(family, seed, samples, parameters);
  while (spec.records.size() > records) {
    samples /= 2;
    spec = RandomInstance(family, seed, samples, parameters);
  }
  return spec;
}

}  // namespace stowage::testing
