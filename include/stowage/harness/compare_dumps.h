// SPDX-License-Identifier: Apache-2.0
// Compares two dumps tensor by tensor, with a tolerance. To compare a run under
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
  // The largest difference between corresponding elements of the two tensors,
  // and the index of an element with this difference. For integers, the
  // difference of the stored integers. For floating-point numbers, the absolute
  // difference, or infinity if exactly one of the two elements is NaN.
  double largest = 0;
  size_t element = 0;
  size_t different_elements = 0;
  size_t elements = 0;
  std::string reason;  // says why kBeyond applies if elements are not compared

  // Returns whether this difference means that the runs disagree. This is the
  // case for every tensor that differs beyond the tolerance. It is also the
  // case for an input or output that is in only one dump, or that is not known
  // to be equal. An intermediate tensor or a variable may be in only one dump.
  bool is_mismatch() const;
};

// Returns "equal", "within", "beyond", "unknown", "missing" or "added".
absl::string_view VerdictName(TensorDifference::Verdict verdict);

// Returns a sentence such as `output 20 "scores" of invocation 0: differs by up
// to 3, at element 7`.
std::string Describe(const TensorDifference& difference);

// Compares the tensors that have the same role, invocation and index in both
// dumps. Lists the tensors of the first dump in the order of this dump, and
// then the tensors that are only in the second dump. `tolerance` is an
// inclusive limit for TensorDifference::largest. O(bytes + n log n).
std::vector<TensorDifference> CompareDumps(
    absl::Span<const DumpedTensor> first, absl::Span<const DumpedTensor> second,
    double tolerance);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_COMPARE_DUMPS_H_
