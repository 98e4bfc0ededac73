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

// Returns the largest degree of the polynomials that are tried. The degree is
// the sum of the exponents of a product. For one or two parameters the largest
// degree is 4, since attention over the pixels of an image grows with the
// fourth power of its width. For more parameters it is smaller, since a
// polynomial with more parameters needs more samples for the same degree.
size_t MaxSizeDegree(size_t parameters);

// Returns, for each of `records`, a polynomial of the parameters that yields
// the size of the record in every sample. The polynomial is a text for
// Expression::Parse. `scales` has an entry for each parameter. Returns no text
// for a record if there is no such polynomial of a degree up to MaxSizeDegree.
std::vector<absl::optional<std::string>> FitSizes(
    absl::Span<const SizeParameter> parameters,
    absl::Span<const SizeSample> samples, absl::Span<const size_t> records,
    absl::Span<const ScaledParameter> scales);

// Looks for a quotient of the parameter such that the sizes of the record are a
// polynomial of this quotient. Returns the one with the smallest divisor. The
// degree of the polynomial is at most `degree`. Only this parameter may differ
// between the samples. Returns none if there is no such quotient, or if too few
// samples remain to test it.
absl::optional<ScaledParameter> FindScale(absl::Span<const SizeSample> samples,
                                          size_t parameter, size_t record,
                                          size_t degree);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_FIT_SIZES_H_
