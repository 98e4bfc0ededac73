// SPDX-License-Identifier: Apache-2.0
// Describes the types of values in ONNX models: element types, extents and
// bytes. Element types have the numbers of TensorProto.DataType (source:
// onnx/onnx.proto of github.com/onnx/onnx).
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_TYPE_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

// The element types that the code of this reader refers to by name.
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

// A tensor with more dimensions is treated as a tensor of unknown shape.
constexpr size_t kMaxOnnxRank = 32;

using OnnxDims = absl::InlinedVector<int64_t, 4>;

// The type of a value, as far as it is known.
struct OnnxType {
  // A value of the kind kOther is a sequence, a map or a sparse tensor.
  // Runtimes allocate such values piece by piece, so they have no size of their
  // own. For a sequence, `element` and `dims` describe each of its tensors.
  enum class Kind : uint8_t { kTensor, kOther };

  Kind kind = Kind::kTensor;
  int32_t element = kOnnxUnknown;
  optional<OnnxDims> dims = nullopt;  // no value if the rank is unknown
};

// Returns the name of an element type in lower case: "float", "int64".
string_view OnnxElementName(int32_t element);

// Returns the element type with a name in upper case, such as "FLOAT". Returns
// kOnnxUnknown if there is none.
int32_t OnnxElementOf(string_view upper_name);

// Returns the number of bits of an element type: 0 for strings, and nothing for
// unknown types.
optional<size_t> OnnxElementBits(int32_t element);

bool IsOnnxInteger(int32_t element);  // includes bool
bool IsOnnxReal(int32_t element);

// Returns the product of extents, or nothing if an extent is open or the
// product is larger than 2^63 - 1.
optional<int64_t> OnnxElementCount(const OnnxDims& dims);

// Returns the number of bytes of a value. Returns nothing if the element or an
// extent is unknown, or if the number is too large.
optional<size_t> OnnxBytes(const OnnxType& type);

// Returns whether all extents are known.
bool IsOnnxComplete(const OnnxType& type);

// Returns the type that has only the facts that are true of both types.
OnnxType UnionOfOnnxTypes(const OnnxType& a, const OnnxType& b);

// Returns the extents as text: "1x?x224", "scalar", or "unknown" if the rank is
// unknown.
std::string OnnxShapeText(const OnnxType& type);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_TYPE_H_
