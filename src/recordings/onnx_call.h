// SPDX-License-Identifier: Apache-2.0
// A node of an ONNX graph as the functions see it that find the shapes and the
// content of its outputs (onnx_shapes.h, onnx_constants.h).
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_CALL_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_CALL_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "src/recordings/onnx_model.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

// An element of a small tensor from which shapes are computed.
struct OnnxNumber {
  enum class Kind : uint8_t { kUnknown, kInteger, kReal };

  Kind kind = Kind::kUnknown;
  int64_t integer = 0;
  double real = 0;

  static OnnxNumber Integer(int64_t value) {
    return {Kind::kInteger, value, static_cast<double>(value)};
  }
  static OnnxNumber Real(double value) { return {Kind::kReal, 0, value}; }
};

// The elements of a tensor in row-major order.
using OnnxData = std::vector<OnnxNumber>;

// The content of tensors of more elements is not known to shapes. Those of real
// numbers are factors of extents, and are weights if they are larger.
constexpr size_t kMaxOnnxData = 1024;
constexpr size_t kMaxOnnxReals = 64;

// Returns whether the content of a tensor is followed.
bool HasOnnxData(int32_t element, const OnnxDims& dims);

// Reads the elements of a tensor. Returns nothing if it has too many, if its
// content is in another file or has not the size that its extents ask for.
optional<OnnxData> ReadOnnxData(const OnnxTensor& tensor);

class OnnxCall {
 public:
  // References to contents stay valid when others are added.
  using DataTable = std::unordered_map<uint32_t, OnnxData>;

  // `data` has the known contents of values. All must outlive the call.
  OnnxCall(const OnnxGraph& graph, const OnnxNode& node, DataTable* data,
           int64_t opset);

  const OnnxNode& node() const { return node_; }
  int64_t opset() const { return opset_; }

  // The inputs. One that is left out has an unknown type.
  size_t input_count() const { return node_.input_count; }
  bool HasInput(size_t i) const;
  const OnnxType& Input(size_t i) const;
  int32_t Element(size_t i) const { return Input(i).element; }
  // Returns the extents of an input, or null if its rank is unknown.
  const OnnxDims* Dims(size_t i) const;
  // Returns the extents of an input if it has this rank, otherwise null.
  const OnnxDims* DimsOfRank(size_t i, size_t rank) const;
  // Returns the content of an input, some elements of which may be unknown, or
  // null.
  const OnnxData* Data(size_t i) const;
  // Returns the integers of an input, or nothing if one of them is unknown.
  optional<std::vector<int64_t>> Integers(size_t i) const;
  // Returns the one integer of an input.
  optional<int64_t> Integer(size_t i) const;

  // The attributes.
  bool HasAttribute(string_view name) const;
  int64_t Int(string_view name, int64_t otherwise) const;
  optional<std::vector<int64_t>> Ints(string_view name) const;
  optional<float> Float(string_view name) const;
  optional<std::vector<float>> Floats(string_view name) const;
  string_view Text(string_view name) const;
  optional<OnnxTensor> Tensor(string_view name) const;
  // Returns the number of texts.
  optional<size_t> TextCount(string_view name) const;

  // The outputs. Calls for outputs that the node has not, or leaves out, have
  // no effect.
  size_t output_count() const { return outputs_.size(); }
  bool HasOutput(size_t i) const;
  const std::vector<OnnxType>& outputs() const { return outputs_; }
  void SetType(size_t output, OnnxType type);
  void SetElement(size_t output, int32_t element);
  void SetDims(size_t output, OnnxDims dims);
  void Set(size_t output, int32_t element, OnnxDims dims);
  // The output has this element type, and the extents of an input.
  void SetLike(size_t output, size_t input, int32_t element);

  // Says that an extent of an output depends on what the tensors contain, so
  // that a caller may have to give it.
  void SetCounted(size_t output, size_t axis);
  struct Counted {
    size_t output;
    size_t axis;
  };
  const std::vector<Counted>& counted() const { return counted_; }

  // Sets the content of the first output.
  void SetData(OnnxData data) { data_ = std::move(data); }
  const optional<OnnxData>& data() const { return data_; }

 private:
  optional<string_view> Find(string_view name) const;

  const OnnxGraph& graph_;
  const OnnxNode& node_;
  DataTable* known_;
  int64_t opset_;
  // Names and messages (AttributeProto).
  absl::InlinedVector<std::pair<string_view, string_view>, 6> attributes_;
  std::vector<OnnxType> outputs_;
  std::vector<Counted> counted_;
  optional<OnnxData> data_;
};

// Returns an axis counted from the front, or nothing if the tensor has no such
// axis.
optional<size_t> OnnxAxis(int64_t axis, size_t rank);

// Returns a shape of open extents.
OnnxDims OpenOnnxDims(size_t rank);

// Returns the extents to which two tensors are broadcast, or nothing if they
// do not fit.
optional<OnnxDims> BroadcastOnnxDims(const OnnxDims& a, const OnnxDims& b);

// Arithmetic on extents: the result is open if an operand is open or if the
// result does not fit in 63 bits.
int64_t AddOnnxExtents(int64_t a, int64_t b);
int64_t MultiplyOnnxExtents(int64_t a, int64_t b);

// Returns an extent that is larger by a number, which may be negative.
int64_t ShiftOnnxExtent(int64_t extent, int64_t by);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_CALL_H_
