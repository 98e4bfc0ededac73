// SPDX-License-Identifier: Apache-2.0
// An extent of a tensor: a whole number, or an expression of the parameters of
// a network, such as the length of a sequence.
//
//   const Extent image = Extent::Parameter("image", 224);
//   const Extent half = (image + 1) / 2;
//   half.value();              // 112
//   (half * 8).ToString();     // "8*((image + 1)//2)"
//
// Extents are written in a normal form. Two of them are equal if they are
// written alike, so that they are then equal whatever the parameters are.
#ifndef STOWAGE_DATA_NETWORKS_EXTENT_H_
#define STOWAGE_DATA_NETWORKS_EXTENT_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace stowage::networks {

class Extent {
 public:
  Extent(int64_t number);  // NOLINT: a number is an extent
  static Extent Parameter(std::string name, int64_t value);

  // Returns the extent at the values of the parameters with which it was made.
  int64_t value() const { return value_; }
  bool is_number() const { return atoms_.empty(); }
  // Returns an expression in the form of stowage/dynamic/expression.h.
  std::string ToString() const;

  friend Extent operator+(const Extent& a, const Extent& b);
  friend Extent operator-(const Extent& a, const Extent& b);
  friend Extent operator*(const Extent& a, const Extent& b);
  // Rounds down. Requires a number above 0 as the divisor, and an extent that
  // is not negative.
  friend Extent operator/(const Extent& a, int64_t divisor);
  friend bool operator==(const Extent& a, const Extent& b);
  friend bool operator!=(const Extent& a, const Extent& b) { return !(a == b); }

 private:
  // Returns the extent as a product: the same one if it has no sum and no
  // quotient, otherwise one whose only atom is the whole.
  Extent AsProduct() const;
  // Returns the product without sum and quotient as text.
  std::string ProductText() const;

  // The extent is (factor * atoms... + offset) // divisor.
  int64_t factor_ = 0;
  std::vector<std::string> atoms_;  // sorted; parameters and "(...)"
  int64_t offset_ = 0;
  int64_t divisor_ = 1;
  int64_t value_ = 0;
};

// Prints an extent for messages of tests.
inline void PrintTo(const Extent& extent, std::ostream* os) {
  *os << extent.ToString();
}

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_EXTENT_H_
