// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/xla_message.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {
namespace {

// The largest field number that protocol buffers allow.
constexpr uint64_t kMaxXlaField = (uint64_t{1} << 29) - 1;

}  // namespace

bool XlaMessage::Next() {
  if (!is_ok_ || !fields_.Next()) return false;
  const uint64_t field = fields_.field();
  is_ok_ = field <= kMaxXlaField;
  if (field < 64) {
    const uint64_t bit = uint64_t{1} << field;
    if ((schema_.numbers & bit) != 0) {
      is_ok_ = fields_.type() == WireReader::Type::kVarint;
    } else if ((schema_.bytes & bit) != 0) {
      is_ok_ = fields_.type() == WireReader::Type::kBytes;
    }
  }
  return is_ok_;
}

Status XlaMessage::status() const {
  if (is_ok_ && fields_.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a message ", schema_.name, " is damaged",
      is_ok_ ? "" : absl::StrCat(" at its field ", fields_.field()),
      ", from its byte ", fields_.position(),
      " on; expected the whole file, byte for byte as it was written"));
}

Status CheckXlaMessage(string_view message, const XlaSchema& schema) {
  XlaMessage fields(message, schema);
  while (fields.Next()) {
  }
  return fields.status();
}

Status AtXlaPlace(const std::string& place, const Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(place, ": ", status.message()));
}

}  // namespace stowage::recordings
