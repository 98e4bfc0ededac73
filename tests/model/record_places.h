// SPDX-License-Identifier: Apache-2.0
// Makes RecordPlaces for tests of constraints.
#ifndef STOWAGE_TESTS_MODEL_RECORD_PLACES_H_
#define STOWAGE_TESTS_MODEL_RECORD_PLACES_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "stowage/constraints.h"

namespace stowage {

inline RecordPlace InRange(size_t min, absl::optional<size_t> max) {
  RecordPlace place;
  place.min = min;
  place.max = max;
  return place;
}

inline RecordPlace InGroup(size_t at) {
  RecordPlace place;
  place.group = 7;
  place.at = at;
  return place;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_MODEL_RECORD_PLACES_H_
