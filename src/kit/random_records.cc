// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/random_records.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/kit/random_samples.h"
#include "stowage/base/random.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

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
