// SPDX-License-Identifier: Apache-2.0
#include "data/networks/extent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage::networks {

Extent::Extent(int64_t number) : offset_(number), value_(number) {}

Extent Extent::Parameter(std::string name, int64_t value) {
  Extent extent(0);
  extent.factor_ = 1;
  extent.atoms_ = {std::move(name)};
  extent.value_ = value;
  return extent;
}

std::string Extent::ProductText() const {
  const std::string product = absl::StrJoin(atoms_, "*");
  return factor_ == 1 ? product : absl::StrCat(factor_, "*", product);
}

std::string Extent::ToString() const {
  if (is_number()) return absl::StrCat(offset_);
  std::string text = ProductText();
  if (offset_ > 0) absl::StrAppend(&text, " + ", offset_);
  if (offset_ < 0) absl::StrAppend(&text, " - ", -offset_);
  if (divisor_ == 1) return text;
  if (offset_ != 0 || factor_ != 1 || atoms_.size() > 1) {
    text = absl::StrCat("(", text, ")");
  }
  return absl::StrCat(text, "//", divisor_);
}

Extent Extent::AsProduct() const {
  if (is_number() || (offset_ == 0 && divisor_ == 1)) return *this;
  return Parameter(absl::StrCat("(", ToString(), ")"), value_);
}

Extent operator+(const Extent& a, const Extent& b) {
  if (a.is_number() && !b.is_number()) return b + a;
  Extent sum = a;
  if (b.is_number()) {
    sum.offset_ += b.offset_ * sum.divisor_;
  } else if (a.atoms_ == b.atoms_ && a.divisor_ == 1 && b.divisor_ == 1) {
    sum.factor_ += b.factor_;
    sum.offset_ += b.offset_;
  } else {
    sum = Extent::Parameter(
        absl::StrCat("(", a.ToString(), " + ", b.ToString(), ")"), 0);
  }
  sum.value_ = a.value_ + b.value_;
  return sum;
}

Extent operator-(const Extent& a, const Extent& b) {
  if (b.is_number()) return a + Extent(-b.offset_);
  if (a == b) return 0;
  // The product keeps its parentheses after the sign.
  return Extent::Parameter(
      absl::StrCat("(", a.ToString(), " - ", b.AsProduct().ToString(), ")"),
      a.value_ - b.value_);
}

Extent operator*(const Extent& a, const Extent& b) {
  if (a.is_number() && !b.is_number()) return b * a;
  if (b.is_number()) {
    if (b.offset_ == 0) return 0;
    Extent product = a.divisor_ == 1 ? a : a.AsProduct();
    product.factor_ *= b.offset_;
    product.offset_ *= b.offset_;
    product.value_ *= b.offset_;
    return product;
  }
  Extent product = a.AsProduct();
  const Extent other = b.AsProduct();
  product.factor_ *= other.factor_;
  product.atoms_.insert(product.atoms_.end(), other.atoms_.begin(),
                        other.atoms_.end());
  std::sort(product.atoms_.begin(), product.atoms_.end());
  product.value_ *= other.value_;
  return product;
}

Extent operator/(const Extent& a, int64_t divisor) {
  if (a.is_number()) return a.offset_ / divisor;
  Extent quotient = a;
  if (a.divisor_ == 1 && a.factor_ % divisor == 0) {
    quotient.factor_ /= divisor;
    const bool rounds_up = a.offset_ < 0 && a.offset_ % divisor != 0;
    quotient.offset_ = a.offset_ / divisor - (rounds_up ? 1 : 0);
  } else {
    quotient.divisor_ *= divisor;
  }
  quotient.value_ /= divisor;
  return quotient;
}

bool operator==(const Extent& a, const Extent& b) {
  return a.factor_ == b.factor_ && a.atoms_ == b.atoms_ &&
         a.offset_ == b.offset_ && a.divisor_ == b.divisor_;
}

}  // namespace stowage::networks
