// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/onnx_type.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/tensor_size.h"

namespace stowage::recordings {
namespace {

struct OnnxElementFacts {
  string_view name;
  size_t bits;
};

// The element types in the order of their numbers, each with its size in bits.
// Elements of less than a byte are packed.
constexpr OnnxElementFacts kOnnxElements[] = {
    {"unknown", 0},        {"float", 32},     {"uint8", 8},
    {"int8", 8},           {"uint16", 16},    {"int16", 16},
    {"int32", 32},         {"int64", 64},     {"string", 0},
    {"bool", 8},           {"float16", 16},   {"double", 64},
    {"uint32", 32},        {"uint64", 64},    {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16},  {"float8e4m3fn", 8},
    {"float8e4m3fnuz", 8}, {"float8e5m2", 8}, {"float8e5m2fnuz", 8},
    {"uint4", 4},          {"int4", 4},       {"float4e2m1", 4},
    {"float8e8m0", 8},     {"uint2", 2},      {"int2", 2},
};

bool IsKnownElement(int32_t element) {
  return element > 0 && static_cast<size_t>(element) < std::size(kOnnxElements);
}

}  // namespace

string_view OnnxElementName(int32_t element) {
  return kOnnxElements[IsKnownElement(element) ? element : 0].name;
}

int32_t OnnxElementOf(string_view upper_name) {
  const std::string name = absl::AsciiStrToLower(upper_name);
  for (size_t i = 1; i < std::size(kOnnxElements); ++i) {
    if (kOnnxElements[i].name == name) return static_cast<int32_t>(i);
  }
  return kOnnxUnknown;
}

optional<size_t> OnnxElementBits(int32_t element) {
  if (!IsKnownElement(element)) return nullopt;
  return kOnnxElements[element].bits;
}

bool IsOnnxInteger(int32_t element) {
  switch (element) {
    case kOnnxUint8:
    case kOnnxInt8:
    case kOnnxUint16:
    case kOnnxInt16:
    case kOnnxInt32:
    case kOnnxInt64:
    case kOnnxBool:
    case kOnnxUint32:
    case kOnnxUint64:
      return true;
    default:
      return false;
  }
}

bool IsOnnxReal(int32_t element) {
  return element == kOnnxFloat || element == kOnnxDouble ||
         element == kOnnxFloat16 || element == kOnnxBfloat16;
}

optional<int64_t> OnnxElementCount(const OnnxDims& dims) {
  // If an extent is open, the product is unknown. Otherwise, if an extent is 0,
  // the product is 0, no matter how large the other extents are.
  if (std::find(dims.begin(), dims.end(), kOnnxOpen) != dims.end()) {
    return nullopt;
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  int64_t count = 1;
  for (const int64_t extent : dims) {
    if (__builtin_mul_overflow(count, extent, &count)) return nullopt;
  }
  return count;
}

optional<size_t> OnnxBytes(const OnnxType& type) {
  if (type.kind == OnnxType::Kind::kOther) return 0;
  const optional<size_t> bits = OnnxElementBits(type.element);
  if (!bits) return nullopt;
  if (*bits == 0) return 0;
  if (!type.dims) return nullopt;
  const optional<int64_t> count = OnnxElementCount(*type.dims);
  if (!count) return nullopt;
  const auto elements = static_cast<size_t>(*count);
  if (*bits % 8 == 0) return CheckedMultiply(elements, *bits / 8);
  const size_t per_byte = 8 / *bits;
  return elements / per_byte + (elements % per_byte == 0 ? 0 : 1);
}

bool IsOnnxComplete(const OnnxType& type) {
  return type.dims && std::find(type.dims->begin(), type.dims->end(),
                                kOnnxOpen) == type.dims->end();
}

OnnxType UnionOfOnnxTypes(const OnnxType& a, const OnnxType& b) {
  OnnxType both = a;
  if (b.kind == OnnxType::Kind::kOther) both.kind = b.kind;
  if (a.element != b.element) both.element = kOnnxUnknown;
  if (!a.dims || !b.dims || a.dims->size() != b.dims->size()) {
    both.dims = nullopt;
    return both;
  }
  for (size_t i = 0; i < both.dims->size(); ++i) {
    if ((*a.dims)[i] != (*b.dims)[i]) (*both.dims)[i] = kOnnxOpen;
  }
  return both;
}

std::string OnnxShapeText(const OnnxType& type) {
  if (!type.dims) return "unknown";
  if (type.dims->empty()) return "scalar";
  std::string text;
  for (const int64_t extent : *type.dims) {
    absl::StrAppend(&text, text.empty() ? "" : "x");
    if (extent == kOnnxOpen) {
      text += '?';
    } else {
      absl::StrAppend(&text, extent);
    }
  }
  return text;
}

}  // namespace stowage::recordings
