// SPDX-License-Identifier: Apache-2.0
// Generates usage records from a seed. The records are the same on every
// compiler and machine. With RapidCheck, use generators.h, which has the same
// families and shrinks their records.
//
//   for (const FamilyInfo& info : AllFamilies()) {
//     for (uint64_t seed = 0; seed < 100; ++seed) {
//       ByteRecords records = RandomRecords(info.family, seed, 20);
//       ...
//     }
//   }
//
// families.h describes the families. To minimize a failing trace, use shrink.h.
#ifndef STOWAGE_TESTING_RANDOM_RECORDS_H_
#define STOWAGE_TESTING_RANDOM_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

// Returns `count` random samples with numbers below the limits of the family
// (SampleLimits). O(count).
std::vector<Sample> RandomSamples(Family family, uint64_t seed, size_t count,
                                  const Parameters& parameters = Parameters());

// Returns the instance that FromSamples makes from `size` random samples. The
// instance has `size` records or, if it is a network, `size` blocks of records.
ProblemSpec RandomInstance(Family family, uint64_t seed, size_t size,
                           const Parameters& parameters = Parameters());

// Returns the records of RandomInstance alone.
ByteRecords RandomRecords(Family family, uint64_t seed, size_t size,
                          const Parameters& parameters = Parameters());

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_RANDOM_RECORDS_H_
