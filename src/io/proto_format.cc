// SPDX-License-Identifier: Apache-2.0
#include "src/io/proto_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage {
namespace {

enum class FieldType { kNumber, kText, kBytes, kMessage };

// Consecutive fields of a message that all have the same type.
struct ProtoField {
  uint64_t first;  // the number of the first field
  uint64_t last;   // the number of the last field
  FieldType type;
  // The fields of the nested message, if the type is a message.
  Span<const ProtoField> fields = {};
  // If `max` is not 0, the value of the field must be in [1, max].
  uint64_t max = 0;
};

// The fields of the messages of ONNX: NodeProto, GraphProto, OperatorSetIdProto
// and ModelProto.
constexpr ProtoField kOnnxNode[] = {
    {1, 4, FieldType::kText},  // inputs, outputs, name, operator
    {5, 6, FieldType::kBytes},
    {7, 8, FieldType::kText},
    {9, 10, FieldType::kBytes},
};
constexpr ProtoField kOnnxGraph[] = {
    {1, 1, FieldType::kMessage, kOnnxNode},
    {2, 2, FieldType::kText},  // name
    {5, 5, FieldType::kBytes},
    {10, 16, FieldType::kBytes},
};
constexpr ProtoField kOnnxOperators[] = {
    {1, 1, FieldType::kText},  // domain
    {2, 2, FieldType::kNumber},
};
constexpr ProtoField kOnnxModel[] = {
    {1, 1, FieldType::kNumber, {}, 20},  // version of the format
    {2, 4, FieldType::kText},            // producer, its version, domain
    {5, 5, FieldType::kNumber},
    {6, 6, FieldType::kBytes},
    {7, 7, FieldType::kMessage, kOnnxGraph},
    {8, 8, FieldType::kMessage, kOnnxOperators},
    {14, 14, FieldType::kBytes},
    {20, 20, FieldType::kBytes},
    {25, 26, FieldType::kBytes},
};

// The fields of the messages of TensorFlow: NodeDef, GraphDef, MetaGraphDef and
// SavedModel.
constexpr ProtoField kTensorFlowNode[] = {
    {1, 4, FieldType::kText},  // name, operator, inputs, device
    {5, 7, FieldType::kBytes},
};
constexpr ProtoField kTensorFlowGraph[] = {
    {1, 1, FieldType::kMessage, kTensorFlowNode},
    {2, 2, FieldType::kBytes},
    {3, 3, FieldType::kNumber},
    {4, 5, FieldType::kBytes},
};
// The first field of this message is not listed, because no program writes it,
// and with it models of Core ML would match, too.
constexpr ProtoField kTensorFlowMetaInfo[] = {
    {2, 3, FieldType::kBytes},
    {4, 6, FieldType::kText},  // tags, versions
    {7, 7, FieldType::kNumber},
    {8, 8, FieldType::kBytes},
};
constexpr ProtoField kTensorFlowMetaGraph[] = {
    {1, 1, FieldType::kMessage, kTensorFlowMetaInfo},
    {2, 2, FieldType::kMessage, kTensorFlowGraph},
    {3, 7, FieldType::kBytes},
};
constexpr ProtoField kSavedModel[] = {
    {1, 1, FieldType::kNumber, {}, 1},  // version of the format
    {2, 2, FieldType::kMessage, kTensorFlowMetaGraph},
};

// The fields of the messages of Core ML: FeatureDescription, ModelDescription
// and Model.
constexpr ProtoField kCoreMlFeature[] = {
    {1, 2, FieldType::kText},  // name, description
    {3, 3, FieldType::kBytes},
};
constexpr ProtoField kCoreMlDescription[] = {
    {1, 1, FieldType::kMessage, kCoreMlFeature},
    {2, 9, FieldType::kBytes},
    {10, 10, FieldType::kMessage, kCoreMlFeature},
    {11, 12, FieldType::kText},
    {13, 100, FieldType::kBytes},
};
constexpr ProtoField kCoreMlModel[] = {
    {1, 1, FieldType::kNumber, {}, 20},  // version of the format
    {2, 2, FieldType::kMessage, kCoreMlDescription},
    {10, 10, FieldType::kNumber},
    {200, 3000, FieldType::kBytes},  // one field for each type of model
};

struct ProtoModel {
  string_view format;
  Span<const ProtoField> fields;
  // The minimum number of fields of a file, including the fields of nested
  // messages. With a lower number, other messages would match, too.
  size_t least_fields;
};
constexpr ProtoModel kModels[] = {
    {"an ONNX model", kOnnxModel, 2},
    {"a TensorFlow SavedModel (.pb)", kSavedModel, 3},
    {"a graph of TensorFlow (.pb)", kTensorFlowGraph, 3},
    {"a Core ML model (.mlmodel)", kCoreMlModel, 3},
};

bool IsControl(char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7F; }

// Returns whether the bytes contain a control character that does not occur in
// text files.
bool HasControl(string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](char c) {
    return IsControl(c) && c != '\t' && c != '\n' && c != '\r';
  });
}

// Compares the start of a message with the fields of a format.
class FieldMatcher {
 public:
  // Returns whether all fields of the message are fields of the format. If
  // `is_cut` is true, `message` may be truncated, even within a field.
  // O(bytes).
  bool Matches(string_view message, bool is_cut, Span<const ProtoField> fields);

  // Returns the number of fields that Matches has read.
  size_t seen() const { return seen_; }

 private:
  bool MatchesValue(string_view value, bool is_cut, const ProtoField& field);

  size_t seen_ = 0;
};

bool FieldMatcher::Matches(string_view message, bool is_cut,
                           Span<const ProtoField> fields) {
  constexpr uint64_t kNumberType = 0;
  constexpr uint64_t kLengthType = 2;
  while (!message.empty()) {
    const optional<uint64_t> tag = TakeVarint(&message);
    if (!tag) return is_cut;
    const uint64_t number = *tag >> 3;
    const auto* const field = std::find_if(
        fields.begin(), fields.end(), [number](const ProtoField& known) {
          return known.first <= number && number <= known.last;
        });
    if (field == fields.end()) return false;
    const bool is_number = field->type == FieldType::kNumber;
    if ((*tag & 7) != (is_number ? kNumberType : kLengthType)) return false;
    const optional<uint64_t> value = TakeVarint(&message);
    if (!value) return is_cut;
    ++seen_;
    if (is_number) {
      if (field->max != 0 && (*value == 0 || *value > field->max)) {
        return false;
      }
      continue;
    }
    const bool ends_early = *value > message.size();
    if (ends_early && !is_cut) return false;
    const string_view content = message.substr(0, *value);
    if (!MatchesValue(content, ends_early, *field)) return false;
    message.remove_prefix(content.size());
  }
  return true;
}

bool FieldMatcher::MatchesValue(string_view value, bool is_cut,
                                const ProtoField& field) {
  if (field.type == FieldType::kText) {
    return std::none_of(value.begin(), value.end(), IsControl);
  }
  return field.type != FieldType::kMessage ||
         Matches(value, is_cut, field.fields);
}

}  // namespace

string_view ProtoFormat(string_view start) {
  // A file without control characters is text, because the bytes that encode
  // the field numbers and the lengths in a message nearly always include some.
  if (!HasControl(start)) return "";
  for (const ProtoModel& model : kModels) {
    FieldMatcher matcher;
    if (matcher.Matches(start, /*is_cut=*/true, model.fields) &&
        matcher.seen() >= model.least_fields) {
      return model.format;
    }
  }
  return "";
}

}  // namespace stowage
