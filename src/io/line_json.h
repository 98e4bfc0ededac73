// SPDX-License-Identifier: Apache-2.0
// Reads a JSON document into a tree of values. Each value stores its line in
// the document, for error messages. A document may contain objects, lists,
// texts, whole numbers and booleans. If lines are not needed, use
// src/json/document.h.
#ifndef STOWAGE_SRC_IO_LINE_JSON_H_
#define STOWAGE_SRC_IO_LINE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {

struct LineJson {
  enum class Kind : uint8_t { kObject, kList, kText, kNumber, kBoolean };
  Kind kind = Kind::kObject;
  uint32_t line = 1;
  uint64_t number = 0;            // a number, or 1 for true
  std::string text = {};          // a text
  std::vector<LineJson> entries;  // the entries of a list or of an object
  std::vector<std::string> keys;  // the key of each entry of an object

  // Returns the value of a key, or null if the object has no such key.
  const LineJson* Find(string_view key) const;
};

// Returns "an object", "a list", "a string", "a number" or "true or false".
string_view ExpectedKind(LineJson::Kind kind);

// Returns the value as shown in messages: the value itself if it is a text, a
// number or a boolean, otherwise "an object" or "a list".
std::string ShownValue(const LineJson& value);

// The path from the document to a value. Each part points to its parent. The
// text of the path is built only when a message needs it.
class JsonPath {
 public:
  JsonPath() = default;
  // `parent` must outlive this path.
  JsonPath(const JsonPath* parent, string_view key)
      : parent_(parent), key_(key) {}
  JsonPath(const JsonPath* parent, size_t index)
      : parent_(parent), index_(index), is_entry_(true) {}

  // Returns "functions[1].nodes[3].out[0]".
  std::string ToString() const;

 private:
  const JsonPath* parent_ = nullptr;
  string_view key_;
  size_t index_ = 0;
  bool is_entry_ = false;
};

// Parses a document in which the outermost value must be an object. For
// messages, `name` is the name of the file, and `what` the kind of document,
// such as "program". Errors: InvalidArgument if the text is not JSON, if the
// outermost value is not an object, if a key occurs twice in an object, if a
// value is null, if a number is not a whole number below 2^64, or if values are
// nested too deeply; ResourceExhausted if there are too many values. Messages
// have the form "FILE:LINE: PATH: ...".
StatusOr<LineJson> ParseLineJson(string_view json, string_view name,
                                 string_view what);

// Returns whether `start` is the start of a JSON object that has one of these
// keys at its outermost level. O(start * keys).
bool HasOutermostKey(string_view start, Span<const string_view> keys);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_LINE_JSON_H_
