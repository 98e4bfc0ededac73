// SPDX-License-Identifier: Apache-2.0
// Reads a JSON text as a stream of values. It takes little memory however long
// the text is, and however deep it nests, so it suits profiles of many
// megabytes of which a reader needs a few values.
//
//   class CountKeys : public JsonHandler { ... bool Key(string_view) ... };
//   CountKeys handler;
//   const absl::Status status = ReadJsonEvents(source.get(), name, &handler);
//
// The text must be JSON in every byte, also in what the handler does not need.
#ifndef STOWAGE_SRC_RECORDINGS_JSON_EVENTS_H_
#define STOWAGE_SRC_RECORDINGS_JSON_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {

// A value that is no object and no list.
struct JsonScalar {
  enum class Kind {
    kNull,
    kBoolean,
    kInteger,  // from -2^63 to 2^64 - 1
    kDecimal,  // any other number
    kString,
  };
  Kind kind = Kind::kNull;
  bool is_true = false;      // kBoolean
  bool is_negative = false;  // kInteger: the number is -magnitude
  uint64_t magnitude = 0;    // kInteger
  // kDecimal: the number as it is written. kString: the text, in UTF-8.
  string_view text;
};

// Receives the values in the order of the text. A function that returns false
// ends the reading.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;

  // An object or a list begins, or the innermost one ends.
  virtual bool Open(bool is_object) = 0;
  virtual bool Close() = 0;
  virtual bool Key(string_view key) = 0;
  virtual bool Scalar(const JsonScalar& value) = 0;
};

// Objects and lists may nest to this depth.
constexpr size_t kMaxJsonDepth = 1000;

// No string or number may have more bytes, nor may the space between two
// values. Parts of a text that are longer may be refused or not.
constexpr size_t kMaxJsonTokenBytes = size_t{1} << 23;

// Passes the values of one JSON text to a handler. `name` stands for the text
// in messages. Returns OK if the handler ends the reading. Errors:
// InvalidArgument with the line for what is not JSON, and for what passes the
// limits above; those of the source.
absl::Status ReadJsonEvents(ByteSource* source, const std::string& name,
                            JsonHandler* handler);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_JSON_EVENTS_H_
