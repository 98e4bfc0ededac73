// SPDX-License-Identifier: Apache-2.0
// Finds expressions of parameters that have given values. The numbers are
// exact: an expression is found only if it has every value.
#ifndef STOWAGE_SRC_HARNESS_FIT_SIZES_H_
#define STOWAGE_SRC_HARNESS_FIT_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/dynamic/dynamic_problem.h"

namespace stowage::harness {

// The sizes of all records at one value of each parameter.
struct SizeSample {
  ParameterValues values;
  std::vector<size_t> sizes;
};

// The largest divisor that is tried.
constexpr uint64_t kMaxSizeDivisor = 32;

// A quotient of a parameter, rounded down: (parameter + shift)//divisor.
struct ScaledParameter {
  uint64_t divisor = 1;  // 1 to kMaxSizeDivisor
  uint64_t shift = 0;    // is less than the divisor
};

// Returns the largest degree of polynomials that are tried: the sum of the
// exponents of a product. Attention over the pixels of an image grows with the
// fourth power of its width; with more parameters a degree takes more samples.
size_t MaxSizeDegree(size_t parameters);

// Returns, for each of `records`, a polynomial of the parameters that has its
// size in every sample, as a text for Expression::Parse. `scales` has an entry
// for each parameter. Without a text there is none of a degree up to
// MaxSizeDegree.
std::vector<absl::optional<std::string>> FitSizes(
    absl::Span<const SizeParameter> parameters,
    absl::Span<const SizeSample> samples, absl::Span<const size_t> records,
    absl::Span<const ScaledParameter> scales);

// Returns the quotient with the smallest divisor of which the sizes of a record
// are a polynomial of one variable. In `samples` only this parameter differs.
// Returns no quotient if there is none, or if too few samples are left to test
// it.
absl::optional<ScaledParameter> FindScale(absl::Span<const SizeSample> samples,
                                          size_t parameter, size_t record,
                                          size_t degree);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_FIT_SIZES_H_
