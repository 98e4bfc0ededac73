// SPDX-License-Identifier: Apache-2.0
#include "stowage/tensor_size.h"

#include <cstddef>
#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/model/record_errors.h"

namespace stowage {
namespace {

absl::StatusOr<size_t> Product(std::initializer_list<size_t> components,
                               const std::string& text) {
  size_t product = 1;
  bool overflow = false;
  for (const size_t component : components) {
    if (component == 0) return size_t{0};
    const absl::optional<size_t> next = CheckedMultiply(product, component);
    overflow = overflow || !next;
    product = next.value_or(1);
  }
  if (overflow) {
    return absl::OutOfRangeError(absl::StrCat(
        "size ", text, " has too many elements; expected at most 2^64 - 1"));
  }
  return product;
}

}  // namespace

absl::StatusOr<size_t> ElementCount(const uint2& extent) {
  return Product({extent.x, extent.y}, SizeToString(extent));
}

absl::StatusOr<size_t> ElementCount(const uint3& extent) {
  return Product({extent.x, extent.y, extent.z}, SizeToString(extent));
}

absl::StatusOr<size_t> ElementCount(const BHWC& shape) {
  if (shape.b < 0 || shape.h < 0 || shape.w < 0 || shape.c < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("size ", SizeToString(shape),
                     " has a component below 0; expected 0 or above"));
  }
  return Product({static_cast<size_t>(shape.b), static_cast<size_t>(shape.h),
                  static_cast<size_t>(shape.w), static_cast<size_t>(shape.c)},
                 SizeToString(shape));
}

bool Covers(const uint2& object, const uint2& tensor) {
  return object.x >= tensor.x && object.y >= tensor.y;
}

bool Covers(const uint3& object, const uint3& tensor) {
  return object.x >= tensor.x && object.y >= tensor.y && object.z >= tensor.z;
}

bool Covers(const BHWC& object, const BHWC& tensor) {
  return object.b >= tensor.b && object.h >= tensor.h && object.w >= tensor.w &&
         object.c >= tensor.c;
}

std::string SizeToString(size_t bytes) { return absl::StrCat(bytes); }

std::string SizeToString(const uint2& extent) {
  return absl::StrCat(extent.x, "x", extent.y);
}

std::string SizeToString(const uint3& extent) {
  return absl::StrCat(extent.x, "x", extent.y, "x", extent.z);
}

std::string SizeToString(const BHWC& shape) {
  return absl::StrCat(shape.b, "x", shape.h, "x", shape.w, "x", shape.c);
}

absl::Status Alignments::Check(size_t tensor_count) const {
  if (!is_list_) {
    if (IsValidAlignment(all_)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("alignment: it is ", all_, "; expected a power of two"));
  }
  if (each_.size() != tensor_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("alignments: ", each_.size(), " given; expected ",
                     tensor_count, ", one for each record"));
  }
  for (size_t i = 0; i < each_.size(); ++i) {
    if (!IsValidAlignment(each_[i])) {
      return InvalidRecords({i}, absl::StrCat("its alignment is ", each_[i],
                                              "; expected a power of two"));
    }
  }
  return absl::OkStatus();
}

}  // namespace stowage
