// SPDX-License-Identifier: Apache-2.0
// Returns the parts of a violation, for reports and pictures: the name of its
// kind, the records that it concerns, and the numbers that prove it. For a
// sentence use Describe (verify.h).
//
// DetailsOf and Describe are both defined in violation_kinds.cc. That file has
// everything that is specific to one kind, and the compiler reports a kind that
// is left out there.
#ifndef STOWAGE_SRC_VERIFY_VIOLATION_KINDS_H_
#define STOWAGE_SRC_VERIFY_VIOLATION_KINDS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "stowage/verify.h"

namespace stowage {

// Numbers that prove a violation, and the key under which reports in JSON list
// them.
struct ViolationFact {
  absl::string_view key;
  std::vector<size_t> values;
  bool is_list = false;  // true if reports write a list, even of one number
};

// Says what is held twice at the task of a violation (Violation::task), by two
// tensors or by a tensor and a hole: bytes, an object, or nothing.
enum class HeldTwice { kNothing, kBytes, kObject };

struct ViolationDetails {
  absl::string_view name;       // of the kind, such as "overlapping_bytes"
  std::vector<size_t> tensors;  // by index; may list a record twice
  std::vector<ViolationFact> facts;
  HeldTwice held_twice = HeldTwice::kNothing;
};

ViolationDetails DetailsOf(const Violation& violation);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_VIOLATION_KINDS_H_
