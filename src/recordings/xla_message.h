// SPDX-License-Identifier: Apache-2.0
// Reads an XLA message strictly: a known field of an unexpected type is an
// error, and so is any truncated field. A corrupt file is therefore rejected as
// a whole. For messages that were not written by XLA, use io/wire_reader.h.
//
//   XlaMessage fields(bytes, {"XPlane", XlaFields({1}), XlaFields({2, 3})});
//   while (fields.Next()) {
//     if (fields.field() == 2) name = fields.bytes();
//   }
//   if (!fields.status().ok()) return fields.status();
#ifndef STOWAGE_SRC_RECORDINGS_XLA_MESSAGE_H_
#define STOWAGE_SRC_RECORDINGS_XLA_MESSAGE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {

// Returns a set of fields. Requires field numbers below 64.
constexpr uint64_t XlaFields(std::initializer_list<unsigned> fields) {
  uint64_t set = 0;
  for (const unsigned field : fields) set |= uint64_t{1} << field;
  return set;
}

// The fields of a message that have their types checked. All other fields are
// skipped, because later versions may add fields.
struct XlaSchema {
  string_view name;
  uint64_t numbers = 0;  // the fields that are varints
  uint64_t bytes = 0;    // the fields that are texts, bytes or messages
};

class XlaMessage {
 public:
  // The message must outlive everything that is read from it.
  XlaMessage(string_view message, const XlaSchema& schema)
      : fields_(message), schema_(schema) {}

  // Moves to the next field. Returns false at the end of the message and after
  // an error.
  bool Next();

  // Returns an InvalidArgument error, with the name of the message, if the
  // message is corrupt.
  Status status() const;

  uint64_t field() const { return fields_.field(); }
  uint64_t value() const { return fields_.value(); }
  string_view bytes() const { return fields_.bytes(); }

 private:
  WireReader fields_;
  XlaSchema schema_;
  bool is_ok_ = true;
};

// Checks a message by reading all of it. Used if its fields are not needed.
Status CheckXlaMessage(string_view message, const XlaSchema& schema);

// Prepends a place to the message of an error: "PLACE: MESSAGE".
Status AtXlaPlace(const std::string& place, const Status& status);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_XLA_MESSAGE_H_
