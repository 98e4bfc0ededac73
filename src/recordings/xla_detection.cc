// SPDX-License-Identifier: Apache-2.0
// The field numbers are those of xla/service/hlo.proto and
// xla/tsl/profiler/protobuf/xplane.proto of github.com/openxla/xla.
#include "src/recordings/xla_detection.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {
namespace {

// Reads the beginning of a message, which may end within a field.
class XlaStart {
 public:
  explicit XlaStart(string_view start) : rest_(start) {}

  // Removes the next field if it is a varint with the number `field`. Returns
  // whether the field was removed.
  bool TakeNumber(uint64_t field) {
    string_view rest = rest_;
    if (TakeVarint(&rest) != field << 3 || !TakeVarint(&rest)) return false;
    rest_ = rest;
    return true;
  }

  // Removes the next field if it is a bytes field with the number `field`.
  // Returns those of its bytes that are in the beginning of the message.
  optional<string_view> TakeBytes(uint64_t field) {
    string_view rest = rest_;
    if (TakeVarint(&rest) != (field << 3 | 2)) return nullopt;
    const optional<uint64_t> size = TakeVarint(&rest);
    if (!size) return nullopt;
    const string_view bytes = rest.substr(0, *size);
    rest_ = rest.substr(bytes.size());
    return bytes;
  }

  // Like TakeBytes, for a field that contains a name. A name is not empty and
  // does not contain control characters.
  optional<string_view> TakeName(uint64_t field) {
    const optional<string_view> name = TakeBytes(field);
    const bool is_name = name && !name->empty() &&
                         std::none_of(name->begin(), name->end(), [](char c) {
                           return static_cast<uint8_t>(c) < 0x20 || c == 0x7F;
                         });
    return is_name ? name : nullopt;
  }

  bool is_over() const { return rest_.empty(); }

 private:
  string_view rest_;
};

bool HasXlaEnding(const std::string& path, string_view ending) {
  return absl::EndsWith(path, ending) ||
         absl::EndsWith(path, std::string(ending) + ".gz") ||
         absl::EndsWith(path, std::string(ending) + ".zst");
}

// Returns whether `name` may be the name of a plane. Planes are named after
// devices, hosts and chips.
bool IsXlaPlaneName(string_view name) {
  return absl::StartsWith(name, "/host:") ||
         absl::StartsWith(name, "/device:") ||
         absl::StartsWith(name, "#Chip") || name == "Task Environment";
}

// Returns whether a message is the beginning of a HloComputationProto.
bool IsXlaComputation(string_view message) {
  XlaStart computation(message);
  if (!computation.TakeName(1)) return false;
  if (computation.is_over()) return true;
  const optional<string_view> first = computation.TakeBytes(2);
  if (!first) return false;
  XlaStart instruction(*first);
  return instruction.is_over() || instruction.TakeName(1).has_value();
}

// Returns whether a message is the beginning of a BufferAssignmentProto.
bool IsXlaAssignment(string_view message) {
  XlaStart assignment(message);
  const optional<string_view> first = assignment.TakeBytes(1);
  if (!first) return false;
  XlaStart buffer(*first);
  buffer.TakeNumber(1);  // is not there for buffer 0
  if (!buffer.TakeNumber(2)) return false;
  const optional<string_view> location = buffer.TakeBytes(3);
  if (!location) return false;
  // A location consists of an index in the shape and the id of the instruction.
  // In older files, the names of the computation and the instruction precede
  // them.
  XlaStart fields(*location);
  const bool has_computation = fields.TakeBytes(1).has_value();
  const bool has_name = fields.TakeBytes(2).has_value();
  const bool has_shape_index = fields.TakeBytes(3).has_value();
  const bool has_id = fields.TakeNumber(4);
  return has_computation || has_name || has_shape_index || has_id;
}

}  // namespace

bool IsXlaXplane(string_view start, const std::string& path) {
  const optional<string_view> first = XlaStart(start).TakeBytes(1);
  if (!first) return false;
  XlaStart plane(*first);
  plane.TakeNumber(1);  // is not there for plane 0
  const optional<string_view> name = plane.TakeName(2);
  return name && (IsXlaPlaneName(*name) || HasXlaEnding(path, ".xplane.pb"));
}

bool IsXlaHlo(string_view start, const std::string& path) {
  XlaStart file(start);
  const bool has_ending =
      HasXlaEnding(path, ".hlo.pb") || HasXlaEnding(path, ".hlo_proto.pb");
  const optional<string_view> first = file.TakeBytes(1);
  if (!first) {
    const optional<string_view> message = file.TakeBytes(3);
    return message &&
           (IsXlaAssignment(*message) || (has_ending && !message->empty()));
  }
  XlaStart module(*first);
  if (has_ending) return module.TakeBytes(1).has_value();
  if (!module.TakeName(1) || !module.TakeName(2)) return false;
  const optional<string_view> computation = module.TakeBytes(3);
  return computation && IsXlaComputation(*computation);
}

}  // namespace stowage::recordings
