// SPDX-License-Identifier: Apache-2.0
#include "src/io/line_json_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/io/line_json.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"

namespace stowage {

bool LineJsonReader::Fail(const LineJson& value, const JsonPath& path,
                          string_view message) {
  const std::string where = path.ToString();
  status_ = InvalidArgumentError(
      StrCat(name_, ":", value.line, ": ",
             where.empty() ? std::string(what_) : where, ": ", message));
  return false;
}

bool LineJsonReader::CheckKind(const LineJson& value, const JsonPath& path,
                               LineJson::Kind kind) {
  if (value.kind == kind) return true;
  return Fail(
      value, path,
      StrCat("is ", ShownValue(value), "; expected ", ExpectedKind(kind)));
}

bool LineJsonReader::CheckKeys(const LineJson& value, const JsonPath& path,
                               Span<const JsonKey> keys) {
  if (!CheckKind(value, path, LineJson::Kind::kObject)) return false;
  for (size_t i = 0; i < value.keys.size(); ++i) {
    const auto* const key = std::find_if(
        keys.begin(), keys.end(),
        [&](const JsonKey& each) { return value.keys[i] == each.name; });
    if (key == keys.end()) {
      std::string known;
      for (const JsonKey& each : keys) {
        StrAppend(&known, known.empty() ? "" : ", ", each.name);
      }
      return Fail(value.entries[i], path,
                  StrCat("unknown key ", Quoted(value.keys[i]),
                         "; expected one of ", known));
    }
    if (!key->takes_any &&
        !CheckKind(value.entries[i], JsonPath(&path, key->name), key->kind)) {
      return false;
    }
  }
  for (const JsonKey& key : keys) {
    if (!key.is_required || value.Find(key.name) != nullptr) continue;
    return Fail(value, path,
                StrCat("no ", key.name, "; expected ", ExpectedKind(key.kind)));
  }
  return true;
}

bool LineJsonReader::ReadText(const LineJson& value, const JsonPath& path,
                              bool may_be_empty, std::string* text) {
  if (!CheckKind(value, path, LineJson::Kind::kText)) return false;
  if ((value.text.empty() && !may_be_empty) ||
      value.text.find('\0') != std::string::npos) {
    return Fail(value, path,
                StrCat("is ", Quoted(value.text),
                       "; expected some text, without a NUL"));
  }
  *text = value.text;
  return true;
}

bool LineJsonReader::ReadNumbers(const LineJson& object, const JsonPath& path,
                                 const char* key,
                                 std::vector<size_t>* numbers) {
  return ReadList(object, path, key,
                  [&](const LineJson& entry, const JsonPath& at) {
                    numbers->push_back(entry.number);
                    return CheckKind(entry, at, LineJson::Kind::kNumber);
                  });
}

}  // namespace stowage
