// SPDX-License-Identifier: Apache-2.0
// How far two runs are apart, tensor by tensor.
#ifndef STOWAGE_SRC_REPORT_COMPARE_DUMPS_H_
#define STOWAGE_SRC_REPORT_COMPARE_DUMPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "src/report/dump.h"

namespace stowage::report {

struct TensorDifference {
  enum class Verdict {
    kEqual,       // bit for bit
    kWithin,      // no element is further apart than the tolerance
    kBeyond,      // some element is, or shapes or types are not the same
    kUnknown,     // bytes differ, but one folder has no more than their hash
    kOnlyFirst,   // the second folder does not have it
    kOnlySecond,  // the first does not
  };
  std::string role;
  size_t invocation = 0;
  size_t tensor = 0;
  std::string name;
  std::string dtype;
  Verdict verdict = Verdict::kEqual;
  // The largest difference of two elements: in steps for integers, absolute for
  // floating-point numbers; infinity if one is NaN. `element` is its index.
  double largest = 0;
  size_t element = 0;
  size_t different_elements = 0;
  size_t elements = 0;
  std::string reason;  // of kBeyond without a difference of elements
};

// One for each tensor of the first folder, then those of the second alone.
// `tolerance` is in steps for integers
// and absolute for floating-point numbers.
std::vector<TensorDifference> CompareDumps(
    absl::Span<const DumpedTensor> first, absl::Span<const DumpedTensor> second,
    double tolerance);

}  // namespace stowage::report

#endif  // STOWAGE_SRC_REPORT_COMPARE_DUMPS_H_
