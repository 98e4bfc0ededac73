// SPDX-License-Identifier: Apache-2.0
// Describes the types of values in ONNX models: element types, extents and
// sizes in bytes. Element types have the numbers of TensorProto.DataType
// (source: onnx/onnx.proto of github.com/onnx/onnx).
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_TYPE_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

// The element types to which the code refers by name.
enum OnnxElement : int32_t {
  kOnnxUnknown = 0,
  kOnnxFloat = 1,
  kOnnxUint8 = 2,
  kOnnxInt8 = 3,
  kOnnxUint16 = 4,
  kOnnxInt16 = 5,
  kOnnxInt32 = 6,
  kOnnxInt64 = 7,
  kOnnxString = 8,
  kOnnxBool = 9,
  kOnnxFloat16 = 10,
  kOnnxDouble = 11,
  kOnnxUint32 = 12,
  kOnnxUint64 = 13,
  kOnnxBfloat16 = 16,
};

// An extent that is not known.
constexpr int64_t kOnnxOpen = -1;

// The maximum number of dimensions. A tensor with more dimensions is treated as
// a tensor of unknown shape.
constexpr size_t kMaxOnnxRank = 32;

using OnnxDims = absl::InlinedVector<int64_t, 4>;

// The type of a value. Parts of the type may be unknown.
struct OnnxType {
  // A value of kind kOther is a sequence, a map or a sparse tensor. Runtimes
  // allocate such a value piece by piece, so it has no single size. For a
  // sequence, `element` and `dims` describe each of its tensors.
  enum class Kind : uint8_t { kTensor, kOther };

  Kind kind = Kind::kTensor;
  int32_t element = kOnnxUnknown;
  optional<OnnxDims> dims = nullopt;  // no value if the rank is unknown
};

// Returns the name of an element type in lower case, such as "float" or
// "int64".
string_view OnnxElementName(int32_t element);

// Returns the element type with the given name in upper case, such as "FLOAT",
// or kOnnxUnknown if there is no such type.
int32_t OnnxElementOf(string_view upper_name);

// Returns the number of bits of an element type: 0 for strings, and nothing for
// unknown types.
optional<size_t> OnnxElementBits(int32_t element);

bool IsOnnxInteger(int32_t element);  // includes bool
bool IsOnnxReal(int32_t element);

// Returns the product of the extents, or nothing if an extent is open or the
// product is larger than 2^63 - 1.
optional<int64_t> OnnxElementCount(const OnnxDims& dims);

// Returns the number of bytes of a value, or nothing if the element type or an
// extent is unknown or the number is too large.
optional<size_t> OnnxBytes(const OnnxType& type);

// Returns whether all extents are known.
bool IsOnnxComplete(const OnnxType& type);

// Returns the most specific type that covers both types: everything in which
// the two types differ is unknown.
OnnxType UnionOfOnnxTypes(const OnnxType& a, const OnnxType& b);

// Returns the extents as text, such as "1x?x224" or "scalar". Returns "unknown"
// if the rank is unknown.
std::string OnnxShapeText(const OnnxType& type);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_TYPE_H_
