// SPDX-License-Identifier: Apache-2.0
// Computes with fractions of 64-bit whole numbers. A result that does not fit
// becomes "not a number", and so does every result computed from it.
#ifndef STOWAGE_SRC_HARNESS_FRACTION_H_
#define STOWAGE_SRC_HARNESS_FRACTION_H_

#include <cstdint>
#include <limits>

#include "absl/numeric/int128.h"

namespace stowage::harness {

class Fraction {
 public:
  Fraction() = default;
  // Implicit, so that fractions and numbers can be mixed in formulas.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Fraction(int64_t number) : Fraction(absl::int128(number), 1) {}
  Fraction(int64_t numerator, int64_t denominator)
      : Fraction(absl::int128(numerator), absl::int128(denominator)) {}

  bool is_number() const { return denominator_ != 0; }
  bool is_zero() const { return denominator_ != 0 && numerator_ == 0; }
  int64_t numerator() const { return numerator_; }
  // Returns a positive number, or 0 if the fraction is not a number.
  int64_t denominator() const { return denominator_; }

  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    return {Product(a.numerator_, b.denominator_) +
                Product(b.numerator_, a.denominator_),
            Product(a.denominator_, b.denominator_)};
  }
  friend Fraction operator-(const Fraction& a, const Fraction& b) {
    return a + b * Fraction(-1);
  }
  friend Fraction operator*(const Fraction& a, const Fraction& b) {
    return {Product(a.numerator_, b.numerator_),
            Product(a.denominator_, b.denominator_)};
  }
  friend Fraction operator/(const Fraction& a, const Fraction& b) {
    return {Product(a.numerator_, b.denominator_),
            Product(a.denominator_, b.numerator_)};
  }
  friend bool operator==(const Fraction& a, const Fraction& b) {
    return a.is_number() && b.is_number() && a.numerator_ == b.numerator_ &&
           a.denominator_ == b.denominator_;
  }

 private:
  Fraction(absl::int128 numerator, absl::int128 denominator) {
    const absl::int128 divisor = CommonDivisor(numerator, denominator);
    if (divisor != 0) {
      numerator /= divisor;
      denominator /= divisor;
    }
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    const bool fits =
        numerator <= kMax && numerator >= -kMax && denominator <= kMax;
    numerator_ = fits ? static_cast<int64_t>(numerator) : 0;
    denominator_ = fits ? static_cast<int64_t>(denominator) : 0;
  }

  // Returns the greatest common divisor, with the sign of the denominator.
  static absl::int128 CommonDivisor(absl::int128 numerator,
                                    absl::int128 denominator) {
    absl::int128 a = numerator < 0 ? -numerator : numerator;
    absl::int128 b = denominator < 0 ? -denominator : denominator;
    while (b != 0) {
      const absl::int128 rest = a % b;
      a = b;
      b = rest;
    }
    return denominator < 0 ? -a : a;
  }

  static absl::int128 Product(int64_t a, int64_t b) {
    return absl::int128(a) * b;
  }

  int64_t numerator_ = 0;
  int64_t denominator_ = 1;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_FRACTION_H_
