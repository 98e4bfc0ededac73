// SPDX-License-Identifier: Apache-2.0
// Generates the traces of a search, with successive traces from different
// families.
#ifndef STOWAGE_SRC_KIT_FAMILY_ROUNDS_H_
#define STOWAGE_SRC_KIT_FAMILY_ROUNDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/problem.h"
#include "stowage/testing/families.h"

namespace stowage::testing {

// Generates traces in rounds of one trace from every family. In every second
// round, the traces have alignments. Some traces are large.
class FamilyRounds {
 public:
  // One in every `period` traces is large. Large traces alternate between at
  // most 70 records and at most `large_size` records. If `families` is empty,
  // all families are used.
  FamilyRounds(std::vector<Family> families, const Parameters& parameters,
               size_t max_alignment, size_t large_size, size_t period);

  size_t size() const { return families_.size(); }
  Family FamilyOf(size_t i) const { return families_[i % families_.size()]; }
  // Returns the i-th trace. The trace is large if `place` is the last number of
  // a period and `large_size` is not 0. Otherwise it is generated from
  // `samples` random samples (Sample, families.h).
  ProblemSpec MakeTrace(size_t i, size_t place, uint64_t seed,
                        size_t samples) const;

 private:
  std::vector<Family> families_;
  Parameters parameters_;
  size_t max_alignment_;
  size_t large_size_;
  size_t period_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_FAMILY_ROUNDS_H_
