// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/onnx_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "src/recordings/onnx_model.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {
namespace {

float OnnxFloatOf(uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof(value));
  return value;
}

double OnnxDoubleOf(uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Appends the values of the current field, which has one or more fixed-width
// numbers. Returns false if the field ends within a number.
bool AppendFixed(const WireReader& field, size_t width,
                 std::vector<uint64_t>* values) {
  if (field.type() == WireReader::Type::kFixed32 ||
      field.type() == WireReader::Type::kFixed64) {
    values->push_back(field.value());
    return true;
  }
  const string_view bytes = field.bytes();
  if (bytes.size() % width != 0) return false;
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i]))
               << (8 * i);
    }
    values->push_back(value);
  }
  return true;
}

// Converts the bits of an element to a number.
OnnxNumber OnnxNumberOf(uint64_t bits, int32_t element) {
  switch (element) {
    case kOnnxFloat:
      return OnnxNumber::Real(static_cast<double>(OnnxFloatOf(bits)));
    case kOnnxDouble:
      return OnnxNumber::Real(OnnxDoubleOf(bits));
    case kOnnxInt8:
      return OnnxNumber::Integer(static_cast<int8_t>(bits));
    case kOnnxInt16:
      return OnnxNumber::Integer(static_cast<int16_t>(bits));
    case kOnnxInt32:
      return OnnxNumber::Integer(static_cast<int32_t>(bits));
    case kOnnxBool:
      return OnnxNumber::Integer(bits != 0 ? 1 : 0);
    case kOnnxUint8:
    case kOnnxUint16:
    case kOnnxUint32:
    case kOnnxInt64:
      return OnnxNumber::Integer(static_cast<int64_t>(bits));
    case kOnnxUint64:
      if (bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return {};
      }
      return OnnxNumber::Integer(static_cast<int64_t>(bits));
    default:
      return {};
  }
}

// Returns the number of the field that contains the elements of a tensor of
// this type. Raw elements are in another field.
uint64_t TypedFieldOf(int32_t element) {
  switch (element) {
    case kOnnxFloat:
      return 4;
    case kOnnxDouble:
      return 10;
    case kOnnxInt64:
      return 7;
    case kOnnxUint32:
    case kOnnxUint64:
      return 11;
    default:
      return 5;
  }
}

// Appends the bits of all elements. Returns false if the tensor is corrupt or
// does not have `count` elements.
bool ReadOnnxBits(const OnnxTensor& tensor, size_t count, size_t width,
                  std::vector<uint64_t>* bits) {
  const uint64_t typed_field = TypedFieldOf(tensor.element);
  WireReader fields(tensor.bytes);
  while (fields.Next()) {
    const bool is_raw = fields.field() == 9;
    if (!is_raw && fields.field() != typed_field) continue;
    // A field with more than 10 bytes per element is invalid, so it is not
    // read.
    if (fields.bytes().size() > 10 * count || bits->size() > count) {
      return false;
    }
    const bool is_fixed = is_raw || typed_field == 4 || typed_field == 10;
    if (is_fixed ? !AppendFixed(fields, width, bits)
                 : !AppendVarints(fields, bits)) {
      return false;
    }
  }
  return bits->size() == count;
}

const OnnxType& UnknownOnnxType() {
  static const auto* const type = new OnnxType();
  return *type;
}

}  // namespace

bool HasOnnxData(int32_t element, const OnnxDims& dims) {
  const bool is_real = element == kOnnxFloat || element == kOnnxDouble;
  if (!is_real && !IsOnnxInteger(element)) return false;
  const optional<int64_t> count = OnnxElementCount(dims);
  return count && static_cast<size_t>(*count) <=
                      (is_real ? kMaxOnnxReals : kMaxOnnxData);
}

optional<OnnxData> ReadOnnxData(const OnnxTensor& tensor) {
  if (tensor.is_external || !HasOnnxData(tensor.element, tensor.dims)) {
    return nullopt;
  }
  const optional<int64_t> count = OnnxElementCount(tensor.dims);
  std::vector<uint64_t> bits;
  const size_t width = *OnnxElementBits(tensor.element) / 8;
  if (!ReadOnnxBits(tensor, static_cast<size_t>(*count), width, &bits)) {
    return nullopt;
  }
  OnnxData data;
  data.reserve(bits.size());
  for (const uint64_t each : bits) {
    data.push_back(OnnxNumberOf(each, tensor.element));
  }
  return data;
}

OnnxCall::OnnxCall(const OnnxGraph& graph, const OnnxNode& node,
                   DataTable* data, int64_t opset)
    : graph_(graph),
      node_(node),
      known_(data),
      opset_(opset),
      outputs_(node.output_count) {
  WireReader fields(node.bytes);
  while (fields.Next()) {
    if (fields.field() != 5) continue;
    WireReader parts(fields.bytes());
    while (parts.Next()) {
      if (parts.field() != 1) continue;
      attributes_.emplace_back(parts.bytes(), fields.bytes());
      break;
    }
  }
}

bool OnnxCall::HasInput(size_t i) const {
  return i < node_.input_count && graph_.Inputs(node_)[i] != kOnnxAbsent;
}

const OnnxType& OnnxCall::Input(size_t i) const {
  if (!HasInput(i)) return UnknownOnnxType();
  return graph_.values[graph_.Inputs(node_)[i]].type;
}

const OnnxDims* OnnxCall::Dims(size_t i) const {
  const OnnxType& type = Input(i);
  return type.dims ? &*type.dims : nullptr;
}

const OnnxDims* OnnxCall::DimsOfRank(size_t i, size_t rank) const {
  const OnnxDims* const dims = Dims(i);
  return dims != nullptr && dims->size() == rank ? dims : nullptr;
}

const OnnxData* OnnxCall::Data(size_t i) const {
  if (!HasInput(i)) return nullptr;
  const uint32_t id = graph_.Inputs(node_)[i];
  const auto found = known_->find(id);
  if (found != known_->end()) return &found->second;
  const OnnxValue& value = graph_.values[id];
  if (!value.is_initializer || !value.type.dims) return nullptr;
  const optional<OnnxTensor> tensor = ParseOnnxTensor(value.proto);
  if (!tensor) return nullptr;
  optional<OnnxData> data = ReadOnnxData(*tensor);
  if (!data) return nullptr;
  return &known_->emplace(id, *std::move(data)).first->second;
}

optional<std::vector<int64_t>> OnnxCall::Integers(size_t i) const {
  const OnnxData* const data = Data(i);
  if (data == nullptr) return nullopt;
  std::vector<int64_t> integers;
  for (const OnnxNumber& number : *data) {
    if (number.kind != OnnxNumber::Kind::kInteger) return nullopt;
    integers.push_back(number.integer);
  }
  return integers;
}

optional<int64_t> OnnxCall::Integer(size_t i) const {
  const OnnxData* const data = Data(i);
  if (data == nullptr || data->size() != 1 ||
      (*data)[0].kind != OnnxNumber::Kind::kInteger) {
    return nullopt;
  }
  return (*data)[0].integer;
}

optional<string_view> OnnxCall::Find(string_view name) const {
  for (const auto& [known, message] : attributes_) {
    if (known == name) return message;
  }
  return nullopt;
}

bool OnnxCall::HasAttribute(string_view name) const {
  return Find(name).has_value();
}

int64_t OnnxCall::Int(string_view name, int64_t otherwise) const {
  const optional<string_view> message = Find(name);
  if (!message) return otherwise;
  // Writers may omit a number that is 0.
  int64_t value = 0;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 3) value = static_cast<int64_t>(fields.value());
  }
  return value;
}

optional<std::vector<int64_t>> OnnxCall::Ints(string_view name) const {
  const optional<string_view> message = Find(name);
  if (!message) return nullopt;
  std::vector<uint64_t> values;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 8 && !AppendVarints(fields, &values)) return nullopt;
  }
  return std::vector<int64_t>(values.begin(), values.end());
}

optional<float> OnnxCall::Float(string_view name) const {
  const optional<string_view> message = Find(name);
  if (!message) return nullopt;
  float value = 0;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 2) value = OnnxFloatOf(fields.value());
  }
  return value;
}

optional<std::vector<float>> OnnxCall::Floats(string_view name) const {
  const optional<string_view> message = Find(name);
  if (!message) return nullopt;
  std::vector<uint64_t> values;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 7 && !AppendFixed(fields, 4, &values)) return nullopt;
  }
  std::vector<float> floats;
  floats.reserve(values.size());
  for (const uint64_t bits : values) floats.push_back(OnnxFloatOf(bits));
  return floats;
}

string_view OnnxCall::Text(string_view name) const {
  string_view text;
  const optional<string_view> message = Find(name);
  if (!message) return text;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 4) text = fields.bytes();
  }
  return text;
}

optional<OnnxTensor> OnnxCall::Tensor(string_view name) const {
  const optional<string_view> message = Find(name);
  if (!message) return nullopt;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 5) return ParseOnnxTensor(fields.bytes());
  }
  return nullopt;
}

optional<size_t> OnnxCall::TextCount(string_view name) const {
  const optional<string_view> message = Find(name);
  if (!message) return nullopt;
  size_t count = 0;
  WireReader fields(*message);
  while (fields.Next()) {
    if (fields.field() == 9) ++count;
  }
  return count;
}

bool OnnxCall::HasOutput(size_t i) const {
  return i < outputs_.size() && graph_.Outputs(node_)[i] != kOnnxAbsent;
}

void OnnxCall::SetType(size_t output, OnnxType type) {
  if (HasOutput(output)) outputs_[output] = std::move(type);
}

void OnnxCall::SetElement(size_t output, int32_t element) {
  if (HasOutput(output)) outputs_[output].element = element;
}

void OnnxCall::SetDims(size_t output, OnnxDims dims) {
  if (!HasOutput(output) || dims.size() > kMaxOnnxRank) return;
  const bool is_valid =
      std::all_of(dims.begin(), dims.end(),
                  [](int64_t extent) { return extent >= kOnnxOpen; });
  if (is_valid) outputs_[output].dims = std::move(dims);
}

void OnnxCall::Set(size_t output, int32_t element, OnnxDims dims) {
  SetElement(output, element);
  SetDims(output, std::move(dims));
}

void OnnxCall::SetLike(size_t output, size_t input, int32_t element) {
  SetElement(output, element);
  const OnnxDims* const dims = Dims(input);
  if (dims != nullptr) SetDims(output, *dims);
}

void OnnxCall::SetCounted(size_t output, size_t axis) {
  if (HasOutput(output)) counted_.push_back({output, axis});
}

optional<size_t> OnnxAxis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

OnnxDims OpenOnnxDims(size_t rank) { return OnnxDims(rank, kOnnxOpen); }

optional<OnnxDims> BroadcastOnnxDims(const OnnxDims& a, const OnnxDims& b) {
  const OnnxDims& longer = a.size() >= b.size() ? a : b;
  const OnnxDims& shorter = a.size() >= b.size() ? b : a;
  OnnxDims dims = longer;
  const size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& extent = dims[shift + i];
    const int64_t other = shorter[i];
    if (extent == other || other == 1) continue;
    if (extent == 1 || (extent == kOnnxOpen && other != kOnnxOpen)) {
      // At run time, an open extent is either 1 or equal to `other`. The result
      // is `other` in both cases.
      extent = other;
    } else if (other != kOnnxOpen) {
      return nullopt;
    }
  }
  return dims;
}

int64_t AddOnnxExtents(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (a == kOnnxOpen || b == kOnnxOpen || __builtin_add_overflow(a, b, &sum)) {
    return kOnnxOpen;
  }
  return sum;
}

int64_t MultiplyOnnxExtents(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a == 0 || b == 0) return 0;
  if (a == kOnnxOpen || b == kOnnxOpen ||
      __builtin_mul_overflow(a, b, &product)) {
    return kOnnxOpen;
  }
  return product;
}

int64_t ShiftOnnxExtent(int64_t extent, int64_t by) {
  int64_t sum = 0;
  if (extent == kOnnxOpen || __builtin_add_overflow(extent, by, &sum) ||
      sum < 0) {
    return kOnnxOpen;
  }
  return sum;
}

}  // namespace stowage::recordings
