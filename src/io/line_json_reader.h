// SPDX-License-Identifier: Apache-2.0
// Checks the types of values of a JSON document, and keeps the first error with
// its file, line and path. To read a format, derive from LineJsonReader.
#ifndef STOWAGE_SRC_IO_LINE_JSON_READER_H_
#define STOWAGE_SRC_IO_LINE_JSON_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/io/line_json.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

// A key that an object may have, and whether it is required.
struct JsonKey {
  const char* name;
  LineJson::Kind kind;
  bool is_required;
  bool takes_any = false;  // any kind will do; messages expect `kind`
};

class LineJsonReader {
 public:
  // For messages, `name` is the name of the file and `what` the kind of
  // document. Both must outlive the reader.
  LineJsonReader(string_view name, string_view what)
      : name_(name), what_(what) {}

  // Returns the first error. After an error, all functions below return false.
  const Status& status() const { return status_; }

  // Sets the error and returns false.
  bool Fail(const LineJson& value, const JsonPath& path, string_view message);
  // Checks the keys of an object and the types of their values.
  bool CheckKeys(const LineJson& value, const JsonPath& path,
                 Span<const JsonKey> keys);
  bool CheckKind(const LineJson& value, const JsonPath& path,
                 LineJson::Kind kind);
  // Calls read(entry, path) for each entry of the list under `key`; `read` must
  // return false after an error. Does nothing if the object has no such list.
  template <typename ReadEntry>
  bool ReadList(const LineJson& object, const JsonPath& path, const char* key,
                ReadEntry read) {
    const LineJson* const list = object.Find(key);
    if (list == nullptr) return true;
    const JsonPath at(&path, key);
    for (size_t i = 0; i < list->entries.size(); ++i) {
      if (!read(list->entries[i], JsonPath(&at, i))) return false;
    }
    return true;
  }
  bool ReadText(const LineJson& value, const JsonPath& path, bool may_be_empty,
                std::string* text);
  // Reads the list of numbers under `key`, if there is one.
  bool ReadNumbers(const LineJson& object, const JsonPath& path,
                   const char* key, std::vector<size_t>* numbers);

 private:
  const string_view name_;
  const string_view what_;
  Status status_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_LINE_JSON_READER_H_
