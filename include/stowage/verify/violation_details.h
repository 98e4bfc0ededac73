// SPDX-License-Identifier: Apache-2.0
// Splits a violation into parts, for reports and pictures that treat all kinds
// of violations alike: the name of the kind, the records that are concerned,
// and the numbers that prove the violation. For a sentence, use Describe
// (verify.h).
//
//   const ViolationDetails details = DetailsOf(violation);
//   // details.name == "overlapping_bytes", details.tensors == {3, 7}
#ifndef STOWAGE_VERIFY_VIOLATION_DETAILS_H_
#define STOWAGE_VERIFY_VIOLATION_DETAILS_H_

#include <cstddef>
#include <vector>

#include "stowage/base/string_view.h"
#include "stowage/verify.h"

namespace stowage {

// Numbers that prove a violation, and their key in JSON reports.
struct ViolationFact {
  string_view key;
  std::vector<size_t> values;
  // True if reports must write `values` as a list even if there is only one
  // value.
  bool is_list = false;
};

// The memory that two tensors, or a tensor and a hole, both hold at the task of
// a violation (Violation::task): the same bytes, the same object, or nothing.
enum class HeldTwice { kNothing, kBytes, kObject };

struct ViolationDetails {
  string_view name;  // the name of the kind, such as "overlapping_bytes"
  std::vector<size_t> tensors;  // has indices, and may list a record twice
  std::vector<ViolationFact> facts;
  HeldTwice held_twice = HeldTwice::kNothing;
};

// Returns the parts of a violation. O(1).
ViolationDetails DetailsOf(const Violation& violation);

}  // namespace stowage

#endif  // STOWAGE_VERIFY_VIOLATION_DETAILS_H_
