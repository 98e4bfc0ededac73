// SPDX-License-Identifier: Apache-2.0
#include "stowage/tensor_size.h"

#include <cstddef>
#include <initializer_list>
#include <string>

#include "src/base/str_cat.h"
#include "src/model/record_errors.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"

namespace stowage {
namespace {

StatusOr<size_t> Product(std::initializer_list<size_t> components,
                         const std::string& text) {
  size_t product = 1;
  bool overflow = false;
  for (const size_t component : components) {
    if (component == 0) return size_t{0};
    const optional<size_t> next = CheckedMultiply(product, component);
    overflow = overflow || !next;
    product = next.value_or(1);
  }
  if (overflow) {
    return OutOfRangeError(StrCat(
        "size ", text, " has too many elements; expected at most 2^64 - 1"));
  }
  return product;
}

}  // namespace

StatusOr<size_t> ElementCount(const uint2& extent) {
  return Product({extent.x, extent.y}, SizeToString(extent));
}

StatusOr<size_t> ElementCount(const uint3& extent) {
  return Product({extent.x, extent.y, extent.z}, SizeToString(extent));
}

StatusOr<size_t> ElementCount(const BHWC& shape) {
  if (shape.b < 0 || shape.h < 0 || shape.w < 0 || shape.c < 0) {
    return InvalidArgumentError(
        StrCat("size ", SizeToString(shape),
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

std::string SizeToString(size_t bytes) { return StrCat(bytes); }

std::string SizeToString(const uint2& extent) {
  return StrCat(extent.x, "x", extent.y);
}

std::string SizeToString(const uint3& extent) {
  return StrCat(extent.x, "x", extent.y, "x", extent.z);
}

std::string SizeToString(const BHWC& shape) {
  return StrCat(shape.b, "x", shape.h, "x", shape.w, "x", shape.c);
}

Status Alignments::Check(size_t tensor_count) const {
  if (!is_list_) {
    if (IsValidAlignment(all_)) return OkStatus();
    return InvalidArgumentError(
        StrCat("alignment: it is ", all_, "; expected a power of two"));
  }
  if (each_.size() != tensor_count) {
    return InvalidArgumentError(StrCat("alignments: ", each_.size(),
                                       " given; expected ", tensor_count,
                                       ", one for each record"));
  }
  for (size_t i = 0; i < each_.size(); ++i) {
    if (!IsValidAlignment(each_[i])) {
      return InvalidRecords({i}, StrCat("its alignment is ", each_[i],
                                        "; expected a power of two"));
    }
  }
  return OkStatus();
}

}  // namespace stowage
