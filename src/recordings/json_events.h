// SPDX-License-Identifier: Apache-2.0
// Reads a JSON text as a stream of values. This needs little memory, no matter
// how long the text is and how deeply it is nested. Use it for profiles of many
// megabytes from which only a few values are needed.
//
//   class CountKeys : public JsonHandler { ... bool Key(string_view) ... };
//   CountKeys handler;
//   const absl::Status status = ReadJsonEvents(source.get(), name, &handler);
//
// The whole text must be valid JSON, including the parts that the handler
// ignores.
#ifndef STOWAGE_SRC_RECORDINGS_JSON_EVENTS_H_
#define STOWAGE_SRC_RECORDINGS_JSON_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {

// A value that is neither an object nor a list.
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
  // For kDecimal, the number as written in the text. For kString, the string in
  // UTF-8.
  string_view text;
};

// Receives the values in the order of the text. If a function returns false,
// reading stops.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;

  // Open is called at the beginning of every object or list. Close is called at
  // the end of the innermost open object or list.
  virtual bool Open(bool is_object) = 0;
  virtual bool Close() = 0;
  virtual bool Key(string_view key) = 0;
  virtual bool Scalar(const JsonScalar& value) = 0;
};

// The maximum nesting depth of objects and lists.
constexpr size_t kMaxJsonDepth = 1000;

// The maximum number of bytes of a string or number, or of the space between
// two values. The reader may reject anything longer, but does not always do so.
constexpr size_t kMaxJsonTokenBytes = size_t{1} << 23;

// Passes the values of one JSON text to a handler. `name` is the name of the
// text in messages. Returns OK if the handler stops reading. Errors:
// InvalidArgument, with the line, for a text that is not JSON or exceeds the
// limits above; the errors of the source.
absl::Status ReadJsonEvents(ByteSource* source, const std::string& name,
                            JsonHandler* handler);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_JSON_EVENTS_H_
