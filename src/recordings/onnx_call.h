// SPDX-License-Identifier: Apache-2.0
// Represents a node of an ONNX graph for the functions that infer the shapes
// (onnx_shapes.h) and the contents (onnx_constants.h) of its outputs.
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

// An element of a small tensor that is used to compute shapes.
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

// The contents of a tensor are computed only if it has at most this number of
// elements: kMaxOnnxReals for real numbers, and kMaxOnnxData for other types.
// Small tensors of real numbers may be factors of extents; larger ones are
// weights.
constexpr size_t kMaxOnnxData = 1024;
constexpr size_t kMaxOnnxReals = 64;

// Returns whether a tensor is small enough for its contents to be computed.
bool HasOnnxData(int32_t element, const OnnxDims& dims);

// Reads the elements of a tensor. Returns nothing if the tensor has too many
// elements, if its contents are in another file, or if the size of its contents
// does not match its extents.
optional<OnnxData> ReadOnnxData(const OnnxTensor& tensor);

class OnnxCall {
 public:
  // References to contents remain valid when further contents are added.
  using DataTable = std::unordered_map<uint32_t, OnnxData>;

  // `data` contains the known contents of values. All arguments must outlive
  // this object.
  OnnxCall(const OnnxGraph& graph, const OnnxNode& node, DataTable* data,
           int64_t opset);

  const OnnxNode& node() const { return node_; }
  int64_t opset() const { return opset_; }

  // These functions describe the inputs. An omitted input has an unknown type.
  size_t input_count() const { return node_.input_count; }
  bool HasInput(size_t i) const;
  const OnnxType& Input(size_t i) const;
  int32_t Element(size_t i) const { return Input(i).element; }
  // Returns the extents of an input, or null if its rank is unknown.
  const OnnxDims* Dims(size_t i) const;
  // Returns the extents of an input if it has this rank, otherwise null.
  const OnnxDims* DimsOfRank(size_t i, size_t rank) const;
  // Returns the contents of an input, or null if they are unknown. Individual
  // elements of the contents may be unknown.
  const OnnxData* Data(size_t i) const;
  // Returns the integers of an input, or nothing if one of them is unknown.
  optional<std::vector<int64_t>> Integers(size_t i) const;
  // Returns the integer in an input with exactly one element, or nothing if the
  // integer is unknown.
  optional<int64_t> Integer(size_t i) const;

  // These functions read attributes.
  bool HasAttribute(string_view name) const;
  int64_t Int(string_view name, int64_t otherwise) const;
  optional<std::vector<int64_t>> Ints(string_view name) const;
  optional<float> Float(string_view name) const;
  optional<std::vector<float>> Floats(string_view name) const;
  string_view Text(string_view name) const;
  optional<OnnxTensor> Tensor(string_view name) const;
  // Returns the number of strings in an attribute that is a list of strings.
  optional<size_t> TextCount(string_view name) const;

  // These functions describe the outputs. They have no effect on outputs that
  // the node does not have or omits.
  size_t output_count() const { return outputs_.size(); }
  bool HasOutput(size_t i) const;
  const std::vector<OnnxType>& outputs() const { return outputs_; }
  void SetType(size_t output, OnnxType type);
  void SetElement(size_t output, int32_t element);
  void SetDims(size_t output, OnnxDims dims);
  void Set(size_t output, int32_t element, OnnxDims dims);
  // Sets an output to the given element type and to the extents of an input.
  void SetLike(size_t output, size_t input, int32_t element);

  // Records that an extent of an output depends on the contents of tensors, so
  // the user may have to provide this extent.
  void SetCounted(size_t output, size_t axis);
  struct Counted {
    size_t output;
    size_t axis;
  };
  const std::vector<Counted>& counted() const { return counted_; }

  // Sets the contents of the first output.
  void SetData(OnnxData data) { data_ = std::move(data); }
  const optional<OnnxData>& data() const { return data_; }

 private:
  optional<string_view> Find(string_view name) const;

  const OnnxGraph& graph_;
  const OnnxNode& node_;
  DataTable* known_;
  int64_t opset_;
  // The name and the message (AttributeProto) of each attribute.
  absl::InlinedVector<std::pair<string_view, string_view>, 6> attributes_;
  std::vector<OnnxType> outputs_;
  std::vector<Counted> counted_;
  optional<OnnxData> data_;
};

// Converts an axis that may be negative, and then counts from the end, to an
// axis that counts from the front. Returns nothing if the tensor has no such
// axis.
optional<size_t> OnnxAxis(int64_t axis, size_t rank);

// Returns a shape of the given rank in which all extents are open.
OnnxDims OpenOnnxDims(size_t rank);

// Returns the extents to which two tensors are broadcast, or nothing if they
// cannot be broadcast.
optional<OnnxDims> BroadcastOnnxDims(const OnnxDims& a, const OnnxDims& b);

// Add and multiply extents. The result is open if it does not fit in 63 bits.
// Otherwise the result is open if an operand is open, except that a product
// with 0 is 0.
int64_t AddOnnxExtents(int64_t a, int64_t b);
int64_t MultiplyOnnxExtents(int64_t a, int64_t b);

// Returns the sum of an extent and a number, which may be negative. The sum is
// open if the extent is open, or if the sum is negative or does not fit in 63
// bits.
int64_t ShiftOnnxExtent(int64_t extent, int64_t by);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_CALL_H_
