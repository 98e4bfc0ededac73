// SPDX-License-Identifier: Apache-2.0
#include "src/kit/family_rounds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/kit/random_samples.h"
#include "stowage/problem.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_records.h"

namespace stowage::testing {

FamilyRounds::FamilyRounds(std::vector<Family> families,
                           const Parameters& parameters, size_t max_alignment,
                           size_t large_size, size_t period)
    : families_(std::move(families)),
      parameters_(parameters),
      max_alignment_(max_alignment),
      large_size_(large_size),
      period_(period) {
  if (!families_.empty()) return;
  for (const FamilyInfo& info : AllFamilies()) {
    families_.push_back(info.family);
  }
}

ProblemSpec FamilyRounds::MakeTrace(size_t i, size_t place, uint64_t seed,
                                    size_t samples) const {
  constexpr size_t kUsualAlignment = 256;
  constexpr size_t kUsualLargeSize = 70;
  const size_t round = i / families_.size();
  Parameters parameters = parameters_;
  parameters.max_alignment = round % 2 == 0 ? 1
                             : round % 4 == 1
                                 ? std::min(kUsualAlignment, max_alignment_)
                                 : max_alignment_;
  const size_t large_size = place / period_ % 2 == 0
                                ? std::min(kUsualLargeSize, large_size_)
                                : large_size_;
  return place % period_ == period_ - 1 && large_size > 0
             ? LargeInstance(FamilyOf(i), seed, large_size, parameters)
             : RandomInstance(FamilyOf(i), seed, samples, parameters);
}

}  // namespace stowage::testing
