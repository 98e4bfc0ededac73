// SPDX-License-Identifier: Apache-2.0
// What is said about each kind of violation besides its sentence (Describe in
// verify.h): its name, the records that it concerns, and the numbers that prove
// it. Everything that the library knows of a single kind is in
// violation_kinds.cc, where the compiler finds a kind that was left out.
#ifndef STOWAGE_SRC_VERIFY_VIOLATION_KINDS_H_
#define STOWAGE_SRC_VERIFY_VIOLATION_KINDS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "stowage/verify.h"

namespace stowage {

// Numbers that prove a violation, under the key that programs read.
struct ViolationFact {
  absl::string_view key;
  std::vector<size_t> values;
  bool is_list = false;  // whether the fact is a list, even of one number
};

// What holds two tensors, or a tensor and a hole, at the `task` of a violation.
enum class HeldTwice { kNothing, kBytes, kObject };

struct ViolationDetails {
  absl::string_view name;       // of the kind, such as "overlapping_bytes"
  std::vector<size_t> tensors;  // the records concerned; may be one twice
  std::vector<ViolationFact> facts;
  HeldTwice held_twice = HeldTwice::kNothing;
};

ViolationDetails DetailsOf(const Violation& violation);

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_VIOLATION_KINDS_H_
