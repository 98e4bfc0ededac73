// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/error_line.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/status_payload.h"
#include "src/base/str_cat.h"
#include "src/io/line_json.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"

namespace stowage {
namespace {

// Returns the line of entry `index` of the list or object with this key.
optional<uint32_t> LineOfEntry(const LineJson& document, const char* key,
                               size_t index, const char* field = nullptr) {
  const LineJson* const list = document.Find(key);
  if (list == nullptr || index >= list->entries.size()) return nullopt;
  const LineJson& entry = list->entries[index];
  const LineJson* const value = field == nullptr ? &entry : entry.Find(field);
  return value == nullptr ? entry.line : value->line;
}

bool HasField(const LineJson& document, size_t record, const char* field) {
  const LineJson* const records = document.Find("records");
  return records != nullptr && record < records->entries.size() &&
         records->entries[record].Find(field) != nullptr;
}

optional<uint32_t> LineOf(const LineJson& document, const Status& status) {
  const std::vector<size_t> places = NumbersOf(status, kPlacePayload);
  for (const char* const field : {"fixed", "at", "group"}) {
    if (places.empty()) break;
    if (HasField(document, places.front(), field)) {
      return LineOfEntry(document, "records", places.front(), field);
    }
  }
  const std::vector<size_t> records = RecordsOf(status);
  if (!records.empty()) {
    return LineOfEntry(document, "records", records.front(), "size");
  }
  const std::vector<size_t> parameters = NumbersOf(status, kParameterPayload);
  if (!parameters.empty()) {
    return LineOfEntry(document, "parameters", parameters.front());
  }
  const std::vector<size_t> limits = NumbersOf(status, kLimitPayload);
  if (!limits.empty()) return LineOfEntry(document, "where", limits.front());
  return nullopt;
}

}  // namespace

Status AtLine(string_view json, string_view name, const Status& status) {
  const StatusOr<LineJson> document = ParseLineJson(json, name, "problem");
  optional<uint32_t> line;
  if (document.ok()) line = LineOf(*document, status);
  return AtPlace(line ? StrCat(name, ":", *line) : std::string(name), status);
}

}  // namespace stowage
