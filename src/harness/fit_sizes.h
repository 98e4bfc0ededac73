// SPDX-License-Identifier: Apache-2.0
// Finds expressions in parameters that yield given sizes. The arithmetic is
// exact: an expression is returned only if it yields every given size.
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

// Returns the largest degree of the polynomials that are tried. The degree of a
// product is the sum of its exponents. For one or two parameters, the largest
// degree is 4, because the size of attention over the pixels of an image grows
// with the fourth power of its width. For more parameters, the largest degree
// is lower, because polynomials of the same degree need more samples.
size_t MaxSizeDegree(size_t parameters);

// Returns, for each of `records`, a polynomial in the parameters that yields
// the size of the record in every sample, as text for Expression::Parse. The
// result for a record is nullopt if there is no such polynomial of a degree up
// to MaxSizeDegree. Requires one entry of `scales` for each parameter.
std::vector<absl::optional<std::string>> FitSizes(
    absl::Span<const SizeParameter> parameters,
    absl::Span<const SizeSample> samples, absl::Span<const size_t> records,
    absl::Span<const ScaledParameter> scales);

// Returns the quotient of the parameter with the smallest divisor for which the
// sizes of the record are a polynomial in this quotient of a degree of at most
// `degree`. Returns nullopt if there is none, or if too few samples remain to
// test it. Requires that the samples differ only in this parameter.
absl::optional<ScaledParameter> FindScale(absl::Span<const SizeSample> samples,
                                          size_t parameter, size_t record,
                                          size_t degree);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_FIT_SIZES_H_
