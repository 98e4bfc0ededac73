// SPDX-License-Identifier: Apache-2.0
// Compares two dumps tensor by tensor with a tolerance. To compare a run under
// a plan bit for bit with a run without sharing, use CheckPlan (checks.h),
// which needs no files.
//
//   for (const TensorDifference& d : CompareDumps(*first, *second, 1e-6)) {
//     if (d.is_mismatch()) std::cerr << d.name << ": " << d.largest << "\n";
//   }
#ifndef STOWAGE_HARNESS_COMPARE_DUMPS_H_
#define STOWAGE_HARNESS_COMPARE_DUMPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/dump.h"

namespace stowage::harness {

// The result of comparing one tensor of two dumps.
struct TensorDifference {
  enum class Verdict {
    kEqual,       // the tensors are equal bit for bit
    kWithin,      // no two elements differ by more than the tolerance
    kBeyond,      // some elements differ by more, or shapes or types differ
    kUnknown,     // the hashes differ, and one dump has no bytes
    kOnlyFirst,   // the second dump lacks the tensor
    kOnlySecond,  // the first dump lacks the tensor
  };
  std::string role;
  size_t invocation = 0;
  size_t tensor = 0;
  std::string name;
  std::string dtype;
  Verdict verdict = Verdict::kEqual;
  // The largest difference between an element of the first tensor and the same
  // element of the second tensor. For integers, it is the difference of the
  // stored integers. For floating-point numbers, it is the absolute difference,
  // or infinity if only one of the two elements is NaN. `element` is the index
  // of the element with this difference.
  double largest = 0;
  size_t element = 0;
  size_t different_elements = 0;
  size_t elements = 0;
  std::string reason;  // says why kBeyond applies if elements are not compared

  // Returns whether the result means that the runs disagree. Any tensor that
  // differs beyond the tolerance is a disagreement. An input or output also
  // disagrees if it is in only one dump or is not known to be equal. An
  // intermediate tensor or a variable may be in only one dump.
  bool is_mismatch() const;
};

// Returns "equal", "within", "beyond", "unknown", "missing" or "added".
absl::string_view VerdictName(TensorDifference::Verdict verdict);

// Returns a sentence: `output 20 "scores" of invocation 0: differs by up to 3,
// at element 7`.
std::string Describe(const TensorDifference& difference);

// Compares tensors with the same role, invocation and index. Lists the tensors
// of the first dump in the order of that dump, then the tensors that only the
// second dump has. `tolerance` is an inclusive limit for
// TensorDifference::largest. O(bytes + n log n).
std::vector<TensorDifference> CompareDumps(
    absl::Span<const DumpedTensor> first, absl::Span<const DumpedTensor> second,
    double tolerance);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_COMPARE_DUMPS_H_
